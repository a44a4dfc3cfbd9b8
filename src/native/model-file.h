// Checks model files that may be truncated, damaged or not models. whisper.cpp, parakeet.cpp and ggml answer some kinds of damage with
// abort(), which would end the process, so every file is checked from end to end first.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "ggml.h"

namespace stenobox {

/// The header fields that callers need before the weights are loaded.
struct ModelShape {
  int textLayers;
  int textHeads;
};

/// A file that is read forwards. Every read is complete or throws MODEL_INVALID.
class ModelFile {
 public:
  /// Throws MODEL_NOT_FOUND when the file cannot be read.
  explicit ModelFile(const std::string & path);
  ~ModelFile();
  ModelFile(const ModelFile &) = delete;
  ModelFile & operator=(const ModelFile &) = delete;

  void read(void * target, uint64_t bytes);
  void skip(uint64_t bytes);
  uint64_t remaining() const { return size_ - offset_; }

  template <typename T>
  T read() {
    T value;
    read(&value, sizeof(value));
    return value;
  }

 private:
  void require(uint64_t bytes) const;

  std::FILE * file_;
  uint64_t size_ = 0;
  uint64_t offset_ = 0;
};

/// Throws MODEL_INVALID with `message` unless `condition` holds.
void demand(bool condition, const std::string & message);

/// Type of the large matrices of a file of this weight format. Throws MODEL_INVALID.
ggml_type matrixType(int32_t format);

/// Throws MODEL_INVALID unless the file begins with a model's magic number.
void demandMagic(ModelFile & file);

/// Skips filters. Throws MODEL_INVALID unless they have `mels` bands over `bins` frequencies.
void skipFilters(ModelFile & file, int32_t mels, int32_t bins);

/// Skips words and returns whether `wanted` is among them. Throws MODEL_INVALID.
bool skipWords(ModelFile & file, int32_t words, const std::string & wanted);

/// The bytes that this many weights take.
uint64_t bytesOf(uint64_t elements, ggml_type type);

struct TensorHeader {
  std::string name;
  int32_t type;
  uint64_t bytes;
};

/// Checks the headers of all tensors to the end of the file and skips their data. Throws MODEL_INVALID unless there are `expected` tensors
/// with distinct names, one of the `types`, and 1 to `dimensions` dimensions: the libraries would count a repeated tensor as two.
std::vector<TensorHeader> skipTensors(ModelFile & file, size_t expected, int32_t dimensions, const std::vector<int32_t> & types);

/// Checks the header, the filters, the vocabulary and every tensor's header. Throws MODEL_NOT_FOUND or MODEL_INVALID.
ModelShape checkModelFile(const std::string & path);

}  // namespace stenobox
