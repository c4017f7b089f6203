// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/apply_several.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "several_on_grids.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/several_vectors.hpp"
#include "support/transfer.hpp"

// Products and preconditioners with several vectors on a grid, beside single ones.
namespace hyperplane::test::simultaneous_grids {
namespace {

template <class Exec>
class SeveralOnGrids : public ::testing::Test {};
TYPED_TEST_SUITE(SeveralOnGrids, ExecutionSpaces, SpaceNames);

std::vector<Grid> grids() { return {Grid(1, 1, 1), Grid(1, 7, 1), Grid(17, 2, 9), Grid(9, 17, 5)}; }

template <int n, int count, class Storage, class Exec>
void check_products(const Exec& exec, const Grid& grid) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", " + std::to_string(count) + " vectors");
  auto const reference = random_stencil(grid, n);
  auto const a = to_device<double, n, Storage>(exec, reference);
  auto const values = random_vectors(count, grid.size() * n);
  auto const x = on_grid<n, count>(exec, grid, values);
  BlockVectors<double, n, count, Exec> const y(exec, grid), of_devices(exec, grid);
  auto const of_b = random_vectors(count, grid.size() * n, 50);
  auto const b = on_grid<n, count>(exec, grid, of_b);
  BlockVector<double, n, Exec> const single(exec, grid);
  auto const compare = [&]<bool subtract, bool transposed>(std::bool_constant<subtract>, std::bool_constant<transposed>,
                                                           const auto& of_single) {
    SCOPED_TRACE(std::string(subtract ? "residual" : "product") + (transposed ? ", transposed" : ""));
    [&]<std::size_t... v>(std::index_sequence<v...>) {
      detail::ApplySeveral<subtract, transposed, double, n, Storage, vector_length_v<double, Exec>, count> const kernel{
          a.ref(), {b[v].ref()...}, {x[v].ref()...}, {of_devices[v].ref()...}};
      detail::launch("apply", detail::LongIndexRange<Exec>(exec, 0, kernel.size()), 1.0, kernel);
    }(std::make_index_sequence<count>());
    for (int j = 0; j < count; ++j) {
      of_single(j);
      EXPECT_TRUE(same_values(exec, y[j], single, rounding<double>(20, n))) << j;
      auto const number = static_cast<std::size_t>(j);
      auto expected =
          transposed ? reference_transposed_product(reference, values[number]) : reference.apply(values[number]);
      for (std::size_t e = 0; e < expected.size() && subtract; ++e) expected[e] = of_b[number][e] - expected[e];
      EXPECT_TRUE(near(to_host(exec, y[j]), expected, rounding<Storage>(20, n))) << j;
      EXPECT_TRUE(near(to_host(exec, of_devices[j]), expected, rounding<Storage>(20, n))) << "of devices, " << j;
    }
  };
  auto const no = std::false_type();
  auto const yes = std::true_type();
  apply(exec, a, x, y);
  compare(no, no, [&](int j) { apply(exec, a, x[j], single); });
  residual(exec, a, b, x, y);
  compare(yes, no, [&](int j) { residual(exec, a, b[j], x[j], single); });
  apply_transposed(exec, a, x, y);
  compare(no, yes, [&](int j) { apply_transposed(exec, a, x[j], single); });
  residual_transposed(exec, a, b, x, y);
  compare(yes, yes, [&](int j) { residual_transposed(exec, a, b[j], x[j], single); });
  auto const in_place = on_grid<n, count>(exec, grid, of_b);
  residual_transposed(exec, a, in_place, x, in_place);
  for (int j = 0; j < count; ++j) EXPECT_TRUE(same_values(exec, in_place[j], y[j], 0.0)) << "in place, " << j;
}

TYPED_TEST(SeveralOnGrids, products_are_those_of_single_vectors) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    check_products<1, 8, double>(exec, grid);
    check_products<5, 3, double>(exec, grid);
    check_products<3, 2, float>(exec, grid);
  }
}

template <int n, int count, template <class...> class Precond, class Exec>
void check_preconditioner(const Exec& exec, const Grid& grid, const typename Precond<Exec>::Options& options) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n) + ", " + std::to_string(count) + " vectors");
  auto const a = to_device<double, n, double>(exec, random_stencil(grid, n));
  Precond<Exec> m(exec, grid, options);
  m.factor(exec, a);
  auto const x = on_grid<n, count>(exec, grid, random_vectors(count, grid.size() * n));
  BlockVectors<double, n, count, Exec> const y(exec, grid);
  BlockVector<double, n, Exec> const single(exec, grid);
  m.solve(exec, x, y);
  for (int j = 0; j < count; ++j) {
    m.solve(exec, x[j], single);
    EXPECT_TRUE(same_values(exec, y[j], single, rounding<double>(200, n))) << j;
  }
  m.solve(exec, x, x);
  for (int j = 0; j < count; ++j) EXPECT_TRUE(same_values(exec, x[j], y[j], 0.0)) << "in place, " << j;
  m.solve_transposed(exec, x, y);
  for (int j = 0; j < count; ++j) {
    m.solve_transposed(exec, x[j], single);
    EXPECT_TRUE(same_values(exec, y[j], single, rounding<double>(200, n))) << "transposed, " << j;
  }
  m.solve_transposed(exec, x, x);
  for (int j = 0; j < count; ++j) EXPECT_TRUE(same_values(exec, x[j], y[j], 0.0)) << "transposed, in place, " << j;
}

