// Arithmetic over long rows of numbers, independent of whisper.cpp's types: fifty thousand logits for every beam of every step, and
// alignment weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stenobox {

/// The largest of `count` values; -INFINITY when there are none.
float maximum(const float * values, size_t count);

/// True when every value is finite.
bool allFinite(const float * values, size_t count);

/// True when every value is a number of at most `limit`.
bool allAtMost(const float * values, size_t count, float limit);

/// Sum of exp(value - shift). exp(-INFINITY) counts as 0; `shift` must be finite.
double sumOfExponentials(const float * values, size_t count, float shift);

/// Logarithm of the sum of the exponentials of `count` values; -INFINITY when all of them are.
float logSumOfExponentials(const float * values, size_t count);

/// target[i] = source[i] - shift.
void subtract(const float * source, size_t count, float shift, float * target);

/// target[i] = exp(source[i]), 0 for -INFINITY. Relative error below 2e-7 where the result is a normal number.
void exponentials(const float * source, size_t count, float * target);

/// values[i] = exp(values[i] - the largest); returns their sum. The first half of a softmax.
float exponentiate(float * values, size_t count);

/// Indexes of the `wanted` largest of `count` values, largest first; of equal values the one with the lower index. Values of -INFINITY are
/// left out.
std::vector<int> largest(const float * values, size_t count, size_t wanted);

/// Matrix products work on blocks of this many columns.
constexpr size_t kColumns = 32;

constexpr size_t padColumns(size_t columns) { return (columns + kColumns - 1) / kColumns * kColumns; }

/// result = rows x weights + bias, all stored row by row: `count` rows of `inputs`, weights of `inputs` x `columns`. `columns` is a
/// multiple of kColumns.
void multiply(const float * rows, size_t count, size_t inputs, const float * weights, const float * bias, size_t columns, float * result);

/// Codes of `length` 32-bit words, one after the other. Returns the indexes, in order, of those that differ from `code` in the fewest bits:
/// at least `wanted` if there are that many, more when several are equally far. `length` is at most kMaxCodeLength.
std::vector<uint32_t> nearestCodes(const uint32_t * codes, size_t length, size_t count, const uint32_t * code, size_t wanted);

/// 65,535 bits: distances are 16-bit numbers.
constexpr size_t kMaxCodeLength = 2047;

/// target[i] = median of the seven values around source[i]; the ends are mirrored. `count` is at least 4.
void medianOfSeven(const float * source, size_t count, float * target);

}  // namespace stenobox
