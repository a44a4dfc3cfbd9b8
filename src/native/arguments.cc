#include "arguments.h"

#include <algorithm>
#include <cmath>

#include "whisper-access.h"

namespace stenobox {

namespace {

/// More threads are useless, and ggml ends the process at 512.
constexpr int kMaxThreads = 256;
/// With a smaller step the fallback would try more than a hundred temperatures.
constexpr double kLeastTemperatureStep = 0.01;
constexpr size_t kMaxHeads = 64;
constexpr int kMaxMinTailMs = 30000;
constexpr uint32_t kMaxTerms = 400;
constexpr size_t kMaxTermBytes = 256;

[[noreturn]] void reject(const std::string & message) {
  throw Failure(Code::InvalidArgument, message);
}

Napi::Object readObject(const Napi::Value & value, const std::string & name) {
  if (!value.IsObject()) reject(name + " must be an object");
  return value.As<Napi::Object>();
}

float readNumber(const Napi::Value & value, const std::string & name) {
  if (!value.IsNumber() || !std::isfinite(value.As<Napi::Number>().DoubleValue())) reject(name + " must be a finite number");
  return value.As<Napi::Number>().FloatValue();
}

bool readBoolean(const Napi::Value & value, const std::string & name) {
  if (!value.IsBoolean()) reject(name + " must be true or false");
  return value.As<Napi::Boolean>().Value();
}

float readTemperatureStep(const Napi::Value & value) {
  const float step = readNumber(value, "temperatureStep");
  if (step != 0 && (step < kLeastTemperatureStep || step > 1)) reject("temperatureStep must be 0 or from 0.01 to 1");
  return step;
}

/// The flag must be in memory that cannot be detached during the call and that other threads can write.
CallFlags readAbort(const Napi::Value & value) {
  if (value.IsUndefined()) return {};
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_int32_array) reject("abort must be an Int32Array");
  const auto flag = value.As<Napi::Int32Array>();
  if (flag.ElementLength() < 1) reject("abort must have an element");
  if (value.As<Napi::Object>().Get("buffer").IsArrayBuffer()) reject("abort must lie in a SharedArrayBuffer");
  return {flag.Data(), flag.ElementLength() > 1 ? flag.Data() + 1 : nullptr};
}

whisper_ahead readHead(const Napi::Value & value) {
  if (!value.IsArray() || value.As<Napi::Array>().Length() != 2) reject("alignmentHeads must hold pairs of layer and head");
  const auto pair = value.As<Napi::Array>();
  return {readInteger(pair.Get(0u), "An alignment layer", 0, 1000), readInteger(pair.Get(1u), "An alignment head", 0, 1000)};
}

std::vector<whisper_ahead> readHeads(const Napi::Value & value) {
  if (value.IsUndefined()) return {};
  std::vector<whisper_ahead> heads;
  if (value.IsString()) {
    const std::string preset = readString(value, "alignmentHeads");
    heads = presetHeads(preset);
    if (heads.empty()) reject("There are no alignment heads for \"" + preset + "\"");
    return heads;
  }
  if (!value.IsArray()) reject("alignmentHeads must be a name or a list of pairs");
  const auto list = value.As<Napi::Array>();
  if (list.Length() < 1 || list.Length() > kMaxHeads) reject("alignmentHeads must hold 1 to 64 pairs");
  for (uint32_t i = 0; i < list.Length(); ++i) heads.push_back(readHead(list.Get(i)));
  const auto before = [](const whisper_ahead & a, const whisper_ahead & b) {
    return a.n_text_layer != b.n_text_layer ? a.n_text_layer < b.n_text_layer : a.n_head < b.n_head;
  };
  // Sorted, so that equal heads in a different order share the weights.
  std::sort(heads.begin(), heads.end(), before);
  const auto same = [](const whisper_ahead & a, const whisper_ahead & b) {
    return a.n_text_layer == b.n_text_layer && a.n_head == b.n_head;
  };
  if (std::adjacent_find(heads.begin(), heads.end(), same) != heads.end()) reject("alignmentHeads names a head twice");
  return heads;
}

std::vector<std::string> readTerms(const Napi::Value & value) {
  if (!value.IsArray() || value.As<Napi::Array>().Length() > kMaxTerms) reject("terms must be a list of at most 400");
  const auto list = value.As<Napi::Array>();
  std::vector<std::string> terms;
  for (uint32_t i = 0; i < list.Length(); ++i) {
    terms.push_back(readString(list.Get(i), "A term"));
    if (terms.back().size() > kMaxTermBytes) reject("A term must have at most 256 bytes");
  }
  return terms;
}

ModelKind readKind(const Napi::Value & value) {
  if (value.IsUndefined()) return ModelKind::Whisper;
  const std::string kind = readString(value, "kind");
  if (kind != "whisper" && kind != "parakeet") reject("kind must be whisper or parakeet");
  return kind == "parakeet" ? ModelKind::Parakeet : ModelKind::Whisper;
}

}  // namespace

