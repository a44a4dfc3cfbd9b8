#include "kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../exponential.h"
#include "../per-processor.h"
#include "../vector-math.h"

namespace stenobox {

namespace {

/// Numbers per vector, as wide as the registers: GCC splits wider vectors lane by lane.
#if defined(STENOBOX_NATIVE) && defined(__AVX512F__)
constexpr size_t kLanes = 16;
#elif defined(__x86_64__) && (!defined(STENOBOX_NATIVE) || defined(__AVX__))
constexpr size_t kLanes = 8;
#else
constexpr size_t kLanes = 4;
#endif

typedef float Floats __attribute__((vector_size(kLanes * sizeof(float)), aligned(4), may_alias));
typedef int32_t Ints __attribute__((vector_size(kLanes * sizeof(int32_t)), aligned(2), may_alias));

/// Bytes of a packed word.
constexpr size_t kBytesPerWord = 4;
constexpr size_t kPacked = kLanes * kBytesPerWord;
constexpr size_t kFixedLanes = 2 * kLanes;
static_assert(kFixedStep % kFixedLanes == 0, "whole pieces");

#define STENOBOX_INLINE __attribute__((always_inline)) inline

STENOBOX_INLINE float sum(const Floats & lanes) {
  float parts[kLanes];
  std::memcpy(parts, &lanes, sizeof parts);
  for (size_t half = kLanes / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) parts[i] += parts[i + half];
  }
  return parts[0];
}

STENOBOX_INLINE void store(float value, float * target) { *target = value; }

STENOBOX_INLINE void store(float value, Brain * target) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  *target = static_cast<Brain>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

template <typename Number>
STENOBOX_INLINE void normaliseRows(
  const float * rows, size_t count, size_t width, const float * weight, const float * bias, Number * target
) {
  constexpr float epsilon = 1e-5f;
  for (size_t r = 0; r < count; ++r, rows += width, target += width) {
    Floats lanes = {};
    for (size_t i = 0; i < width; i += kLanes) lanes += *reinterpret_cast<const Floats *>(rows + i);
    const float mean = sum(lanes) / static_cast<float>(width);
    Floats squares = {};
    for (size_t i = 0; i < width; i += kLanes) {
      const Floats difference = *reinterpret_cast<const Floats *>(rows + i) - mean;
      squares += difference * difference;
    }
    const float scale = 1.0f / std::sqrt(sum(squares) / static_cast<float>(width) + epsilon);
    for (size_t i = 0; i < width; ++i) store((rows[i] - mean) * scale * weight[i] + bias[i], target + i);
  }
}

template <typename Number>
STENOBOX_INLINE void softmaxRows(float * rows, size_t count, size_t width, Number * target) {
  for (size_t r = 0; r < count; ++r, rows += width, target += width) {
    const float scale = 1.0f / exponentiate(rows, width);
    for (size_t i = 0; i < width; ++i) store(rows[i] * scale, target + i);
  }
}

/// How far ahead weights are fetched from memory, in bytes: without it the 26 MB of a vocabulary take twice as long.
constexpr size_t kAhead = 4096;

/// `height` rows against `breadth` rows of weights at a time, so that what is loaded is used often.
template <size_t height, size_t breadth>
STENOBOX_INLINE void multiplyBlock(const float * rows, const Bytes & bytes, size_t first, float * result) {
  const int8_t * weights = bytes.weights + first * bytes.inputs;
  Floats sums[breadth][height] = {};
  for (size_t i = 0; i < bytes.inputs; i += kPacked) {
    for (size_t b = 0; b < breadth; ++b) __builtin_prefetch(weights + b * bytes.inputs + i + kAhead);
    for (size_t k = 0; k < kBytesPerWord; ++k) {
      Floats numbers[breadth];
      for (size_t b = 0; b < breadth; ++b) {
        const Ints words = *reinterpret_cast<const Ints *>(weights + b * bytes.inputs + i);
        numbers[b] = __builtin_convertvector(words << (24 - 8 * static_cast<int>(k)) >> 24, Floats);
      }
      for (size_t r = 0; r < height; ++r) {
        const Floats row = *reinterpret_cast<const Floats *>(rows + r * bytes.inputs + i + k * kLanes);
        for (size_t b = 0; b < breadth; ++b) sums[b][r] += numbers[b] * row;
      }
    }
  }
  for (size_t b = 0; b < breadth; ++b) {
    const float bias = bytes.bias != nullptr ? bytes.bias[first + b] : 0.0f;
    for (size_t r = 0; r < height; ++r) result[r * bytes.outputs + first + b] = sum(sums[b][r]) * bytes.factors[first + b] + bias;
  }
}

template <size_t height>
STENOBOX_INLINE void multiplyRows(const float * rows, const Bytes & bytes, float * result) {
  // As many sums as there are registers.
  constexpr size_t breadth = height > 5 ? 2 : 4;
  size_t first = 0;
  for (; first + breadth <= bytes.outputs; first += breadth) multiplyBlock<height, breadth>(rows, bytes, first, result);
  for (; first < bytes.outputs; ++first) multiplyBlock<height, 1>(rows, bytes, first, result);
}

/// Puts the same number into every lane. Where registers are narrower than a vector, GCC would multiply lane by lane with a scalar.
STENOBOX_INLINE void spread(float value, Floats & lanes) {
  for (size_t i = 0; i < kLanes; ++i) lanes[i] = value;
}

STENOBOX_INLINE void unpack(const int16_t * from, Floats & low, Floats & high) {
  const Ints words = *reinterpret_cast<const Ints *>(from);
  low = __builtin_convertvector(words << 16 >> 16, Floats);
  high = __builtin_convertvector(words >> 16, Floats);
}

template <size_t height>
STENOBOX_INLINE void scoreRows(const float * queries, size_t stride, const FixedHead & head, float * scores) {
  const int16_t * keys = head.keys;
  for (size_t p = 0; p < head.positions; p += kFixedLanes) {
    Floats sums[2][height] = {};
    for (size_t i = 0; i < head.width; ++i, keys += kFixedLanes) {
      Floats low;
      Floats high;
      __builtin_prefetch(reinterpret_cast<const char *>(keys) + kAhead);
      unpack(keys, low, high);
      for (size_t r = 0; r < height; ++r) {
        Floats query;
        spread(queries[r * stride + i], query);
        sums[0][r] += low * query;
        sums[1][r] += high * query;
      }
    }
    for (size_t r = 0; r < height; ++r) {
      *reinterpret_cast<Floats *>(scores + r * head.positions + p) = sums[0][r] * head.keyFactor;
      *reinterpret_cast<Floats *>(scores + r * head.positions + p + kLanes) = sums[1][r] * head.keyFactor;
    }
  }
}

/// Reads `pieces` times kFixedLanes numbers of every position, so that a head's row is read at once if registers suffice.
template <size_t height, size_t pieces>
STENOBOX_INLINE void mixPieces(const float * weights, const FixedHead & head, float * result, size_t stride) {
  for (size_t i = 0; i < head.width; i += pieces * kFixedLanes) {
    Floats sums[2 * pieces][height] = {};
    for (size_t p = 0; p < head.positions; ++p) {
      const int16_t * values = head.values + p * head.width + i;
      for (size_t k = 0; k < pieces; ++k) {
        Floats low;
        Floats high;
        __builtin_prefetch(reinterpret_cast<const char *>(values + k * kFixedLanes) + kAhead);
        unpack(values + k * kFixedLanes, low, high);
        for (size_t r = 0; r < height; ++r) {
          sums[2 * k][r] += low * weights[r * head.positions + p];
          sums[2 * k + 1][r] += high * weights[r * head.positions + p];
        }
      }
    }
    for (size_t k = 0; k < 2 * pieces; ++k) {
      for (size_t r = 0; r < height; ++r) *reinterpret_cast<Floats *>(result + r * stride + i + k * kLanes) = sums[k][r] * head.valueFactor;
    }
  }
}

template <size_t height>
STENOBOX_INLINE void mixRows(const float * weights, const FixedHead & head, float * result, size_t stride) {
  mixPieces<height, kLanes == 16 && height <= 6 ? 2 : 1>(weights, head, result, stride);
}

STENOBOX_INLINE int16_t fixed(float value, float inverse) {
  constexpr float roundingShift = 12582912.0f;  // 1.5 · 2^23
  const float scaled = value * inverse;
  return static_cast<int16_t>(static_cast<int32_t>((scaled + roundingShift) - roundingShift));
}

/// The place of number i in a packed row: the four bytes of a word belong to four pieces of kLanes, so that a shift unpacks a whole piece.
STENOBOX_INLINE size_t packedPlace(size_t i) {
  const size_t within = i % kPacked;
  return i - within + within % kLanes * kBytesPerWord + within / kLanes;
}

/// The same for shorts, two to a word.
STENOBOX_INLINE size_t fixedPlace(size_t i) {
  const size_t within = i % kFixedLanes;
  return i - within + within % kLanes * 2 + within / kLanes;
}

constexpr float kMostByte = 127.0f;

}  // namespace

