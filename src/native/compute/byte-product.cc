#include "byte-product.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define STENOBOX_HAS_VNNI
#include <immintrin.h>
#endif

namespace stenobox {

LargeMemory::LargeMemory(size_t bytes) : size_(bytes) {
  constexpr size_t largePage = size_t {2} << 20;
  constexpr size_t line = 64;
  // Small allocations would waste most of a large page.
  const size_t alignment = bytes >= largePage ? largePage : line;
  const size_t whole = (bytes + alignment - 1) / alignment * alignment;
  memory_.reset(std::aligned_alloc(alignment, whole));
  if (!memory_) throw std::bad_alloc();
#if defined(__linux__)
  // Only advice: without large pages the result is the same but slower.
  if (alignment == largePage) madvise(memory_.get(), whole, MADV_HUGEPAGE);
#endif
  std::memset(memory_.get(), 0, whole);
}

void LargeMemory::Free::operator()(void * memory) const { std::free(memory); }

namespace {

/// Outputs are stored in groups: four inputs of each output in the group, then the next four inputs.
constexpr size_t kLanes = 16;
constexpr size_t kGroup = 2 * kLanes;
constexpr size_t kTogether = 4;

/// Weights are stored as 0 to 255: the instruction needs one unsigned operand.
constexpr int kOffset = 128;

size_t padded(size_t outputs) { return (outputs + kGroup - 1) / kGroup * kGroup; }

size_t place(size_t output, size_t input, size_t inputs) {
  return output / kGroup * kGroup * inputs + input / kTogether * kGroup * kTogether + output % kGroup * kTogether + input % kTogether;
}

#if defined(STENOBOX_HAS_VNNI)

/// As many rows at a time as there are registers for their sums.
constexpr size_t kRows = 6;

/// How far ahead weights are fetched from memory, in bytes.
constexpr size_t kAhead = 4096;

struct Group {
  const uint8_t * weights;
  const float * factors;
  const float * bias;
  size_t inputs;
  /// The number of valid outputs in the group.
  size_t outputs;
};

#define STENOBOX_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

template <size_t height>
STENOBOX_VNNI void multiplyGroup(
  const Group & group, const int8_t * rows, const int32_t * starts, const float * factors, float * result, size_t stride
) {
  __m512i sums[2 * height][2];
#pragma GCC unroll 16
  for (size_t r = 0; r < 2 * height; ++r) sums[r][0] = sums[r][1] = _mm512_set1_epi32(starts[r]);
  const uint8_t * weights = group.weights;
  for (size_t i = 0; i < group.inputs; i += kTogether, weights += kGroup * kTogether) {
    _mm_prefetch(reinterpret_cast<const char *>(weights + kAhead), _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char *>(weights + kAhead + kLanes * kTogether), _MM_HINT_T0);
    const __m512i first = _mm512_load_si512(weights);
    const __m512i second = _mm512_load_si512(weights + kLanes * kTogether);
#pragma GCC unroll 16
    for (size_t r = 0; r < 2 * height; ++r) {
      int32_t four;
      std::memcpy(&four, rows + r * group.inputs + i, sizeof four);
      const __m512i row = _mm512_set1_epi32(four);
      sums[r][0] = _mm512_dpbusd_epi32(sums[r][0], first, row);
      sums[r][1] = _mm512_dpbusd_epi32(sums[r][1], second, row);
    }
  }
#pragma GCC unroll 16
  for (size_t r = 0; r < height; ++r) {
#pragma GCC unroll 2
    for (size_t half = 0; half < 2; ++half) {
      if (half * kLanes >= group.outputs) break;
      const __m512 high = _mm512_cvtepi32_ps(sums[2 * r][half]);
      const __m512 low = _mm512_cvtepi32_ps(sums[2 * r + 1][half]);
      const __m512 sum = _mm512_fmadd_ps(high, _mm512_set1_ps(256.0f), low);
      const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(factors[r]), _mm512_loadu_ps(group.factors + half * kLanes));
      const __m512 value = _mm512_fmadd_ps(sum, scale, _mm512_loadu_ps(group.bias + half * kLanes));
      const size_t left = std::min(kLanes, group.outputs - half * kLanes);
      _mm512_mask_storeu_ps(result + r * stride + half * kLanes, static_cast<__mmask16>((1u << left) - 1), value);
    }
  }
}

void multiplyRows(
  const Group & group, size_t count, const int8_t * rows, const int32_t * starts, const float * factors, float * result, size_t stride
) {
  switch (count) {
    case 1: return multiplyGroup<1>(group, rows, starts, factors, result, stride);
    case 2: return multiplyGroup<2>(group, rows, starts, factors, result, stride);
    case 3: return multiplyGroup<3>(group, rows, starts, factors, result, stride);
    case 4: return multiplyGroup<4>(group, rows, starts, factors, result, stride);
    case 5: return multiplyGroup<5>(group, rows, starts, factors, result, stride);
    default: return multiplyGroup<kRows>(group, rows, starts, factors, result, stride);
  }
}

#endif

}  // namespace

bool multipliesBytes() {
#if defined(STENOBOX_HAS_VNNI)
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

ByteProduct::ByteProduct(const int8_t * weights, size_t inputs, const std::vector<float> & factors, const std::vector<float> & bias)
  : inputs_(inputs), outputs_(factors.size()), factors_(factors), bias_(bias), weights_(padded(factors.size()) * inputs) {
  factors_.resize(padded(outputs_), 0.0f);
  bias_.resize(padded(outputs_), 0.0f);
  for (size_t o = 0; o < outputs_; ++o) {
    const int8_t * row = weights + o * inputs;
    for (size_t i = 0; i < inputs; ++i) weights_.as<uint8_t>()[place(o, i, inputs)] = static_cast<uint8_t>(row[i] + kOffset);
  }
}

void ByteProduct::run(const Rows & rows, float * result) const {
#if defined(STENOBOX_HAS_VNNI)
  // Start from the negative contribution of the weights' offset.
  std::vector<int32_t> starts(2 * rows.count);
  for (size_t r = 0; r < starts.size(); ++r) {
    int32_t sum = 0;
    for (size_t i = 0; i < inputs_; ++i) sum += rows.bytes[r * inputs_ + i];
    starts[r] = -kOffset * sum;
  }
#pragma omp parallel for schedule(static)
  for (size_t o = 0; o < outputs_; o += kGroup) {
    const Group group = {
      weights_.as<uint8_t>() + o * inputs_, factors_.data() + o, bias_.data() + o, inputs_, std::min(kGroup, outputs_ - o)};
    for (size_t r = 0; r < rows.count; r += kRows) {
      const size_t count = std::min(kRows, rows.count - r);
      const int8_t * bytes = rows.bytes + 2 * r * inputs_;
      multiplyRows(group, count, bytes, starts.data() + 2 * r, rows.factors + r, result + r * outputs_ + o, outputs_);
    }
  }
#else
  (void) rows;
  (void) result;
#endif
}

void ByteProduct::row(size_t index, float * target) const {
  for (size_t i = 0; i < inputs_; ++i) {
    target[i] = factors_[index] * static_cast<float>(static_cast<int>(weights_.as<uint8_t>()[place(index, i, inputs_)]) - kOffset);
  }
}

}  // namespace stenobox
