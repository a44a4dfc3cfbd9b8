// Checks Parakeet model files: the same container as Whisper's with different contents.
#pragma once

#include <string>

namespace stenobox {

/// Checks the header, the filters, the vocabulary and every tensor's header, because parakeet.cpp trusts its input and would compute
/// nonsense or end the process. Throws MODEL_NOT_FOUND or MODEL_INVALID.
void checkParakeetFile(const std::string & path);

}  // namespace stenobox
