// Products of matrices by oneDNN, which compiles each for the processor it runs on. The calling thread computes alone unless it asked for more.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kernels.h"

namespace stenobox {

/// What products take: floats, or their upper halves where the processor multiplies those much faster.
enum class Number { Float, Brain };

inline size_t bytesOf(Number number) { return number == Number::Brain ? sizeof(Brain) : sizeof(float); }

/// The faster one on this processor, measured once per process. Floats wherever the other has no instructions of its own.
Number fastNumber();

/// Lets products of the calling thread use so many threads.
void useThreads(int threads);

/// Memory that a computation needs for a while, as large as its largest wish. One per thread.
class Scratch {
 public:
  void * take(size_t bytes);

 private:
  struct Free {
    void operator()(void * memory) const;
  };
  std::unique_ptr<void, Free> memory_;
  size_t size_ = 0;
};

/// What becomes of a product: it is stored as numbers of its kind or as floats, goes through GELU first, or is added to the floats that are there.
enum class Finish { Store, StoreFloats, Gelu, Add };

/// A layer: rows x weights + bias, whose weights are kept as the processor wants them. Read-only, for any number of threads.
class Layer {
 public:
  /// `weights`: a row of `inputs` for each of the `bias.size()` outputs.
  Layer(const float * weights, size_t inputs, const std::vector<float> & bias, Number number, Finish finish);
  ~Layer();
  Layer(Layer &&) noexcept;

  /// `rows`: `count` rows of numbers of the layer's kind, one after the other; `result` likewise.
  void run(const void * rows, size_t count, void * result, Scratch & scratch) const;

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

/// The two products of attention: some queries with all keys, and their weights with all values. For one number of positions.
class Attention {
 public:
  Attention(Number number, size_t queries, size_t positions, size_t width);
  ~Attention();

  /// Bytes of keys or values once prepared.
  size_t keyBytes() const;
  size_t valueBytes() const;

  /// From `positions` rows of `width` each.
  void prepare(const void * keys, const void * values, void * preparedKeys, void * preparedValues, Scratch & scratch) const;

  /// Floats: `queries` rows of `positions`.
  void score(const void * queries, const void * preparedKeys, float * scores, Scratch & scratch) const;

  /// `queries` rows of `width`, of the same kind of numbers as the weights.
  void mix(const void * weights, const void * preparedValues, void * result, Scratch & scratch) const;

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace stenobox
