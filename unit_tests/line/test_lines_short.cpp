// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/line_options.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/short_factors.hpp"
#include "support/transfer.hpp"

// Factors of lines of 16 bits.
namespace hyperplane::test::lines_short {
namespace {

template <class Exec>
class LinesShort : public ::testing::Test {};
TYPED_TEST_SUITE(LinesShort, ExecutionSpaces, SpaceNames);

constexpr auto directions = {LineDirection::i, LineDirection::j, LineDirection::k};

template <int n, class Storage, class Exec, class Scalar = double>
using Lines = BlockTridiagonal<Scalar, n, Exec, Storage>;

/// With factors of 16 bits as with those of double; also where equations and unknowns have other units.
template <int n, class Storage, class Scalar, class Exec>
void compare_with_double(const Exec& exec, const LineSet& lines, const BlockTridiagonalOptions& options,
                         bool other_units = false) {
  SCOPED_TRACE(to_string(*lines.grid()) + " along " + name(lines.direction()) + ", n = " + std::to_string(n) + ", " +
               describe(options) + ", partitions " + std::to_string(options.partitions));
  auto const reference = random_stencil(*lines.grid(), n);
  auto const rhs = random_vector(lines.grid()->size() * n);
  constexpr double tolerance = 10 * n * unit_roundoff<Storage>;
  auto const of_short = [&](bool transposed) {
    using Plan = Lines<n, Storage, Exec, Scalar>;
    if (!other_units) return factor_and_solve_on<Plan>(exec, lines, reference, rhs, options, transposed);
    auto const scaled = in_other_units(reference);
    if (transposed) {
      return times_equations(factor_and_solve_on<Plan>(exec, lines, scaled, over_unknowns(rhs, n), options, true), n);
    }
    return over_unknowns(factor_and_solve_on<Plan>(exec, lines, scaled, times_equations(rhs, n), options, false), n);
  };
  for (bool const transposed : {false, true}) {
    EXPECT_TRUE(near(of_short(transposed),
                     factor_and_solve_on<Lines<n, double, Exec>>(exec, lines, reference, rhs, options, transposed),
                     tolerance))
        << "transposed " << transposed;
  }
}

TYPED_TEST(LinesShort, are_those_of_double_to_rounding) {
  TypeParam const exec;
  for (auto const& options : line_options_of<TypeParam>()) {
    for (auto const& grid : {Grid(1, 1, 1), Grid(9, 10, 2)}) {
      for (auto const direction : directions) {
        compare_with_double<5, Half, double>(exec, LineSet::along(grid, direction), options);
      }
      compare_with_double<1, Half, double>(exec, LineSet::along(grid, LineDirection::j), options);
      compare_with_double<5, BFloat16, double>(exec, LineSet::along(grid, LineDirection::k), options);
      compare_with_double<5, Half, float>(exec, LineSet::along(grid, LineDirection::i), options);
    }
  }
}

TYPED_TEST(LinesShort, do_not_depend_on_units) {
  TypeParam const exec;
  Grid const grid(9, 10, 2);
  for (auto const& options : line_options_of<TypeParam>()) {
    for (auto const direction : directions) {
      compare_with_double<5, Half, double>(exec, LineSet::along(grid, direction), options, true);
    }
    compare_with_double<1, Half, double>(exec, LineSet::along(grid, LineDirection::i), options, true);
    compare_with_double<5, BFloat16, double>(exec, LineSet::along(grid, LineDirection::i), options, true);
  }
}

template <class T, class Exec>
std::vector<T> copied(const T* data, std::int64_t count) {
  Kokkos::View<const T*, typename Exec::memory_space, Kokkos::MemoryUnmanaged> const view(
      data, static_cast<std::size_t>(count));
  auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  return {mirror.data(), mirror.data() + count};
}

/// Blocks of all items in storage order: of L and d^-1, or of d^-1 U.
template <class Storage, class Exec>
struct StoredFactors {
  static constexpr int n = 3, block = n * n;
  using Factorization = detail::LineFactorization<double, n, Exec, Storage>;
  static constexpr int width = Factorization::vector_length;

  LineLayout<double, Exec> layout;
  std::vector<Storage> lower, upper;
  std::vector<double> unknowns = std::vector<double>(n, 1.0);
  std::vector<BFloat16> equations;

