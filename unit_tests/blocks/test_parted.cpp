// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/parted.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/mask_points.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/masks.hpp"
#include "support/matchers.hpp"
#include "support/multi_block_reference.hpp"
#include "support/transfer.hpp"

// A preconditioner of one grid that is made of parts: with their vectors and matrices put together by hand it is that
// of MultiBlock, and with the coupling `natural` that of the whole grid, bit by bit.
namespace hyperplane::test::parted {
namespace {

template <class Exec>
struct PartedTest : ::testing::Test {
  Exec exec{};
};
TYPED_TEST_SUITE(PartedTest, ExecutionSpaces, SpaceNames);

struct Cut {
  Grid grid;
  std::array<int, 3> parts;
  std::string what() const {
    return to_string(grid) + " in " + std::to_string(parts[0]) + "x" + std::to_string(parts[1]) + "x" +
           std::to_string(parts[2]);
  }
};

/// One point, parts of one point, extents that are odd or no multiples of a vector length, and parts of several slabs.
std::vector<Cut> cuts() {
  return {{Grid(1, 1, 1), {1, 1, 1}}, {Grid(7, 12, 5), {1, 1, 1}},  {Grid(2, 1, 1), {2, 1, 1}},
          {Grid(4, 3, 5), {4, 3, 5}}, {Grid(9, 14, 5), {2, 3, 2}},  {Grid(6, 35, 4), {1, 2, 1}},
          {Grid(1, 9, 4), {1, 3, 2}}, {Grid(21, 17, 1), {3, 2, 1}}, {Grid(5, 16, 7), {1, 1, 3}}};
}

/// The number of a point of the grid, part after part.
std::vector<std::int64_t> numbers_of(const Grid& grid, const CutGrid& cut) {
  std::vector<std::int64_t> numbers;
  for (int b = 0; b < cut.grid.block_count(); ++b) {
    auto const& begin = cut.boxes[b].begin;
    for (std::int64_t p = 0; p < cut.grid.block(b).size(); ++p) {
      Point const here = cut.grid.block(b).point(p);
      numbers.push_back(grid.index(begin.i + here.i, begin.j + here.j, begin.k + here.k));
    }
  }
  return numbers;
}

MultiBlockReference parts_of(const ReferenceStencil& a, const CutGrid& cut) {
  MultiBlockReference parts(cut.grid, a.n);
  auto const numbers = numbers_of(a.grid, cut);
  for (int b = 0; b < cut.grid.block_count(); ++b) {
    auto const first = cut.grid.first_point(b);
    for (std::int64_t p = 0; p < cut.grid.block(b).size(); ++p) {
      parts.blocks[b].blocks[p] = a.blocks[numbers[first + p]];
    }
  }
  return parts;
}

std::vector<double> parts_of(const std::vector<double>& values, int n, const std::vector<std::int64_t>& numbers) {
  std::vector<double> result;
  for (auto const number : numbers) {
    for (int c = 0; c < n; ++c) result.push_back(values[number * n + c]);
  }
  return result;
}

/// A solve has the bits of MultiBlock over the parts, whose values are put together on the host.
template <class P, class Exec>
void expect_multi_block(const Exec& exec, const Cut& cut, Coupling coupling, const typename P::Options& options = {}) {
  constexpr int n = P::Vector::block_size;
  using Storage = typename P::storage_type;
  SCOPED_TRACE(cut.what() + ", " + name(coupling) + ", n = " + std::to_string(n));
  auto const reference = random_stencil(cut.grid, n);
  auto const values = random_vector(cut.grid.size() * n, 3);
  auto const cut_up = cut_grid(cut.grid, cut.parts);
  auto const numbers = numbers_of(cut.grid, cut_up);

  MultiBlock<P> expected(exec, cut_up.grid, {.coupling = coupling, .block = options});
  auto const parts = to_device<double, n, Storage>(exec, parts_of(reference, cut_up));
  auto const part_x = to_device<double, n>(exec, cut_up.grid, parts_of(values, n, numbers));
  expected.factor(exec, parts);
  expected.solve(exec, part_x, part_x);

  Parted<P> parted(exec, cut.grid, {.parts = cut.parts, .coupling = coupling, .block = options});
  auto const a = to_device<double, n, Storage>(exec, reference);
  auto const before = to_host(a.flat());
  parted.factor(exec, a);
  EXPECT_TRUE(parted.status(exec).ok()) << parted.status(exec).message();
  EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before));
  // A may go.
  Kokkos::deep_copy(exec, a.flat(), static_cast<Storage>(0));
  auto const rhs = to_device<double, n>(exec, cut.grid, values);
  BlockVector<double, n, Exec> const x(exec, cut.grid);
  parted.solve(exec, rhs, x);
  EXPECT_TRUE(bitwise_equal(parts_of(to_host(exec, x), n, numbers), to_host(exec, part_x)));
  EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), values));
  parted.solve(exec, rhs, rhs);
  EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), to_host(exec, x))) << "in place";
  // All of the storage, padding too.
  EXPECT_TRUE(bitwise_equal(to_host(rhs.flat()), to_host(x.flat())));
}