// One compiled body for each number of rows: the sums stay in registers.
#define STENOBOX_BY_ROWS(count, call) \
  switch (count) { \
    case 1: call(1); break; \
    case 2: call(2); break; \
    case 3: call(3); break; \
    case 4: call(4); break; \
    case 5: call(5); break; \
    case 6: call(6); break; \
    case 7: call(7); break; \
    default: call(8); break; \
  }

STENOBOX_PER_PROCESSOR
void normalise(const float * rows, size_t count, size_t width, const float * weight, const float * bias, float * target) {
  normaliseRows(rows, count, width, weight, bias, target);
}

STENOBOX_PER_PROCESSOR
void normalise(const float * rows, size_t count, size_t width, const float * weight, const float * bias, Brain * target) {
  normaliseRows(rows, count, width, weight, bias, target);
}

STENOBOX_PER_PROCESSOR
void softmax(float * rows, size_t count, size_t width, float * target) {
  softmaxRows(rows, count, width, target);
}

STENOBOX_PER_PROCESSOR
void softmax(float * rows, size_t count, size_t width, Brain * target) {
  softmaxRows(rows, count, width, target);
}

STENOBOX_PER_PROCESSOR
void gelu(float * values, size_t count) {
  // The error function by formula 7.1.26 of Abramowitz and Stegun.
  for (size_t i = 0; i < count; ++i) {
    const float x = values[i];
    const float z = std::fabs(x) * 0.70710678118654752f;
    const float t = 1.0f / (1.0f + 0.3275911f * z);
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    const float tail = 0.5f * p * t * exponential(-z * z);
    values[i] = x < 0.0f ? x * tail : x - x * tail;
  }
}

