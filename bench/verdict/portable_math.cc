// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/portable_math.h"

#include <cmath>

namespace tidegauge::bench {
namespace {

// ln 2 in two parts: the first has so few digits that a multiple of it is exact.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kSqrtHalf = 0.70710678118654752440;

}  // namespace

double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  // ln m = 2 artanh((m-1)/(m+1)); the argument is below 0.172, so eleven terms reach a double's
  // end.
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double sum = 0;
  for (int odd = 21; odd >= 1; odd -= 2) sum = sum * square + 1.0 / odd;
  return exponent * kLn2High + (2 * s * sum + exponent * kLn2Low);
}

double portable_exp(double x) {
  const double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int term = 14; term >= 1; --term) sum = 1 + sum * r / term;
  return std::ldexp(sum, static_cast<int>(k));
}

double portable_sin(double x) {
  double r = x - 2 * kPi * std::floor(x / (2 * kPi) + 0.5);
  if (r > kPi / 2) r = kPi - r;
  if (r < -kPi / 2) r = -kPi - r;
  const double square = r * r;
  double sum = 1;
  for (int term = 20; term >= 2; term -= 2) sum = 1 - sum * square / (term * (term + 1));
  return r * sum;
}

double portable_pow(double base, double power) {
  return base > 0 ? portable_exp(power * portable_log(base)) : 0;
}

}  // namespace tidegauge::bench
