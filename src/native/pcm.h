// Samples as the decoders need them.
#pragma once

#include <cstddef>
#include <vector>

#include "failure.h"
#include "vector-math.h"

namespace stenobox {

constexpr size_t kSamplesPerSecond = 16000;
constexpr size_t kSamplesPerMs = kSamplesPerSecond / 1000;

/// whisper.cpp reads 200 samples past the first one and computes lengths that must not be negative; one second is safe for both.
constexpr size_t kLeastSamples = kSamplesPerSecond;
/// Shorter audio holds no word; whisper.cpp skips remainders of this length too.
constexpr size_t kShortestSpeech = kSamplesPerSecond / 10;

/// The given audio, padded with silence if it is too short.
class PaddedPcm {
 public:
  /// Throws INVALID_ARGUMENT.
  PaddedPcm(const float * pcm, size_t samples, size_t most) : data(pcm), size(samples) {
    if (samples > most) throw Failure(Code::InvalidArgument, "The audio is too long for one call");
    // A NaN would spread through the spectrogram to every logit.
    if (!allFinite(pcm, samples)) throw Failure(Code::InvalidArgument, "The audio holds a value that is not a finite number");
    if (samples >= kLeastSamples) return;
    padded_.assign(pcm, pcm + samples);
    padded_.resize(kLeastSamples, 0.0f);
    data = padded_.data();
    size = padded_.size();
  }
  const float * data;
  size_t size;

 private:
  std::vector<float> padded_;
};

}  // namespace stenobox
