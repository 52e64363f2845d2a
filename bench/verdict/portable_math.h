// SPDX-License-Identifier: Apache-2.0
// Elementary functions made of +, -, * and / only. C libraries differ in the last bit of log and
// sin; the series of the benchmark must be the same on every machine, so it does not ask them.
// (Compiled with -ffp-contract=off: a fused multiply-add would be such a difference too.)
#pragma once

namespace tidegauge::bench {

inline constexpr double kPi = 3.14159265358979323846;

double portable_log(double x);                   // x > 0
double portable_exp(double x);                   // |x| < 700
double portable_sin(double x);                   // |x| < 1e6
double portable_pow(double base, double power);  // base >= 0; 0 to any power is 0

}  // namespace tidegauge::bench
