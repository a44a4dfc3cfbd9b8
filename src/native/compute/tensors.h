// The weights of a Whisper model file, by their names in the file.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

struct ggml_tensor;

namespace stenobox {

/// The dimensions of a Whisper model. All heads have the same width.
struct SpeechShape {
  size_t mels;
  size_t positions;
  size_t width;
  size_t heads;
  size_t encoderLayers;
  size_t decoderLayers;
  size_t textPositions;
  size_t vocabulary;

  size_t headWidth() const { return width / heads; }
};

class Tensors {
 public:
  explicit Tensors(const std::map<std::string, ggml_tensor *> & tensors) : tensors_(tensors) {}

  /// Number of values in the tensor.
  size_t size(const std::string & name) const;

  /// All numbers of a tensor as floats, times a factor.
  std::vector<float> read(const std::string & name, float factor = 1.0f) const;

  /// Reads `count` rows of `width` numbers, starting at row `first`.
  void readRows(const std::string & name, size_t first, size_t count, size_t width, float * target) const;

 private:
  const std::map<std::string, ggml_tensor *> & tensors_;
};

/// The numbers of `a`, then those of `b`.
std::vector<float> joined(std::vector<float> a, const std::vector<float> & b);

struct Norm {
  std::vector<float> weight;
  std::vector<float> bias;
};

/// The tensors `name`.weight and `name`.bias.
Norm readNorm(const Tensors & tensors, const std::string & name);

}  // namespace stenobox
