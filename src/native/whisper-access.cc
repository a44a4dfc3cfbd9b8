// whisper.cpp, compiled as part of this file for access to its internals. whisper-overrides.inc has what is replaced, and why.
#include "whisper-access.h"

// Everything whisper.cpp includes, so that the macros below affect only its own code.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <regex>
#include <set>
#include <thread>

#include "backends.h"
#include "compute/alignment.h"
#include "compute/speech.h"
#include "failure.h"
#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "model-file.h"
#include "spectrogram.h"
#include "term-bias.h"
#include "vector-math.h"
#include "vendored.h"

namespace stenobox {

namespace {

void fetchLogits(const ggml_tensor * tensor, void * target, size_t offset, size_t bytes);

}  // namespace

}  // namespace stenobox

#define new new (stenobox::Zeroed {})
#define abort() stenobox::failAssertion()
#define ggml_abort(...) stenobox::failAssertion()
#define ggml_backend_alloc_ctx_tensors_from_buft stenobox::allocateWeights
#define ggml_init stenobox::makeContext
#define ggml_backend_tensor_get stenobox::fetchLogits
#include "whisper-patched.cpp"
#undef new
#undef abort
#undef ggml_abort
#undef ggml_backend_alloc_ctx_tensors_from_buft
#undef ggml_init
#undef ggml_backend_tensor_get

namespace stenobox {

namespace {

/// The decoding that whisper_full_with_state is running on this thread.
struct Decoding {
  whisper_batch * batch = nullptr;
  whisper_token start = 0;
  bool isFirstWindowEncoded = false;
};
thread_local Decoding decoding;

/// whisper.cpp takes the no-speech probability from the first row of a prompt's logits but fetches only the last row, so the first one is
/// left over from an earlier decode. It belongs to the start-of-transcript token, which comes first unless there is context before it.
void fetchLogits(const ggml_tensor * tensor, void * target, size_t offset, size_t bytes) {
  ggml_backend_tensor_get(tensor, target, offset, bytes);
  const whisper_batch * batch = decoding.batch;
  if (batch == nullptr || offset == 0 || batch->logits[0] != 0) return;
  const whisper_token * place = std::find(batch->token, batch->token + batch->n_tokens, decoding.start);
  if (place == batch->token + batch->n_tokens) return;
  ggml_backend_tensor_get(tensor, static_cast<char *>(target) - offset, (place - batch->token) * bytes, bytes);
}

constexpr int kSamplesPerCentisecond = WHISPER_SAMPLE_RATE / 100;

/// Mean loudness around each sample, as whisper.cpp measures it, but in one pass.
std::vector<float> loudness(const float * pcm, size_t samples) {
  constexpr size_t reach = 32;
  std::vector<float> result(samples);
  double sum = 0;
  for (size_t i = 0; i < std::min(reach, samples); ++i) sum += std::fabs(pcm[i]);
  for (size_t i = 0; i < samples; ++i) {
    if (i + reach < samples) sum += std::fabs(pcm[i + reach]);
    if (i > reach) sum -= std::fabs(pcm[i - reach - 1]);
    result[i] = static_cast<float>(std::max(0.0, sum) / (2 * reach + 1));
  }
  return result;
}

}  // namespace

}  // namespace stenobox

#include "whisper-processor.inc"