/// The same of a solve with M^T, and that without coupling each part is solved by itself.
template <class P, class Exec>
void expect_transposed(const Exec& exec, const Cut& cut, Coupling coupling) {
  constexpr int n = P::Vector::block_size;
  SCOPED_TRACE(cut.what() + ", n = " + std::to_string(n));
  auto const reference = random_stencil(cut.grid, n);
  auto const values = random_vector(cut.grid.size() * n, 3);
  auto const cut_up = cut_grid(cut.grid, cut.parts);
  auto const numbers = numbers_of(cut.grid, cut_up);
  auto const a = to_device<double, n, double>(exec, parts_of(reference, cut_up));
  auto const rhs = to_device<double, n>(exec, cut_up.grid, parts_of(values, n, numbers));
  MultiBlockVector<double, n, Exec> const part_x(exec, cut_up.grid);
  MultiBlock<P> of_parts(exec, cut_up.grid, {.coupling = coupling});
  of_parts.factor(exec, a);
  of_parts.solve_transposed(exec, rhs, part_x);
  for (int b = 0; coupling == Coupling::none && b < cut_up.grid.block_count(); ++b) {
    P one(exec, cut_up.grid.block(b));
    one.factor(exec, a.block(b));
    one.solve_transposed(exec, rhs.block(b), rhs.block(b));
    EXPECT_TRUE(bitwise_equal(to_host(exec, part_x.block(b)), to_host(exec, rhs.block(b)))) << b;
  }
  Parted<P> parted(exec, cut.grid, {.parts = cut.parts, .coupling = coupling});
  parted.factor(exec, to_device<double, n, double>(exec, reference));
  auto const x = to_device<double, n>(exec, cut.grid, values);
  parted.solve_transposed(exec, x, x);
  EXPECT_TRUE(bitwise_equal(parts_of(to_host(exec, x), n, numbers), to_host(exec, part_x)));
}

TYPED_TEST(PartedTest, solves_with_the_transpose) {
  for (auto const& cut : cuts()) {
    for (auto const coupling : {Coupling::none, Coupling::coloured}) {
      expect_transposed<BlockIlu0<double, 2, TypeParam>>(this->exec, cut, coupling);
      expect_transposed<Sip<double, TypeParam>>(this->exec, cut, coupling);
    }
  }
}

TYPED_TEST(PartedTest, has_the_bits_of_multi_block) {
  for (auto const& cut : cuts()) {
    for (auto const coupling : {Coupling::none, Coupling::coloured}) {
      expect_multi_block<BlockIlu0<double, 1, TypeParam>>(this->exec, cut, coupling);
      expect_multi_block<BlockIlu0<double, 3, TypeParam>>(this->exec, cut, coupling);
      expect_multi_block<BlockIlu0<double, 2, TypeParam, float>>(this->exec, cut, coupling);
    }
    expect_multi_block<Ssor<double, 2, TypeParam>>(this->exec, cut, Coupling::none, {.relaxation = 1.2});
    expect_multi_block<Ssor<double, 2, TypeParam>>(this->exec, cut, Coupling::coloured, {.relaxation = 1.2});
    expect_multi_block<BlockJacobi<double, 2, TypeParam>>(this->exec, cut, Coupling::none);
    expect_multi_block<Sip<double, TypeParam>>(this->exec, cut, Coupling::none);
  }
}

/// M^-1 rhs of BILU(0), whose options may say that it is of parts.
template <int n, class Storage = double, class Exec>
std::vector<double> solved(const Exec& exec, const ReferenceStencil& a, const std::vector<double>& rhs,
                           const PartedOptions<BlockIlu0Options>& options) {
  Parted<BlockIlu0<double, n, Exec, Storage>> ilu(exec, a.grid, options);
  ilu.factor(exec, to_device<double, n, Storage>(exec, a));
  auto const x = to_device<double, n>(exec, a.grid, rhs);
  ilu.solve(exec, x, x);
  return to_host(exec, x);
}

TYPED_TEST(PartedTest, natural_is_the_preconditioner_of_the_whole_grid) {
  for (auto const& [grid, parts] : cuts()) {
    auto const check = [&]<int n, class Storage>(std::integer_sequence<int, n>, Storage) {
      auto const a = random_stencil(grid, n);
      auto const rhs = random_vector(grid.size() * n);
      EXPECT_TRUE(bitwise_equal(solved<n, Storage>(this->exec, a, rhs, {.parts = parts, .coupling = Coupling::natural}),
                                solved<n, Storage>(this->exec, a, rhs, {})))
          << to_string(grid) << ", n = " << n;
    };
    check(std::integer_sequence<int, 1>{}, 0.0);
    check(std::integer_sequence<int, 5>{}, 0.0);
    check(std::integer_sequence<int, 3>{}, 0.0f);
  }
}

