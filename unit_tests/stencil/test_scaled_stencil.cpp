// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/core/half.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/apply_several.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <hyperplane/stencil/narrow.hpp>
#include <hyperplane/stencil/not_finite.hpp>
#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"
#include "support/views.hpp"

// Copies of a matrix on a grid in 16 bits, whose rows have units of their own.
namespace hyperplane::test::scaled_stencil {
namespace {

/// What a row is multiplied by, between 1e-24 and 1e24.
double row_factor(std::int64_t row) { return std::pow(10.0, 6.0 * static_cast<double>(row % 9) - 24.0); }

/// A random matrix in such units. Unknowns differ by 1e3, too; some entries are zero, and what points out of the grid
/// is no number.
ReferenceStencil matrix_in_units(const Grid& grid, int n) {
  ReferenceStencil a = random_stencil(grid, n);
  for (std::int64_t p = 0; p < grid.size(); ++p) {
    for (auto const d : stencil7_directions) {
      bool const inside = grid.contains(neighbour(grid.point(p), d));
      auto& block = a.block(p, d);
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          block(r, c) *= row_factor(p * n + r) * (c == 1 ? 1e3 : 1.0);
          if (r != c && (p + r + c) % 5 == 0) block(r, c) = 0.0;
          if (!inside) block(r, c) = std::nan("");
        }
      }
    }
  }
  return a;
}

template <class Exec>
class ScaledStencilTest : public ::testing::Test {
 protected:
  template <int n, class Short>
  using Copy = ScaledStencil7<double, n, Exec, Short>;

  /// The matrix that a copy stands for; zero where blocks point out of the grid.
  template <int n, class Short>
  ReferenceStencil values(const Copy<n, Short>& copy) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy.flat());
    using Ref = typename Copy<n, Short>::Ref;
    Ref const ref(copy.map(), typename Ref::Packs(host.data()));
    ReferenceStencil result(copy.grid(), n);
    for (std::int64_t p = 0; p < copy.grid().size(); ++p) {
      Point const point = copy.grid().point(p);
      auto const pack = copy.map().pack(point.i, point.j, point.k);
      int const lane = copy.map().lane(point.j);
      for (auto const d : stencil7_directions) {
        for (int e = 0; e < n * n; ++e) {
          result.block(p, d)(e % n, e / n) =
              ref.template unit<double>(pack, e % n, lane) *
              static_cast<double>(ref.pack_block(pack, d)[e * Copy<n, Short>::vector_length + lane]);
        }
      }
    }
    return result;
  }

  /// Entries are rounded, and the sums over the stencil better than the largest of their entries.
  template <int n, class Short>
  void expect_rounded(const ReferenceStencil& copy, const ReferenceStencil& a) {
    double const epsilon = detail::storage_epsilon<Short>;
    for (std::int64_t p = 0; p < a.grid.size(); ++p) {
      for (int e = 0; e < n * n; ++e) {
        int const r = e % n, c = e / n;
        double largest = 0.0, smallest = std::numeric_limits<double>::max(), sum = 0.0;
        for (auto const d : stencil7_directions) {
          double const value = a.block(p, d)(r, c), kept = copy.block(p, d)(r, c);
          if (!a.grid.contains(neighbour(a.grid.point(p), d))) {
            EXPECT_EQ(kept, 0.0);
            continue;
          }
          EXPECT_EQ(kept == 0.0, value == 0.0);
          largest = std::max(largest, std::abs(value));
          if (value != 0.0) smallest = std::min(smallest, std::abs(value));
          sum += kept - value;
        }
        for (auto const d : stencil7_directions) {
          double const value = a.block(p, d)(r, c);
          if (!(std::abs(value) <= largest)) continue;
          EXPECT_LE(std::abs(copy.block(p, d)(r, c) - value), epsilon * largest);
        }
        // What the smallest one loses, which may have grown by what the others lost.
        EXPECT_LE(std::abs(sum), largest > 0.0 ? epsilon * (smallest + epsilon * largest) : 0.0);
      }
    }
  }

  /// |found - expected| in the units of the rows.
  template <int n>
  void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t e = 0; e < found.size(); ++e) {
      double const unit = row_factor(static_cast<std::int64_t>(e)) * (n > 1 ? 1e3 : 1.0);
      EXPECT_LE(std::abs(found[e] - expected[e]), 1e-5 * n * unit) << "row " << e;
    }
  }

  /// Products of two vectors together are near those of each alone.
  template <int n, class Short>
  void expect_same_of_several(const Copy<n, Short>& copy, const std::vector<double>& x, const std::vector<double>& ax,
                              const std::vector<double>& z, const std::vector<double>& az) {
    BlockVectors<double, n, 2, Exec> const given(exec, copy.grid()), found(exec, copy.grid());
    auto const load = [&](const std::vector<double>& second) {
      pack(exec, to_view<double>(exec, random_vector(copy.grid().size() * n, 9)), given[0]);
      pack(exec, to_view<double>(exec, second), given[1]);
    };
    load(x);
    apply(exec, copy, given, found);
    expect_near<n>(to_host(exec, found[1]), ax);
    load(z);
    apply(exec, transposed(copy), given, found);
    EXPECT_TRUE(near(to_host(exec, found[1]), az, 1e-5));
  }

  template <int n, class Short>
  void check(const Grid& grid) {
    SCOPED_TRACE(to_string(grid));
    auto const reference = matrix_in_units(grid, n);
    auto const copy = narrowed<Short>(exec, to_device<double, n, double>(exec, reference));
    auto const kept = values(copy);
    expect_rounded<n, Short>(kept, reference);
    // Products are those of what the copy stands for.
    auto const values_of_x = random_vector(grid.size() * n);
    auto const x = to_device<double, n>(exec, grid, values_of_x);
    BlockVector<double, n, Exec> const y(exec, grid);
    apply(exec, copy, x, y);
    expect_near<n>(to_host(exec, y), kept.apply(values_of_x));
    // x in the units of the rows, so that all terms of A^T x matter.
    auto in_units = values_of_x;
    for (std::size_t e = 0; e < in_units.size(); ++e) in_units[e] /= row_factor(static_cast<std::int64_t>(e));
    apply(exec, transposed(copy), to_device<double, n>(exec, grid, in_units), y);
    EXPECT_TRUE(near(to_host(exec, y), reference_transposed_product(kept, in_units), 1e-5));
    auto const of_transpose = to_host(exec, y);
    apply(exec, copy, x, y);
    expect_same_of_several(copy, values_of_x, to_host(exec, y), in_units, of_transpose);
    EXPECT_EQ(describe_not_finite(exec, copy), "");
  }

  Exec exec{};
};
TYPED_TEST_SUITE(ScaledStencilTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScaledStencilTest, keeps_a_matrix_in_any_units_and_multiplies_with_it) {
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 4, 3), Grid(4, 19, 3)}) {
    this->template check<1, Half>(grid);
    this->template check<3, Half>(grid);
    this->template check<3, BFloat16>(grid);
  }
}

