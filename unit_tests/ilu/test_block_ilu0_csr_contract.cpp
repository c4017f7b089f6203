// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilu_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"

// BILU(0) of block CSR matrices: bits, launches, what is refused, and what a status says.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockIlu0CsrContract : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0CsrContract, ExecutionSpaces, SpaceNames);

template <class Exec, int n>
void compare_bits_of_paths() {
  Exec const exec;
  auto const stencil = random_stencil(Grid(9, 8, 7), n);
  auto const csr = to_csr(stencil);
  auto const b = random_vector(stencil.rows());
  auto const expected = solve_csr<double, n, double>(exec, csr, b, CsrPath::portable);
  for (auto const path : csr_paths_of<Exec>()) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      EXPECT_TRUE(bitwise_equal(solve_csr<double, n, double>(exec, csr, b, path), expected)) << n;
    }
    LeastTeam const never(never_teams);
    EXPECT_TRUE(bitwise_equal(solve_csr<double, n, double>(exec, csr, b, path), expected)) << n;
  }
}

TYPED_TEST(BlockIlu0CsrContract, has_the_same_bits_on_all_paths) {
  compare_bits_of_paths<TypeParam, 1>();
  compare_bits_of_paths<TypeParam, 5>();
}

#ifdef KOKKOS_ENABLE_OPENMP
template <int n>
void compare_bits_of_threads() {
  auto const stencil = random_stencil(Grid(12, 11, 10), n);
  auto const csr = to_csr(stencil);
  auto const b = random_vector(stencil.rows());
  auto const expected = solve_csr<double, n, double>(Kokkos::OpenMP(1), csr, b);
  for (int const threads : {2, 3, 4}) {
    for (auto const path : csr_paths_of<Kokkos::OpenMP>()) {
      EXPECT_TRUE(bitwise_equal(solve_csr<double, n, double>(Kokkos::OpenMP(threads), csr, b, path), expected))
          << threads << " threads, n = " << n;
    }
  }
}

TEST(BlockIlu0CsrThreads, do_not_change_bits) {
  compare_bits_of_threads<1>();
  compare_bits_of_threads<3>();
}

// The plan is made for one thread and used by several, and the other way round.
TEST(BlockIlu0CsrThreads, may_be_others_than_those_of_the_constructor) {
  using Exec = Kokkos::OpenMP;
  auto const csr = to_csr(random_stencil(Grid(8, 8, 8), 3));
  auto const b = random_vector(512 * 3);
  auto const expected = solve_csr<double, 3, double>(Exec(1), csr, b);
  for (auto const [made, used] : {std::pair{1, 4}, std::pair{4, 1}, std::pair{2, 3}}) {
    auto const a = to_device<double, 3, double>(Exec(), csr);
    BlockIlu0Csr<double, 3, Exec> ilu(Exec(made), a);
    Exec const exec(used);
    ilu.factor(exec, a);
    auto const x = to_view<double>(exec, b);
    for (int repeat = 0; repeat < 3; ++repeat) {
      Kokkos::deep_copy(exec, x, to_view<double>(exec, b));
      ilu.solve(exec, x, x);
      EXPECT_TRUE(bitwise_equal(to_host(x), expected)) << made << " and " << used;
    }
  }
}
#endif

TYPED_TEST(BlockIlu0CsrContract, allocates_nothing_and_fences_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  auto const x = to_view<double>(exec, random_vector(80));
  for (auto const path : csr_paths_of<TypeParam>()) {
    BlockIlu0Csr<double, 2, TypeParam> ilu(exec, a, {.path = path});
    exec.fence();
    KokkosEvents const events;
    ilu.factor(exec, a);
    ilu.solve(exec, x, x);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
    EXPECT_THAT(events.copies(), ::testing::IsEmpty());
    auto const sweeps = path == CsrPath::portable ? 2 * ilu.forward_levels() + ilu.backward_levels() : 3;
    EXPECT_EQ(events.kernels().size(), static_cast<std::size_t>(sweeps) + 2u);
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  }
}

TYPED_TEST(BlockIlu0CsrContract, refuses_structures_that_it_cannot_factor) {
  TypeParam const exec;
  using Csr = BlockCsr<double, 2, TypeParam>;
  using Ilu = BlockIlu0Csr<double, 2, TypeParam>;
  using ::testing::HasSubstr;
  auto const message = [&](const Csr& a) { return message_of([&] { Ilu const refused(exec, a); }); };
  EXPECT_THAT(message(Csr(exec, {0, 2, 3}, {0, 1, 0})), HasSubstr("row 1 has no diagonal block, column 1"));
  EXPECT_THAT(message(Csr(exec, {0, 0, 1}, {1})), HasSubstr("row 0 has no diagonal block, column 0"));
  EXPECT_THAT(message(Csr(exec, {0, 1, 4}, {0, 0, 1, 0})), HasSubstr("row 1 has column 0 twice"));
  EXPECT_THAT(message(Csr(exec, {0, 1, 3}, {0, 1, 1})), HasSubstr("row 1 has column 1 twice"));
  // What a caller shares has not been looked at.
  Csr const right(exec, {0, 1, 2}, {0, 1});
  typename Csr::Columns const out_of_range = to_view<int>(exec, {0, 7});
  auto const with_offsets = [&](const std::vector<double>& offsets) {
    return message(Csr(typename Csr::Offsets(to_view<std::int64_t>(exec, offsets)), right.columns(), right.values()));
  };
  EXPECT_THAT(message(Csr(right.offsets(), out_of_range, right.values())), HasSubstr("row 1 has column 7"));
  EXPECT_THAT(with_offsets({0, 3, 2}), HasSubstr("row 0 has blocks 0 to 3 of 2"));
  EXPECT_THAT(with_offsets({1, 1, 2}), HasSubstr("offsets[0] is 1"));
  EXPECT_THAT(with_offsets({0, 1, 1}), HasSubstr("the last offset is 1"));
  if constexpr (!HostExecutionSpace<TypeParam>) {
    EXPECT_THAT(message_of([&] { Ilu const refused(exec, right, {.path = CsrPath::team}); }), HasSubstr("for hosts"));
  }
  if constexpr (!CudaExecutionSpace<TypeParam>) {
    EXPECT_THAT(message_of([&] { Ilu const refused(exec, right, {.path = CsrPath::tickets}); }), HasSubstr("for CUDA"));
  }
}

