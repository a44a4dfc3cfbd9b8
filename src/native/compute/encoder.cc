#include "encoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace stenobox {

namespace {

constexpr size_t kTaps = 3;
constexpr size_t kFramesPerPosition = 2;

/// Reorders convolution weights from output, input, tap to output, tap, input, the order of neighbouring frames in memory.
std::vector<float> tapsFirst(const std::vector<float> & weights, size_t inputs) {
  std::vector<float> result(weights.size());
  for (size_t o = 0; o < weights.size() / (inputs * kTaps); ++o) {
    const size_t from = o * inputs * kTaps;
    for (size_t i = 0; i < inputs; ++i) {
      for (size_t k = 0; k < kTaps; ++k) result[from + k * inputs + i] = weights[from + i * kTaps + k];
    }
  }
  return result;
}

void store(const float * source, size_t count, Number number, char * target) {
  if (number == Number::Brain) round(source, count, reinterpret_cast<Brain *>(target));
  else std::memcpy(target, source, count * sizeof(float));
}

/// Places neighbouring frames side by side for a convolution: row i holds the frames around `step` · i. `frames` has an empty frame before
/// and after.
void gather(const char * frames, size_t count, size_t frameBytes, size_t step, char * target) {
  for (size_t i = 0; i < count; ++i) std::memcpy(target + i * kTaps * frameBytes, frames + i * step * frameBytes, kTaps * frameBytes);
}

}  // namespace

struct Encoder::Block {
  Norm attentionNorm;
  Layer queriesKeysValues;
  Layer out;
  Norm mlpNorm;
  Layer up;
  Layer down;

  static Block read(const Tensors & tensors, const SpeechShape & shape, Number number, const std::string & name) {
    const float scale = 1.0f / std::sqrt(static_cast<float>(shape.headWidth()));
    const auto layer = [&](const std::string & part, size_t inputs, Finish finish) {
      return Layer(tensors.read(name + part + ".weight").data(), inputs, tensors.read(name + part + ".bias"), number, finish);
    };
    const std::vector<float> weights = joined(
      joined(tensors.read(name + ".attn.query.weight", scale), tensors.read(name + ".attn.key.weight")),
      tensors.read(name + ".attn.value.weight")
    );
    const std::vector<float> bias = joined(
      joined(tensors.read(name + ".attn.query.bias", scale), std::vector<float>(shape.width, 0.0f)), tensors.read(name + ".attn.value.bias")
    );
    return {readNorm(tensors, name + ".attn_ln"), Layer(weights.data(), shape.width, bias, number, Finish::Store),
      layer(".attn.out", shape.width, Finish::Add), readNorm(tensors, name + ".mlp_ln"),
      layer(".mlp.0", shape.width, Finish::Gelu), layer(".mlp.2", 4 * shape.width, Finish::Add)};
  }
};

Encoder::Encoder(const Tensors & tensors, const SpeechShape & shape, Number number)
  : shape_(shape), number_(number), places_(tensors.read("encoder.positional_embedding")), last_(readNorm(tensors, "encoder.ln_post")) {
  const auto convolution = [&](const std::string & name, size_t inputs, Finish finish) {
    const std::vector<float> weights = tapsFirst(tensors.read(name + ".weight"), inputs);
    return std::make_unique<Layer>(weights.data(), kTaps * inputs, tensors.read(name + ".bias"), number, finish);
  };
  first_ = convolution("encoder.conv1", shape.mels, Finish::Gelu);
  second_ = convolution("encoder.conv2", shape.width, Finish::StoreFloats);
  for (size_t i = 0; i < shape.encoderLayers; ++i) {
    blocks_.push_back(Block::read(tensors, shape, number, "encoder.blocks." + std::to_string(i)));
  }
}

Encoder::~Encoder() = default;

const Attention & Encoder::attention(size_t positions) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Attention> & place = attentions_[positions];
  if (!place) place = std::make_unique<Attention>(number_, kStep, positions, shape_.headWidth());
  return *place;
}

void Encoder::normalise(const Norm & norm, size_t positions, EncoderRoom & room) const {
  const float * from = room.stream.data();
  if (number_ == Number::Brain) {
    stenobox::normalise(from, positions, shape_.width, norm.weight.data(), norm.bias.data(), reinterpret_cast<Brain *>(room.input.data()));
  } else {
    stenobox::normalise(from, positions, shape_.width, norm.weight.data(), norm.bias.data(), reinterpret_cast<float *>(room.input.data()));
  }
}

