// Times tokens by dynamic time warping over the decoder's attention. After OpenAI's timing.py.
#pragma once

#include <cstddef>
#include <vector>

namespace stenobox {

/// Attention of `heads` heads: `positions` numbers for each of `tokens` tokens; the first `used` belong to sound.
struct Watched {
  std::vector<float> weights;
  size_t heads;
  size_t tokens;
  size_t positions;
  size_t used;
};

/// The position where each token from `from` up to `to` begins; never decreasing. Changes the weights. `used` is at least 7.
std::vector<size_t> alignTokens(Watched & watched, size_t from, size_t to);

}  // namespace stenobox
