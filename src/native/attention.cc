#include "attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vector-math.h"

namespace stenobox {

namespace {

/// Queries of one piece: their weights over 1500 positions fit the second-level cache.
constexpr size_t kQueries = 64;

/// Keys and values of one head, laid out for the products: once for all of its pieces.
struct Head {
  size_t positions;
  size_t columns;
  std::vector<float> keys;
  std::vector<float> values;

  Head(const AttentionInput & input, size_t head) : positions(input.positions), columns(padColumns(input.width)) {
    const size_t row = input.heads * input.width;
    const size_t stride = padColumns(positions);
    keys.assign(input.width * stride, 0.0f);
    values.assign(stride * columns, 0.0f);
    for (size_t position = 0; position < positions; ++position) {
      const float * key = input.keys + position * row + head * input.width;
      for (size_t i = 0; i < input.width; ++i) keys[i * stride + position] = key[i];
      std::copy_n(input.values + position * row + head * input.width, input.width, values.begin() + position * columns);
    }
  }
};

}  // namespace

size_t attentionPieces(const AttentionInput & input) {
  return input.heads * ((input.positions + kQueries - 1) / kQueries);
}

void attend(const AttentionInput & input, size_t from, size_t to, float * result) {
  const size_t perHead = attentionPieces(input) / input.heads;
  const size_t row = input.heads * input.width;
  const size_t stride = padColumns(input.positions);
  const float scale = 1.0f / std::sqrt(static_cast<float>(input.width));
  const std::vector<float> noBias(std::max(stride, padColumns(input.width)), 0.0f);
  std::vector<float> queries(kQueries * input.width);
  std::vector<float> weights(kQueries * stride);
  std::vector<float> sums(kQueries);
  std::vector<float> values(kQueries * padColumns(input.width));
  for (size_t piece = from; piece < to;) {
    const size_t head = piece / perHead;
    const Head prepared(input, head);
    for (; piece < to && piece / perHead == head; ++piece) {
      const size_t first = piece % perHead * kQueries;
      const size_t count = std::min(kQueries, input.positions - first);
      for (size_t q = 0; q < count; ++q) {
        const float * query = input.queries + (first + q) * row + head * input.width;
        for (size_t i = 0; i < input.width; ++i) queries[q * input.width + i] = scale * query[i];
      }
      multiply(queries.data(), count, input.width, prepared.keys.data(), noBias.data(), stride, weights.data());
      for (size_t q = 0; q < count; ++q) {
        float * line = weights.data() + q * stride;
        sums[q] = exponentiate(line, input.positions);
        std::fill(line + input.positions, line + stride, 0.0f);
      }
      multiply(weights.data(), count, stride, prepared.values.data(), noBias.data(), prepared.columns, values.data());
      for (size_t q = 0; q < count; ++q) {
        float * target = result + (first + q) * row + head * input.width;
        for (size_t i = 0; i < input.width; ++i) target[i] = values[q * prepared.columns + i] / sums[q];
      }
    }
  }
}

}  // namespace stenobox