/// Values of all kinds: equal and opposite ones, zeros of both signs, numbers that are not normal, or beyond all units
/// that there are, and, of some points, what overflows or is not finite.
double value_of_a_kind(std::uint64_t kind, double random) {
  switch (kind % 13) {
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return 0.375;
    case 3: return -0.375;
    case 4: return random * 1e-3;
    case 5: return random * 0x1p-1040;
    case 6: return kind % 7 == 0 ? random * 0x1p134 : random;
    case 7: return kind % 97 == 0 ? 0x1p139 : random * 1e-7;
    case 8: return kind % 89 == 0 ? std::nan("") : random;
    case 9: return kind % 83 == 0 ? -std::numeric_limits<double>::infinity() : random;
    default: return random;
  }
}

// On hosts SIMD groups of points are rounded together.
TYPED_TEST(ScaledStencilTest, groups_of_points_have_the_bits_of_single_ones) {
  auto const check = [&]<class Scalar, int n, class Storage, class Short>(const Grid& grid) {
    SCOPED_TRACE(to_string(grid));
    using Exec = Kokkos::DefaultHostExecutionSpace;
    Exec const host{};
    BlockStencil7<Scalar, n, Exec, Storage> const a(host, grid);
    auto const values = random_vector(static_cast<std::int64_t>(a.flat().size()));
    // Padding, too, and what points out of the grid. Some grids have no value that fails.
    for (std::size_t e = 0; e < values.size(); ++e) {
      auto const kind = e * 2654435761U >> 7U;
      double const value = value_of_a_kind(kind, values[e]);
      a.flat()(e) = static_cast<Storage>(grid.nk() == 2 && !(std::abs(value) < 1e6) ? values[e] : value);
    }
    using Copy = ScaledStencil7<Scalar, n, Exec, Short>;
    Copy const found(host, grid), expected(host, grid);
    constexpr int W = Copy::vector_length;
    auto first = std::numeric_limits<std::int64_t>::max();
    detail::NarrowToUnits<Storage, n, Short, W, false, detail::NoOutside> const slots{a.ref(), expected.ref(), {}};
    for (std::int64_t slot = 0; slot < a.map().pack_count() * W; ++slot) slots(slot, first);
    EXPECT_EQ((detail::first_in_units<false>(host, "test", a, found, detail::NoOutside())), first);
    for (std::size_t e = 0; e < expected.flat().size(); ++e) {
      ASSERT_EQ(found.flat()(e).m_bits, expected.flat()(e).m_bits) << e;
    }
  };
  for (auto const& grid : {Grid(1, 1, 1), Grid(5, 19, 3), Grid(21, 16, 2), Grid(3, 7, 2)}) {
    check.template operator()<double, 1, double, Half>(grid);
    check.template operator()<double, 3, double, Half>(grid);
    check.template operator()<double, 2, float, BFloat16>(grid);
    check.template operator()<float, 2, float, Half>(grid);
  }
}

