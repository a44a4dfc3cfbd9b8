// Weights of a Parakeet TDT model, and a decoding state. It has no language detection, and ignores language, prompt, beam size and
// temperature.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model-registry.h"
#include "parakeet.h"
#include "transcriber.h"

namespace stenobox {

class ParakeetModel final : public Model {
 public:
  /// Throws MODEL_NOT_FOUND, MODEL_INVALID, OUT_OF_MEMORY.
  ParakeetModel(const std::string & path, const LoadRequest & request);
  ~ParakeetModel() override;

  std::shared_ptr<SpeechState> openState() override;
  ModelFacts facts() const override;
  parakeet_context & context() const { return *context_; }

 private:
  parakeet_context * context_ = nullptr;
};

class ParakeetTranscriber final : public SpeechState {
 public:
  /// Throws OUT_OF_MEMORY.
  explicit ParakeetTranscriber(std::shared_ptr<ParakeetModel> model);
  ~ParakeetTranscriber() override;

  /// Uses language (returned unchanged), threads, abort and onProgress of the request.
  Transcript transcribe(const float * pcm, size_t samples, const TranscribeRequest & request) override;
  /// Throws UNSUPPORTED.
  std::vector<std::pair<std::string, double>> detectLanguage(const float * pcm, size_t samples, const DetectRequest & request) override;

 private:
  struct Reading read(const class PaddedPcm & audio, int threads, class StopFlag & stop, class Progress & progress);
  void loseState();
  std::vector<Token> collect(const struct Reading & reading, int64_t lengthMs) const;

  std::shared_ptr<ParakeetModel> model_;
  parakeet_state * state_;
};

/// Cuts tokens into segments, at sentence ends and pauses.
std::vector<Segment> cutSentences(const std::vector<Token> & tokens);

}  // namespace stenobox