STENOBOX_PER_PROCESSOR
void add(const float * source, size_t count, float * target) {
  for (size_t i = 0; i < count; ++i) target[i] += source[i];
}

STENOBOX_PER_PROCESSOR
void round(const float * source, size_t count, Brain * target) {
  for (size_t i = 0; i < count; ++i) store(source[i], target + i);
}

STENOBOX_PER_PROCESSOR
void multiplyFew(const float * rows, size_t count, const Bytes & bytes, float * result) {
#define STENOBOX_CALL(height) multiplyRows<height>(rows, bytes, result)
  STENOBOX_BY_ROWS(count, STENOBOX_CALL)
#undef STENOBOX_CALL
}

STENOBOX_PER_PROCESSOR
float toBytes(const float * row, size_t count, int8_t * target) {
  const float most = magnitude(row, 1, count, count);
  if (!std::isfinite(most)) {
    std::fill_n(target, count, int8_t {0});
    return NAN;
  }
  const float inverse = most > 0 ? kMostByte / most : 0.0f;
  for (size_t i = 0; i < count; ++i) target[packedPlace(i)] = static_cast<int8_t>(fixed(row[i], inverse));
  return most / kMostByte;
}

void fromBytes(const int8_t * bytes, size_t count, float factor, float * target) {
  for (size_t i = 0; i < count; ++i) target[i] = factor * static_cast<float>(bytes[packedPlace(i)]);
}