template <class Exec>
using Ilu1 = BlockIlu0<double, 1, Exec>;
template <class Exec>
using Ilu5 = BlockIlu0<double, 5, Exec>;
template <class Exec>
using Ssor3 = Ssor<double, 3, Exec>;
template <class Exec>
using Ilu5Half = BlockIlu0<double, 5, Exec, Half>;
template <class Exec>
using SipOf = Sip<double, Exec>;

TYPED_TEST(SeveralOnGrids, preconditioners_solve_as_for_single_vectors) {
  TypeParam const exec;
  for (auto const& grid : grids()) {
    check_preconditioner<1, 8, Ilu1>(exec, grid, {.right_hand_sides = 3});
    check_preconditioner<5, 2, Ilu5>(exec, grid, {});
    check_preconditioner<3, 5, Ssor3>(exec, grid, {});
    check_preconditioner<3, 5, Ssor3>(exec, grid, {.path = SweepPath::portable});
    check_preconditioner<1, 4, SipOf>(exec, grid, {});
    check_preconditioner<5, 3, Ilu5Half>(exec, grid, {});
    check_preconditioner<5, 3, Ilu5>(exec, grid, {.folded = {.i = true, .j = true, .k = true}});
  }
}

TYPED_TEST(SeveralOnGrids, transposed_solves_allocate_once) {
  auto const exec = OtherInstance<TypeParam>::make();
  constexpr int n = 2, count = 3;
  Grid const grid(9, 17, 5);
  auto const a = to_device<double, n, double>(exec, random_stencil(grid, n));
  for (auto const path : {SweepPath::automatic, SweepPath::portable}) {
    BlockIlu0<double, n, TypeParam> ilu(exec, grid, {.path = path});
    ilu.factor(exec, a);
    BlockVectors<double, n, count, TypeParam> const x(exec, grid), y(exec, grid);
    ilu.solve_transposed(exec, x, y);
    exec.fence();
    KokkosEvents const events;
    ilu.solve_transposed(exec, x, y);
    auto const copy = ilu;
    copy.solve_transposed(exec, x, y);
    apply_transposed(exec, a, x, y);
    residual_transposed(exec, a, y, x, y);
    residual(exec, a, y, x, y);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
template <int n, int count>
void compare_threads_on_grid(const Grid& grid) {
  SCOPED_TRACE(to_string(grid) + ", n = " + std::to_string(n));
  LeastTeam const always(always_teams);
  auto const reference = random_stencil(grid, n);
  auto const values = random_vectors(count, grid.size() * n);
  std::vector<std::vector<double>> alone;
  for (int const threads : {1, 2, 4}) {
    Kokkos::OpenMP const exec(threads);
    auto const a = to_device<double, n, double>(exec, reference);
    BlockIlu0<double, n, Kokkos::OpenMP> ilu(exec, grid);
    ilu.factor(exec, a);
    auto const x = on_grid<n, count>(exec, grid, values);
    BlockVectors<double, n, count, Kokkos::OpenMP> const solved(exec, grid), product(exec, grid), left(exec, grid);
    ilu.solve_transposed(exec, x, solved);
    apply_transposed(exec, a, x, product);
    residual(exec, a, solved, x, left);
    std::vector<std::vector<double>> found;
    for (int j = 0; j < count; ++j) {
      for (auto const* const all : {&solved, &product, &left}) found.push_back(to_host(exec, (*all)[j]));
    }
    if (threads == 1) alone = found;
    for (std::size_t f = 0; f < found.size(); ++f)
      EXPECT_TRUE(bitwise_equal(found[f], alone[f])) << threads << ", " << f;
  }
}

// Slabs are cut into strips where threads are more than slabs and lines are long.
TEST(SeveralOnGridsThreads, do_not_change_bits) {
  compare_threads_on_grid<1, 8>(Grid(70, 8, 9));
  compare_threads_on_grid<3, 2>(Grid(70, 5, 9));
  compare_threads_on_grid<2, 5>(Grid(9, 33, 7));
}
#endif

}  // namespace
}  // namespace hyperplane::test::simultaneous_grids
