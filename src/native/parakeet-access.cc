// parakeet.cpp, compiled as part of this file for access to its internals. It needs its own file because its internal names clash with
// whisper.cpp's.
#include "parakeet-access.h"

// Everything parakeet.cpp includes, so that the macros below affect only its own code.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cctype>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <thread>

#include "backends.h"
#include "failure.h"
#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "model-file.h"
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
// A row of the joint network holds logits of words, then logits of durations: two separate questions. parakeet.cpp takes the logarithm of
// one softmax over both; if words outweigh durations by e^104, all durations become 0 and the first one wins. Logits have the same maxima.
#define ggml_log(context, probabilities) ((probabilities)->src[0])
#include "parakeet.cpp"
#undef new
#undef abort
#undef ggml_abort
#undef ggml_backend_alloc_ctx_tensors_from_buft
#undef ggml_init
#undef ggml_backend_tensor_get
#undef ggml_log

namespace stenobox {

namespace {

/// The state whose joint network is running on this thread.
thread_local const parakeet_state * asked = nullptr;

/// Checks for NaN before the joint network's rectifier, which hides it. Throws DECODE_FAILED.
void demandNumbers(const ggml_tensor * tensor, size_t count) {
  std::vector<float> values(count);
  ggml_backend_tensor_get(tensor, values.data(), 0, count * sizeof(float));
  if (!allFinite(values.data(), count)) failDamagedWeights();
}

/// parakeet.cpp fetches only logits.
void fetchLogits(const ggml_tensor * tensor, void * target, size_t offset, size_t bytes) {
  demandNumbers(asked->pred_out, ggml_nelements(asked->pred_out));
  demandNumbers(tensor, ggml_nelements(tensor));
  ggml_backend_tensor_get(tensor, target, offset, bytes);
}

/// Records the probability of each token: the library's own overflows for logits above 88.
void noteToken(parakeet_context * context, parakeet_state * state, const parakeet_token_data * token, void * data) {
  const float all = logSumOfExponentials(state->logits.data(), static_cast<size_t>(context->vocab.token_blank) + 1);
  static_cast<std::vector<float> *>(data)->push_back(std::min(0.0f, token->plog - all));
}

/// True for pieces that are not spoken.
bool isMark(const std::string & piece) {
  return is_sentencepiece_control(piece) ||
    (piece.size() > 4 && piece.compare(0, 2, "<|") == 0 && piece.compare(piece.size() - 2, 2, "|>") == 0);
}

}  // namespace

parakeet_context * openParakeet(ModelFile & file, bool gpu) {
  auto loader = makeLoader<parakeet_model_loader>(file);
  // Frees everything on failure; parakeet_init_with_params_no_state would leak the weights.
  std::unique_ptr<parakeet_context, decltype(&parakeet_free)> context(new parakeet_context, parakeet_free);
  context->params = parakeet_context_default_params();
  context->params.use_gpu = gpu;
  loadWeights([&] { return parakeet_model_load(&loader, *context); });
  context->mel_cache.init(context->model.hparams.n_fft);
  return context.release();
}

parakeet_state * openParakeetState(parakeet_context & context) {
  parakeet_state * state = makeState([&] { return parakeet_init_state(&context); });
  // It was sized for the longest audio, but only one row is ever used.
  state->logits.shrink_to_fit();
  return state;
}

void setComputeStop(parakeet_state & state, ggml_abort_callback stop, void * data) {
  setComputeStop(state.backends, stop, data);
}

int mostParakeetSamples(parakeet_context & context) {
  // There is one frame more than there are hops between frames.
  return (parakeet_n_audio_ctx(&context) - 1) * PARAKEET_HOP_LENGTH;
}

Reading runParakeet(
  parakeet_context & context, parakeet_state & state, const float * pcm, int samples, int threads, const std::function<void()> & onEncoded
) {
  struct Reset {
    ~Reset() { asked = nullptr; }
  } const reset;
  asked = &state;
  // The steps of parakeet_full_with_state, so that the encoder's output can be checked.
  parakeet_reset_state(&state);
  clearErrorLine();
  if (parakeet_pcm_to_mel_with_state(&context, &state, pcm, samples, threads) != 0)
    throw Failure(Code::DecodeFailed, "parakeet.cpp failed: " + lastErrorLine());
  if (!parakeet_ensure_encode_sched(context, state, state.mel.n_len))
    throw Failure(Code::OutOfMemory, "Not enough memory for " + std::to_string(state.mel.n_len) + " frames");
  if (!parakeet_encode_internal(context, state, 0, threads, nullptr, nullptr)) return {};
  demandNumbers(state.enc_out, static_cast<size_t>(state.n_frames) * state.enc_out->ne[0]);
  onEncoded();

  std::vector<float> logProbabilities;
  parakeet_full_params params = parakeet_full_default_params(PARAKEET_SAMPLING_GREEDY);
  params.new_token_callback = noteToken;
  params.new_token_callback_user_data = &logProbabilities;
  Reading reading;
  reading.complete = parakeet_decode(context, state, state.batch, threads, &params);
  std::vector<parakeet_token_data> tokens = state.decoded_token_data;
  refine_timestamps_tdt(context.vocab, tokens);
  for (size_t i = 0; i < tokens.size(); ++i) reading.tokens.push_back({tokens[i].id, tokens[i].t0, tokens[i].t1, logProbabilities[i]});
  return reading;
}

std::string parakeetBytes(const parakeet_context & context, parakeet_token token) {
  std::string bytes = context.vocab.id_to_token.at(token);
  if (isMark(bytes)) return "";
  for (size_t at = 0; (at = bytes.find(PARAKEET_SPM_SPACE, at)) != std::string::npos; ++at)
    bytes.replace(at, PARAKEET_SPM_SPACE.size(), " ");
  return bytes;
}

}  // namespace stenobox
