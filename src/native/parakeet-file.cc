#include "parakeet-file.h"

#include <cstdint>

#include "ggml.h"
#include "model-file.h"

namespace stenobox {

namespace {

// All published Parakeet TDT models have these values; parakeet.cpp hard-codes some of them in its graphs.
constexpr int32_t kAudioFrames = 5000;
constexpr int32_t kTransformSize = 512;
constexpr int32_t kFrequencyBins = kTransformSize / 2 + 1;
constexpr int32_t kSubsampling = 8;
constexpr int32_t kConvolutionKernel = 9;
/// There is room for the tensors of this many layers only.
constexpr int32_t kMaxPredictionLayers = 2;

constexpr int32_t kMaxVocabulary = 1 << 16;
constexpr int32_t kMaxState = 8192;
constexpr int32_t kMaxLayers = 128;
constexpr int32_t kMaxChannels = 4096;
constexpr int32_t kMaxDurations = 16;
/// A token or a blank advances by at most this many steps of 80 ms.
constexpr uint32_t kLongestDuration = 100;
constexpr int32_t kMaxTokensPerStep = 100;

// Tensors outside the layers, and in each layer of encoder and prediction network.
constexpr int kPlainTensors = 19;
constexpr int kEncoderLayerTensors = 29;
constexpr int kPredictionLayerTensors = 3;

struct Header {
  int32_t vocabulary;
  int32_t audioFrames;
  int32_t audioState;
  int32_t audioHeads;
  int32_t audioLayers;
  int32_t mels;
  int32_t format;
  int32_t transformSize;
  int32_t subsampling;
  int32_t channels;
  int32_t convolutionKernel;
  int32_t predictionState;
  int32_t predictionLayers;
  int32_t durations;
  int32_t tokensPerStep;
};
static_assert(sizeof(Header) == 15 * sizeof(int32_t), "read in one piece");

bool isWithin(int32_t value, int32_t most) {
  return value >= 1 && value <= most;
}

void checkHeader(const Header & header, ggml_type matrix) {
  demand(isWithin(header.vocabulary, kMaxVocabulary), "vocabulary of " + std::to_string(header.vocabulary));
  demand(header.audioFrames == kAudioFrames, "audio context of " + std::to_string(header.audioFrames));
  demand(isWithin(header.audioState, kMaxState) && header.audioState % 2 == 0, "width of " + std::to_string(header.audioState));
  demand(isWithin(header.audioHeads, header.audioState) && header.audioState % header.audioHeads == 0, "heads do not fit the width");
  demand(isWithin(header.audioLayers, kMaxLayers), std::to_string(header.audioLayers) + " encoder layers");
  demand(header.mels == 80 || header.mels == 128, std::to_string(header.mels) + " mel bands");
  demand(header.transformSize == kTransformSize, "Fourier transform of " + std::to_string(header.transformSize));
  demand(header.subsampling == kSubsampling, "subsampling by " + std::to_string(header.subsampling));
  demand(isWithin(header.channels, kMaxChannels), std::to_string(header.channels) + " channels");
  demand(header.convolutionKernel == kConvolutionKernel, "convolution kernel of " + std::to_string(header.convolutionKernel));
  demand(isWithin(header.predictionState, kMaxState), "prediction width of " + std::to_string(header.predictionState));
  demand(isWithin(header.predictionLayers, kMaxPredictionLayers), std::to_string(header.predictionLayers) + " prediction layers");
  demand(isWithin(header.durations, kMaxDurations), std::to_string(header.durations) + " durations");
  demand(isWithin(header.tokensPerStep, kMaxTokensPerStep), std::to_string(header.tokensPerStep) + " tokens per step");
  // parakeet.cpp itself checks the prediction network.
  const int64_t block = ggml_blck_size(matrix);
  demand(
    header.audioState % block == 0 && header.mels / kSubsampling * header.channels % block == 0, "the weight format needs a wider model"
  );
}

void checkTables(ModelFile & file, const Header & header) {
  skipFilters(file, header.mels, kFrequencyBins);
  const auto window = file.read<int32_t>();
  demand(isWithin(window, kTransformSize), "window of " + std::to_string(window) + " samples");
  file.skip(window * sizeof(float));
  for (int32_t i = 0; i < header.durations; ++i) {
    const auto duration = file.read<uint32_t>();
    demand(duration <= kLongestDuration, "duration of " + std::to_string(duration));
  }
  const auto words = file.read<int32_t>();
  // The blank follows the last word, and the logits have room for the number of words in the header.
  demand(words == header.vocabulary, std::to_string(words) + " words where its header announces " + std::to_string(header.vocabulary));
  skipWords(file, words, "");
}

/// The size of all tensors together: memory is allocated by the header, before the first tensor is read.
uint64_t weightBytes(const Header & header, ggml_type matrix) {
  const uint64_t state = header.audioState;
  const uint64_t layers = header.audioLayers;
  const uint64_t channels = header.channels;
  const uint64_t prediction = header.predictionState;
  const uint64_t predictionLayers = header.predictionLayers;
  const uint64_t words = header.vocabulary + 1;
  const uint64_t outputs = words + header.durations;
  const uint64_t matrices = header.mels / kSubsampling * channels * state + layers * 24 * state * state + state * prediction;
  const uint64_t predictionMatrices = prediction * (words + 8 * prediction * predictionLayers + prediction + outputs);
  const uint64_t vectors = channels * (32 + 2 * channels) + state + layers * ((16 + kConvolutionKernel) * state + 1) +
    prediction * (4 * predictionLayers + 2) + outputs;
  // The prediction network is not quantised when its width does not fit the blocks.
  const bool fits = prediction % ggml_blck_size(matrix) == 0;
  return bytesOf(matrices, matrix) + bytesOf(predictionMatrices, fits ? matrix : GGML_TYPE_F32) + vectors * sizeof(float);
}

bool isCounter(const std::string & name) {
  const std::string end = ".num_batches_tracked";
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

void checkParakeetFile(const std::string & path) {
  ModelFile file(path);
  demandMagic(file);
  const auto header = file.read<Header>();
  // In a Whisper model, these fields hold the audio and text context.
  demand(header.audioFrames != 1500 || header.mels != 448, "it is a Whisper model, not a Parakeet model");
  const ggml_type matrix = matrixType(header.format);
  checkHeader(header, matrix);
  checkTables(file, header);

  // parakeet.cpp checks names, shapes and sizes itself and reports errors properly. But it reads any number of dimensions into room for
  // four, and confuses types of equal size.
  const size_t expected = kPlainTensors + kEncoderLayerTensors * header.audioLayers + kPredictionLayerTensors * header.predictionLayers;
  uint64_t total = 0;
  for (const auto & [name, type, bytes] : skipTensors(file, expected, 4, {GGML_TYPE_F32, GGML_TYPE_I32, matrix})) {
    demand(type != GGML_TYPE_I32 || isCounter(name), "tensor '" + name + "' is of type " + std::to_string(type));
    total += bytes;
  }
  demand(
    total == weightBytes(header, matrix),
    std::to_string(total) + " bytes of weights where its header announces " + std::to_string(weightBytes(header, matrix))
  );
}

}  // namespace stenobox
