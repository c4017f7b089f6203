// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilu_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"

// ILUT(tau, p) of block CSR matrices: bits, what is refused, and what a status says.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockIlutCsrContract : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlutCsrContract, ExecutionSpaces, SpaceNames);

template <class Exec, int n>
void compare_ilut_bits_of_paths() {
  Exec const exec;
  auto const stencil = random_stencil(Grid(9, 8, 7), n);
  auto const a = to_device<double, n, double>(exec, to_csr(stencil));
  auto const b = random_vector(stencil.rows());
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    std::vector<double> first;
    for (auto const path : csr_paths_of<Exec>()) {
      BlockIlutCsr<double, n, Exec> ilu(exec, a, {.drop_tolerance = 1e-3, .path = path, .order = order});
      for (int repeat = 0; repeat < 3; ++repeat) {
        auto const x = solve_csr_with<double>(exec, ilu, a, b);
        if (first.empty()) first = x;
        EXPECT_TRUE(bitwise_equal(x, first)) << static_cast<int>(path) << ", n = " << n;
      }
    }
  }
}

TYPED_TEST(BlockIlutCsrContract, has_the_same_bits_on_all_paths) {
  compare_ilut_bits_of_paths<TypeParam, 1>();
  compare_ilut_bits_of_paths<TypeParam, 3>();
}

#ifdef KOKKOS_ENABLE_OPENMP
template <int n>
void compare_ilut_bits_of_threads() {
  auto const csr = to_csr(random_stencil(Grid(12, 11, 10), n));
  auto const a = to_device<double, n, double>(Kokkos::OpenMP(), csr);
  auto const b = random_vector(12 * 11 * 10 * n);
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    std::vector<double> alone, alone_transposed;
    std::int64_t blocks = 0;
    for (int const threads : {1, 2, 3, 4}) {
      Kokkos::OpenMP const exec(threads);
      BlockIlutCsr<double, n, Kokkos::OpenMP> ilu(
          exec, a, {.drop_tolerance = 1e-3, .row_entries = 12, .order = order, .transposed = true});
      auto const x = solve_csr_with<double>(exec, ilu, a, b);
      auto const y = to_view<double>(exec, b);
      ilu.solve_transposed(exec, y, y);
      if (threads == 1) {
        alone = x;
        alone_transposed = to_host(y);
        blocks = ilu.blocks();
      }
      EXPECT_TRUE(bitwise_equal(x, alone)) << threads << " threads, order " << static_cast<int>(order) << ", n = " << n;
      EXPECT_TRUE(bitwise_equal(to_host(y), alone_transposed)) << threads << " threads, n = " << n;
      EXPECT_EQ(ilu.blocks(), blocks);
    }
  }
}

TEST(BlockIlutCsrThreads, do_not_change_bits) {
  compare_ilut_bits_of_threads<1>();
  compare_ilut_bits_of_threads<3>();
}

// The first row that fails is named, whoever comes to it first, and what is left of the factors is the same.
TEST(BlockIlutCsrThreads, find_the_same_failure) {
  auto csr = random_csr(2000, 1);
  for (int const row : {700, 705, 710, 1999}) {
    for (auto e = csr.offsets[row]; e < csr.offsets[row + 1]; ++e) csr.blocks[static_cast<std::size_t>(e)](0, 0) = 0.0;
  }
  auto const a = to_device<double, 1, double>(Kokkos::OpenMP(), csr);
  std::int64_t blocks = 0, products = 0;
  for (int const threads : {1, 2, 3, 4}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      Kokkos::OpenMP const exec(threads);
      BlockIlutCsr<double, 1, Kokkos::OpenMP> ilu(exec, a);
      ilu.factor(exec, a);
      EXPECT_EQ(ilu.status(exec).row, 700);
      EXPECT_EQ(ilu.status(exec).failure, FactorFailure::zero_row);
      if (threads == 1) {
        blocks = ilu.blocks();
        products = ilu.products();
      }
      EXPECT_EQ(ilu.blocks(), blocks);
      EXPECT_EQ(ilu.products(), products);
    }
  }
}
#endif

