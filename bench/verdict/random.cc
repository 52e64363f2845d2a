// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/random.h"

#include <bit>
#include <cmath>
#include <cstddef>

#include "bench/verdict/portable_math.h"

namespace tidegauge::bench {
namespace {

// FNV-1a: names a stream by its text.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// splitmix64, the recommended way to fill the state of xoshiro from one number.
std::uint64_t next_split(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::string_view stream, std::uint64_t seed) {
  std::uint64_t state = hash_of(stream) ^ (seed * 0xd1342543de82ef95);
  for (auto& word : state_) word = next_split(state);
}

// xoshiro256** by Blackman and Vigna.
std::uint64_t Random::bits() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1.0p-53;
}

double Random::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

double Random::log_uniform(double low, double high) {
  return portable_exp(uniform(portable_log(low), portable_log(high)));
}

// Marsaglia's polar method; it needs a logarithm and a square root, and IEEE fixes the latter.
double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  double u = 0;
  double v = 0;
  double square = 0;
  do {
    u = uniform(-1, 1);
    v = uniform(-1, 1);
    square = u * u + v * v;
  } while (square >= 1 || square == 0);
  const double scale = std::sqrt(-2 * portable_log(square) / square);
  spare_normal_ = v * scale;
  has_spare_ = true;
  return u * scale;
}

double Random::exponential(double mean) {
  return -mean * portable_log(1 - uniform());
}

int Random::integer(int low, int high) {
  return low + static_cast<int>(uniform() * (high - low + 1));
}

bool Random::chance(double probability) {
  return uniform() < probability;
}

double Random::pick(std::initializer_list<double> values) {
  return values.begin()[static_cast<std::size_t>(uniform() * static_cast<double>(values.size()))];
}

}  // namespace tidegauge::bench
