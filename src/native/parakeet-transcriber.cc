#include "parakeet-transcriber.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "failure.h"
#include "model-file.h"
#include "parakeet-access.h"
#include "parakeet-file.h"
#include "pcm.h"
#include "stop.h"
#include "vendored.h"

namespace stenobox {

namespace {

/// The encoder does nine tenths of the work.
constexpr int kEncodedPercent = 90;
/// A silence of this length ends a segment, as the end of a sentence does.
constexpr int64_t kPauseMs = 800;

bool endsWith(const std::string & text, const std::string & end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool endsWithAny(const std::string & text, const std::vector<std::string> & ends) {
  return std::any_of(ends.begin(), ends.end(), [&](const std::string & end) { return endsWith(text, end); });
}

/// True when a segment ends between `text`, its content so far, and the bytes that follow.
bool endsSentence(std::string text, const std::string & next) {
  static const std::vector<std::string> closing = {"\"", "'", ")", "]", "”", "’", "»", "“"};
  static const std::vector<std::string> spaced = {".", "?", "!", "…"};
  static const std::vector<std::string> unspaced = {"。", "？", "！"};
  for (auto mark = closing.begin(); mark != closing.end();) {
    if (!endsWith(text, *mark)) {
      ++mark;
      continue;
    }
    text.resize(text.size() - mark->size());
    mark = closing.begin();
  }
  if (endsWithAny(text, unspaced)) return true;
  // "3.5" and "example.org" do not end a sentence.
  return endsWithAny(text, spaced) && next.compare(0, 1, " ") == 0;
}

}  // namespace

std::vector<Segment> cutSentences(const std::vector<Token> & tokens) {
  std::vector<Segment> segments;
  std::string text;
  for (const Token & token : tokens) {
    const bool begins = segments.empty() || token.startMs - segments.back().endMs > kPauseMs || endsSentence(text, token.bytes);
    if (begins) {
      segments.push_back({token.startMs, token.endMs, 0.0f, {}});
      text.clear();
    }
    text += token.bytes;
    segments.back().endMs = std::max(segments.back().endMs, token.endMs);
    segments.back().tokens.push_back(token);
  }
  return segments;
}

ParakeetModel::ParakeetModel(const std::string & path, const LoadRequest & request) : Model(path, request) {
  checkParakeetFile(path);
  ModelFile file(path);
  context_ = openParakeet(file, request.gpu && device() != "CPU");
}

ParakeetModel::~ParakeetModel() {
  parakeet_free(context_);
}

std::shared_ptr<SpeechState> ParakeetModel::openState() {
  return std::make_shared<ParakeetTranscriber>(std::static_pointer_cast<ParakeetModel>(shared_from_this()));
}

ModelFacts ParakeetModel::facts() const {
  return {"parakeet-tdt", false, parakeet_model_n_audio_layer(context_), parakeet_model_n_mels(context_)};
}

ParakeetTranscriber::ParakeetTranscriber(std::shared_ptr<ParakeetModel> model)
    : model_(std::move(model)), state_(openParakeetState(model_->context())) {}

ParakeetTranscriber::~ParakeetTranscriber() {
  parakeet_free_state(state_);
}

void ParakeetTranscriber::loseState() {
  parakeet_free_state(state_);
  state_ = nullptr;
}

Reading ParakeetTranscriber::read(const PaddedPcm & audio, int threads, StopFlag & stop, Progress & progress) {
  const ComputeStop<parakeet_state, StopFlag> stopping(state_, stop);
  try {
    return runParakeet(model_->context(), *state_, audio.data, static_cast<int>(audio.size), threads, [&] {
      progress.show(kEncodedPercent);
    });
  } catch (const BrokenAssertion &) {
    loseState();
    throw Failure(Code::DecodeFailed, "parakeet.cpp failed");
  } catch (...) {
    // Its buffers may be gone: it frees the old ones before it allocates new ones.
    loseState();
    throw;
  }
}

std::vector<Token> ParakeetTranscriber::collect(const Reading & reading, int64_t lengthMs) const {
  const auto clamp = [lengthMs](int64_t centiseconds) { return std::min(lengthMs, std::max<int64_t>(0, 10 * centiseconds)); };
  std::vector<Token> tokens;
  for (const SpokenToken & said : reading.tokens) {
    const int64_t startMs = clamp(said.start);
    // Decoded in the padding after the audio.
    if (startMs >= lengthMs) break;
    std::string bytes = parakeetBytes(model_->context(), said.token);
    if (bytes.empty()) continue;
    tokens.push_back(
      {std::move(bytes), startMs, std::max(startMs, clamp(said.end)), -1, std::exp(said.logProbability), said.logProbability}
    );
  }
  return tokens;
}

Transcript ParakeetTranscriber::transcribe(const float * pcm, size_t samples, const TranscribeRequest & request) {
  if (state_ == nullptr) throw Failure(Code::Closed, "The decoding state was lost with a failed call");
  const PaddedPcm audio(pcm, samples, mostParakeetSamples(model_->context()));
  StopFlag stop(request.abort);
  Progress progress(stop, request.onProgress);
  Transcript transcript;
  transcript.language = request.language;
  if (stop.shouldStop()) {
    transcript.aborted = true;
    return transcript;
  }
  if (samples >= kShortestSpeech) {
    progress.show(0);
    const Reading reading = read(audio, request.threads, stop, progress);
    if (!reading.complete && !stop.stopped) throw Failure(Code::DecodeFailed, "parakeet.cpp could not compute the audio");
    transcript.segments = cutSentences(collect(reading, static_cast<int64_t>(samples / kSamplesPerMs)));
  }
  transcript.aborted = stop.stopped;
  progress.show(100);
  return transcript;
}

std::vector<std::pair<std::string, double>> ParakeetTranscriber::detectLanguage(const float *, size_t, const DetectRequest &) {
  throw Failure(Code::Unsupported, "A Parakeet model does not tell which language it hears");
}

}  // namespace stenobox
