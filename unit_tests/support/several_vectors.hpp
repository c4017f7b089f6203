// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <string>
#include <vector>

#include "matchers.hpp"
#include "serial_reference.hpp"
#include "views.hpp"

/// Several vectors beside single ones.
namespace hyperplane::test {

/// Each an array of the host.
using HostVectors = std::vector<std::vector<double>>;

inline HostVectors random_vectors(int count, std::int64_t size, unsigned seed = 1) {
  HostVectors result;
  for (int j = 0; j < count; ++j) result.push_back(random_vector(size, seed + static_cast<unsigned>(j)));
  return result;
}

template <class Scalar, int n, int count, class Exec>
PointVectors<Scalar, n, count, Exec> to_vectors(const Exec& exec, const HostVectors& of) {
  std::vector<double> flat;
  for (std::size_t e = 0; e < of.front().size(); ++e) {
    for (auto const& one : of) flat.push_back(one[e]);
  }
  return PointVectors<Scalar, n, count, Exec>(to_view<Scalar>(exec, flat));
}

template <class Scalar, int n, int count, class Exec>
HostVectors to_host(const PointVectors<Scalar, n, count, Exec>& vectors) {
  auto const flat = to_host(vectors.flat());
  HostVectors result(count);
  for (std::size_t e = 0; e < flat.size(); ++e) result[e % count].push_back(flat[e]);
  return result;
}

/// Whether several vectors have the bits of single ones: on hosts, where compilers do not choose which products they
/// fuse with sums, which depends on how wide a vector is; Clang chooses without optimization, too. Elsewhere sums are
/// taken in other orders.
template <class Exec>
inline constexpr bool same_bits =
#if defined(__OPTIMIZE__) || defined(__clang__)
    false;
#else
    HostExecutionSpace<Exec>;
#endif

template <class Exec, bool bits = same_bits<Exec>>
::testing::AssertionResult same_as_single(const std::vector<double>& found, const std::vector<double>& single,
                                          double tolerance) {
  return bits ? bitwise_equal(found, single) : near(found, single, tolerance);
}

/// `several(given)` has, vector by vector, what `single(a view)` makes of each: both change what they are given.
template <class Scalar, int n, int count, class Exec, bool bits = same_bits<Exec>, class Several, class Single>
void compare_with_single(const Exec& exec, std::int64_t points, const std::string& what, const Several& several,
                         const Single& single) {
  auto given = random_vectors(count, points * n);
  // One of zeros between the others.
  if (count > 2) given[1].assign(given[1].size(), 0.0);
  auto const vectors = to_vectors<Scalar, n, count>(exec, given);
  several(vectors);
  auto const found = to_host(vectors);
  for (std::size_t j = 0; j < count; ++j) {
    auto const one = to_view<Scalar>(exec, given[j]);
    single(one);
    EXPECT_TRUE((same_as_single<Exec, bits>(found[j], to_host(one), rounding<Scalar>(200, n))))
        << what << ", n = " << n << ", vector " << j << " of " << count;
  }
}

/// Solves with M and M^T, in place. With factors of 8 bits sums of single vectors are taken in another order.
template <int count, class Plan, class Exec>
void compare_solves_with_single(const Exec& exec, const Plan& plan, std::int64_t points) {
  using Scalar = typename Plan::scalar_type;
  constexpr bool bits = same_bits<Exec> && StorageReal<typename Plan::storage_type>;
  compare_with_single<Scalar, Plan::block_size, count, Exec, bits>(
      exec, points, "solve", [&](const auto& x) { plan.solve(exec, x, x); },
      [&](const auto& x) { plan.solve(exec, x, x); });
  compare_with_single<Scalar, Plan::block_size, count, Exec, bits>(
      exec, points, "transposed solve", [&](const auto& x) { plan.solve_transposed(exec, x, x); },
      [&](const auto& x) { plan.solve_transposed(exec, x, x); });
}

}  // namespace hyperplane::test
