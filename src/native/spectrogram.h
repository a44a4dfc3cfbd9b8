// Whisper's input: energies of 400 samples in mel bands, every 160 samples.
#pragma once

#include <cstddef>
#include <vector>

namespace stenobox {

/// Samples of one frame: 25 ms at 16 kHz.
constexpr size_t kFrameSamples = 400;
/// From one frame to the next: 10 ms.
constexpr size_t kHopSamples = 160;
constexpr size_t kSpectrumBins = kFrameSamples / 2 + 1;

/// `filters`: `mels` rows of kSpectrumBins weights.
struct MelFilters {
  const float * weights;
  size_t mels;
};

/// Decimal logarithm of the energy in every band: `frames` rows of `mels`, each value at least -10. `samples` must hold all samples of the
/// last frame. Uses a periodic Hann window, as OpenAI's audio.py does.
std::vector<float> logMelFrames(const float * samples, size_t frames, const MelFilters & filters);

}  // namespace stenobox