namespace stenobox {

std::vector<whisper_ahead> presetHeads(const std::string & name) {
  static const std::map<std::string, whisper_alignment_heads_preset> presets = {
    {"tiny.en", WHISPER_AHEADS_TINY_EN}, {"tiny", WHISPER_AHEADS_TINY},
    {"base.en", WHISPER_AHEADS_BASE_EN}, {"base", WHISPER_AHEADS_BASE},
    {"small.en", WHISPER_AHEADS_SMALL_EN}, {"small", WHISPER_AHEADS_SMALL},
    {"medium.en", WHISPER_AHEADS_MEDIUM_EN}, {"medium", WHISPER_AHEADS_MEDIUM},
    {"large.v1", WHISPER_AHEADS_LARGE_V1}, {"large.v2", WHISPER_AHEADS_LARGE_V2}, {"large.v3", WHISPER_AHEADS_LARGE_V3},
    {"large.v3.turbo", WHISPER_AHEADS_LARGE_V3_TURBO}};
  const auto found = presets.find(name);
  if (found == presets.end()) return {};
  const whisper_aheads & heads = g_aheads.at(found->second);
  return std::vector<whisper_ahead>(heads.heads, heads.heads + heads.n_heads);
}

whisper_context * openContext(ModelFile & file, const whisper_context_params & params) {
  auto loader = makeLoader<whisper_model_loader>(file);
  // Frees everything on failure; whisper_init_with_params_no_state would leak the weights.
  std::unique_ptr<whisper_context, decltype(&whisper_free)> context(new whisper_context, whisper_free);
  context->params = params;
  loadWeights([&] { return whisper_model_load(&loader, *context); });
  // whisper.cpp accepts files without tensors, for its own tests.
  if (context->model.n_loaded == 0) throw Failure(Code::ModelInvalid, "Not a usable speech model: no tensors");
  if (!context->params.use_gpu) {
    loadWeights([&] {
      context->stenobox_speech = takeWeights(*context);
      return true;
    });
  }
  return context.release();
}

whisper_state * openState(whisper_context & context) {
  return makeState([&] { return whisper_init_state(&context); });
}

void forgetHistory(whisper_state & state, int decoders) {
  // Every call seeds the decoders from 1 up, but decoder 0 is seeded only with the state. Beam search samples at every temperature, so
  // without this the same audio could give a different text after a restart.
  state.decoders[0].rng = std::mt19937(0);
  // Enough for the largest cache of any call, so that nothing throws between freeing the old cache and creating the new one.
  state.kv_self.cells.reserve(512 * (decoders + 2));
  // The aligner forms a reference one past the last segment.
  state.result_all.reserve(1024);
}

int runFull(whisper_context & context, whisper_state & state, const whisper_full_params & params, Heard heard) {
  struct Reset {
    ~Reset() { decoding = {}; }
  } const reset;
  decoding = {&state.batch, whisper_token_sot(&context), heard.isFirstWindowEncoded};
  // Without samples it uses the existing spectrogram.
  return whisper_full_with_state(&context, &state, params, heard.pcm, heard.isFirstWindowEncoded ? 0 : heard.samples);
}

void setComputeStop(whisper_state & state, ggml_abort_callback stop, void * data) {
  if (!state.stenobox_room) return setComputeStop(state.backends, stop, data);
  state.stenobox_room->stop = stop;
  state.stenobox_room->stopData = data;
}

std::vector<int> windowSteps(const whisper_state & state, int decoders) {
  std::vector<int> steps;
  for (int i = 0; i < std::min(decoders, WHISPER_MAX_DECODERS); ++i) steps.push_back(state.decoders[i].seek_delta);
  return steps;
}

void timeTokens(whisper_context & context, whisper_state & state, const float * pcm, size_t samples) {
  const std::vector<float> loud = loudness(pcm, samples);
  const whisper_token begin = whisper_token_beg(&context);
  const whisper_full_params defaults = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  for (size_t i = 0; i < state.result_all.size(); ++i) {
    const whisper_segment & segment = state.result_all[i];
    if (segment.tokens.empty()) continue;
    // whisper.cpp's loop uses three things of earlier segments: loudness from the start of the recording instead of the segment, the end of
    // the last segment as the start of the first word, and the timestamps of the previous window.
    const int64_t first = std::min<int64_t>(samples, std::max<int64_t>(0, segment.t0) * kSamplesPerCentisecond);
    const int64_t last = std::min<int64_t>(samples, (std::max<int64_t>(0, segment.t1) + 200) * kSamplesPerCentisecond);
    state.energy.assign(loud.begin() + first, loud.begin() + std::max(first, last));
    const whisper_token_data & head = segment.tokens.front();
    const whisper_token_data & tail = segment.tokens.back();
    int64_t window = segment.t0;
    if (tail.id > begin) window = segment.t1 - 2 * (tail.id - begin);
    else if (head.id > begin) window = segment.t0 - 2 * (head.id - begin);
    state.t_beg = window;
    state.t_last = segment.t0;
    state.tid_last = begin + static_cast<whisper_token>((segment.t0 - window) / 2);
    whisper_exp_compute_token_level_timestamps(context, state, static_cast<int>(i), defaults.thold_pt, defaults.thold_ptsum);
  }
}

bool alignsTokens(const whisper_context & context) {
  return context.params.dtw_token_timestamps;
}

std::vector<whisper_token> nonSpeechTokens(const whisper_context & context) {
  const auto & ids = context.vocab.token_to_id;
  std::vector<whisper_token> tokens;
  const auto add = [&](const std::string & text) {
    const auto found = ids.find(text);
    if (found != ids.end()) tokens.push_back(found->second);
  };
  for (const std::string & text : non_speech_tokens) {
    add(text);
    add(" " + text);
  }
  // Inside a word they are allowed; a word must not begin with them.
  add(" -");
  add(" '");
  return tokens;
}

int languageCount(const whisper_context & context) {
  if (!context.vocab.is_multilingual()) return 1;
  return std::min(context.vocab.num_languages(), whisper_lang_max_id() + 1);
}

std::vector<float> languageLogits(whisper_context & context, whisper_state & state, int threads) {
  // Do not use whisper_lang_auto_detect_with_state: it counts the token after a 99-language model's last language as the 100th, and keeps
  // the cache of the last transcription, on which the result would depend.
  whisper_kv_cache_clear(state.kv_self);
  const whisper_token start = whisper_token_sot(&context);
  clearErrorLine();
  if (
    whisper_encode_with_state(&context, &state, 0, threads) != 0 || whisper_decode_with_state(&context, &state, &start, 1, 0, threads) != 0
  ) {
    throw Failure(Code::DecodeFailed, "Language detection failed: " + lastErrorLine());
  }
  std::vector<float> logits;
  for (int i = 0; i < languageCount(context); ++i) logits.push_back(state.logits[whisper_token_lang(&context, i)]);
  return logits;
}

const std::string & tokenBytes(const whisper_context & context, whisper_token token) {
  return context.vocab.id_to_token.at(token);
}

whisper_token findToken(const whisper_context & context, const std::string & bytes) {
  const auto found = context.vocab.token_to_id.find(bytes);
  return found == context.vocab.token_to_id.end() ? -1 : found->second;
}

}  // namespace stenobox

#include "whisper-overrides.inc"
