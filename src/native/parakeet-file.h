// Reading Parakeet's model files: the same container as Whisper's, with other contents.
#pragma once

#include <string>

namespace stenobox {

/// Walks header, filters, vocabulary and every tensor's header, so that parakeet.cpp, which believes what it reads, meets nothing it
/// would compute nonsense or end the process with. Throws MODEL_NOT_FOUND or MODEL_INVALID.
void checkParakeetFile(const std::string & path);

}  // namespace stenobox
