#include "spectrogram.h"

#include <algorithm>
#include <cmath>

#include "vector-math.h"

namespace stenobox {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr size_t kHalf = kFrameSamples / 2;
constexpr size_t kBinColumns = padColumns(kSpectrumBins);
/// Number of frames computed together.
constexpr size_t kBatch = 64;

/// The discrete Fourier transform of a frame as two matrix products. Cosines are symmetric in the frame and sines antisymmetric, so the
/// cosine part needs only sums of mirrored samples and the sine part only their differences: half the work of the plain transform.
struct Transform {
  std::vector<float> cosines = std::vector<float>(kSpectrumBins * kBinColumns);
  std::vector<float> sines = std::vector<float>(kSpectrumBins * kBinColumns);

  Transform() {
    for (size_t n = 0; n <= kHalf; ++n) {
      const double hann = 0.5 - 0.5 * std::cos(2 * kPi * static_cast<double>(n) / kFrameSamples);
      // The middle sample is its own mirror image.
      const double weight = n == kHalf ? hann / 2 : hann;
      for (size_t bin = 0; bin < kSpectrumBins; ++bin) {
        const double angle = 2 * kPi * static_cast<double>(bin * n % kFrameSamples) / kFrameSamples;
        cosines[n * kBinColumns + bin] = static_cast<float>(weight * std::cos(angle));
        sines[n * kBinColumns + bin] = static_cast<float>(weight * std::sin(angle));
      }
    }
  }
};

const Transform & transform() {
  static const Transform instance;
  return instance;
}

const std::vector<float> & noBias() {
  static const std::vector<float> zeros(std::max(kBinColumns, padColumns(1024)), 0.0f);
  return zeros;
}

/// Energies of `count` frames: rows of kSpectrumBins.
void energies(const float * samples, size_t count, std::vector<float> & rows) {
  std::vector<float> sums(count * kSpectrumBins, 0.0f);
  std::vector<float> differences(count * kSpectrumBins, 0.0f);
  for (size_t frame = 0; frame < count; ++frame) {
    const float * from = samples + frame * kHopSamples;
    float * sum = sums.data() + frame * kSpectrumBins;
    float * difference = differences.data() + frame * kSpectrumBins;
    // The first sample's weight is 0.
    for (size_t n = 1; n <= kHalf; ++n) {
      sum[n] = from[n] + from[kFrameSamples - n];
      difference[n] = from[n] - from[kFrameSamples - n];
    }
  }
  std::vector<float> real(count * kBinColumns);
  std::vector<float> imaginary(count * kBinColumns);
  multiply(sums.data(), count, kSpectrumBins, transform().cosines.data(), noBias().data(), kBinColumns, real.data());
  multiply(differences.data(), count, kSpectrumBins, transform().sines.data(), noBias().data(), kBinColumns, imaginary.data());
  rows.resize(count * kSpectrumBins);
  for (size_t frame = 0; frame < count; ++frame) {
    for (size_t bin = 0; bin < kSpectrumBins; ++bin) {
      const float re = real[frame * kBinColumns + bin];
      const float im = imaginary[frame * kBinColumns + bin];
      rows[frame * kSpectrumBins + bin] = re * re + im * im;
    }
  }
}

}  // namespace

std::vector<float> logMelFrames(const float * samples, size_t frames, const MelFilters & filters) {
  const size_t columns = padColumns(filters.mels);
  std::vector<float> weights(kSpectrumBins * columns, 0.0f);
  for (size_t mel = 0; mel < filters.mels; ++mel) {
    for (size_t bin = 0; bin < kSpectrumBins; ++bin) weights[bin * columns + mel] = filters.weights[mel * kSpectrumBins + bin];
  }
  std::vector<float> result(frames * filters.mels);
  std::vector<float> spectra;
  std::vector<float> bands(kBatch * columns);
  for (size_t first = 0; first < frames; first += kBatch) {
    const size_t count = std::min(kBatch, frames - first);
    energies(samples + first * kHopSamples, count, spectra);
    multiply(spectra.data(), count, kSpectrumBins, weights.data(), noBias().data(), columns, bands.data());
    for (size_t frame = 0; frame < count; ++frame) {
      for (size_t mel = 0; mel < filters.mels; ++mel) {
        result[(first + frame) * filters.mels + mel] = std::log10(std::max(bands[frame * columns + mel], 1e-10f));
      }
    }
  }
  return result;
}

}  // namespace stenobox
