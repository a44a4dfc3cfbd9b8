// Self-attention of the encoder: every position looks at every other one. Whisper's windows always have 1500.
#pragma once

#include <cstddef>

namespace stenobox {

/// Queries, keys and values: `positions` rows of `heads` x `width` numbers each.
struct AttentionInput {
  const float * queries;
  const float * keys;
  const float * values;
  size_t positions;
  size_t heads;
  size_t width;
};

/// Pieces of the work, head by head. Any thread may take any of them.
size_t attentionPieces(const AttentionInput & input);

/// Pieces `from` up to `to`: softmax(queries · keys / sqrt(width)) · values, into rows of `result` like those of the queries.
void attend(const AttentionInput & input, size_t from, size_t to, float * result);

}  // namespace stenobox
