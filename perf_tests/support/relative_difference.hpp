// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/storage_real.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {

/// Rounding error of numbers stored as Storage.
template <class Storage>
inline constexpr double rounding_error =
    std::same_as<Storage, Half>       ? 0x1p-10
    : std::same_as<Storage, BFloat16> ? 0x1p-7
    : std::same_as<Storage, Quarter>  ? 1.0 / 254
                                      : static_cast<double>(std::numeric_limits<Storage>::epsilon());

/// Largest |a - b| over the largest |b|; infinite where the sizes differ or a value is not finite.
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return INFINITY;
    difference = std::max(difference, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return difference / scale;
}

/// What results may differ by: 32 n times the rounding error `epsilon`, but never so much that a wrong one passes.
inline double reference_tolerance(int n, double epsilon) { return std::min(32.0 * n * epsilon, 0.2); }

/// Throws std::runtime_error where a result differs from that of a serial reference by more than reference_tolerance();
/// `what` of which system it is, as in "solve on 8x6x4".
inline void check_reference(const std::string& what, int n, double epsilon, const std::vector<double>& actual,
                            const std::vector<double>& expected) {
  double const error = relative_difference(actual, expected);
  double const tolerance = reference_tolerance(n, epsilon);
  if (error <= tolerance) return;
  std::ostringstream message;
  message << what << ", n = " << n << ": relative difference from the serial reference " << error << ", tolerance "
          << tolerance;
  throw std::runtime_error(message.str());
}

}  // namespace hyperplane::perf
