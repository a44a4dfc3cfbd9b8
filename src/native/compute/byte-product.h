// Products of a few rows with a large matrix of bytes, on processors that multiply four bytes and add them up in one instruction
// (AVX-512 VNNI).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stenobox {

/// Memory that is read from one end to the other again and again: on large pages where the system has some (25 GB/s instead of 19).
class LargeMemory {
 public:
  LargeMemory() = default;
  /// Zeroed. Throws std::bad_alloc.
  explicit LargeMemory(size_t bytes);

  template <typename Number>
  Number * as() const { return static_cast<Number *>(memory_.get()); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(void * memory) const;
  };
  std::unique_ptr<void, Free> memory_;
  size_t size_ = 0;
};

/// True where the processor has the instruction that ByteProduct needs.
bool multipliesBytes();

/// A matrix of bytes with a factor per row. Read-only, for any number of threads.
class ByteProduct {
 public:
  /// `weights`: a row of `inputs` for each of the `factors.size()` outputs. `bias`: as many, or none.
  ByteProduct(const int8_t * weights, size_t inputs, const std::vector<float> & factors, const std::vector<float> & bias);

  /// What run() takes: 16-bit integers of two bytes each, 256 · high + low, a row of high and then a row of low ones, and for each such
  /// pair the factor that makes them numbers again.
  struct Rows {
    const int8_t * bytes;
    const float * factors;
    size_t count;
  };

  /// result = rows x weights + bias.
  void run(const Rows & rows, float * result) const;

  /// Row `index` as numbers.
  void row(size_t index, float * target) const;

 private:
  size_t inputs_;
  size_t outputs_;
  std::vector<float> factors_;
  std::vector<float> bias_;
  LargeMemory weights_;
};

}  // namespace stenobox
