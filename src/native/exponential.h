// exp for vectorised loops.
#pragma once

#include <cstdint>
#include <cstring>

namespace stenobox {

/// exp without branches and calls, so that loops can be vectorised: 2^n times a polynomial of the remainder, as in Cephes' expf.
__attribute__((always_inline)) inline float exponential(float value) {
  constexpr float least = -87.3f;
  constexpr float most = 88.3f;
  const float x = value < least ? least : (value > most ? most : value);
  constexpr float roundingShift = 12582912.0f;  // 1.5 · 2^23: adding and subtracting it rounds to an integer
  const float n = (x * 1.44269504088896341f + roundingShift) - roundingShift;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;  // ln 2 in two parts
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const int32_t bits = (static_cast<int32_t>(n) + 127) << 23;
  float scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return value < least ? 0.0f : p * scale;
}

}  // namespace stenobox
