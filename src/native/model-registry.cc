#include "model-registry.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "backends.h"
#include "failure.h"
#include "model-file.h"
#include "parakeet-transcriber.h"
#include "whisper-access.h"

namespace stenobox {

namespace {

struct Slot {
  std::mutex loading;
  std::weak_ptr<Model> model;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Slot>> slots;
};

/// Never destroyed: worker threads may still free their states while the process exits.
Registry & registry() {
  static Registry * const instance = new Registry;
  return *instance;
}

std::string realPath(const std::string & path) {
  char resolved[PATH_MAX];
  if (path.find('\0') != std::string::npos || realpath(path.c_str(), resolved) == nullptr) {
    throw Failure(Code::ModelNotFound, "Cannot read " + path + ": " + std::strerror(errno));
  }
  return resolved;
}

/// A replaced file is a different model, so the key includes the file's identity.
std::string fileIdentity(const std::string & path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) throw Failure(Code::ModelNotFound, "Cannot read " + path + ": " + std::strerror(errno));
#ifdef __APPLE__
  const auto & changed = status.st_mtimespec;
#else
  const auto & changed = status.st_mtim;
#endif
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + ":" + std::to_string(status.st_size) + ":" +
    std::to_string(changed.tv_sec) + "." + std::to_string(changed.tv_nsec);
}

std::string keyOf(const std::string & path, const LoadRequest & request) {
  std::string key =
    path + "\n" + fileIdentity(path) + (request.gpu ? "\ngpu" : "\ncpu") + (request.kind == ModelKind::Parakeet ? "\nparakeet" : "");
  for (const whisper_ahead & head : request.heads) key += "\n" + std::to_string(head.n_text_layer) + "/" + std::to_string(head.n_head);
  return key;
}

void checkHeads(const std::vector<whisper_ahead> & heads, const ModelShape & shape) {
  for (const whisper_ahead & head : heads) {
    if (head.n_text_layer < 0 || head.n_text_layer >= shape.textLayers || head.n_head < 0 || head.n_head >= shape.textHeads) {
      throw Failure(
        Code::InvalidArgument,
        "Alignment head " + std::to_string(head.n_text_layer) + "/" + std::to_string(head.n_head) + " does not exist in a model of " +
          std::to_string(shape.textLayers) + " decoder layers with " + std::to_string(shape.textHeads) + " heads"
      );
    }
  }
}

/// Memory that whisper.cpp allocates for one alignment: three forms of attention for each head, and the search tables. Too little would
/// fail an assertion.
size_t alignmentBytes(size_t heads) {
  constexpr size_t tokens = 448;
  constexpr size_t positions = 1500;
  return (3 * heads + 8) * tokens * positions * sizeof(float);
}

}  // namespace

Model::Model(const std::string & path, const LoadRequest & request) : path_(path), device_(weightsDevice(request.gpu)) {}

WhisperModel::WhisperModel(const std::string & path, const LoadRequest & request) : Model(path, request), heads_(request.heads) {
  checkHeads(heads_, checkModelFile(path));
  whisper_context_params params = whisper_context_default_params();
  params.use_gpu = request.gpu && device() != "CPU";
  // For the decoder only; whisper-overrides.inc handles the encoder. Five beams over one recording read the same keys, and on a CPU one
  // matrix product is faster than fused attention, which reads them once per beam. Alignment needs weights that fused attention never
  // computes.
  params.flash_attn = params.use_gpu && heads_.empty();
  if (!heads_.empty()) {
    params.dtw_token_timestamps = true;
    params.dtw_aheads_preset = WHISPER_AHEADS_CUSTOM;
    params.dtw_aheads = {heads_.size(), heads_.data()};
    params.dtw_mem_size = alignmentBytes(heads_.size());
  }
  ModelFile file(path);
  context_ = openContext(file, params);
}

WhisperModel::~WhisperModel() {
  whisper_free(context_);
}

ModelFacts WhisperModel::facts() const {
  return {
    whisper_model_type_readable(context_), whisper_is_multilingual(context_) != 0, whisper_model_n_text_layer(context_),
    whisper_model_n_mels(context_)
  };
}

std::shared_ptr<Model> acquireModel(const LoadRequest & request) {
  prepareBackends();
  if (!hasProcessor()) throw Failure(Code::ModelInvalid, "There is no compute library for this processor beside the addon");
  const std::string path = realPath(request.path);
  const std::string key = keyOf(path, request);
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard<std::mutex> lock(registry().mutex);
    auto & slots = registry().slots;
    // Remove slots of freed weights, so that a process that swaps models does not collect them. A slot that a loading thread uses stays.
    for (auto entry = slots.begin(); entry != slots.end();) {
      entry = entry->second.use_count() == 1 && entry->second->model.expired() ? slots.erase(entry) : std::next(entry);
    }
    std::shared_ptr<Slot> & place = slots[key];
    if (!place) place = std::make_shared<Slot>();
    slot = place;
  }
  const std::lock_guard<std::mutex> lock(slot->loading);
  std::shared_ptr<Model> model = slot->model.lock();
  if (!model) {
    if (request.kind == ModelKind::Parakeet) model = std::make_shared<ParakeetModel>(path, request);
    else model = std::make_shared<WhisperModel>(path, request);
    slot->model = model;
  }
  return model;
}

std::vector<LoadedModel> listModels() {
  std::vector<LoadedModel> models;
  const std::lock_guard<std::mutex> lock(registry().mutex);
  for (const auto & entry : registry().slots) {
    if (const auto model = entry.second->model.lock()) models.push_back({model->path(), model->handles.load()});
  }
  return models;
}

}  // namespace stenobox
