#include "decoder.h"

#include <algorithm>
#include <cmath>

namespace stenobox {

namespace {

/// Rows read from the file at a time, so that the vocabulary is never unpacked as a whole.
constexpr size_t kRowsAtOnce = 1024;

constexpr float kMostFixed = 32767.0f;

size_t padded(size_t positions) { return (positions + kFixedStep - 1) / kFixedStep * kFixedStep; }

}  // namespace

void ByteLayer::append(const Tensors & tensors, const std::string & name, float factor) {
  const size_t rows = tensors.size(name) / inputs_;
  const size_t before = factors_.size();
  weights_.resize((before + rows) * inputs_);
  factors_.resize(before + rows);
  std::vector<float> numbers(std::min(rows, kRowsAtOnce) * inputs_);
  for (size_t first = 0; first < rows; first += kRowsAtOnce) {
    const size_t count = std::min(rows - first, kRowsAtOnce);
    tensors.readRows(name, first, count, inputs_, numbers.data());
    for (size_t r = 0; r < count; ++r) {
      const size_t row = before + first + r;
      factors_[row] = factor * toBytes(numbers.data() + r * inputs_, inputs_, weights_.data() + row * inputs_);
    }
  }
}

void ByteLayer::finish() {
  if (!multipliesBytes()) return;
  std::vector<int8_t> plain(weights_.size());
  std::vector<float> numbers(inputs_);
  for (size_t o = 0; o < factors_.size(); ++o) {
    fromBytes(weights_.data() + o * inputs_, inputs_, 1.0f, numbers.data());
    for (size_t i = 0; i < inputs_; ++i) plain[o * inputs_ + i] = static_cast<int8_t>(numbers[i]);
  }
  product_ = std::make_unique<ByteProduct>(plain.data(), inputs_, factors_, bias_);
  weights_ = {};
}

void ByteLayer::runSplit(const float * rows, size_t count, float * result, ByteRoom & room) const {
  room.rows.resize(std::max(room.rows.size(), 2 * count * inputs_));
  room.factors.resize(count);
  for (size_t r = 0; r < count; ++r) {
    room.factors[r] = splitFactor(magnitude(rows + r * inputs_, 1, inputs_, inputs_));
    int8_t * high = room.rows.data() + 2 * r * inputs_;
    split(rows + r * inputs_, inputs_, room.factors[r], high, high + inputs_);
  }
  product_->run({room.rows.data(), room.factors.data(), count}, result);
}

void ByteLayer::run(const float * rows, size_t count, float * result, ByteRoom & room) const {
  if (product_) return runSplit(rows, count, result, room);
  const Bytes bytes = {weights_.data(), factors_.data(), bias_.empty() ? nullptr : bias_.data(), factors_.size(), inputs_};
  for (size_t r = 0; r < count; r += kFewRows)
    multiplyFew(rows + r * inputs_, std::min(kFewRows, count - r), bytes, result + r * factors_.size());
}

void ByteLayer::row(size_t index, float * target) const {
  if (product_) return product_->row(index, target);
  fromBytes(weights_.data() + index * inputs_, inputs_, factors_[index], target);
}

void DecoderRoom::setCells(size_t count, const SpeechShape & shape) {
  if (count <= cells) return;
  keys.reset();
  values.reset();
  cells = 0;
  const size_t numbers = shape.decoderLayers * count * shape.width;
  keys.reset(new float[numbers]);
  values.reset(new float[numbers]);
  cells = count;
}

struct Decoder::Block {
  Norm selfNorm;
  ByteLayer queriesKeysValues;
  ByteLayer selfOut;
  Norm crossNorm;
  ByteLayer crossQueries;
  ByteLayer crossOut;
  Norm mlpNorm;
  ByteLayer up;
  ByteLayer down;
  Layer heard;

  static ByteLayer layer(const Tensors & tensors, const std::string & name, size_t inputs, float factor = 1.0f) {
    ByteLayer result(inputs);
    result.append(tensors, name + ".weight", factor);
    result.setBias(tensors.read(name + ".bias", factor));
    result.finish();
    return result;
  }