  explicit StoredFactors(const Exec& exec) : layout(exec, LineSet::uniform(11, 6)) {
    Factorization factorization(exec, layout, LinePath::portable, std::nullopt);
    auto const a = to_lines<double, n, double>(exec, layout, [](std::int64_t line) {
      auto result = random_line(n, 6, 5 + static_cast<unsigned>(line));
      for (auto const blocks : {&result.lower, &result.diagonal, &result.upper}) {
        for (auto& one : *blocks) {
          for (int r = 0; r < n; ++r) {
            for (int c = 0; c < n; ++c) one(r, c) *= std::pow(10.0, 3.0 * r - 2.0 * c);
          }
        }
      }
      return result;
    });
    factorization.factor(exec,
                         detail::make_line_matrix(a.flat().data(), layout.places(), detail::matrix_line_entries<n>()));
    EXPECT_FALSE(factorization.find_singular(exec));
    auto const factors = factorization.factors();
    auto const count = layout.items() * block * width;
    lower = copied<Storage, Exec>(factors.m_lower.pack_data(0), 2 * count);
    upper = copied<Storage, Exec>(factors.m_upper.pack_data(0), count);
    equations.assign(static_cast<std::size_t>(layout.items() * n * width), BFloat16(1.0));
    if constexpr (Factorization::Factors::Scales::exist) {
      unknowns = copied<double, Exec>(factors.m_scales.m_units, n);
      equations = copied<BFloat16, Exec>(factors.m_scales.equation(0, 0), layout.items() * n * width);
    }
  }
};

template <class Storage, class Exec>
void expect_rounded(const Exec& exec) {
  StoredFactors<double, Exec> const exact(exec);
  StoredFactors<Storage, Exec> const stored(exec);
  constexpr int n = stored.n, block = stored.block, width = stored.width;
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < stored.lower.size(); ++at) {
    auto const item = at / (2 * block * width), lane = at % width, e = at / width % (2 * block);
    auto const r = e % n, c = e % block / n;
    auto const equation = [&](std::size_t row) {
      return static_cast<double>(stored.equations[(item * n + row) * width + lane]);
    };
    double const in_units = e < block ? exact.lower[at] * stored.unknowns[c] * equation(r)
                                      : exact.lower[at] / stored.unknowns[r] / equation(c);
    wrong += stored.lower[at].m_bits != Storage(in_units).m_bits;
  }
  for (std::size_t at = 0; at < stored.upper.size(); ++at) {
    auto const e = at / width % block;
    double const in_units = exact.upper[at] / stored.unknowns[e % n] * stored.unknowns[e / n];
    wrong += stored.upper[at].m_bits != Storage(in_units).m_bits;
  }
  EXPECT_EQ(wrong, 0U);
}

TYPED_TEST(LinesShort, are_stored_as_those_of_double_rounded) {
  expect_rounded<Half>(TypeParam());
  expect_rounded<BFloat16>(TypeParam());
}

TYPED_TEST(LinesShort, may_be_cut_or_periodic) {
  TypeParam const exec;
  Grid const grid(21, 9, 1);
  for (auto options : line_options_of<TypeParam>()) {
    options.partitions = 1;
    compare_with_double<5, Half, double>(exec, LineSet::along(grid, LineDirection::i, LineEnds::periodic), options,
                                         true);
    options.partitions = 3;
    for (auto const ends : {LineEnds::open, LineEnds::periodic}) {
      auto const lines = LineSet::along(grid, LineDirection::i, ends);
      compare_with_double<5, Half, double>(exec, lines, options, true);
      compare_with_double<5, BFloat16, double>(exec, lines, options);
    }
  }
}

TYPED_TEST(LinesShort, of_several_columns_are_those_of_one) {
  TypeParam const exec;
  constexpr int n = 5, columns = 3;
  auto const lines = LineSet::uniform(11, 7);
  auto const line_of = [&](std::int64_t line) { return random_line(n, 7, 3 + static_cast<unsigned>(line)); };
  auto const rhs = random_vector(lines.point_count() * n);
  for (auto const& options : line_options_of<TypeParam>()) {
    SCOPED_TRACE(describe(options));
    Lines<n, Half, TypeParam> solver(exec, lines, options);
    solver.factor(exec, to_lines<double, n, double>(exec, solver.layout(), line_of));
    for (bool const transposed : {false, true}) {
      auto const solve = [&](int count) {
        auto const x = to_lines<double, n>(exec, solver.layout(), count, in_columns(lines, n, count, rhs));
        if (transposed) {
          solver.solve_transposed(exec, x, x);
        } else {
          solver.solve(exec, x, x);
        }
        return to_host(exec, x);
      };
      EXPECT_TRUE(near(solve(columns), in_columns(lines, n, columns, solve(1)), rounding<double>(20, n)));
    }
  }
}

}  // namespace
}  // namespace hyperplane::test::lines_short
