// Whisper's encoder on the CPU: from a spectrogram to the input of the decoder.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "products.h"
#include "tensors.h"

namespace stenobox {

/// A spectrogram: `bands` rows of `frames`, one frame per 10 ms. The window starts at `first`; frames past the end are 0.
struct Spectrogram {
  const float * data;
  size_t bands;
  size_t frames;
  size_t first;
};

/// Working memory of one thread. Kept between windows; grows with the largest one.
struct EncoderRoom {
  Scratch scratch;
  std::vector<float> stream;
  std::vector<float> scores;
  std::vector<char> input;
  std::vector<char> wide;
  std::vector<char> heads;
  std::vector<char> prepared;
};

/// Read-only; any number of threads may use it.
class Encoder {
 public:
  Encoder(const Tensors & tensors, const SpeechShape & shape, Number number);

  /// The number of positions (one per 20 ms) must be a multiple of this and at most the model's.
  static constexpr size_t kStep = 100;

  /// Encodes into `room.input`: `positions` rows of the model's width. False when stopped; `stop` is asked between layers.
  bool run(const Spectrogram & spectrogram, size_t positions, EncoderRoom & room, const std::function<bool()> & stop) const;

  Number number() const { return number_; }

 private:
  struct Block;
  void convolve(const Spectrogram & spectrogram, size_t positions, EncoderRoom & room) const;
  void attend(const Block & block, size_t positions, EncoderRoom & room) const;
  void normalise(const Norm & norm, size_t positions, EncoderRoom & room) const;
  const Attention & attention(size_t positions) const;

  const SpeechShape shape_;
  const Number number_;
  std::vector<float> places_;
  std::unique_ptr<Layer> first_;
  std::unique_ptr<Layer> second_;
  std::vector<Block> blocks_;
  Norm last_;
  mutable std::mutex mutex_;
  mutable std::map<size_t, std::unique_ptr<Attention>> attentions_;

 public:
  ~Encoder();
};

}  // namespace stenobox