TYPED_TEST(BlockIlutCsrContract, solves_allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  auto const x = to_view<double>(exec, random_vector(80));
  for (auto const path : csr_paths_of<TypeParam>()) {
    BlockIlutCsr<double, 2, TypeParam> ilu(exec, a, {.path = path, .transposed = true});
    ilu.factor(exec, a);
    exec.fence();
    KokkosEvents const events;
    ilu.solve(exec, x, x);
    ilu.solve_transposed(exec, x, x);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
    EXPECT_THAT(events.copies(), ::testing::IsEmpty());
    if (path != CsrPath::portable) {
      EXPECT_EQ(events.kernels().size(), 4u);
    }
    for (auto const& kernel : events.kernels()) {
      EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::BlockIlutCsr::"));
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
  }
}

TYPED_TEST(BlockIlutCsrContract, refuses_options_that_make_no_sense) {
  TypeParam const exec;
  auto const a = to_device<double, 1, double>(exec, random_csr(3, 1));
  using Options = BlockIlutCsrOptions;
  auto const message = [&](const Options& options) {
    return message_of([&] { BlockIlutCsr<double, 1, TypeParam> const refused(exec, a, options); });
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message({.drop_tolerance = -0.25}),
              HasSubstr("BlockIlutCsr: drop_tolerance is -0.25, expected a finite number, 0 or more"));
  EXPECT_THAT(message({.drop_tolerance = std::nan("")}), HasSubstr("drop_tolerance is nan, expected"));
  EXPECT_THAT(message({.drop_tolerance = std::numeric_limits<double>::infinity()}),
              HasSubstr("drop_tolerance is inf, expected"));
  EXPECT_THAT(message({.row_entries = -2}), HasSubstr("BlockIlutCsr: row_entries is -2, expected 0 or more"));
  EXPECT_THAT(message({.order = RowOrder::given, .given_order = {0, 1}}),
              HasSubstr("given_order has 2 rows, expected 3"));
  EXPECT_THAT(message({.given_order = {0, 1, 2}}),
              HasSubstr("given_order has 3 rows, but the order is not RowOrder::given"));
  EXPECT_EQ(message({.drop_tolerance = 0.0, .row_entries = 0}), "nothing thrown");
  if constexpr (!HostExecutionSpace<TypeParam>) {
    EXPECT_THAT(message({.path = CsrPath::team}), HasSubstr("for hosts"));
  }
  if constexpr (!CudaExecutionSpace<TypeParam>) {
    EXPECT_THAT(message({.path = CsrPath::tickets}), HasSubstr("for CUDA"));
  }
  BlockIlutCsr<double, 1, TypeParam> const plan(exec, a, {.drop_tolerance = 0.5, .row_entries = 7});
  EXPECT_EQ(plan.drop_tolerance(), 0.5);
  EXPECT_EQ(plan.row_entries(), 7);
  EXPECT_EQ(plan.rows(), 3);
}

TYPED_TEST(BlockIlutCsrContract, refuses_structures_that_it_cannot_factor) {
  TypeParam const exec;
  using Csr = BlockCsr<double, 2, TypeParam>;
  auto const message = [&](const Csr& a) {
    return message_of([&] { BlockIlutCsr<double, 2, TypeParam> const refused(exec, a); });
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message(Csr(exec, {0, 2, 3}, {0, 1, 0})), HasSubstr("row 1 has no diagonal block, column 1"));
  EXPECT_THAT(message(Csr(exec, {0, 1, 4}, {0, 0, 1, 0})), HasSubstr("BlockIlutCsr: row 1 has column 0 twice"));
}

TYPED_TEST(BlockIlutCsrContract, refuses_another_structure_and_other_misuse) {
  TypeParam const exec;
  using ::testing::HasSubstr;
  auto const reference = random_csr(20, 2);
  auto const a = to_device<double, 2, double>(exec, reference);
  BlockIlutCsr<double, 2, TypeParam> ilu(exec, a);
  auto const x = to_view<double>(exec, random_vector(40)), wrong = to_view<double>(exec, random_vector(41));
  EXPECT_EQ(ilu.blocks(), 0);
  EXPECT_EQ(ilu.forward_levels(), 0);
  EXPECT_EQ(ilu.backward_levels(), 0);
  for (auto const& early :
       {message_of([&] { ilu.solve(exec, x, x); }), message_of([&] { ilu.forward(exec, x, x); }),
        message_of([&] { ilu.backward(exec, x, x); }), message_of([&] { ilu.solve_transposed(exec, x, x); })}) {
    EXPECT_THAT(early, HasSubstr(": called before factor"));
  }
  auto const message = [&](const ReferenceCsr& other) {
    return message_of([&] { ilu.factor(exec, to_device<double, 2, double>(exec, other)); });
  };
  EXPECT_THAT(message(random_csr(19, 2)), HasSubstr("BlockIlutCsr::factor: A has 19 rows"));
  EXPECT_THAT(message(shuffled(reference)), HasSubstr("has other columns"));
  auto longer = reference;
  ++longer.offsets[7];
  EXPECT_THAT(message(longer), HasSubstr("BlockIlutCsr::factor: row 6 of A has other columns"));
  // The same structure in other arrays is the same structure.
  EXPECT_EQ(message(reference), "nothing thrown");
  EXPECT_THROW(ilu.solve(exec, wrong, x), Error);
  EXPECT_THROW(ilu.solve(exec, x, wrong), Error);
  EXPECT_THAT(message_of([&] { ilu.solve_transposed(exec, x, x); }),
              HasSubstr("the plan was made without the option transposed"));
}

TYPED_TEST(BlockIlutCsrContract, takes_offsets_of_32_bits) {
  compare_offsets<BlockIlutCsr<double, 3, TypeParam>, BlockIlutCsr<double, 3, TypeParam, double, int>>(
      TypeParam(), {.order = RowOrder::rcm});
}

TYPED_TEST(BlockIlutCsrContract, names_the_row_that_fails_and_why) {
  TypeParam const exec;
  auto const regular = random_csr(20, 2);
  auto const diagonal_of = [&](int row) { return block_at(regular, row, row); };
  BlockIlutCsr<double, 2, TypeParam, float> ilu(exec, to_device<double, 2, float>(exec, regular));
  auto const status_of = [&](const ReferenceCsr& reference) {
    ilu.factor(exec, to_device<double, 2, double>(exec, reference));
    return ilu.status(exec);
  };
  auto status = status_of(with_zero_equation(regular, 5));
  EXPECT_EQ(status.row, 5);
  EXPECT_EQ(status.failure, FactorFailure::zero_row);
  EXPECT_EQ(status.equation, 1);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("singular pivot at row 5, equation 1"));
  // The factors are of no use, and nobody takes them for others.
  auto const x = to_view<double>(exec, random_vector(40));
  ilu.solve(exec, x, x);
  EXPECT_TRUE(std::isnan(to_host(x)[39]));

  auto infinite = regular;
  infinite.blocks[diagonal_of(7) - 1](0, 1) = std::numeric_limits<double>::infinity();
  infinite.blocks[diagonal_of(9)](0, 1) = std::nan("");
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

TYPED_TEST(BlockIlutCsrContract, names_the_row_that_is_taken_first_of_those_that_fail) {
  expect_first_taken<BlockIlutCsr<double, 2, TypeParam>>(TypeParam(), {});
}

}  // namespace
}  // namespace hyperplane::test
