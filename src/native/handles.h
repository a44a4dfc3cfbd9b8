// The two objects that JavaScript holds: a model (shared weights) and a decoding state of it.
#pragma once

#include <napi.h>

#include <memory>

#include "model-registry.h"
#include "transcriber.h"

namespace stenobox {

/// Per environment: each worker thread has its own classes.
struct AddonData {
  Napi::FunctionReference modelClass;
  Napi::FunctionReference stateClass;
};

class ModelHandle : public Napi::ObjectWrap<ModelHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  /// Wraps `model`; counts as one handle until freed or collected.
  static Napi::Object create(Napi::Env env, std::shared_ptr<Model> model);

  /// Not for JavaScript: takes the model as an External.
  explicit ModelHandle(const Napi::CallbackInfo & info);
  ~ModelHandle() override;

 private:
  Napi::Value createState(const Napi::CallbackInfo & info);
  void free(const Napi::CallbackInfo & info);
  void release();

  std::shared_ptr<Model> model_;
};

class StateHandle : public Napi::ObjectWrap<StateHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  static Napi::Object create(Napi::Env env, std::shared_ptr<SpeechState> transcriber);

  /// Not for JavaScript: takes the transcriber as an External.
  explicit StateHandle(const Napi::CallbackInfo & info);

 private:
  Napi::Value transcribe(const Napi::CallbackInfo & info);
  Napi::Value detectLanguage(const Napi::CallbackInfo & info);
  void free(const Napi::CallbackInfo & info);
  /// Returns the transcriber and keeps it alive for one call. Throws CLOSED, or INVALID_ARGUMENT from a callback of the same state.
  std::shared_ptr<SpeechState> use() const;

  std::shared_ptr<SpeechState> transcriber_;
  bool busy_ = false;
};

}  // namespace stenobox
