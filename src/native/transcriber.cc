#include "transcriber.h"

#include <algorithm>
#include <atomic>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstring>
#include <set>

#include "backends.h"
#include "failure.h"
#include "pcm.h"
#include "stop.h"
#include "term-bias.h"
#include "vector-math.h"
#include "vendored.h"
#include "whisper-access.h"

namespace stenobox {

namespace {

static_assert(kSamplesPerSecond == WHISPER_SAMPLE_RATE, "one rate for all");
constexpr size_t kWindowSamples = kSamplesPerSecond * WHISPER_CHUNK_SIZE;
constexpr size_t kMostSamples = INT_MAX - 2 * kWindowSamples;
constexpr int kWindowCs = 100 * WHISPER_CHUNK_SIZE;

/// The aligner's median filter would end the process on shorter windows, in centiseconds.
constexpr int kLeastAlignedCs = 16;

/// The end of a prompt, cut between characters.
std::string promptTail(const std::string & prompt) {
  if (prompt.size() <= kMaxPromptBytes) return prompt;
  size_t from = prompt.size() - kMaxPromptBytes;
  while (from < prompt.size() && (prompt[from] & 0xC0) == 0x80) ++from;
  return prompt.substr(from);
}

/// A fingerprint of audio (FNV-1a over its bytes, eight at a time).
uint64_t fingerprint(const PaddedPcm & audio) {
  uint64_t hash = 0xcbf29ce484222325u ^ audio.size;
  for (size_t i = 0; i + 1 < audio.size; i += 2) {
    uint64_t pair;
    std::memcpy(&pair, audio.data + i, sizeof pair);
    hash = (hash ^ pair) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

/// Data shared by the callbacks of one call.
struct Run {
  const TranscribeRequest & request;
  const int64_t lengthMs;
  const bool aligns;
  /// Tokens that are never output: laughter, music and other non-words.
  const std::vector<whisper_token> suppressed;
  TermBias terms;
  bool isFirstWindowEncoded = false;
  /// Where the next window may start, in centiseconds. whisper.cpp does not tell, so this holds every place its decoders could have
  /// reached.
  std::set<int> seeks {0};
  int percent = 0;
  bool begun = false;
  std::atomic<bool> damaged {false};
  StopFlag stop {request.abort};
  Progress progress {stop, request.onProgress};

  bool shouldStop() { return stop.shouldStop() || damaged; }

  /// Prepares for another decoding of the same audio.
  void forgetTerms(whisper_context & context) {
    terms = TermBias(context, {});
    seeks = {0};
    begun = false;
  }
};

namespace {

/// Tracks whisper.cpp's position from its decoders' steps and the percentage it reports.
void followSeek(Run & run, whisper_state & state) {
  const int end = whisper_n_len_from_state(&state);
  std::vector<int> steps = windowSteps(state, kMaxDecoders);
  steps.push_back(kWindowCs);
  std::set<int> next;
  for (int seek : run.seeks) {
    for (int step : steps) {
      // A window with a single closing timestamp advances by the rest of the 30 s.
      const int place = step == kWindowCs ? seek + std::min(end - seek, step) : seek + step;
      if (100LL * place / end == run.percent) next.insert(place);
    }
  }
  if (next.empty()) next.insert(static_cast<int>(static_cast<int64_t>(run.percent) * end / 100));
  run.seeks = next;
}

bool beginWindow(whisper_context *, whisper_state * state, void * data) {
  auto & run = *static_cast<Run *>(data);
  if (run.shouldStop()) return false;
  if (!run.begun) {
    run.begun = run.isFirstWindowEncoded = true;
    return true;
  }
  followSeek(run, *state);
  if (run.aligns && whisper_n_len_from_state(state) - *run.seeks.rbegin() < kLeastAlignedCs) return false;
  // whisper.cpp would encode another 30 s for the short silence after the last word.
  const int64_t restMs = run.lengthMs - 10LL * *run.seeks.begin();
  const bool goesOn = restMs > 0 && restMs >= run.request.minTailMs;
  if (goesOn) run.isFirstWindowEncoded = false;
  return goesOn;
}

void filterLogits(whisper_context * context, whisper_state *, const whisper_token_data *, int tokens, float * logits, void * data) {
  auto & run = *static_cast<Run *>(data);
  const int count = whisper_n_vocab(context);
  if (!allAtMost(logits, count, FLT_MAX) || maximum(logits, count) == -INFINITY) {
    // The weights are damaged. Sorting NaNs is undefined, so continue with zeros until the next check stops the call.
    std::fill_n(logits, count, 0.0f);
    run.damaged = true;
  }
  for (whisper_token token : run.suppressed) logits[token] = -INFINITY;
  // See kLeastAlignedCs: no segment may end this early.
  if (run.aligns && tokens > 0) std::fill_n(logits + whisper_token_beg(context) + 1, kLeastAlignedCs / 2 - 1, -INFINITY);
}

whisper_full_params makeParams(const TranscribeRequest & request, const std::string & language, const std::string & prompt, Run & run) {
  auto params = whisper_full_default_params(request.beamSize > 1 ? WHISPER_SAMPLING_BEAM_SEARCH : WHISPER_SAMPLING_GREEDY);
  params.language = language.c_str();
  params.n_threads = request.threads;
  params.beam_search.beam_size = request.beamSize;
  params.greedy.best_of = request.bestOf;
  params.temperature = request.temperature;
  params.temperature_inc = request.temperatureStep;
  params.entropy_thold = request.entropyThreshold;
  params.logprob_thold = request.logProbThreshold;
  params.no_speech_thold = request.noSpeechThreshold;
  params.no_context = true;
  params.n_max_text_ctx = request.contextTokens;
  if (request.contextTokens > 0 && !prompt.empty()) params.initial_prompt = prompt.c_str();
  params.single_segment = false;
  // timeTokens does it afterwards, correctly.
  params.token_timestamps = false;
  params.print_progress = params.print_realtime = params.print_timestamps = params.print_special = false;
  params.progress_callback = [](whisper_context *, whisper_state *, int percent, void * data) {
    auto & current = *static_cast<Run *>(data);
    current.percent = percent;
    current.progress.show(percent);
  };
  params.encoder_begin_callback = beginWindow;
  params.abort_callback = [](void * data) { return static_cast<Run *>(data)->shouldStop(); };
  params.logits_filter_callback = filterLogits;
  // This callback is not used: our whisper_process_logits finds the terms here.
  params.new_segment_callback_user_data = &run.terms;
  params.progress_callback_user_data = params.encoder_begin_callback_user_data = &run;
  params.abort_callback_user_data = params.logits_filter_callback_user_data = &run;
  return params;
}

/// The tokens of all finished segments.
std::vector<whisper_token_data> allTokens(whisper_state & state) {
  std::vector<whisper_token_data> tokens;
  for (int i = 0; i < whisper_full_n_segments_from_state(&state); ++i) {
    const int count = whisper_full_n_tokens_from_state(&state, i);
    for (int j = 0; j < count; ++j) tokens.push_back(whisper_full_get_token_data_from_state(&state, i, j));
  }
  return tokens;
}

/// Throws DECODE_FAILED.
std::vector<std::pair<std::string, double>> rankLanguages(const std::vector<float> & logits) {
  if (!allFinite(logits.data(), logits.size())) failDamagedWeights();
  const float most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
  std::vector<std::pair<std::string, double>> found;
  for (size_t i = 0; i < logits.size(); ++i) {
    found.emplace_back(whisper_lang_str(static_cast<int>(i)), std::exp(static_cast<double>(logits[i]) - most) / sum);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto & a, const auto & b) { return a.second > b.second; });
  return found;
}

}  // namespace

std::shared_ptr<SpeechState> WhisperModel::openState() {
  return std::make_shared<Transcriber>(std::static_pointer_cast<WhisperModel>(shared_from_this()));
}

Transcriber::Transcriber(std::shared_ptr<WhisperModel> model) : model_(std::move(model)), state_(openState(model_->context())) {}

Transcriber::~Transcriber() {
  whisper_free_state(state_);
}

void Transcriber::demandState() const {
  if (state_ == nullptr) throw Failure(Code::Closed, "The decoding state was lost with a failed call");
}

void Transcriber::checkLanguage(const std::string & language) const {
  // Accept codes only: whisper_lang_id also takes English names, and knows a language that models of 99 languages do not have.
  const int known = languageCount(model_->context());
  for (int i = 0; i < known; ++i) {
    if (language == whisper_lang_str(i)) return;
  }
  throw Failure(Code::UnknownLanguage, "The model does not know the language \"" + language + "\"");
}

/// A state is not used again after an exception.
void Transcriber::loseState() {
  whisper_free_state(state_);
  state_ = nullptr;
}

int Transcriber::decode(const Heard & heard, const TranscribeRequest & request, const std::string & language, Run & run) {
  const std::string prompt = promptTail(request.prompt);
  const whisper_full_params params = makeParams(request, language, prompt, run);
  forgetHistory(*state_, std::max(request.beamSize, request.bestOf));
  clearErrorLine();
  const ComputeStop<whisper_state, Run> stopping(state_, run);
  try {
    const int code = runFull(model_->context(), *state_, params, heard);
    // whisper.cpp frees the state when it cannot enlarge its cache.
    if (code == -7) state_ = nullptr;
    return code;
  } catch (const BrokenAssertion &) {
    // The aligner reports a stopped computation as a broken assertion.
    if (run.stop.stopped) return -9;
  } catch (const std::bad_alloc &) {
    loseState();
    throw Failure(Code::OutOfMemory, "Not enough memory to decode a window");
  } catch (const std::exception &) {
  }
  loseState();
  throw Failure(Code::DecodeFailed, "whisper.cpp failed: " + lastErrorLine());
}

std::vector<Segment> Transcriber::collect(int64_t lengthMs) const {
  const auto clamp = [lengthMs](int64_t centiseconds) { return std::min(lengthMs, std::max<int64_t>(0, 10 * centiseconds)); };
  const whisper_token firstSpecial = whisper_token_eot(&model_->context());
  std::vector<Segment> segments;
  for (int i = 0; i < whisper_full_n_segments_from_state(state_); ++i) {
    Segment segment;
    segment.startMs = clamp(whisper_full_get_segment_t0_from_state(state_, i));
    segment.endMs = std::max(segment.startMs, clamp(whisper_full_get_segment_t1_from_state(state_, i)));
    segment.noSpeechProbability = whisper_full_get_segment_no_speech_prob_from_state(state_, i);
    // Decoded in the padding after the audio.
    if (segment.startMs >= lengthMs) continue;
    for (int j = 0; j < whisper_full_n_tokens_from_state(state_, i); ++j) {
      const whisper_token_data token = whisper_full_get_token_data_from_state(state_, i, j);
      if (token.id >= firstSpecial) continue;
      const int64_t startMs = token.t0 < 0 ? segment.startMs : clamp(token.t0);
      const int64_t endMs = token.t1 < 0 ? segment.endMs : clamp(token.t1);
      segment.tokens.push_back({tokenBytes(model_->context(), token.id), startMs, std::max(startMs, endMs),
        token.t_dtw < 0 ? -1 : clamp(token.t_dtw), token.p, token.plog});
    }
    if (!segment.tokens.empty()) segments.push_back(std::move(segment));
  }
  return segments;
}

Transcript Transcriber::transcribe(const float * pcm, size_t samples, const TranscribeRequest & request) {
  demandState();
  whisper_context & context = model_->context();
  if (!request.language.empty()) checkLanguage(request.language);
  const PaddedPcm audio(pcm, samples, kMostSamples);
  Run run {request, static_cast<int64_t>(samples / kSamplesPerMs), alignsTokens(context),
    request.suppressNonSpeech ? nonSpeechTokens(context) : std::vector<whisper_token>(), TermBias(context, request.terms)};
  Transcript transcript;
  transcript.language = request.language;
  if (run.shouldStop()) {
    transcript.aborted = true;
    return transcript;
  }
  if (samples < kShortestSpeech) {
    run.progress.show(100);
    return transcript;
  }
  const bool detects = request.language.empty();
  if (detects) {
    const auto languages = posteriors(audio, request.threads, run.stop);
    if (languages.empty()) {
      transcript.aborted = true;
      return transcript;
    }
    transcript.language = languages.front().first;
  }
  // Language detection left the spectrogram and the encoder's output for the first 30 s in the state.
  const Heard heard {audio.data, static_cast<int>(audio.size), encodedOf_ == fingerprint(audio)};
  encodedOf_.reset();
  int code = decode(heard, request, transcript.language, run);
  if (code == 0 && !run.stop.stopped && !run.damaged && !request.terms.empty() && !run.terms.isIn(allTokens(*state_))) {
    // Terms took places of other words in the beams. If none was found, decode without terms.
    run.forgetTerms(context);
    code = decode({heard.pcm, heard.samples, run.isFirstWindowEncoded}, request, transcript.language, run);
  }
  if (code == -7)
    throw Failure(Code::OutOfMemory, "Not enough memory for " + std::to_string(std::max(request.beamSize, request.bestOf)) + " decoders");
  if (run.damaged) failDamagedWeights();
  if (code != 0 && !run.stop.stopped) {
    const std::string line = lastErrorLine();
    const bool memory = line.find("failed to allocate") != std::string::npos;
    throw Failure(memory ? Code::OutOfMemory : Code::DecodeFailed, "whisper.cpp returned " + std::to_string(code) + ": " + line);
  }
  transcript.aborted = run.stop.stopped;
  timeTokens(context, *state_, audio.data, audio.size);
  transcript.segments = collect(run.lengthMs);
  run.progress.show(100);
  return transcript;
}

std::vector<std::pair<std::string, double>> Transcriber::detectLanguage(const float * pcm, size_t samples, const DetectRequest & request) {
  demandState();
  const PaddedPcm audio(pcm, std::min(samples, kWindowSamples), kMostSamples);
  StopFlag stop(request.abort);
  if (stop.shouldStop()) return {};
  return posteriors(audio, request.threads, stop);
}

/// Leaves the spectrogram of all audio and the encoded first 30 s in the state. Empty when stopped.
std::vector<std::pair<std::string, double>> Transcriber::posteriors(const PaddedPcm & audio, int threads, StopFlag & stop) {
  whisper_context & context = model_->context();
  encodedOf_.reset();
  // A model with one language need not encode anything.
  if (languageCount(context) == 1) return {{"en", 1.0}};
  const ComputeStop<whisper_state, StopFlag> stopping(state_, stop);
  try {
    if (whisper_pcm_to_mel_with_state(&context, state_, audio.data, static_cast<int>(audio.size), threads) != 0) {
      throw Failure(Code::DecodeFailed, "Language detection failed: " + lastErrorLine());
    }
    auto languages = rankLanguages(languageLogits(context, *state_, threads));
    encodedOf_ = fingerprint(audio);
    return languages;
  } catch (const Failure &) {
    if (stop.stopped) return {};
    throw;
  }
}

}  // namespace stenobox