TYPED_TEST(ScaledStencilTest, is_renewed_and_loses_what_is_small_beside_its_row) {
  Grid const grid(5, 4, 3);
  auto reference = random_stencil(grid, 3);
  auto const copy = narrowed<Half>(this->exec, to_device<double, 3, double>(this->exec, random_stencil(grid, 3, 5)));
  reference.block(grid.index({1, 2, 0}), Direction::center)(0, 0) = 1e13;
  narrow(this->exec, to_device<double, 3, double>(this->exec, reference), copy);
  auto const kept = this->values(copy);
  for (int c = 0; c < 3; ++c) {
    double const expected = c == 0 ? 1e13 : 0.0;
    EXPECT_NEAR(kept.block(grid.index({1, 2, 0}), Direction::center)(0, c), expected, 1e-3 * expected);
  }
  EXPECT_NEAR(kept.block(grid.index({1, 2, 0}), Direction::center)(1, 1),
              reference.block(grid.index({1, 2, 0}), Direction::center)(1, 1), 1e-2);
}

TYPED_TEST(ScaledStencilTest, names_what_overflows_and_keeps_what_is_not_finite) {
  Grid const grid(5, 19, 3);
  auto const matrix = [&](double value) {
    auto reference = random_stencil(grid, 3);
    reference.block(grid.index({2, 17, 1}), Direction::south)(2, 1) = value;
    return to_device<double, 3, double>(this->exec, reference);
  };
  EXPECT_THAT(message_of([&] { narrowed<Half>(this->exec, matrix(-1e300)); }),
              ::testing::HasSubstr("narrow: block south of point (2, 17, 1): entry (2, 1) is -1e+300, more than the "
                                   "storage type of the copy holds"));
  EXPECT_EQ(message_of([&] { narrowed<Half>(this->exec, matrix(1e38)); }), "nothing thrown");
  EXPECT_THAT(message_of([&] { narrowed<BFloat16>(this->exec, matrix(1e41)); }),
              ::testing::HasSubstr("is 1e+41, more than the storage type of the copy holds"));
  EXPECT_EQ(describe_not_finite(this->exec, narrowed<Half>(this->exec, matrix(std::nan("")))),
            "block south of point (2, 17, 1) is not finite");
  typename TestFixture::template Copy<3, Half> const other(this->exec, Grid(5, 4, 2));
  EXPECT_THAT(message_of([&] { narrow(this->exec, matrix(1.0), other); }),
              ::testing::HasSubstr("narrow: the copy is on a grid of 5x4x2 points, expected 5x19x3"));
}

TYPED_TEST(ScaledStencilTest, says_at_which_point_it_is_another_one) {
  Grid const grid(5, 19, 3);
  auto const matrix = [&](double value) {
    auto reference = random_stencil(grid, 2);
    reference.block(grid.index({2, 17, 1}), Direction::south)(1, 0) = value;
    reference.block(grid.index({4, 18, 2}), Direction::center)(0, 0) = std::nan("");
    return to_device<double, 2, double>(this->exec, reference);
  };
  auto const check = [&](const auto& copy) {
    EXPECT_EQ(describe_other_copy(this->exec, matrix(0.3), copy), "");
    EXPECT_EQ(describe_other_copy(this->exec, transposed(matrix(0.3)), transposed(copy)), "");
    for (double const value : {0.31, 0.5, 1e20, std::nan("")}) {
      auto const found = describe_other_copy(this->exec, matrix(value), copy);
      EXPECT_THAT(found, ::testing::StartsWith("the copy is not of A as it is now, but differs in block ")) << value;
      EXPECT_THAT(found, ::testing::EndsWith(" of point (2, 17, 1)")) << value;
    }
  };
  check(narrowed<Half>(this->exec, matrix(0.3)));
  check(narrowed<BFloat16>(this->exec, matrix(0.3)));
}

}  // namespace
}  // namespace hyperplane::test::scaled_stencil
