// Whisper's decoder on a processor: from what was heard and said so far to what may come next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "byte-product.h"
#include "products.h"
#include "tensors.h"

namespace stenobox {

/// Room for products with a ByteLayer.
struct ByteRoom {
  std::vector<int8_t> rows;
  std::vector<float> factors;
};

/// A matrix of bytes with a factor per row. Rows it is multiplied with stay floats, or, where the processor multiplies bytes fastest, become
/// integers of sixteen bits.
class ByteLayer {
 public:
  explicit ByteLayer(size_t inputs) : inputs_(inputs) {}

  /// Appends the rows of a tensor, times a factor.
  void append(const Tensors & tensors, const std::string & name, float factor = 1.0f);
  void setBias(std::vector<float> bias) { bias_ = std::move(bias); }

  /// To be called once, when it is complete.
  void finish();

  /// result = rows x weights + bias, for any number of rows.
  void run(const float * rows, size_t count, float * result, ByteRoom & room) const;

  /// Row `index` as numbers.
  void row(size_t index, float * target) const;

 private:
  void runSplit(const float * rows, size_t count, float * result, ByteRoom & room) const;

  size_t inputs_;
  std::vector<int8_t> weights_;
  std::vector<float> factors_;
  std::vector<float> bias_;
  std::unique_ptr<ByteProduct> product_;
};

/// What one thread keeps while it decodes a window: what was heard, what was said, and room to compute in.
struct DecoderRoom {
  Scratch scratch;
  ByteRoom bytes;
  /// Of the window, for each layer and head.
  size_t positions = 0;
  LargeMemory heard;
  std::vector<FixedHead> heads;
  std::vector<float> heardFloats;
  /// Of the tokens, for each layer: rows of the model's width for each cell. Not touched until they are needed.
  size_t cells = 0;
  std::unique_ptr<float[]> keys;
  std::unique_ptr<float[]> values;
  std::vector<float> stream;
  std::vector<float> input;
  std::vector<float> wide;
  std::vector<float> scores;

  /// Makes room for so many cells; what was in them is lost when they become more.
  void setCells(size_t count, const SpeechShape & shape);
};

/// A token of a batch: its place in the text, the cell that keeps it, and the cells it looks at, its own among them.
struct BatchToken {
  size_t token;
  size_t place;
  uint32_t cell;
  std::vector<uint32_t> looksAt;
};

/// Attention of one head to what was heard.
struct HeadPlace {
  size_t layer;
  size_t head;
};

/// Read-only, for any number of threads.
class Decoder {
 public:
  Decoder(const Tensors & tensors, const SpeechShape & shape, Number number);
  ~Decoder();

  /// Takes in what the encoder made of a window: `positions` rows. False when `stop` said so.
  bool listen(const void * encoded, size_t positions, DecoderRoom & room, const std::function<bool()> & stop) const;

  /// Computes a batch; afterwards `room.stream` holds a row of the model's width per token. `watched`: heads whose attention goes to `attention`,
  /// head by head, token by token, `room.positions` numbers each. False when `stop` said so.
  bool run(const std::vector<BatchToken> & batch, DecoderRoom & room, const std::vector<HeadPlace> & watched, float * attention,
    const std::function<bool()> & stop) const;

  /// The logits of what follows some tokens of the last batch: rows of the vocabulary's size.
  void predict(const std::vector<size_t> & tokens, DecoderRoom & room, float * logits) const;

  const SpeechShape & shape() const { return shape_; }

 private:
  struct Block;
  void attendSaid(const Block & block, size_t layer, const std::vector<BatchToken> & batch, DecoderRoom & room) const;
  void attendHeard(const Block & block, size_t layer, size_t count, DecoderRoom & room, const std::vector<HeadPlace> & watched, float * attention) const;

  const SpeechShape shape_;
  std::vector<float> places_;
  ByteLayer words_;
  std::vector<Block> blocks_;
  Norm last_;
};

}  // namespace stenobox
