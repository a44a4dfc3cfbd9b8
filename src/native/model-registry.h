// Weights, shared by every thread of the process that loads the same file with the same options.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "whisper.h"

namespace stenobox {

struct LoadRequest {
  std::string path;
  bool gpu = false;
  /// Layer and head of each alignment head; empty for no alignment.
  std::vector<whisper_ahead> heads;
};

/// Read-only after loading, so threads use it without a lock. Freed with the last shared_ptr: a handle's or a state's.
class Model {
 public:
  /// Throws MODEL_NOT_FOUND, MODEL_INVALID, OUT_OF_MEMORY, INVALID_ARGUMENT.
  Model(const std::string & path, const LoadRequest & request);
  ~Model();
  Model(const Model &) = delete;
  Model & operator=(const Model &) = delete;

  whisper_context & context() const { return *context_; }
  const std::string & path() const { return path_; }
  /// Name of the device that holds the weights.
  const std::string & device() const { return device_; }

  /// Handles of JavaScript that were not freed.
  std::atomic<int> handles {0};

 private:
  const std::string path_;
  const std::string device_;
  // whisper.cpp keeps a pointer to these.
  std::vector<whisper_ahead> heads_;
  whisper_context * context_ = nullptr;
};

/// Gives the weights in memory, or loads them. Two threads that ask for the same weights at once share one load.
std::shared_ptr<Model> acquireModel(const LoadRequest & request);

struct LoadedModel {
  std::string path;
  int handles;
};

std::vector<LoadedModel> listModels();

}  // namespace stenobox
