// Reading model files that may be truncated, damaged or no models at all. whisper.cpp and ggml answer several kinds of
// damage with abort(), which would end the whole process, so a file is walked from end to end before they see it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace stenobox {

/// The part of a model's header that callers need before the weights are loaded.
struct ModelShape {
  int textLayers;
  int textHeads;
};

/// A file being read forwards; every read is complete or throws MODEL_INVALID.
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

/// Walks header, filters, vocabulary and every tensor's header. Throws MODEL_NOT_FOUND or MODEL_INVALID.
ModelShape checkModelFile(const std::string & path);

}  // namespace stenobox