  static Block read(const Tensors & tensors, const SpeechShape & shape, Number number, const std::string & name) {
    const size_t width = shape.width;
    const float scale = 1.0f / std::sqrt(static_cast<float>(shape.headWidth()));
    const std::vector<float> none(width, 0.0f);
    ByteLayer own(width);
    own.append(tensors, name + ".attn.query.weight", scale);
    own.append(tensors, name + ".attn.key.weight");
    own.append(tensors, name + ".attn.value.weight");
    own.setBias(joined(joined(tensors.read(name + ".attn.query.bias", scale), none), tensors.read(name + ".attn.value.bias")));
    own.finish();
    const std::vector<float> heard = joined(tensors.read(name + ".cross_attn.key.weight"), tensors.read(name + ".cross_attn.value.weight"));
    return {
      readNorm(tensors, name + ".attn_ln"),
      std::move(own),
      layer(tensors, name + ".attn.out", width),
      readNorm(tensors, name + ".cross_attn_ln"),
      layer(tensors, name + ".cross_attn.query", width, scale),
      layer(tensors, name + ".cross_attn.out", width),
      readNorm(tensors, name + ".mlp_ln"),
      layer(tensors, name + ".mlp.0", width),
      layer(tensors, name + ".mlp.2", 4 * width),
      Layer(heard.data(), width, joined(none, tensors.read(name + ".cross_attn.value.bias")), number, Finish::StoreFloats)
    };
  }
};

Decoder::Decoder(const Tensors & tensors, const SpeechShape & shape, Number number)
  : shape_(shape), places_(tensors.read("decoder.positional_embedding")), words_(shape.width), last_(readNorm(tensors, "decoder.ln")) {
  words_.append(tensors, "decoder.token_embedding.weight");
  words_.finish();
  for (size_t i = 0; i < shape.decoderLayers; ++i) {
    blocks_.push_back(Block::read(tensors, shape, number, "decoder.blocks." + std::to_string(i)));
  }
}

Decoder::~Decoder() = default;

bool Decoder::listen(const void * encoded, size_t positions, DecoderRoom & room, const std::function<bool()> & stop) const {
  const size_t width = shape_.headWidth();
  const size_t stride = padded(positions);
  const size_t row = 2 * shape_.width;
  room.positions = positions;
  room.heardFloats.resize(positions * row);
  const size_t numbers = 2 * stride * shape_.width;
  if (room.heard.size() < blocks_.size() * numbers * sizeof(int16_t)) {
    room.heard = {};
    room.heard = LargeMemory(blocks_.size() * numbers * sizeof(int16_t));
  }
  room.heads.resize(blocks_.size() * shape_.heads);
  for (size_t layer = 0; layer < blocks_.size(); ++layer) {
    if (stop()) return false;
    blocks_[layer].heard.run(encoded, positions, room.heardFloats.data(), room.scratch);
    // Padding stays 0.
    int16_t * heard = room.heard.as<int16_t>() + layer * numbers;
    std::fill_n(heard, numbers, int16_t {0});
    for (size_t h = 0; h < shape_.heads; ++h) {
      int16_t * keys = heard + 2 * h * stride * width;
      int16_t * values = keys + stride * width;
      const float * fromKeys = room.heardFloats.data() + h * width;
      const float * fromValues = fromKeys + shape_.width;
      const float keyFactor = magnitude(fromKeys, positions, row, width) / kMostFixed;
      const float valueFactor = magnitude(fromValues, positions, row, width) / kMostFixed;
      toFixedTurned(fromKeys, positions, row, width, keyFactor, keys);
      toFixed(fromValues, positions, row, width, valueFactor, values);
      room.heads[layer * shape_.heads + h] = {keys, values, keyFactor, valueFactor, stride, width};
    }
  }
  return true;
}

void Decoder::attendSaid(const Block & block, size_t layer, const std::vector<BatchToken> & batch, DecoderRoom & room) const {
  const size_t width = shape_.width;
  block.queriesKeysValues.run(room.input.data(), batch.size(), room.wide.data(), room.bytes);
  float * keys = room.keys.get() + layer * room.cells * width;
  float * values = room.values.get() + layer * room.cells * width;
  for (size_t r = 0; r < batch.size(); ++r) {
    const float * from = room.wide.data() + r * 3 * width;
    std::copy_n(from + width, width, keys + batch[r].cell * width);
    std::copy_n(from + 2 * width, width, values + batch[r].cell * width);
  }
  for (size_t r = 0; r < batch.size(); ++r) {
    const std::vector<uint32_t> & places = batch[r].looksAt;
    room.scores.resize(std::max(room.scores.size(), places.size()));
    const Cells cells = {keys, values, places.data(), places.size(), shape_.heads, shape_.headWidth()};
    attendCells(room.wide.data() + r * 3 * width, cells, room.scores.data(), room.input.data() + r * width);
  }
}

void Decoder::attendHeard(
  const Block & block, size_t layer, size_t count, DecoderRoom & room, const std::vector<HeadPlace> & watched, float * attention
) const {
  const size_t width = shape_.width;
  block.crossQueries.run(room.input.data(), count, room.wide.data(), room.bytes);
  for (size_t h = 0; h < shape_.heads; ++h) {
    const FixedHead & head = room.heads[layer * shape_.heads + h];
    room.scores.resize(std::max(room.scores.size(), kFewRows * head.positions));
    const auto watch =
      std::find_if(watched.begin(), watched.end(), [&](const HeadPlace & place) { return place.layer == layer && place.head == h; });
    for (size_t r = 0; r < count; r += kFewRows) {
      const size_t rows = std::min(kFewRows, count - r);
      scoreFew(room.wide.data() + r * width + h * head.width, rows, width, head, room.scores.data());
      for (size_t i = 0; i < rows; ++i) {
        float * weights = room.scores.data() + i * head.positions;
        softmax(weights, 1, room.positions, weights);
        std::fill(weights + room.positions, weights + head.positions, 0.0f);
        if (watch == watched.end()) continue;
        std::copy_n(weights, room.positions, attention + ((watch - watched.begin()) * count + r + i) * room.positions);
      }
      mixFew(room.scores.data(), rows, head, room.input.data() + r * width + h * head.width, width);
    }
  }
}

bool Decoder::run(
  const std::vector<BatchToken> & batch, DecoderRoom & room, const std::vector<HeadPlace> & watched, float * attention,
  const std::function<bool()> & stop
) const {
  const size_t count = batch.size();
  const size_t width = shape_.width;
  room.stream.resize(count * width);
  room.input.resize(count * width);
  room.wide.resize(count * 4 * width);
  for (size_t r = 0; r < count; ++r) {
    words_.row(batch[r].token, room.stream.data() + r * width);
    add(places_.data() + batch[r].place * width, width, room.stream.data() + r * width);
  }
  const auto enter = [&](const Norm & norm) {
    normalise(room.stream.data(), count, width, norm.weight.data(), norm.bias.data(), room.input.data());
  };
  const auto leave = [&](const ByteLayer & layer, const float * from) {
    float * result = from == room.wide.data() ? room.input.data() : room.wide.data();
    layer.run(from, count, result, room.bytes);
    add(result, count * width, room.stream.data());
  };
  for (size_t layer = 0; layer < blocks_.size(); ++layer) {
    if (stop()) return false;
    const Block & block = blocks_[layer];
    enter(block.selfNorm);
    attendSaid(block, layer, batch, room);
    leave(block.selfOut, room.input.data());
    enter(block.crossNorm);
    attendHeard(block, layer, count, room, watched, attention);
    leave(block.crossOut, room.input.data());
    enter(block.mlpNorm);
    block.up.run(room.input.data(), count, room.wide.data(), room.bytes);
    gelu(room.wide.data(), count * 4 * width);
    leave(block.down, room.wide.data());
  }
  return true;
}

void Decoder::predict(const std::vector<size_t> & tokens, DecoderRoom & room, float * logits) const {
  const size_t width = shape_.width;
  room.input.resize(std::max(room.input.size(), tokens.size() * width));
  for (size_t i = 0; i < tokens.size(); ++i) {
    normalise(room.stream.data() + tokens[i] * width, 1, width, last_.weight.data(), last_.bias.data(), room.input.data() + i * width);
  }
  words_.run(room.input.data(), tokens.size(), logits, room.bytes);
}

}  // namespace stenobox
