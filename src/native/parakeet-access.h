// What the transcriber needs of parakeet.cpp beyond its public API.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ggml.h"
#include "parakeet.h"

namespace stenobox {

class ModelFile;

/// Loads weights from a checked file. Throws MODEL_INVALID, OUT_OF_MEMORY.
parakeet_context * openParakeet(ModelFile & file, bool gpu);

/// Throws OUT_OF_MEMORY.
parakeet_state * openParakeetState(parakeet_context & context);

/// Lets `stop` end a computation between two operations; null: never. Some devices cannot be stopped and ignore it.
void setComputeStop(parakeet_state & state, ggml_abort_callback stop, void * data);

/// A decoded token, with times in centiseconds from the start of the audio.
struct SpokenToken {
  parakeet_token token;
  int64_t start;
  int64_t end;
  float logProbability;
};

struct Reading {
  std::vector<SpokenToken> tokens;
  /// False when the computation was stopped.
  bool complete = false;
};

/// The longest audio a state can take, in samples.
int mostParakeetSamples(parakeet_context & context);

/// Transcribes audio up to that length. Calls `onEncoded` when about nine tenths of the work is done. Throws OUT_OF_MEMORY, DECODE_FAILED,
/// BrokenAssertion; the state is unusable then.
Reading runParakeet(
  parakeet_context & context, parakeet_state & state, const float * pcm, int samples, int threads, const std::function<void()> & onEncoded
);

/// The bytes of a token; empty for marks that are not text.
std::string parakeetBytes(const parakeet_context & context, parakeet_token token);

}  // namespace stenobox
