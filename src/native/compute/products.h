// Matrix products by oneDNN, which compiles each for the processor. Uses only the calling thread unless it asked for more.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kernels.h"

namespace stenobox {

/// The operands of products: floats, or bfloat16 where the processor multiplies those much faster.
enum class Number { Float, Brain };

inline size_t bytesOf(Number number) { return number == Number::Brain ? sizeof(Brain) : sizeof(float); }

/// The faster type on this processor, measured once per process. Floats if there are no bfloat16 instructions.
Number fastNumber();

/// Sets the number of threads for products of the calling thread.
void useThreads(int threads);

/// Temporary memory, as large as the largest request. One per thread.
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

/// What to do with a product: store it in its own type or as floats, apply GELU first, or add it to the floats already there.
enum class Finish { Store, StoreFloats, Gelu, Add };

/// A layer: rows x weights + bias, with weights in the processor's preferred layout. Read-only; any number of threads may use it.
class Layer {
 public:
  /// `weights`: a row of `inputs` for each of the `bias.size()` outputs.
  Layer(const float * weights, size_t inputs, const std::vector<float> & bias, Number number, Finish finish);
  ~Layer();
  Layer(Layer &&) noexcept;

  /// `rows`: `count` consecutive rows in the layer's number type; `result` likewise.
  void run(const void * rows, size_t count, void * result, Scratch & scratch) const;

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

/// The two products of attention for a fixed number of positions: queries with all keys, and weights with all values.
class Attention {
 public:
  Attention(Number number, size_t queries, size_t positions, size_t width);
  ~Attention();

  /// Size of prepared keys or values in bytes.
  size_t keyBytes() const;
  size_t valueBytes() const;

  /// From `positions` rows of `width` each.
  void prepare(const void * keys, const void * values, void * preparedKeys, void * preparedValues, Scratch & scratch) const;

  /// Floats: `queries` rows of `positions`.
  void score(const void * queries, const void * preparedKeys, float * scores, Scratch & scratch) const;

  /// `queries` rows of `width`, in the same number type as the weights.
  void mix(const void * weights, const void * preparedValues, void * result, Scratch & scratch) const;

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace stenobox
