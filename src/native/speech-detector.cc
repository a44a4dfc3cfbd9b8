#include "speech-detector.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "failure.h"
#include "vector-math.h"

namespace stenobox {

namespace {

/// Frames computed together where the network needs no past: as many as keep the weights in the cache.
constexpr size_t kBatch = 32;
/// Short-time spectrum of a frame: 4 windows of 256 samples, 128 apart, over context, frame and a mirrored end.
constexpr size_t kWindow = 256;
constexpr size_t kHop = 128;
constexpr size_t kWindows = 4;
constexpr size_t kBins = kWindow / 2 + 1;
constexpr size_t kTaps = 3;
constexpr size_t kGates = 4 * SpeechDetector::kHidden;

struct Convolution {
  size_t channels;
  size_t outputs;
  size_t stride;
};
constexpr std::array<Convolution, 4> kEncoder = {{{kBins, 128, 1}, {128, 64, 2}, {64, 64, 2}, {64, 128, 1}}};

const std::vector<float> & take(const Tensors & tensors, const std::string & name, size_t size) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw Failure(Code::ModelInvalid, "The speech detector's weights lack " + name);
  if (found->second.size() != size) throw Failure(Code::ModelInvalid, "The speech detector's weights have another size: " + name);
  return found->second;
}

/// `weightAt(input, output)`: the index of a weight in `source`.
template <typename WeightAt>
DenseLayer makeLayer(size_t inputs, size_t outputs, const std::vector<float> & source, const std::vector<float> & bias, WeightAt weightAt) {
  DenseLayer layer {inputs, outputs, padColumns(outputs), {}, {}};
  layer.weights.assign(inputs * layer.stride, 0.0f);
  layer.bias.assign(layer.stride, 0.0f);
  std::copy(bias.begin(), bias.end(), layer.bias.begin());
  for (size_t i = 0; i < inputs; ++i) {
    for (size_t o = 0; o < outputs; ++o) layer.weights[i * layer.stride + o] = source[weightAt(i, o)];
  }
  return layer;
}

DenseLayer makeConvolution(const Tensors & tensors, size_t index) {
  const Convolution & shape = kEncoder[index];
  const std::string name = "encoder." + std::to_string(index) + ".reparam_conv.";
  const auto & weights = take(tensors, name + "weight", shape.outputs * shape.channels * kTaps);
  return makeLayer(shape.channels * kTaps, shape.outputs, weights, take(tensors, name + "bias", shape.outputs),
    [&](size_t input, size_t output) { return (output * shape.channels + input % shape.channels) * kTaps + input / shape.channels; });
}

DenseLayer makeGates(const Tensors & tensors, const std::string & side) {
  const auto & weights = take(tensors, "decoder.rnn.weight_" + side, kGates * SpeechDetector::kHidden);
  return makeLayer(SpeechDetector::kHidden, kGates, weights, take(tensors, "decoder.rnn.bias_" + side, kGates),
    [](size_t input, size_t output) { return output * SpeechDetector::kHidden + input; });
}

void apply(const DenseLayer & layer, const float * rows, size_t count, std::vector<float> & result) {
  result.resize(count * layer.stride);
  multiply(rows, count, layer.inputs, layer.weights.data(), layer.bias.data(), layer.stride, result.data());
}

/// Gathers rows of three neighbouring positions, zero past the ends, for the convolution's product.
void gather(
  const std::vector<float> & source, size_t stride, const Convolution & shape, size_t frames, size_t positions, std::vector<float> & rows
) {
  const size_t outputs = (positions - 1) / shape.stride + 1;
  rows.assign(frames * outputs * kTaps * shape.channels, 0.0f);
  for (size_t frame = 0; frame < frames; ++frame) {
    for (size_t output = 0; output < outputs; ++output) {
      for (size_t tap = 0; tap < kTaps; ++tap) {
        const size_t position = output * shape.stride + tap;
        if (position < 1 || position > positions) continue;
        const float * from = source.data() + (frame * positions + position - 1) * stride;
        std::copy_n(from, shape.channels, rows.begin() + ((frame * outputs + output) * kTaps + tap) * shape.channels);
      }
    }
  }
}

/// 1 / (1 + exp(-x)) of each value.
void sigmoids(float * values, size_t count) {
  for (size_t i = 0; i < count; ++i) values[i] = -values[i];
  exponentials(values, count, values);
  for (size_t i = 0; i < count; ++i) values[i] = 1.0f / (1.0f + values[i]);
}

/// tanh x = 2 · sigmoid(2x) - 1
void hyperbolicTangents(float * values, size_t count) {
  for (size_t i = 0; i < count; ++i) values[i] *= 2.0f;
  sigmoids(values, count);
  for (size_t i = 0; i < count; ++i) values[i] = 2.0f * values[i] - 1.0f;
}

}  // namespace

