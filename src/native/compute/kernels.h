// The operations of a transformer between its large products, and the products of few rows, vectorised for the processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stenobox {

// All widths here are multiples of 64, as are Whisper's heads.

/// The most rows that multiplyFew takes.
constexpr size_t kFewRows = 8;

/// The upper half of a float, rounded to nearest (bfloat16).
using Brain = uint16_t;

/// target = (row - mean) / sqrt(variance + 1e-5) · weight + bias, for `count` rows of `width`.
void normalise(const float * rows, size_t count, size_t width, const float * weight, const float * bias, float * target);
void normalise(const float * rows, size_t count, size_t width, const float * weight, const float * bias, Brain * target);

/// Softmax of `count` rows of `width` into `target`, which may be `rows`.
void softmax(float * rows, size_t count, size_t width, float * target);
void softmax(float * rows, size_t count, size_t width, Brain * target);

/// GELU in place: x · Φ(x) as in Whisper's training, accurate to 2e-7.
void gelu(float * values, size_t count);

/// target[i] += source[i].
void add(const float * source, size_t count, float * target);

/// Rounds to nearest.
void round(const float * source, size_t count, Brain * target);

/// Weights of one byte each with a factor per row, packed by toBytes: outputs x inputs.
struct Bytes {
  const int8_t * weights;
  const float * factors;
  /// Null for none.
  const float * bias;
  size_t outputs;
  size_t inputs;
};

/// result[r][o] = rows[r] · weights[o] + bias[o], for at most kFewRows rows; reads every weight once.
void multiplyFew(const float * rows, size_t count, const Bytes & bytes, float * result);

/// Rounds a row of `count` numbers to bytes. Returns the factor that converts them back; NaN if one of them is not a number.
float toBytes(const float * row, size_t count, int8_t * target);

/// The numbers of a row that toBytes packed.
void fromBytes(const int8_t * bytes, size_t count, float factor, float * target);

/// Fixed-point numbers come in multiples of this.
constexpr size_t kFixedStep = 32;

/// The factor that converts 16-bit integers back to numbers when the largest magnitude is `most`.
constexpr float splitFactor(float most) { return most / (127.0f * 256.0f); }

/// Numbers as 16-bit integers in two bytes each: 256 · high + low.
void split(const float * row, size_t count, float factor, int8_t * high, int8_t * low);

/// Fixed-point keys and values of one attention head over `positions`, packed by toFixed: values position by position, keys transposed, so
/// that both are read sequentially. Positions and width are multiples of kFixedStep.
struct FixedHead {
  const int16_t * keys;
  const int16_t * values;
  float keyFactor;
  float valueFactor;
  size_t positions;
  size_t width;
};

/// scores[r][p] = queries[r] · keys[p], for at most kFewRows queries that are `stride` numbers apart.
void scoreFew(const float * queries, size_t count, size_t stride, const FixedHead & head, float * scores);

/// result[r] = the sum of weights[r][p] · values[p], in rows `stride` numbers apart.
void mixFew(const float * weights, size_t count, const FixedHead & head, float * result, size_t stride);

/// The largest magnitude in `width` columns of `count` rows that are `stride` numbers apart; NaN if one of them is not a number.
float magnitude(const float * rows, size_t count, size_t stride, size_t width);

/// Rounds a block of columns to fixed point, position by position. Transposed: a few positions at a time, and these width by width.
void toFixed(const float * rows, size_t count, size_t stride, size_t width, float factor, int16_t * target);
void toFixedTurned(const float * rows, size_t count, size_t stride, size_t width, float factor, int16_t * target);

/// Keys and values of earlier tokens, in rows of `heads` x `width` floats, and the rows to use.
struct Cells {
  const float * keys;
  const float * values;
  const uint32_t * places;
  size_t count;
  size_t heads;
  size_t width;
};

/// Attention of one query of `heads` x `width`: result = softmax(query · keys) · values, head by head. `weights` has room for one number
/// per cell.
void attendCells(const float * query, const Cells & cells, float * weights, float * result);

}  // namespace stenobox
