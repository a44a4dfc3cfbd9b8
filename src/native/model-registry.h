// Weights, shared by all threads that load the same file with the same options.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "whisper.h"

namespace stenobox {

class SpeechState;

enum class ModelKind { Whisper, Parakeet };

struct LoadRequest {
  std::string path;
  ModelKind kind = ModelKind::Whisper;
  bool gpu = false;
  /// Layer and head of each alignment head; empty: no alignment.
  std::vector<whisper_ahead> heads;
};

struct ModelFacts {
  std::string type;
  /// True when the model accepts and detects several languages.
  bool multilingual;
  int layers;
  int mels;
};

/// Read-only after loading, so threads need no lock. Freed with the last shared_ptr of a handle or a state.
class Model : public std::enable_shared_from_this<Model> {
 public:
  Model(const std::string & path, const LoadRequest & request);
  virtual ~Model() = default;
  Model(const Model &) = delete;
  Model & operator=(const Model &) = delete;

  /// Throws OUT_OF_MEMORY.
  virtual std::shared_ptr<SpeechState> openState() = 0;
  virtual ModelFacts facts() const = 0;
  const std::string & path() const { return path_; }
  /// Name of the device that holds the weights.
  const std::string & device() const { return device_; }

  /// JavaScript handles that are not freed yet.
  std::atomic<int> handles {0};

 private:
  const std::string path_;
  const std::string device_;
};

class WhisperModel final : public Model {
 public:
  /// Throws MODEL_NOT_FOUND, MODEL_INVALID, OUT_OF_MEMORY, INVALID_ARGUMENT.
  WhisperModel(const std::string & path, const LoadRequest & request);
  ~WhisperModel() override;

  std::shared_ptr<SpeechState> openState() override;
  ModelFacts facts() const override;
  whisper_context & context() const { return *context_; }

 private:
  // whisper.cpp keeps a pointer to these.
  std::vector<whisper_ahead> heads_;
  whisper_context * context_ = nullptr;
};

/// Returns weights from memory or loads them. Two threads that ask for the same weights share one load.
std::shared_ptr<Model> acquireModel(const LoadRequest & request);

struct LoadedModel {
  std::string path;
  int handles;
};

std::vector<LoadedModel> listModels();

}  // namespace stenobox
