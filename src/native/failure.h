// Failures below the N-API layer. addon.cc turns a Failure into a JavaScript Error whose `code` is the code's name.
#pragma once

#include <stdexcept>
#include <string>

namespace stenobox {

enum class Code {
  ModelNotFound,
  ModelInvalid,
  OutOfMemory,
  UnknownLanguage,
  Unsupported,
  Closed,
  InvalidArgument,
  DecodeFailed
};

inline const char * codeName(Code code) {
  switch (code) {
    case Code::ModelNotFound: return "MODEL_NOT_FOUND";
    case Code::ModelInvalid: return "MODEL_INVALID";
    case Code::OutOfMemory: return "OUT_OF_MEMORY";
    case Code::UnknownLanguage: return "UNKNOWN_LANGUAGE";
    case Code::Unsupported: return "UNSUPPORTED";
    case Code::Closed: return "CLOSED";
    case Code::InvalidArgument: return "INVALID_ARGUMENT";
    case Code::DecodeFailed: break;
  }
  return "DECODE_FAILED";
}

/// Removes control characters: messages quote damaged files and end up in terminals and logs.
inline std::string printable(std::string text) {
  for (char & c : text) {
    if ((c >= 0 && c < ' ') || c == 127) c = '?';
  }
  return text;
}

class Failure : public std::runtime_error {
 public:
  Failure(Code code, const std::string & message) : std::runtime_error(printable(message)), code(code) {}
  const Code code;
};

[[noreturn]] inline void failDamagedWeights() {
  throw Failure(Code::DecodeFailed, "The model computes values that are not numbers: its weights are damaged");
}

}  // namespace stenobox
