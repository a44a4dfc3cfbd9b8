#include "handles.h"

#include <optional>

#include "arguments.h"
#include "failure.h"

namespace stenobox {

namespace {

template <typename T>
std::shared_ptr<T> unwrapExternal(const Napi::CallbackInfo & info) {
  if (info.Length() != 1 || !info[0].IsExternal())
    throw Failure(Code::InvalidArgument, "Models come from loadModel, states from createState");
  return *info[0].As<Napi::External<std::shared_ptr<T>>>().Data();
}

/// One character per byte: a token may end inside a UTF-8 character, and only the caller can join them.
Napi::Value latin1(Napi::Env env, const std::string & bytes) {
  napi_value value;
  if (napi_create_string_latin1(env, bytes.data(), bytes.size(), &value) != napi_ok) throw Napi::Error::New(env);
  return Napi::Value(env, value);
}

Napi::Object toJs(Napi::Env env, const Token & token) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("bytes", latin1(env, token.bytes));
  result.Set("startMs", static_cast<double>(token.startMs));
  result.Set("endMs", static_cast<double>(token.endMs));
  if (token.dtwMs >= 0) result.Set("dtwMs", static_cast<double>(token.dtwMs));
  result.Set("probability", token.probability);
  result.Set("logProbability", token.logProbability);
  return result;
}

Napi::Object toJs(Napi::Env env, const Segment & segment) {
  Napi::Array tokens = Napi::Array::New(env, segment.tokens.size());
  for (uint32_t i = 0; i < segment.tokens.size(); ++i) tokens.Set(i, toJs(env, segment.tokens[i]));
  Napi::Object result = Napi::Object::New(env);
  result.Set("startMs", static_cast<double>(segment.startMs));
  result.Set("endMs", static_cast<double>(segment.endMs));
  result.Set("noSpeechProbability", segment.noSpeechProbability);
  result.Set("tokens", tokens);
  return result;
}

Napi::Object toJs(Napi::Env env, const Transcript & transcript) {
  Napi::Array segments = Napi::Array::New(env, transcript.segments.size());
  for (uint32_t i = 0; i < transcript.segments.size(); ++i) segments.Set(i, toJs(env, transcript.segments[i]));
  Napi::Object result = Napi::Object::New(env);
  result.Set("aborted", transcript.aborted);
  result.Set("language", transcript.language);
  result.Set("segments", segments);
  return result;
}

Napi::Object describe(Napi::Env env, const Model & model) {
  const ModelFacts facts = model.facts();
  Napi::Object info = Napi::Object::New(env);
  info.Set("type", facts.type);
  info.Set("multilingual", facts.multilingual);
  info.Set("layers", facts.layers);
  info.Set("mels", facts.mels);
  info.Set("backend", model.device());
  info.Freeze();
  return info;
}

/// Marks a state as busy during a call, so that a callback cannot start another call on it.
class Busy {
 public:
  explicit Busy(bool & flag) : flag_(flag) { flag_ = true; }
  ~Busy() { flag_ = false; }

 private:
  bool & flag_;
};

}  // namespace

Napi::Function ModelHandle::define(Napi::Env env) {
  return DefineClass(env, "NativeModel", {
    InstanceMethod("createState", &ModelHandle::createState),
    InstanceMethod("free", &ModelHandle::free)
  });
}

Napi::Object ModelHandle::create(Napi::Env env, std::shared_ptr<Model> model) {
  return env.GetInstanceData<AddonData>()->modelClass.New({Napi::External<std::shared_ptr<Model>>::New(env, &model)});
}

ModelHandle::ModelHandle(const Napi::CallbackInfo & info) : Napi::ObjectWrap<ModelHandle>(info) {
  guarded(info.Env(), [&] {
    const auto model = unwrapExternal<Model>(info);
    info.This().As<Napi::Object>().DefineProperty(Napi::PropertyDescriptor::Value("info", describe(info.Env(), *model), napi_enumerable));
    model_ = model;
    ++model_->handles;
  });
}