STENOBOX_PER_PROCESSOR
void split(const float * row, size_t count, float factor, int8_t * high, int8_t * low) {
  // A NaN or infinity shows in the factor.
  const float inverse = factor > 0 && std::isfinite(factor) ? 1.0f / factor : 0.0f;
  for (size_t i = 0; i < count; ++i) {
    const int16_t value = inverse > 0 ? fixed(row[i], inverse) : int16_t {0};
    const int rounded = (value + 128) >> 8;
    high[i] = static_cast<int8_t>(rounded);
    low[i] = static_cast<int8_t>(value - 256 * rounded);
  }
}

STENOBOX_PER_PROCESSOR
void scoreFew(const float * queries, size_t count, size_t stride, const FixedHead & head, float * scores) {
#define STENOBOX_CALL(height) scoreRows<height>(queries, stride, head, scores)
  STENOBOX_BY_ROWS(count, STENOBOX_CALL)
#undef STENOBOX_CALL
}

STENOBOX_PER_PROCESSOR
void mixFew(const float * weights, size_t count, const FixedHead & head, float * result, size_t stride) {
#define STENOBOX_CALL(height) mixRows<height>(weights, head, result, stride)
  STENOBOX_BY_ROWS(count, STENOBOX_CALL)
#undef STENOBOX_CALL
}

STENOBOX_PER_PROCESSOR
float magnitude(const float * rows, size_t count, size_t stride, size_t width) {
  float lanes[kLanes] = {};
  // A sum becomes NaN if any part is NaN; a maximum would not.
  float check[kLanes] = {};
  for (size_t r = 0; r < count; ++r) {
    for (size_t i = 0; i < width; i += kLanes) {
      for (size_t j = 0; j < kLanes; ++j) {
        const float size = std::fabs(rows[r * stride + i + j]);
        lanes[j] = lanes[j] < size ? size : lanes[j];
        check[j] += size * 0.0f;
      }
    }
  }
  float total = 0;
  for (float lane : check) total += lane;
  return total == 0.0f ? *std::max_element(lanes, lanes + kLanes) : NAN;
}

STENOBOX_PER_PROCESSOR
void toFixed(const float * rows, size_t count, size_t stride, size_t width, float factor, int16_t * target) {
  const float inverse = factor > 0 ? 1.0f / factor : 0.0f;
  for (size_t r = 0; r < count; ++r) {
    for (size_t i = 0; i < width; ++i) target[r * width + fixedPlace(i)] = fixed(rows[r * stride + i], inverse);
  }
}

STENOBOX_PER_PROCESSOR
void toFixedTurned(const float * rows, size_t count, size_t stride, size_t width, float factor, int16_t * target) {
  const float inverse = factor > 0 ? 1.0f / factor : 0.0f;
  for (size_t first = 0; first < count; first += kFixedLanes, target += width * kFixedLanes) {
    const size_t together = std::min(count - first, kFixedLanes);
    for (size_t i = 0; i < width; ++i) {
      for (size_t r = 0; r < together; ++r) target[i * kFixedLanes + fixedPlace(r)] = fixed(rows[(first + r) * stride + i], inverse);
    }
  }
}

STENOBOX_PER_PROCESSOR
void attendCells(const float * query, const Cells & cells, float * weights, float * result) {
  const size_t row = cells.heads * cells.width;
  for (size_t h = 0; h < cells.heads; ++h) {
    const size_t from = h * cells.width;
    for (size_t c = 0; c < cells.count; ++c) {
      const float * key = cells.keys + cells.places[c] * row + from;
      Floats lanes = {};
      for (size_t i = 0; i < cells.width; i += kLanes) {
        lanes += *reinterpret_cast<const Floats *>(query + from + i) * *reinterpret_cast<const Floats *>(key + i);
      }
      weights[c] = sum(lanes);
    }
    softmaxRows(weights, 1, cells.count, weights);
    for (size_t i = 0; i < cells.width; i += kLanes) {
      Floats lanes = {};
      for (size_t c = 0; c < cells.count; ++c)
        lanes += *reinterpret_cast<const Floats *>(cells.values + cells.places[c] * row + from + i) * weights[c];
      *reinterpret_cast<Floats *>(result + from + i) = lanes;
    }
  }
}

}  // namespace stenobox
