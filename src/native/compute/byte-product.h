// Products of a few rows with a large byte matrix, for processors that multiply and add four bytes in one instruction (AVX-512 VNNI).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stenobox {

/// Memory for repeated sequential reads, on large pages where available (25 GB/s instead of 19).
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

/// True when the processor has the instruction that ByteProduct needs.
bool multipliesBytes();

/// A byte matrix with a factor per row. Read-only; any number of threads may use it.
class ByteProduct {
 public:
  /// `weights`: a row of `inputs` for each of the `factors.size()` outputs. `bias`: one number per output, or none.
  ByteProduct(const int8_t * weights, size_t inputs, const std::vector<float> & factors, const std::vector<float> & bias);

  /// Input of run(): 16-bit integers as two bytes, 256 · high + low. A row of high bytes, then a row of low bytes; for each pair, the
  /// factor that converts it back to numbers.
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