void Encoder::convolve(const Spectrogram & spectrogram, size_t positions, EncoderRoom & room) const {
  const size_t frames = kFramesPerPosition * positions;
  const size_t bytes = bytesOf(number_);
  // An empty frame before and after.
  std::vector<float> frame(shape_.mels);
  std::vector<char> mels((frames + 2) * shape_.mels * bytes, 0);
  const size_t heard = std::min(frames, spectrogram.frames - std::min(spectrogram.frames, spectrogram.first));
  for (size_t t = 0; t < heard; ++t) {
    for (size_t band = 0; band < shape_.mels; ++band) frame[band] = spectrogram.data[band * spectrogram.frames + spectrogram.first + t];
    store(frame.data(), shape_.mels, number_, mels.data() + (t + 1) * shape_.mels * bytes);
  }
  gather(mels.data(), frames, shape_.mels * bytes, 1, room.wide.data());
  char * hidden = room.heads.data();
  std::memset(hidden, 0, shape_.width * bytes);
  first_->run(room.wide.data(), frames, hidden + shape_.width * bytes, room.scratch);
  gather(hidden, positions, shape_.width * bytes, kFramesPerPosition, room.wide.data());
  // A separate step: without AVX-512, oneDNN has no fast GELU followed by a sum.
  second_->run(room.wide.data(), positions, room.stream.data(), room.scratch);
  gelu(room.stream.data(), positions * shape_.width);
  add(places_.data(), positions * shape_.width, room.stream.data());
}

void Encoder::attend(const Block & block, size_t positions, EncoderRoom & room) const {
  const Attention & products = attention(positions);
  const size_t bytes = bytesOf(number_);
  const size_t rowBytes = shape_.width * bytes;
  const size_t headBytes = shape_.headWidth() * bytes;
  block.queriesKeysValues.run(room.input.data(), positions, room.wide.data(), room.scratch);
  room.prepared.resize(products.keyBytes() + products.valueBytes() + 64);
  char * keys = room.prepared.data();
  char * values = keys + (products.keyBytes() + 63) / 64 * 64;
  // Queries, keys and values of one head, and the result for some queries.
  char * parts = room.heads.data();
  const size_t partBytes = positions * headBytes;
  char * mixed = parts + 3 * partBytes;
  char * weights = mixed + kStep * headBytes;
  for (size_t head = 0; head < shape_.heads; ++head) {
    for (size_t p = 0; p < positions; ++p) {
      for (size_t part = 0; part < 3; ++part) {
        std::memcpy(
          parts + part * partBytes + p * headBytes, room.wide.data() + p * 3 * rowBytes + part * rowBytes + head * headBytes, headBytes
        );
      }
    }
    products.prepare(parts + partBytes, parts + 2 * partBytes, keys, values, room.scratch);
    for (size_t first = 0; first < positions; first += kStep) {
      products.score(parts + first * headBytes, keys, room.scores.data(), room.scratch);
      if (number_ == Number::Brain) softmax(room.scores.data(), kStep, positions, reinterpret_cast<Brain *>(weights));
      else softmax(room.scores.data(), kStep, positions, reinterpret_cast<float *>(weights));
      products.mix(weights, values, mixed, room.scratch);
      for (size_t p = 0; p < kStep; ++p)
        std::memcpy(room.input.data() + (first + p) * rowBytes + head * headBytes, mixed + p * headBytes, headBytes);
    }
  }
  block.out.run(room.input.data(), positions, room.stream.data(), room.scratch);
}

bool Encoder::run(const Spectrogram & spectrogram, size_t positions, EncoderRoom & room, const std::function<bool()> & stop) const {
  const size_t bytes = bytesOf(number_);
  const size_t width = shape_.width;
  room.stream.resize(positions * width);
  room.scores.resize(kStep * positions);
  room.input.resize(positions * width * bytes);
  room.wide.resize(positions * std::max(4 * width, 2 * kTaps * shape_.mels) * bytes);
  room.heads.resize(
    std::max((2 * positions + 1) * width, 3 * positions * shape_.headWidth() + kStep * (shape_.headWidth() + positions)) * bytes
  );
  convolve(spectrogram, positions, room);
  for (const Block & block : blocks_) {
    if (stop()) return false;
    normalise(block.attentionNorm, positions, room);
    attend(block, positions, room);
    if (stop()) return false;
    normalise(block.mlpNorm, positions, room);
    block.up.run(room.input.data(), positions, room.wide.data(), room.scratch);
    block.down.run(room.wide.data(), positions, room.stream.data(), room.scratch);
  }
  normalise(last_, positions, room);
  return true;
}

}  // namespace stenobox
