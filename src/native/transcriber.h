// A decoding state and its calls, with plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model-registry.h"
#include "stop.h"

namespace stenobox {

struct DetectRequest {
  int threads;
  CallFlags abort;
};

struct TranscribeRequest {
  /// Empty: the most likely one of the first 30 s.
  std::string language;
  int threads;
  int beamSize;
  int bestOf;
  float temperature;
  float temperatureStep;
  float entropyThreshold;
  float logProbThreshold;
  float noSpeechThreshold;
  int contextTokens;
  bool suppressNonSpeech;
  std::string prompt;
  /// Names and terms to expect, correctly spelled.
  std::vector<std::string> terms;
  int minTailMs;
  CallFlags abort;
  /// Receives a growing percentage; returns false to stop the call. May be empty. Must not throw.
  std::function<bool(int)> onProgress;
};

struct Token {
  std::string bytes;
  int64_t startMs;
  int64_t endMs;
  /// Negative when unknown.
  int64_t dtwMs;
  float probability;
  float logProbability;
};

struct Segment {
  int64_t startMs;
  int64_t endMs;
  float noSpeechProbability;
  std::vector<Token> tokens;
};

struct Transcript {
  bool aborted = false;
  /// The language it was decoded in.
  std::string language;
  std::vector<Segment> segments;
};

/// The most decoders that whisper.cpp runs in parallel.
constexpr int kMaxDecoders = 8;

/// This many bytes at the end of a prompt fill the decoder's context; more would only use stack in whisper.cpp's recursive tokeniser.
constexpr size_t kMaxPromptBytes = 2048;

/// Used by one thread at a time. Keeps its model alive.
class SpeechState {
 public:
  SpeechState() = default;
  virtual ~SpeechState() = default;
  SpeechState(const SpeechState &) = delete;
  SpeechState & operator=(const SpeechState &) = delete;

  /// Throws UNKNOWN_LANGUAGE, INVALID_ARGUMENT, OUT_OF_MEMORY, DECODE_FAILED, CLOSED.
  virtual Transcript transcribe(const float * pcm, size_t samples, const TranscribeRequest & request) = 0;

  /// Language codes with probabilities, most likely first; empty when stopped. Throws UNSUPPORTED when the model cannot detect languages.
  virtual std::vector<std::pair<std::string, double>> detectLanguage(const float * pcm, size_t samples, const DetectRequest & request) = 0;
};

/// A state of a Whisper model.
class Transcriber final : public SpeechState {
 public:
  /// Throws OUT_OF_MEMORY.
  explicit Transcriber(std::shared_ptr<WhisperModel> model);
  ~Transcriber() override;

  Transcript transcribe(const float * pcm, size_t samples, const TranscribeRequest & request) override;
  std::vector<std::pair<std::string, double>> detectLanguage(const float * pcm, size_t samples, const DetectRequest & request) override;

 private:
  /// Throws CLOSED after a failed call has lost the state.
  void demandState() const;
  void checkLanguage(const std::string & language) const;
  void loseState();
  int decode(const struct Heard & heard, const TranscribeRequest & request, const std::string & language, struct Run & run);
  std::vector<std::pair<std::string, double>> posteriors(const class PaddedPcm & audio, int threads, class StopFlag & stop);
  std::vector<Segment> collect(int64_t lengthMs) const;

  std::shared_ptr<WhisperModel> model_;
  whisper_state * state_;
  /// Fingerprint of the audio whose language was detected last, while its encoder output is still in the state: transcribing it needs no
  /// second encoder run.
  std::optional<uint64_t> encodedOf_;
};

}  // namespace stenobox
