// Whisper's decoder on the CPU: computes the next tokens from the encoded sound and the tokens so far.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "byte-product.h"
#include "products.h"
#include "tensors.h"

namespace stenobox {

/// Working memory for products with a ByteLayer.
struct ByteRoom {
  std::vector<int8_t> rows;
  std::vector<float> factors;
};

/// A byte matrix with a factor per row. Its input rows stay floats, or become 16-bit integers where the processor multiplies bytes fastest.
class ByteLayer {
 public:
  explicit ByteLayer(size_t inputs) : inputs_(inputs) {}

  /// Appends the rows of a tensor, times a factor.
  void append(const Tensors & tensors, const std::string & name, float factor = 1.0f);
  void setBias(std::vector<float> bias) { bias_ = std::move(bias); }

  /// Call it once, after the last append.
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

/// What one thread keeps while it decodes a window: encoded sound, earlier tokens, and working memory.
struct DecoderRoom {
  Scratch scratch;
  ByteRoom bytes;
  /// Of the window: keys and values for each layer and head.
  size_t positions = 0;
  LargeMemory heard;
  std::vector<FixedHead> heads;
  std::vector<float> heardFloats;
  /// Of the tokens: for each layer, rows of the model's width for each cell. Not touched before use.
  size_t cells = 0;
  std::unique_ptr<float[]> keys;
  std::unique_ptr<float[]> values;
  std::vector<float> stream;
  std::vector<float> input;
  std::vector<float> wide;
  std::vector<float> scores;

  /// Resizes to this many cells; growing loses their contents.
  void setCells(size_t count, const SpeechShape & shape);
};

/// A token of a batch: its position in the text, its cell, and the cells it attends to, its own included.
struct BatchToken {
  size_t token;
  size_t place;
  uint32_t cell;
  std::vector<uint32_t> looksAt;
};

/// A head whose attention to the sound is recorded.
struct HeadPlace {
  size_t layer;
  size_t head;
};

/// Read-only; any number of threads may use it.
class Decoder {
 public:
  Decoder(const Tensors & tensors, const SpeechShape & shape, Number number);
  ~Decoder();

  /// Reads the encoder's output for a window: `positions` rows. False when stopped.
  bool listen(const void * encoded, size_t positions, DecoderRoom & room, const std::function<bool()> & stop) const;

  /// Computes a batch; afterwards `room.stream` has a row of the model's width per token. `watched`: heads whose attention is written to
  /// `attention`, head by head, token by token, `room.positions` numbers each. False when stopped.
  bool run(const std::vector<BatchToken> & batch, DecoderRoom & room, const std::vector<HeadPlace> & watched, float * attention,
    const std::function<bool()> & stop) const;

  /// The logits after some tokens of the last batch: rows of the vocabulary's size.
  void predict(const std::vector<size_t> & tokens, DecoderRoom & room, float * logits) const;

  const SpeechShape & shape() const { return shape_; }

 private:
  struct Block;
  void attendSaid(const Block & block, size_t layer, const std::vector<BatchToken> & batch, DecoderRoom & room) const;
  void attendHeard(
    const Block & block, size_t layer, size_t count, DecoderRoom & room, const std::vector<HeadPlace> & watched, float * attention
  ) const;

  const SpeechShape shape_;
  std::vector<float> places_;
  ByteLayer words_;
  std::vector<Block> blocks_;
  Norm last_;
};

}  // namespace stenobox