std::string readString(const Napi::Value & value, const std::string & name) {
  if (!value.IsString()) reject(name + " must be a string");
  return value.As<Napi::String>().Utf8Value();
}

int readInteger(const Napi::Value & value, const std::string & name, int least, int most) {
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : NAN;
  if (!(number >= least && number <= most) || number != std::floor(number)) {
    reject(name + " must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<int>(number);
}

Floats readFloats(const Napi::Value & value, const std::string & name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_float32_array)
    reject(name + " must be a Float32Array");
  const auto floats = value.As<Napi::Float32Array>();
  return {floats.Data(), floats.ElementLength()};
}

Words readWords(const Napi::Value & value, const std::string & name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint32_array)
    reject(name + " must be a Uint32Array");
  const auto words = value.As<Napi::Uint32Array>();
  return {words.Data(), words.ElementLength()};
}

Tensors readTensors(const Napi::Value & value) {
  const Napi::Object given = readObject(value, "tensors");
  Tensors tensors;
  const Napi::Array names = given.GetPropertyNames();
  for (uint32_t i = 0; i < names.Length(); ++i) {
    const std::string name = readString(names.Get(i), "A tensor's name");
    const Floats values = readFloats(given.Get(name), name);
    tensors[name].assign(values.data, values.data + values.count);
  }
  return tensors;
}

DetectRequest readDetectRequest(const Napi::Value & options) {
  const Napi::Object given = readObject(options, "options");
  return {readInteger(given.Get("threads"), "threads", 1, kMaxThreads), readAbort(given.Get("abort"))};
}

LoadRequest readLoadRequest(const Napi::Value & path, const Napi::Value & options) {
  const Napi::Object given = readObject(options, "options");
  LoadRequest request;
  request.path = readString(path, "path");
  request.gpu = readBoolean(given.Get("gpu"), "gpu");
  request.kind = readKind(given.Get("kind"));
  request.heads = readHeads(given.Get("alignmentHeads"));
  if (request.kind == ModelKind::Parakeet && !request.heads.empty())
    reject("alignmentHeads are for Whisper models: Parakeet times its tokens itself");
  return request;
}

TranscribeRequest readTranscribeRequest(const Napi::Value & options) {
  const Napi::Object given = readObject(options, "options");
  TranscribeRequest request;
  request.language = given.Get("language").IsUndefined() ? "" : readString(given.Get("language"), "language");
  request.threads = readInteger(given.Get("threads"), "threads", 1, kMaxThreads);
  request.beamSize = readInteger(given.Get("beamSize"), "beamSize", 1, kMaxDecoders);
  request.bestOf = readInteger(given.Get("bestOf"), "bestOf", 1, kMaxDecoders);
  request.temperature = readNumber(given.Get("temperature"), "temperature");
  if (request.temperature < 0 || request.temperature > 1) reject("temperature must be from 0 to 1");
  request.temperatureStep = readTemperatureStep(given.Get("temperatureStep"));
  request.entropyThreshold = readNumber(given.Get("entropyThreshold"), "entropyThreshold");
  request.logProbThreshold = readNumber(given.Get("logProbThreshold"), "logProbThreshold");
  request.noSpeechThreshold = readNumber(given.Get("noSpeechThreshold"), "noSpeechThreshold");
  request.contextTokens = readInteger(given.Get("contextTokens"), "contextTokens", 0, INT32_MAX);
  request.suppressNonSpeech = readBoolean(given.Get("suppressNonSpeech"), "suppressNonSpeech");
  request.prompt = readString(given.Get("prompt"), "prompt");
  request.terms = readTerms(given.Get("terms"));
  request.minTailMs = readInteger(given.Get("minTailMs"), "minTailMs", 0, kMaxMinTailMs);
  request.abort = readAbort(given.Get("abort"));
  return request;
}

}  // namespace stenobox
