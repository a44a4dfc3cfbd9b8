// Voice activity detection: the network of Silero VAD v5 at 16 kHz. It returns a probability of speech for each 512 samples.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace stenobox {

/// One layer as a product of matrices: rows of inputs, times weights of inputs x outputs, plus bias.
struct DenseLayer {
  size_t inputs = 0;
  size_t outputs = 0;
  /// Outputs in memory: rounded up to whole blocks of the product.
  size_t stride = 0;
  std::vector<float> weights;
  std::vector<float> bias;
};

using Tensors = std::map<std::string, std::vector<float>>;

class SpeechDetector {
 public:
  static constexpr size_t kFrame = 512;
  static constexpr size_t kContext = 64;
  static constexpr size_t kHidden = 128;

  /// The state carried from frame to frame of one recording. All zero at its start. Plain floats, so that it can move between threads.
  struct State {
    std::array<float, kContext> context;
    std::array<float, kHidden> hidden;
    std::array<float, kHidden> cell;
  };

  /// Takes weights by the network's own names. Throws MODEL_INVALID when one is missing or has the wrong size.
  explicit SpeechDetector(const Tensors & tensors);

  /// Computes the probability of speech in each of `frames` frames of 512 samples at 16 kHz; updates `state`.
  void run(const float * pcm, size_t frames, State & state, float * probabilities) const;

 private:
  void encode(const float * pcm, size_t frames, const State & state, std::vector<float> & gates) const;
  float step(const float * gates, State & state) const;

  DenseLayer spectrum_;
  std::array<DenseLayer, 4> encoder_;
  DenseLayer inputGates_;
  DenseLayer recurrentGates_;
  std::vector<float> outputWeights_;
  float outputBias_ = 0;
};

}  // namespace stenobox
