// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilu_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/csr_relaxation.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"

// DILU of block CSR matrices: bits, launches, what is refused, and what a status says.
namespace hyperplane::test {
namespace {

template <class Exec>
class DiluCsrContract : public ::testing::Test {};
TYPED_TEST_SUITE(DiluCsrContract, ExecutionSpaces, SpaceNames);

/// x = M^-1 b, and behind it M^-T b.
template <int n, class Exec>
std::vector<double> dilu_solves(const Exec& exec, const ReferenceCsr& reference, const std::vector<double>& b,
                                DiluCsrOptions options) {
  auto const a = to_device<double, n, double>(exec, reference);
  options.transposed = true;
  DiluCsr<double, n, Exec> dilu(exec, a, options);
  auto result = solve_csr_with<double>(exec, dilu, a, b);
  auto const y = to_view<double>(exec, b);
  dilu.solve_transposed(exec, y, y);
  auto const transposed = to_host(y);
  result.insert(result.end(), transposed.begin(), transposed.end());
  return result;
}

TYPED_TEST(DiluCsrContract, has_the_same_bits_on_all_paths) {
  TypeParam const exec;
  auto const stencil = random_stencil(Grid(9, 8, 7), 5);
  auto const csr = to_csr(stencil);
  auto const b = random_vector(stencil.rows());
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    auto const expected = dilu_solves<5>(exec, csr, b, {.path = CsrPath::portable, .order = order});
    for (auto const path : csr_paths_of<TypeParam>()) {
      DiluCsrOptions const options{.path = path, .order = order};
      EXPECT_TRUE(bitwise_equal(dilu_solves<5>(exec, csr, b, options), expected));
      LeastTeam const never(never_teams);
      EXPECT_TRUE(bitwise_equal(dilu_solves<5>(exec, csr, b, options), expected));
    }
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(DiluCsrThreads, do_not_change_bits) {
  auto const stencil = random_stencil(Grid(12, 11, 10), 3);
  auto const csr = to_csr(stencil);
  auto const b = random_vector(stencil.rows());
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    for (bool const lu_sgs : {false, true}) {
      DiluCsrOptions options{.lu_sgs = lu_sgs, .order = order};
      auto const expected = dilu_solves<3>(Kokkos::OpenMP(1), csr, b, options);
      for (int const threads : {2, 3, 4}) {
        for (auto const path : csr_paths_of<Kokkos::OpenMP>()) {
          options.path = path;
          EXPECT_TRUE(bitwise_equal(dilu_solves<3>(Kokkos::OpenMP(threads), csr, b, options), expected))
              << threads << " threads, order " << name(order);
        }
      }
    }
  }
}

// The plan is made for one thread and used by several, and the other way round.
TEST(DiluCsrThreads, may_be_others_than_those_of_the_constructor) {
  using Exec = Kokkos::OpenMP;
  auto const csr = to_csr(random_stencil(Grid(8, 8, 8), 3));
  auto const b = random_vector(512 * 3);
  auto const a = to_device<double, 3, double>(Exec(), csr);
  DiluCsr<double, 3, Exec> first(Exec(1), a);
  auto const expected = solve_csr_with<double>(Exec(1), first, a, b);
  for (auto const [made, used] : {std::pair{1, 4}, std::pair{4, 1}, std::pair{2, 3}}) {
    DiluCsr<double, 3, Exec> dilu(Exec(made), a);
    EXPECT_TRUE(bitwise_equal(solve_csr_with<double>(Exec(used), dilu, a, b), expected)) << made << " and " << used;
  }
}
#endif

TYPED_TEST(DiluCsrContract, allocates_nothing_and_fences_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  auto const x = to_view<double>(exec, random_vector(80));
  for (auto const path : csr_paths_of<TypeParam>()) {
    for (bool const lu_sgs : {false, true}) {
      DiluCsr<double, 2, TypeParam> dilu(exec, a, {.lu_sgs = lu_sgs, .path = path, .transposed = true});
      exec.fence();
      KokkosEvents const events;
      dilu.factor(exec, a);
      dilu.solve(exec, x, x);
      bool const by_levels = path == CsrPath::portable;
      auto const factor = by_levels && !lu_sgs ? dilu.forward_levels() : 1;
      auto const sweeps = by_levels ? dilu.forward_levels() + dilu.backward_levels() : 2;
      EXPECT_EQ(events.kernels().size(), static_cast<std::size_t>(factor + sweeps) + 2u);
      dilu.solve_transposed(exec, x, x);
      EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
      EXPECT_THAT(events.fences(), ::testing::IsEmpty());
      EXPECT_THAT(events.copies(), ::testing::IsEmpty());
      for (auto const& kernel : events.kernels()) {
        EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
        EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
      }
    }
  }
}

TYPED_TEST(DiluCsrContract, chooses_a_path_that_there_is) {
  TypeParam const exec;
  auto const a = to_device<double, 1, double>(exec, random_csr(3, 1));
  DiluCsr<double, 1, TypeParam> const dilu(exec, a);
  EXPECT_EQ(dilu.path(), csr_paths_of<TypeParam>().back());
  auto const message = [&](CsrPath path) {
    return message_of([&] { DiluCsr<double, 1, TypeParam> const refused(exec, a, {.path = path}); });
  };
  if constexpr (!CudaExecutionSpace<TypeParam>) {
    EXPECT_THAT(message(CsrPath::tickets), ::testing::HasSubstr("DiluCsr: CsrPath::tickets is for CUDA"));
  }
  if constexpr (!HostExecutionSpace<TypeParam>) {
    EXPECT_THAT(message(CsrPath::team), ::testing::HasSubstr("for hosts"));
  }
}

TYPED_TEST(DiluCsrContract, refuses_structures_and_orders_that_make_no_sense) {
  TypeParam const exec;
  using Csr = BlockCsr<double, 2, TypeParam>;
  using ::testing::HasSubstr;
  auto const message = [&](const Csr& a, const DiluCsrOptions& options = {}) {
    return message_of([&] { DiluCsr<double, 2, TypeParam> const refused(exec, a, options); });
  };
  EXPECT_THAT(message(Csr(exec, {0, 2, 3}, {0, 1, 0})), HasSubstr("DiluCsr: row 1 has no diagonal block, column 1"));
  EXPECT_THAT(message(Csr(exec, {0, 1, 4}, {0, 0, 1, 0})), HasSubstr("row 1 has column 0 twice"));
  Csr const right(exec, {0, 1, 2}, {0, 1});
  auto const given = [](const std::vector<int>& rows) {
    return DiluCsrOptions{.order = RowOrder::given, .given_order = rows};
  };
  EXPECT_THAT(message(right, given({0})), HasSubstr("DiluCsr: given_order has 1 rows, expected 2"));
  EXPECT_THAT(message(right, given({1, 1})), HasSubstr("given_order[1] is 1, which comes twice"));
  EXPECT_EQ(message(right, given({1, 0})), "nothing thrown");
}

TYPED_TEST(DiluCsrContract, refuses_another_structure_and_other_misuse) {
  TypeParam const exec;
  using Csr = BlockCsr<double, 2, TypeParam>;
  using ::testing::HasSubstr;
  auto const reference = random_csr(20, 2);
  auto const a = to_device<double, 2, double>(exec, reference);
  DiluCsr<double, 2, TypeParam> dilu(exec, a), with(exec, a, {.transposed = true});
  auto const x = to_view<double>(exec, random_vector(40)), wrong = to_view<double>(exec, random_vector(41));
  EXPECT_THAT(message_of([&] { dilu.solve(exec, x, x); }), HasSubstr("DiluCsr::solve: called before factor"));
  EXPECT_THROW(dilu.forward(exec, x, x), Error);
  EXPECT_THROW(dilu.backward(exec, x, x), Error);
  auto const message = [&](const Csr& other) { return message_of([&] { dilu.factor(exec, other); }); };
  EXPECT_THAT(message(to_device<double, 2, double>(exec, random_csr(19, 2))), HasSubstr("A has 19 rows"));
  EXPECT_THAT(message(to_device<double, 2, double>(exec, shuffled(reference))), HasSubstr("has other columns"));
  EXPECT_THROW(dilu.solve(exec, x, x), Error);
  // The same structure in other arrays is the same structure.
  EXPECT_EQ(message(to_device<double, 2, double>(exec, reference)), "nothing thrown");
  EXPECT_EQ(message(a), "nothing thrown");
  EXPECT_THROW(dilu.solve(exec, wrong, x), Error);
  EXPECT_THROW(dilu.solve(exec, x, wrong), Error);
  EXPECT_THAT(message_of([&] { dilu.solve_transposed(exec, x, x); }), HasSubstr("made without the option transposed"));
  EXPECT_THAT(message_of([&] { with.solve_transposed(exec, x, x); }), HasSubstr("called before factor"));
}

TYPED_TEST(DiluCsrContract, names_the_row_that_fails_and_why) {
  TypeParam const exec;
  auto const regular = banded_csr(20, 2, 2);
  DiluCsr<double, 2, TypeParam> dilu(exec, to_device<double, 2, double>(exec, regular));
  auto const status_of = [&](const ReferenceCsr& reference) {
    dilu.factor(exec, to_device<double, 2, double>(exec, reference));
    return dilu.status(exec);
  };
  auto status = status_of(with_zero_equation(regular, 5));
  EXPECT_EQ(status.row, 5);
  EXPECT_EQ(status.failure, FactorFailure::zero_row);
  EXPECT_EQ(status.equation, 1);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("singular pivot at row 5, equation 1"));

