// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/parted.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <string>
#include <utility>
#include <vector>

#include "divided_system.hpp"
#include "support/least_team.hpp"

// The norms of the correction iteration on parts of a box in its natural order, and so when it ends, have the bits of
// those on the box that is not cut.
namespace hyperplane::test::undivided_richardson {
namespace {

struct Solved {
  KrylovResult result;
  std::vector<double> x;
};

template <class Exec, class Matrix, class P, class Vector, class Domain>
Solved solve(const Exec& exec, const Domain& domain, const Matrix& a, const P& m, const Vector& b,
             const KrylovOptions& options) {
  Vector const x(exec, domain);
  auto result = Richardson<Vector>(exec, domain, options).solve(exec, a, m, b, x);
  return {std::move(result), to_host(exec, x)};
}

template <class Exec>
class UndividedRichardson : public ::testing::Test {
 protected:
  template <class P>
  void expect_same(const std::pair<Grid, std::array<int, 3>>& box) {
    using Scalar = typename P::scalar_type;
    constexpr int n = P::block_size;
    DividedSystem<Scalar, n, Exec> const system(exec, box.first, box.second);
    P whole(exec, box.first);
    whole.factor(exec, system.a);
    MultiBlock<P> parts(exec, system.cut.grid, {.coupling = Coupling::natural});
    parts.factor(exec, system.parts_a);
    Parted<P> parted(exec, box.first, {.parts = box.second, .coupling = Coupling::natural});
    parted.factor(exec, system.a);
    auto const parts_b = system.in_parts(system.b);
    KrylovOptions options{.tolerance = 0, .max_iterations = 5, .check_interval = 4};
    // A norm is the target: rounding would decide.
    auto const history = solve(exec, box.first, system.a, whole, system.b, options).result.history;
    options.absolute_tolerance = history.at(history.size() / 2);
    auto const text = to_text(box) + ", n = " + std::to_string(n);
    auto const expected = solve(exec, box.first, system.a, whole, system.b, options);
    auto const found = solve(exec, system.cut.grid, system.parts_a, parts, parts_b, options);
    auto const found_parted = solve(exec, box.first, system.a, parted, system.b, options);
    EXPECT_TRUE(expected.result.converged()) << text;
    EXPECT_EQ(found.result.iterations, expected.result.iterations) << text;
    EXPECT_TRUE(bitwise_equal(norms_of(found.result), norms_of(expected.result))) << text;
    EXPECT_TRUE(bitwise_equal(norms_of(found_parted.result), norms_of(expected.result))) << text;
    EXPECT_TRUE(bitwise_equal(found_parted.x, expected.x)) << text;
  }

  static auto boxes() {
    auto const all = boxes_in_parts();
    std::vector<std::pair<Grid, std::array<int, 3>>> result(all.begin(), all.begin() + 4);
    result.push_back({Grid(10, 6, 7), {2, 1, 1}});
    result.push_back({Grid(5, 9, 13), {1, 2, 3}});
    return result;
  }

  Exec exec{};
};
TYPED_TEST_SUITE(UndividedRichardson, ExecutionSpaces, SpaceNames);

TYPED_TEST(UndividedRichardson, has_the_norms_of_the_box_with_bilu0) {
  for (auto const& box : this->boxes()) {
    this->template expect_same<BlockIlu0<double, 1, TypeParam>>(box);
    this->template expect_same<BlockIlu0<double, 5, TypeParam>>(box);
    this->template expect_same<BlockIlu0<float, 3, TypeParam>>(box);
  }
}

TYPED_TEST(UndividedRichardson, has_the_norms_of_the_box_with_ssor) {
  for (auto const& box : this->boxes()) this->template expect_same<Ssor<double, 5, TypeParam>>(box);
}

// Where squares overflow or underflow, the host finds out: so do others who are cut.
TYPED_TEST(UndividedRichardson, has_the_norms_of_the_box_where_squares_are_out_of_range) {
  using Vector = BlockVector<double, 1, TypeParam>;
  auto const& exec = this->exec;
  std::pair<Grid, std::array<int, 3>> const box{Grid(11, 9, 7), {1, 2, 3}};
  DividedSystem<double, 1, TypeParam> const system(exec, box.first, box.second);
  BlockIlu0<double, 1, TypeParam> whole(exec, box.first);
  whole.factor(exec, system.a);
  MultiBlock<BlockIlu0<double, 1, TypeParam>> parts(exec, system.cut.grid, {.coupling = Coupling::natural});
  parts.factor(exec, system.parts_a);
  for (double const factor : {1e200, 1e-200, 1e-306}) {
    auto values = to_host(exec, system.b);
    for (auto& value : values) value *= factor;
    Vector const b = to_device<double, 1>(exec, box.first, values);
    KrylovOptions const options{.tolerance = 1e-6, .max_iterations = 30};
    auto const expected = solve(exec, box.first, system.a, whole, b, options);
    auto const found = solve(exec, system.cut.grid, system.parts_a, parts, system.in_parts(b), options);
    EXPECT_TRUE(expected.result.converged()) << factor << ": " << expected.result.message();
    EXPECT_TRUE(bitwise_equal(norms_of(found.result), norms_of(expected.result))) << factor;
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(UndividedRichardsonOpenMp, has_the_same_norms_for_1_2_and_3_threads) {
  LeastTeam const always(always_teams);
  using Exec = Kokkos::OpenMP;
  Grid const grid(21, 18, 13);
  std::vector<double> expected;
  for (int const threads : {1, 2, 3}) {
    Exec const exec(threads);
    DividedSystem<double, 5, Exec> const system(exec, grid, {1, 2, 3});
    MultiBlock<BlockIlu0<double, 5, Exec>> parts(exec, system.cut.grid, {.coupling = Coupling::natural});
    parts.factor(exec, system.parts_a);
    auto const solved = solve(exec, system.cut.grid, system.parts_a, parts, system.in_parts(system.b),
                              {.tolerance = 0, .max_iterations = 6});
    if (threads == 1) expected = norms_of(solved.result);
    EXPECT_TRUE(bitwise_equal(norms_of(solved.result), expected)) << threads << " threads";
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test::undivided_richardson
