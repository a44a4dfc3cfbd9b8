#include "alignment.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../vector-math.h"

namespace stenobox {

namespace {

/// Normalises each position's weights over the tokens of a head to mean 0 and variance 1.
void normaliseOverTokens(float * weights, const Watched & watched) {
  constexpr float epsilon = 1e-9f;
  std::vector<float> mean(watched.used, 0.0f);
  std::vector<float> variance(watched.used, 0.0f);
  const auto each = [&](const auto & touch) {
    for (size_t token = 0; token < watched.tokens; ++token) {
      float * row = weights + token * watched.positions;
      for (size_t p = 0; p < watched.used; ++p) touch(p, row[p]);
    }
  };
  const auto count = static_cast<float>(watched.tokens);
  each([&](size_t p, float & weight) { mean[p] += weight; });
  for (float & value : mean) value /= count;
  each([&](size_t p, float & weight) { variance[p] += (weight - mean[p]) * (weight - mean[p]); });
  for (float & value : variance) value = 1.0f / std::sqrt(value / count + epsilon);
  each([&](size_t p, float & weight) { weight = (weight - mean[p]) * variance[p]; });
}

/// Mean over the heads of the smoothed weights, token by token.
std::vector<float> likeness(Watched & watched, size_t from, size_t to) {
  std::vector<float> mean((to - from) * watched.used, 0.0f);
  std::vector<float> smooth(watched.used);
  for (size_t head = 0; head < watched.heads; ++head) {
    float * weights = watched.weights.data() + head * watched.tokens * watched.positions;
    normaliseOverTokens(weights, watched);
    for (size_t token = from; token < to; ++token) {
      medianOfSeven(weights + token * watched.positions, watched.used, smooth.data());
      float * target = mean.data() + (token - from) * watched.used;
      for (size_t p = 0; p < watched.used; ++p) target[p] += smooth[p] / static_cast<float>(watched.heads);
    }
  }
  return mean;
}

enum Step : uint8_t { kBoth, kToken, kTime };

}  // namespace

std::vector<size_t> alignTokens(Watched & watched, size_t from, size_t to) {
  const size_t tokens = to - from;
  const size_t times = watched.used;
  const std::vector<float> gain = likeness(watched, from, to);
  // steps[time][token]: the last step of the cheapest path. Only the costs of the previous time are needed.
  std::vector<uint8_t> steps((times + 1) * (tokens + 1), kToken);
  std::vector<float> before(tokens + 1, INFINITY);
  std::vector<float> now(tokens + 1, INFINITY);
  before[0] = 0;
  for (size_t time = 1; time <= times; ++time) {
    now[0] = INFINITY;
    uint8_t * row = steps.data() + time * (tokens + 1);
    row[0] = kTime;
    for (size_t token = 1; token <= tokens; ++token) {
      const float both = before[token - 1];
      const float nextToken = now[token - 1];
      const float nextTime = before[token];
      uint8_t step = kTime;
      if (both < nextToken && both < nextTime) step = kBoth;
      else if (nextToken < both && nextToken < nextTime) step = kToken;
      row[token] = step;
      now[token] = (step == kBoth ? both : (step == kToken ? nextToken : nextTime)) - gain[(token - 1) * times + time - 1];
    }
    std::swap(before, now);
  }
  std::vector<size_t> begins(tokens, 0);
  size_t time = times;
  size_t token = tokens;
  while (time > 0 && token > 0) {
    // Visited from last time to first, so the first one wins.
    begins[token - 1] = time - 1;
    const uint8_t step = steps[time * (tokens + 1) + token];
    if (step != kTime) --token;
    if (step != kToken) --time;
  }
  return begins;
}

}  // namespace stenobox