SpeechDetector::SpeechDetector(const Tensors & tensors) {
  const auto & basis = take(tensors, "stft.forward_basis_buffer", 2 * kBins * kWindow);
  spectrum_ = makeLayer(kWindow, 2 * kBins, basis, {}, [](size_t input, size_t output) { return output * kWindow + input; });
  for (size_t i = 0; i < encoder_.size(); ++i) encoder_[i] = makeConvolution(tensors, i);
  inputGates_ = makeGates(tensors, "ih");
  recurrentGates_ = makeGates(tensors, "hh");
  outputWeights_ = take(tensors, "decoder.decoder.2.weight", kHidden);
  outputBias_ = take(tensors, "decoder.decoder.2.bias", 1)[0];
}

/// Computes the recurrent part's inputs: everything before it uses only one frame and its context.
void SpeechDetector::encode(const float * pcm, size_t frames, const State & state, std::vector<float> & gates) const {
  constexpr size_t length = kContext + kFrame;
  std::array<float, length + kContext> sound {};
  std::vector<float> rows(frames * kWindows * kWindow);
  for (size_t frame = 0; frame < frames; ++frame) {
    const float * samples = pcm + frame * kFrame;
    std::copy_n(frame == 0 ? state.context.data() : samples - kContext, kContext, sound.begin());
    std::copy_n(samples, kFrame, sound.begin() + kContext);
    for (size_t i = 0; i < kContext; ++i) sound[length + i] = sound[length - 2 - i];
    for (size_t w = 0; w < kWindows; ++w) std::copy_n(sound.begin() + w * kHop, kWindow, rows.begin() + (frame * kWindows + w) * kWindow);
  }
  std::vector<float> values;
  apply(spectrum_, rows.data(), frames * kWindows, values);
  for (size_t row = 0; row < frames * kWindows; ++row) {
    float * bins = values.data() + row * spectrum_.stride;
    for (size_t i = 0; i < kBins; ++i) bins[i] = std::sqrt(bins[i] * bins[i] + bins[kBins + i] * bins[kBins + i]);
  }
  size_t positions = kWindows;
  size_t stride = spectrum_.stride;
  for (size_t i = 0; i < encoder_.size(); ++i) {
    gather(values, stride, kEncoder[i], frames, positions, rows);
    positions = (positions - 1) / kEncoder[i].stride + 1;
    apply(encoder_[i], rows.data(), frames * positions, values);
    for (float & value : values) value = std::max(value, 0.0f);
    stride = encoder_[i].stride;
  }
  const std::vector<float> encoded = values;
  apply(inputGates_, encoded.data(), frames, gates);
}

/// One step of the LSTM, whose gates come in the order input, forget, cell, output.
float SpeechDetector::step(const float * inputs, State & state) const {
  std::array<float, kGates> gates;
  multiply(state.hidden.data(), 1, kHidden, recurrentGates_.weights.data(), recurrentGates_.bias.data(), kGates, gates.data());
  for (size_t i = 0; i < kGates; ++i) gates[i] += inputs[i];
  sigmoids(gates.data(), 2 * kHidden);
  hyperbolicTangents(gates.data() + 2 * kHidden, kHidden);
  sigmoids(gates.data() + 3 * kHidden, kHidden);
  std::array<float, kHidden> shaped;
  for (size_t i = 0; i < kHidden; ++i) {
    state.cell[i] = gates[kHidden + i] * state.cell[i] + gates[i] * gates[2 * kHidden + i];
    shaped[i] = state.cell[i];
  }
  hyperbolicTangents(shaped.data(), kHidden);
  float sum = outputBias_;
  for (size_t i = 0; i < kHidden; ++i) {
    state.hidden[i] = gates[3 * kHidden + i] * shaped[i];
    sum += outputWeights_[i] * std::max(state.hidden[i], 0.0f);
  }
  return 1.0f / (1.0f + std::exp(-sum));
}

void SpeechDetector::run(const float * pcm, size_t frames, State & state, float * probabilities) const {
  std::vector<float> gates;
  for (size_t first = 0; first < frames; first += kBatch) {
    const size_t count = std::min(kBatch, frames - first);
    const float * samples = pcm + first * kFrame;
    encode(samples, count, state, gates);
    for (size_t i = 0; i < count; ++i) probabilities[first + i] = step(gates.data() + i * inputGates_.stride, state);
    std::copy_n(samples + count * kFrame - kContext, kContext, state.context.begin());
  }
}

}  // namespace stenobox
