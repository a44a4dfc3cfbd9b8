// What the transcriber needs of whisper.cpp beyond its public API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ggml.h"
#include "whisper.h"

namespace stenobox {

class ModelFile;

/// The alignment heads of one of whisper.cpp's presets, such as "base.en" or "large.v3"; empty when there is no such preset.
std::vector<whisper_ahead> presetHeads(const std::string & name);

/// Loads weights from a checked file. Throws MODEL_INVALID, OUT_OF_MEMORY.
whisper_context * openContext(ModelFile & file, const whisper_context_params & params);

/// Throws OUT_OF_MEMORY.
whisper_state * openState(whisper_context & context);

/// Makes the next decode independent of what the state decoded before.
void forgetHistory(whisper_state & state, int decoders);

/// Audio for a decode. `isFirstWindowEncoded`: languageLogits was just called for the same audio, so its spectrogram and the encoded first
/// 30 s are in the state and are reused.
struct Heard {
  const float * pcm;
  int samples;
  bool isFirstWindowEncoded;
};

/// whisper_full_with_state with a corrected no-speech probability. Throws BrokenAssertion.
int runFull(whisper_context & context, whisper_state & state, const whisper_full_params & params, Heard heard);

/// Lets `stop` end a computation between two operations; null: never. Some devices cannot be stopped and ignore it.
void setComputeStop(whisper_state & state, ggml_abort_callback stop, void * data);

/// How far each decoder advanced after the last window, in centiseconds.
std::vector<int> windowSteps(const whisper_state & state, int decoders);

/// Sets start and end of every token in the finished segments.
void timeTokens(whisper_context & context, whisper_state & state, const float * pcm, size_t samples);

/// True when the context aligns tokens by dynamic time warping.
bool alignsTokens(const whisper_context & context);

/// Tokens for sounds and marks that are not spoken, as in OpenAI's tokenizer.py.
std::vector<whisper_token> nonSpeechTokens(const whisper_context & context);

/// The number of languages the model knows: the first ones of whisper_lang_id.
int languageCount(const whisper_context & context);

/// Logit of each language over the first window of the spectrogram in `state`. Throws DECODE_FAILED.
std::vector<float> languageLogits(whisper_context & context, whisper_state & state, int threads);

/// The bytes of a token, which may end inside a UTF-8 character and may contain zero.
const std::string & tokenBytes(const whisper_context & context, whisper_token token);

/// The token with these bytes; negative when there is none.
whisper_token findToken(const whisper_context & context, const std::string & bytes);

}  // namespace stenobox
