// When each token was said, by dynamic time warping over what the decoder listened to. After OpenAI's timing.py.
#pragma once

#include <cstddef>
#include <vector>

namespace stenobox {

/// Attention of `heads` heads: for each of `tokens` tokens `positions` numbers, of which the first `used` are of sound.
struct Watched {
  std::vector<float> weights;
  size_t heads;
  size_t tokens;
  size_t positions;
  size_t used;
};

/// The position at which each of the tokens `from` up to `to` begins; they never go back. Changes the weights. `used` is at least 7.
std::vector<size_t> alignTokens(Watched & watched, size_t from, size_t to);

}  // namespace stenobox