TYPED_TEST(BlockIlu0CsrContract, refuses_another_structure_and_other_misuse) {
  TypeParam const exec;
  using Csr = BlockCsr<double, 2, TypeParam>;
  using ::testing::HasSubstr;
  auto const reference = random_csr(20, 2);
  auto const a = to_device<double, 2, double>(exec, reference);
  BlockIlu0Csr<double, 2, TypeParam> ilu(exec, a);
  auto const x = to_view<double>(exec, random_vector(40)), wrong = to_view<double>(exec, random_vector(41));
  EXPECT_THROW(ilu.solve(exec, x, x), Error);
  EXPECT_THROW(ilu.forward(exec, x, x), Error);
  EXPECT_THROW(ilu.backward(exec, x, x), Error);
  auto const message = [&](const Csr& other) { return message_of([&] { ilu.factor(exec, other); }); };
  EXPECT_THAT(message(to_device<double, 2, double>(exec, random_csr(19, 2))), HasSubstr("19 rows"));
  EXPECT_THAT(message(to_device<double, 2, double>(exec, shuffled(reference))), HasSubstr("has other columns"));
  // The block of row 7 that comes first is moved to another column, or to the row before.
  auto moved = reference.columns;
  auto const at = static_cast<std::size_t>(reference.offsets[7]);
  while (std::find(reference.columns.begin() + reference.offsets[7], reference.columns.begin() + reference.offsets[8],
                   moved[at]) < reference.columns.begin() + reference.offsets[8]) {
    moved[at] = (moved[at] + 1) % 20;
  }
  EXPECT_THAT(message(Csr(exec, reference.offsets, moved)), HasSubstr("row 7 of A has other columns"));
  auto longer = reference.offsets;
  ++longer[7];
  EXPECT_THAT(message(Csr(exec, longer, reference.columns)), HasSubstr("row 6 of A has other columns"));
  // The same structure in other arrays is the same structure.
  EXPECT_EQ(message(to_device<double, 2, double>(exec, reference)), "nothing thrown");
  EXPECT_EQ(message(a), "nothing thrown");
  EXPECT_THROW(ilu.solve(exec, wrong, x), Error);
  EXPECT_THROW(ilu.solve(exec, x, wrong), Error);
}

TYPED_TEST(BlockIlu0CsrContract, names_the_row_that_fails_and_why) {
  TypeParam const exec;
  auto const regular = random_csr(20, 2);
  auto const diagonal_of = [&](int row) { return block_at(regular, row, row); };
  BlockIlu0Csr<double, 2, TypeParam, float> ilu(exec, to_device<double, 2, float>(exec, regular));
  auto const status_of = [&](const ReferenceCsr& reference) {
    ilu.factor(exec, to_device<double, 2, double>(exec, reference));
    return ilu.status(exec);
  };
  auto status = status_of(with_zero_equation(regular, 5));
  EXPECT_EQ(status.row, 5);
  EXPECT_EQ(status.failure, FactorFailure::zero_row);
  EXPECT_EQ(status.equation, 1);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("singular pivot at row 5, equation 1"));

  auto infinite = regular;
  infinite.blocks[diagonal_of(7) - 1](0, 1) = std::numeric_limits<double>::infinity();
  status = status_of(infinite);
  EXPECT_EQ(status.failure, FactorFailure::not_finite);
  EXPECT_EQ(status.row, 7);
  EXPECT_EQ(status.column, regular.columns[diagonal_of(7) - 1]);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("not finite at row 7: block of column "));

  auto large = regular;
  large.blocks[diagonal_of(3)](0, 0) = 1e-45;
  large.blocks[diagonal_of(3)](1, 1) = 1e-45;
  large.blocks[diagonal_of(3) + 1](0, 0) = 1e200;
  status = status_of(large);
  EXPECT_EQ(status.failure, FactorFailure::overflow);
  EXPECT_EQ(status.row, 3);

  EXPECT_TRUE(status_of(regular).ok());
  EXPECT_EQ(ilu.status(exec).message(), "factorization is regular");
}

}  // namespace
}  // namespace hyperplane::test
