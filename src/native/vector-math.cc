#include "vector-math.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "exponential.h"
#include "per-processor.h"

namespace stenobox {

namespace {

/// Values per block: several times the widest registers.
constexpr size_t kBlock = 64;

/// Multiplies `height` rows with one block of columns, whose sums stay in registers.
template <size_t height>
__attribute__((always_inline)) inline void multiplyBlock(
  const float * rows, size_t inputs, const float * weights, const float * bias, size_t columns, float * result
) {
  float sums[height][kColumns];
  for (size_t r = 0; r < height; ++r) {
    for (size_t c = 0; c < kColumns; ++c) sums[r][c] = bias[c];
  }
  for (size_t i = 0; i < inputs; ++i) {
    const float * row = weights + i * columns;
    for (size_t r = 0; r < height; ++r) {
      const float value = rows[r * inputs + i];
      for (size_t c = 0; c < kColumns; ++c) sums[r][c] += value * row[c];
    }
  }
  for (size_t r = 0; r < height; ++r) {
    for (size_t c = 0; c < kColumns; ++c) result[r * columns + c] = sums[r][c];
  }
}

/// How many bits of two codes differ.
__attribute__((always_inline)) inline uint16_t differingBits(const uint32_t * a, const uint32_t * b, size_t length) {
  int bits = 0;
  for (size_t word = 0; word + 2 <= length; word += 2) {
    uint64_t left, right;
    std::memcpy(&left, a + word, sizeof left);
    std::memcpy(&right, b + word, sizeof right);
    bits += __builtin_popcountll(left ^ right);
  }
  if (length % 2 != 0) bits += __builtin_popcount(a[length - 1] ^ b[length - 1]);
  return static_cast<uint16_t>(bits);
}

}  // namespace

STENOBOX_PER_PROCESSOR
void multiply(const float * rows, size_t count, size_t inputs, const float * weights, const float * bias, size_t columns, float * result) {
  constexpr size_t height = 4;
  for (size_t c = 0; c < columns; c += kColumns) {
    size_t r = 0;
    for (; r + height <= count; r += height)
      multiplyBlock<height>(rows + r * inputs, inputs, weights + c, bias + c, columns, result + r * columns + c);
    for (; r < count; ++r) multiplyBlock<1>(rows + r * inputs, inputs, weights + c, bias + c, columns, result + r * columns + c);
  }
}

STENOBOX_PER_PROCESSOR
float maximum(const float * values, size_t count) {
  float lanes[kBlock];
  for (size_t j = 0; j < kBlock; ++j) lanes[j] = -INFINITY;
  size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    for (size_t j = 0; j < kBlock; ++j) lanes[j] = lanes[j] < values[i + j] ? values[i + j] : lanes[j];
  }
  for (; i < count; ++i) lanes[0] = std::max(lanes[0], values[i]);
  return *std::max_element(lanes, lanes + kBlock);
}

bool allFinite(const float * values, size_t count) {
  return std::all_of(values, values + count, [](float value) { return std::isfinite(value); });
}

STENOBOX_PER_PROCESSOR
bool allAtMost(const float * values, size_t count, float limit) {
  int wrong = 0;
  for (size_t i = 0; i < count; ++i) wrong |= values[i] <= limit ? 0 : 1;
  return wrong == 0;
}

STENOBOX_PER_PROCESSOR
double sumOfExponentials(const float * values, size_t count, float shift) {
  // Fifty thousand additions into one float would lose small values; sixty-four sums of eight hundred do not.
  float lanes[kBlock] = {};
  size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    for (size_t j = 0; j < kBlock; ++j) lanes[j] += exponential(values[i + j] - shift);
  }
  for (size_t j = 0; i < count; ++i, ++j) lanes[j] += exponential(values[i] - shift);
  double sum = 0;
  for (float lane : lanes) sum += lane;
  return sum;
}

float logSumOfExponentials(const float * values, size_t count) {
  const float most = maximum(values, count);
  if (most == -INFINITY) return most;
  return static_cast<float>(std::log(sumOfExponentials(values, count, most))) + most;
}

STENOBOX_PER_PROCESSOR
void subtract(const float * source, size_t count, float shift, float * target) {
  for (size_t i = 0; i < count; ++i) target[i] = source[i] - shift;
}

