// Checks arguments from JavaScript and converts them to plain values. Everything here throws INVALID_ARGUMENT.
#pragma once

#include <napi.h>

#include "failure.h"
#include "model-registry.h"
#include "speech-detector.h"
#include "transcriber.h"

namespace stenobox {

/// Runs `body` and turns exceptions into a JavaScript Error with a `code`.
template <typename Body>
auto guarded(Napi::Env env, Body && body) -> decltype(body()) {
  const auto failed = [env](Code code, const std::string & message) {
    Napi::Error error = Napi::Error::New(env, message);
    error.Set("code", Napi::String::New(env, codeName(code)));
    return error;
  };
  try {
    return body();
  } catch (const Napi::Error &) {
    throw;
  } catch (const Failure & failure) {
    throw failed(failure.code, failure.what());
  } catch (const std::bad_alloc &) {
    throw failed(Code::OutOfMemory, "Out of memory");
  } catch (const std::exception & error) {
    throw failed(Code::DecodeFailed, error.what());
  }
}

struct Floats {
  const float * data;
  size_t count;
};

struct Words {
  const uint32_t * data;
  size_t count;
};

std::string readString(const Napi::Value & value, const std::string & name);
int readInteger(const Napi::Value & value, const std::string & name, int least, int most);
Floats readFloats(const Napi::Value & value, const std::string & name);
Words readWords(const Napi::Value & value, const std::string & name);
/// Named tensors: an object of Float32Arrays.
Tensors readTensors(const Napi::Value & value);
DetectRequest readDetectRequest(const Napi::Value & options);
LoadRequest readLoadRequest(const Napi::Value & path, const Napi::Value & options);

/// Without `onProgress`, which needs the call it belongs to.
TranscribeRequest readTranscribeRequest(const Napi::Value & options);

}  // namespace stenobox