  // Before the diagonal, on it, and behind it, where the row that comes later reads it.
  for (auto const [row, column] : {std::pair{7, 6}, std::pair{7, 7}, std::pair{7, 9}}) {
    auto infinite = regular;
    infinite.blocks[block_at(regular, row, column)](0, 1) = std::numeric_limits<double>::infinity();
    status = status_of(infinite);
    EXPECT_EQ(status.failure, FactorFailure::not_finite);
    EXPECT_EQ(status.row, row);
    EXPECT_EQ(status.column, column);
  }
  EXPECT_THAT(status.message(), ::testing::HasSubstr("not finite at row 7: block of column 9"));

  auto large = regular;
  for (auto& entry : large.blocks[block_at(regular, 3, 3)].entries) entry *= 1e-320;
  for (auto e = large.offsets[3]; e < large.offsets[4]; ++e) {
    if (large.columns[e] < 3) large.blocks[static_cast<std::size_t>(e)] = DenseMatrix(2);
  }
  status = status_of(large);
  EXPECT_EQ(status.failure, FactorFailure::overflow);
  EXPECT_EQ(status.row, 3);

  EXPECT_TRUE(status_of(regular).ok());
  EXPECT_EQ(dilu.status(exec).message(), "factorization is regular");
}

TYPED_TEST(DiluCsrContract, names_the_row_that_is_taken_first_of_those_that_fail) {
  for (auto const path : csr_paths_of<TypeParam>()) {
    for (bool const lu_sgs : {false, true}) {
      expect_first_taken<DiluCsr<double, 2, TypeParam>>(TypeParam(), {.lu_sgs = lu_sgs, .path = path});
    }
  }
}

TYPED_TEST(DiluCsrContract, takes_offsets_of_32_bits) {
  compare_offsets<DiluCsr<double, 3, TypeParam>, DiluCsr<double, 3, TypeParam, double, int>>(TypeParam(), {});
}

}  // namespace
}  // namespace hyperplane::test