STENOBOX_PER_PROCESSOR
void exponentials(const float * source, size_t count, float * target) {
  for (size_t i = 0; i < count; ++i) target[i] = exponential(source[i]);
}

STENOBOX_PER_PROCESSOR
float exponentiate(float * values, size_t count) {
  const float most = maximum(values, count);
  float lanes[kBlock] = {};
  const size_t whole = count / kBlock * kBlock;
  for (size_t i = 0; i < whole; i += kBlock) {
    for (size_t j = 0; j < kBlock; ++j) {
      values[i + j] = exponential(values[i + j] - most);
      lanes[j] += values[i + j];
    }
  }
  // One by one, the remainder would take as long as several blocks.
  float rest[kBlock];
  std::fill(std::copy_n(values + whole, count - whole, rest), rest + kBlock, -INFINITY);
  for (size_t j = 0; j < kBlock; ++j) {
    rest[j] = exponential(rest[j] - most);
    lanes[j] += rest[j];
  }
  std::copy_n(rest, count - whole, values + whole);
  float sum = 0;
  for (float lane : lanes) sum += lane;
  return sum;
}

std::vector<int> largest(const float * values, size_t count, size_t wanted) {
  std::vector<std::pair<float, int>> found;
  if (wanted == 0) return {};
  const auto before = [](const std::pair<float, int> & a, const std::pair<float, int> & b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  float bar = -INFINITY;
  constexpr size_t stretch = 8 * kBlock;
  for (size_t i = 0; i < count; i += stretch) {
    const size_t end = std::min(count, i + stretch);
    // Skip stretches whose maximum is too small, which are almost all.
    if (!(maximum(values + i, end - i) > bar)) continue;
    for (size_t j = i; j < end; ++j) {
      if (!(values[j] > bar)) continue;
      found.emplace_back(values[j], static_cast<int>(j));
      std::sort(found.begin(), found.end(), before);
      if (found.size() > wanted) found.pop_back();
      if (found.size() == wanted) bar = found.back().first;
    }
  }
  std::vector<int> indexes;
  for (const auto & candidate : found) indexes.push_back(candidate.second);
  return indexes;
}

STENOBOX_PER_PROCESSOR
std::vector<uint32_t> nearestCodes(const uint32_t * codes, size_t length, size_t count, const uint32_t * code, size_t wanted) {
  std::vector<uint16_t> distances(count);
  std::vector<uint32_t> counts(length * 32 + 1);
  for (size_t i = 0; i < count; ++i) ++counts[distances[i] = differingBits(codes + i * length, code, length)];
  size_t furthest = 0;
  size_t found = counts[0];
  while (found < wanted && furthest + 1 < counts.size()) found += counts[++furthest];
  std::vector<uint32_t> nearest;
  nearest.reserve(found);
  for (size_t i = 0; i < count; ++i) {
    if (distances[i] <= furthest) nearest.push_back(static_cast<uint32_t>(i));
  }
  return nearest;
}

STENOBOX_PER_PROCESSOR
void medianOfSeven(const float * source, size_t count, float * target) {
  constexpr size_t reach = 3;
  constexpr size_t width = 2 * reach + 1;
  std::vector<float> mirrored(count + 2 * reach + kBlock, 0.0f);
  std::copy(source, source + count, mirrored.begin() + reach);
  for (size_t i = 1; i <= reach; ++i) {
    mirrored[reach - i] = source[i];
    mirrored[reach + count - 1 + i] = source[count - 1 - i];
  }
  for (size_t i = 0; i < count; i += kBlock) {
    float lanes[width][kBlock];
    for (size_t w = 0; w < width; ++w) std::copy_n(mirrored.begin() + i + w, kBlock, lanes[w]);
    // Each pass moves the largest remaining value to the end; after four passes the last one moved is the median.
    for (size_t end = width - 1; end >= reach; --end) {
      for (size_t w = 0; w < end; ++w) {
        for (size_t j = 0; j < kBlock; ++j) {
          const float a = lanes[w][j];
          const float b = lanes[w + 1][j];
          lanes[w][j] = a < b ? a : b;
          lanes[w + 1][j] = a < b ? b : a;
        }
      }
    }
    std::copy_n(lanes[reach], std::min(kBlock, count - i), target + i);
  }
}

}  // namespace stenobox