TYPED_TEST(PartedTest, one_part_is_the_preconditioner_itself) {
  constexpr int n = 3;
  using Ilu = BlockIlu0<double, n, TypeParam>;
  Grid const grid(7, 12, 5);
  auto const a = random_stencil(grid, n);
  auto const rhs = random_vector(grid.size() * n);
  Ilu ilu(this->exec, grid);
  auto const device_a = to_device<double, n, double>(this->exec, a);
  ilu.factor(this->exec, device_a);
  auto const x = to_device<double, n>(this->exec, grid, rhs);
  ilu.solve(this->exec, x, x);
  for (auto const coupling : {Coupling::none, Coupling::coloured, Coupling::natural}) {
    EXPECT_TRUE(bitwise_equal(solved<n>(this->exec, a, rhs, {.coupling = coupling}), to_host(this->exec, x)));
  }
}

TYPED_TEST(PartedTest, several_right_hand_sides_are_single_solves) {
  constexpr int n = 2;
  using Ilu = Parted<BlockIlu0<double, n, TypeParam>>;
  Grid const grid(9, 14, 5);
  auto const a = to_device<double, n, double>(this->exec, random_stencil(grid, n));
  Ilu ilu(this->exec, grid, {.parts = {2, 1, 2}, .coupling = Coupling::coloured, .block = {.right_hand_sides = 2}});
  ilu.factor(this->exec, a);
  std::vector<BlockVector<double, n, TypeParam>> rhs, x;
  for (unsigned v = 0; v < 3; ++v) {
    rhs.push_back(to_device<double, n>(this->exec, grid, random_vector(grid.size() * n, v + 1)));
    x.emplace_back(this->exec, grid);
  }
  std::span<const BlockVector<double, n, TypeParam>> const from(rhs), to(x);
  ilu.solve(this->exec, from, to);
  for (int v = 0; v < 3; ++v) {
    ilu.solve(this->exec, rhs[v], rhs[v]);
    EXPECT_TRUE(bitwise_equal(to_host(this->exec, x[v]), to_host(this->exec, rhs[v])));
  }
  EXPECT_THROW(ilu.solve(this->exec, from, to.first(2)), Error);
}

TYPED_TEST(PartedTest, is_factored_again_and_leaves_masked_points_out) {
  constexpr int n = 2;
  Grid const grid(9, 14, 5);
  auto const mask = mask_of(grid);
  Kokkos::View<std::int8_t*, TypeParam> const device_mask("mask", mask.size());
  Kokkos::deep_copy(device_mask, Kokkos::View<const std::int8_t*, Kokkos::HostSpace>(mask.data(), mask.size()));
  using Ilu = Parted<BlockIlu0<double, n, TypeParam>>;
  typename Ilu::Options const options{.parts = {2, 2, 2}, .coupling = Coupling::coloured};
  Ilu ilu(this->exec, grid, options);
  for (unsigned seed = 1; seed < 4; ++seed) {
    auto const a = to_device<double, n, double>(this->exec, random_stencil(grid, n, seed));
    auto const x = to_device<double, n>(this->exec, grid, random_vector(grid.size() * n, seed));
    if (seed > 1) {
      mask_points(this->exec, PointMask<TypeParam>(device_mask), a);
      mask_points(this->exec, PointMask<TypeParam>(device_mask), x);
    }
    Ilu fresh(this->exec, grid, options);
    fresh.factor(this->exec, a);
    ilu.factor(this->exec, a);
    BlockVector<double, n, TypeParam> const expected(this->exec, grid);
    fresh.solve(this->exec, x, expected);
    ilu.solve(this->exec, x, x);
    auto const values = to_host(this->exec, x);
    EXPECT_TRUE(bitwise_equal(values, to_host(this->exec, expected))) << seed;
    for (std::size_t p = 0; seed > 1 && p < mask.size(); ++p) {
      EXPECT_TRUE(mask[p] != 0 || values[p * n] == 0.0) << p;
    }
  }
}

TYPED_TEST(PartedTest, krylov_methods_take_the_iterations_of_the_whole_grid) {
  constexpr int n = 2;
  Grid const grid(12, 16, 8);
  auto const reference = random_stencil(grid, n);
  auto const a = to_device<double, n, double>(this->exec, reference);
  auto const solution = random_vector(grid.size() * n);
  auto const b = to_device<double, n>(this->exec, grid, reference.apply(solution));
  using Vector = BlockVector<double, n, TypeParam>;
  auto const iterations = [&](const PartedOptions<BlockIlu0Options>& options) {
    Parted<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid, options);
    ilu.factor(this->exec, a);
    Vector const x(this->exec, grid);
    auto const result = BiCgStab<Vector>(this->exec, grid, {.tolerance = 1e-10}).solve(this->exec, a, ilu, b, x);
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_TRUE(near(to_host(this->exec, x), solution, 1e-7));
    return result.iterations;
  };
  int const whole = iterations({});
  EXPECT_EQ(iterations({.parts = {2, 2, 2}, .coupling = Coupling::natural}), whole);
  EXPECT_GE(iterations({.parts = {2, 2, 2}, .coupling = Coupling::none}), whole);
}

}  // namespace
}  // namespace hyperplane::test::parted
