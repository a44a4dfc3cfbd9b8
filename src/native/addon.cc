// The functions of the addon; addon.ts has their types. The main thread and every worker load the addon separately, so nothing here
// outlives its environment. Shared data is in model-registry.cc.
#include <napi.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "arguments.h"
#include "backends.h"
#include "handles.h"
#include "speech-detector.h"
#include "vector-math.h"
#include "whisper.h"

namespace stenobox {

namespace {

Napi::Value loadModel(const Napi::CallbackInfo & info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return ModelHandle::create(info.Env(), acquireModel(readLoadRequest(info[0], info[1])));
  });
}

Napi::Value loadedModels(const Napi::CallbackInfo & info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    const auto models = listModels();
    Napi::Array result = Napi::Array::New(env, models.size());
    for (uint32_t i = 0; i < models.size(); ++i) {
      Napi::Object entry = Napi::Object::New(env);
      entry.Set("path", models[i].path);
      entry.Set("handles", models[i].handles);
      result.Set(i, entry);
    }
    return result;
  });
}

Napi::Value systemInfo(const Napi::CallbackInfo & info) {
  return guarded(info.Env(), [&]() -> Napi::Value { return Napi::String::New(info.Env(), describeSystem()); });
}

Napi::Value devices(const Napi::CallbackInfo & info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    const auto found = listDevices();
    Napi::Array result = Napi::Array::New(env, found.size());
    for (uint32_t i = 0; i < found.size(); ++i) {
      Napi::Object entry = Napi::Object::New(env);
      entry.Set("name", found[i].name);
      entry.Set("description", found[i].description);
      entry.Set("kind", found[i].gpu ? "gpu" : "cpu");
      entry.Set("freeBytes", static_cast<double>(found[i].freeBytes));
      entry.Set("totalBytes", static_cast<double>(found[i].totalBytes));
      result.Set(i, entry);
    }
    return result;
  });
}

Napi::Value languages(const Napi::CallbackInfo & info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    Napi::Array result = Napi::Array::New(env);
    for (int i = 0; i <= whisper_lang_max_id(); ++i) result.Set(static_cast<uint32_t>(i), whisper_lang_str(i));
    return result;
  });
}

void lowerThreadPriority(const Napi::CallbackInfo & info) {
  guarded(info.Env(), [&] {
    const int nice = readInteger(info[0], "nice", 0, 19);
#ifdef __linux__
    // Linux keeps niceness per thread, and the threads that ggml starts inherit it.
    const auto thread = static_cast<id_t>(syscall(SYS_gettid));
    const int lowered = std::min(19, getpriority(PRIO_PROCESS, thread) + nice);
    if (setpriority(PRIO_PROCESS, thread, lowered) != 0)
      throw Failure(Code::InvalidArgument, std::string("The priority could not be changed: ") + std::strerror(errno));
#else
    // On other systems niceness belongs to the whole process, including the HTTP thread.
    (void)nice;
#endif
  });
}

/// Returns a function that keeps the weights alive. It has no state; the caller holds the state.
Napi::Value createSpeechDetector(const Napi::CallbackInfo & info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const auto detector = std::make_shared<const SpeechDetector>(readTensors(info[0]));
    return Napi::Function::New(info.Env(), [detector](const Napi::CallbackInfo & call) -> Napi::Value {
      return guarded(call.Env(), [&]() -> Napi::Value {
        const Floats pcm = readFloats(call[0], "pcm");
        const Floats given = readFloats(call[1], "state");
        SpeechDetector::State state;
        if (pcm.count % SpeechDetector::kFrame != 0) throw Failure(Code::InvalidArgument, "pcm must hold whole frames of 512 samples");
        if (given.count * sizeof(float) != sizeof state) throw Failure(Code::InvalidArgument, "state must hold 320 numbers");
        std::memcpy(&state, given.data, sizeof state);
        auto probabilities = Napi::Float32Array::New(call.Env(), pcm.count / SpeechDetector::kFrame);
        detector->run(pcm.data, probabilities.ElementLength(), state, probabilities.Data());
        auto next = Napi::Float32Array::New(call.Env(), given.count);
        std::memcpy(next.Data(), &state, sizeof state);
        Napi::Object result = Napi::Object::New(call.Env());
        result.Set("probabilities", probabilities);
        result.Set("state", next);
        return result;
      });
    }, "detectSpeech");
  });
}

Napi::Value nearestCodes(const Napi::CallbackInfo & info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Words codes = readWords(info[0], "codes");
    const Words code = readWords(info[2], "code");
    if (code.count == 0 || code.count > kMaxCodeLength) throw Failure(Code::InvalidArgument, "code must have 1 to 2047 words");
    const auto most = static_cast<int>(std::min<size_t>(codes.count / code.count, INT_MAX));
    const int count = readInteger(info[1], "count", 0, most);
    const int wanted = readInteger(info[3], "wanted", 0, INT_MAX);
    const auto nearest = stenobox::nearestCodes(codes.data, code.count, static_cast<size_t>(count), code.data, static_cast<size_t>(wanted));
    auto result = Napi::Uint32Array::New(info.Env(), nearest.size());
    std::copy(nearest.begin(), nearest.end(), result.Data());
    return result;
  });
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  prepareBackends();
  auto * data = new AddonData;
  env.SetInstanceData(data);
  data->modelClass = Napi::Persistent(ModelHandle::define(env));
  data->stateClass = Napi::Persistent(StateHandle::define(env));
  exports.Set("version", whisper_version());
  exports.Set("build", describeBuild());
  exports.Set("systemInfo", Napi::Function::New(env, systemInfo, "systemInfo"));
  exports.Set("devices", Napi::Function::New(env, devices, "devices"));
  exports.Set("loadModel", Napi::Function::New(env, loadModel, "loadModel"));
  exports.Set("loadedModels", Napi::Function::New(env, loadedModels, "loadedModels"));
  exports.Set("languages", Napi::Function::New(env, languages, "languages"));
  exports.Set("createSpeechDetector", Napi::Function::New(env, createSpeechDetector, "createSpeechDetector"));
  exports.Set("nearestCodes", Napi::Function::New(env, nearestCodes, "nearestCodes"));
  exports.Set("lowerThreadPriority", Napi::Function::New(env, lowerThreadPriority, "lowerThreadPriority"));
  return exports;
}

}  // namespace

}  // namespace stenobox

// The macro needs a function in the global namespace.
static Napi::Object initialiseAddon(Napi::Env env, Napi::Object exports) {
  return stenobox::initialise(env, exports);
}

NODE_API_MODULE(stenobox, initialiseAddon)