ModelHandle::~ModelHandle() {
  release();
}

void ModelHandle::release() {
  if (!model_) return;
  --model_->handles;
  model_.reset();
}

Napi::Value ModelHandle::createState(const Napi::CallbackInfo & info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (!model_) throw Failure(Code::Closed, "The model was freed");
    return StateHandle::create(info.Env(), model_->openState());
  });
}

void ModelHandle::free(const Napi::CallbackInfo &) {
  release();
}

Napi::Function StateHandle::define(Napi::Env env) {
  return DefineClass(env, "NativeState", {
    InstanceMethod("transcribe", &StateHandle::transcribe),
    InstanceMethod("detectLanguage", &StateHandle::detectLanguage),
    InstanceMethod("free", &StateHandle::free)
  });
}

Napi::Object StateHandle::create(Napi::Env env, std::shared_ptr<SpeechState> transcriber) {
  return env.GetInstanceData<AddonData>()->stateClass.New({Napi::External<std::shared_ptr<SpeechState>>::New(env, &transcriber)});
}

StateHandle::StateHandle(const Napi::CallbackInfo & info) : Napi::ObjectWrap<StateHandle>(info) {
  guarded(info.Env(), [&] { transcriber_ = unwrapExternal<SpeechState>(info); });
}

std::shared_ptr<SpeechState> StateHandle::use() const {
  if (!transcriber_) throw Failure(Code::Closed, "The decoding state was freed");
  if (busy_) throw Failure(Code::InvalidArgument, "The decoding state is in use by the call that called back");
  return transcriber_;
}

Napi::Value StateHandle::transcribe(const Napi::CallbackInfo & info) {
  const Napi::Env env = info.Env();
  // Rethrown after whisper.cpp returns: an exception must not cross its frames.
  std::optional<Napi::Error> thrown;
  const Napi::Value result = guarded(env, [&]() -> Napi::Value {
    const auto transcriber = use();
    const Floats pcm = readFloats(info[0], "pcm");
    TranscribeRequest request = readTranscribeRequest(info[1]);
    const Napi::Value onProgress = info[1].As<Napi::Object>().Get("onProgress");
    if (!onProgress.IsUndefined() && !onProgress.IsFunction()) throw Failure(Code::InvalidArgument, "onProgress must be a function");
    if (onProgress.IsFunction()) {
      request.onProgress = [&thrown, env, callback = onProgress.As<Napi::Function>()](int percent) {
        const Napi::HandleScope scope(env);
        try {
          callback.Call({Napi::Number::New(env, percent)});
          return true;
        } catch (const Napi::Error & error) {
          thrown = error;
          return false;
        } catch (...) {
          return false;
        }
      };
    }
    const Busy busy(busy_);
    const Transcript transcript = transcriber->transcribe(pcm.data, pcm.count, request);
    return thrown ? env.Undefined() : toJs(env, transcript);
  });
  if (thrown) throw *thrown;
  return result;
}

Napi::Value StateHandle::detectLanguage(const Napi::CallbackInfo & info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    const auto transcriber = use();
    const Floats pcm = readFloats(info[0], "pcm");
    const auto posteriors = transcriber->detectLanguage(pcm.data, pcm.count, readDetectRequest(info[1]));
    Napi::Array result = Napi::Array::New(env, posteriors.size());
    for (uint32_t i = 0; i < posteriors.size(); ++i) {
      Napi::Object entry = Napi::Object::New(env);
      entry.Set("language", posteriors[i].first);
      entry.Set("probability", posteriors[i].second);
      result.Set(i, entry);
    }
    return result;
  });
}

void StateHandle::free(const Napi::CallbackInfo &) {
  // A running call keeps its own reference.
  transcriber_.reset();
}

}  // namespace stenobox
