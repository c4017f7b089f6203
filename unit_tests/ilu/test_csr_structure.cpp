// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/krylov/transposed.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/csr_changes.hpp"
#include "support/csr_ilu_plan.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/writable_csr.hpp"

// Offsets and columns that are written to after a plan was made of them.
namespace hyperplane::test {
namespace {

template <class Exec>
class CsrStructureTest : public ::testing::Test {};
TYPED_TEST_SUITE(CsrStructureTest, ExecutionSpaces, SpaceNames);

constexpr int mesh_rows = 41;
constexpr int first_row = 17;

/// What a plan says of a structure that has changed, by its status or, where factor() waits, by an Error; and that it
/// is as before when the structure is.
template <class Plan, class Offset = std::int64_t>
void compare(const std::string& name, const typename Plan::Options& options = {}) {
  using Exec = typename Plan::execution_space;
  constexpr int n = Plan::block_size;
  Exec const exec;
  auto const reference = random_csr(mesh_rows, n);
  WritableCsr<n, Exec, Offset> const a(exec, reference);
  Plan plan(exec, a.matrix, options);
  auto const b = random_vector(mesh_rows * n);
  auto const expected = solve_csr_with<double>(exec, plan, a.matrix, b);
  for (auto const& [what, row, to] : changes_of(reference, first_row)) {
    a.write(exec, to);
    std::string message;
    auto const thrown = message_of([&] {
      plan.factor(exec, a.matrix);
      auto const status = plan.status(exec);
      EXPECT_EQ(status.failure, FactorFailure::other_structure) << name << ", " << what;
      EXPECT_EQ(status.row, row) << name << ", " << what;
      message = status.message();
    });
    auto const number = std::to_string(row);
    EXPECT_THAT(thrown == "nothing thrown" ? message : thrown,
                ::testing::AnyOf(::testing::StartsWith(name + "::factor: row " + number + " of A has other columns"),
                                 "other structure at row " + number +
                                     ": the matrix has other columns there, or in "
                                     "another order, than the plan was made of"))
        << what;
    a.write(exec, reference);
    EXPECT_TRUE(bitwise_equal(solve_csr_with<double>(exec, plan, a.matrix, b), expected)) << name << ", " << what;
  }
}

template <class Plan>
void compare_paths(const std::string& name, typename Plan::Options options = {}) {
  for (auto const path : csr_paths_of<typename Plan::execution_space>()) {
    options.path = path;
    compare<Plan>(name, options);
  }
}

template <class Exec, int n>
void compare_plans() {
  compare_paths<BlockIlu0Csr<double, n, Exec>>("BlockIlu0Csr");
  compare_paths<BlockIlukCsr<double, n, Exec>>("BlockIlukCsr", {.fill = 1});
  compare_paths<BlockIlutCsr<double, n, Exec>>("BlockIlutCsr");
  compare_paths<DiluCsr<double, n, Exec>>("DiluCsr");
  compare_paths<DiluCsr<double, n, Exec>>("DiluCsr", {.lu_sgs = true});
  compare_paths<SsorCsr<double, n, Exec>>("SsorCsr", {.relaxation = 1.2});
}

TYPED_TEST(CsrStructureTest, that_changes_under_a_plan_is_noticed) {
  compare_plans<TypeParam, 1>();
  compare_plans<TypeParam, 3>();
}

TYPED_TEST(CsrStructureTest, is_compared_whatever_the_order_and_the_types) {
  compare_paths<BlockIlu0Csr<double, 2, TypeParam>>("BlockIlu0Csr", {.order = RowOrder::rcm});
  compare_paths<BlockIlu0Csr<double, 2, TypeParam>>("BlockIlu0Csr", {.pivot_shift = 0.5});
  compare_paths<BlockIlu0Csr<double, 2, TypeParam, Half>>("BlockIlu0Csr");
  compare_paths<DiluCsr<double, 2, TypeParam, BFloat16>>("DiluCsr");
  compare<BlockIlu0Csr<double, 2, TypeParam, double, int>, int>("BlockIlu0Csr");
  compare<SsorCsr<double, 2, TypeParam, double, int>, int>("SsorCsr");
}

// It reads diagonal blocks alone, and cares for nothing else.
TYPED_TEST(CsrStructureTest, of_block_jacobi_is_that_of_the_diagonal) {
  TypeParam const exec;
  using Jacobi = BlockJacobiCsr<double, 2, TypeParam>;
  auto const reference = random_csr(mesh_rows, 2);
  WritableCsr<2, TypeParam, std::int64_t> const a(exec, reference);
  Jacobi jacobi(exec, a.matrix);
  auto changed = reference;
  auto const diagonal = block_at(reference, first_row, first_row);
  auto const other = diagonal == static_cast<std::size_t>(reference.offsets[first_row]) ? diagonal + 1 : diagonal - 1;
  std::swap(changed.columns[diagonal], changed.columns[other]);
  a.write(exec, changed);
  jacobi.factor(exec, a.matrix);
  EXPECT_EQ(jacobi.status(exec).failure, FactorFailure::other_structure);
  EXPECT_EQ(jacobi.status(exec).row, first_row);
  changed = reference;
  auto const last = static_cast<std::size_t>(reference.offsets[first_row + 1]) - 1;
  changed.columns[diagonal == last ? last - 1 : last] = 0;
  a.write(exec, changed);
  jacobi.factor(exec, a.matrix);
  EXPECT_TRUE(jacobi.status(exec).ok()) << jacobi.status(exec).message();
}

/// A row that fails for its values and one with another structure: the second is what is said.
TYPED_TEST(CsrStructureTest, matters_more_than_pivots) {
  TypeParam const exec;
  using Ilu = BlockIlu0Csr<double, 2, TypeParam>;
  auto const reference = with_zero_equation(random_csr(mesh_rows, 2), 3);
  WritableCsr<2, TypeParam, std::int64_t> const a(exec, reference);
  for (auto const path : csr_paths_of<TypeParam>()) {
    Ilu ilu(exec, a.matrix, {.path = path});
    ilu.factor(exec, a.matrix);
    EXPECT_EQ(ilu.status(exec).row, 3);
    EXPECT_TRUE(ilu.status(exec).singular());
    a.write(exec, changes_of(reference, first_row).front().to);
    ilu.factor(exec, a.matrix);
    EXPECT_EQ(ilu.status(exec).failure, FactorFailure::other_structure);
    EXPECT_EQ(ilu.status(exec).row, first_row);
    a.write(exec, reference);
    ilu.factor(exec, a.matrix);
    EXPECT_TRUE(ilu.status(exec).singular());
  }
}

TYPED_TEST(CsrStructureTest, that_changes_under_a_transpose_is_noticed) {
  TypeParam const exec;
  using Vectors = PointVectors<double, 2, 3, TypeParam>;
  using Vector = PointVector<double, 2, TypeParam>;
  auto const reference = random_csr(mesh_rows, 2);
  WritableCsr<2, TypeParam, std::int64_t> const a(exec, reference);
  auto const at = transposed(exec, a.matrix);
  auto const narrowed = NarrowedMatrix(at, at);
  BlockIlu0Csr<double, 2, TypeParam> ilu(exec, a.matrix, {.transposed = true});
  ilu.factor(exec, a.matrix);
  Vector const b(exec, mesh_rows), x(exec, mesh_rows);
  Vectors const several(exec, mesh_rows), solutions(exec, mesh_rows);
  Fgmres<Vector> const fgmres(exec, mesh_rows);
  SimultaneousBiCgStab<Vectors> const simultaneous(exec, mesh_rows);
  auto const messages = [&] {
    return std::vector<std::string>{
        message_of([&] { at.check_structure(exec); }),
        message_of([&] { fgmres.solve(exec, at, transposed(ilu), b, x); }),
        message_of([&] { fgmres.solve(exec, narrowed, transposed(ilu), b, x); }),
        message_of([&] { simultaneous.solve(exec, at, transposed(ilu), several, solutions); })};
  };
  EXPECT_THAT(messages(), ::testing::Each("nothing thrown"));
  for (auto const& [what, row, to] : changes_of(reference, first_row)) {
    a.write(exec, to);
    // On devices pieces are shorter.
    auto const columns = "TransposedBlockCsr: A has another structure than the constructor was given, in its columns";
    auto const offsets = "TransposedBlockCsr: A has another structure than the constructor was given, in its offsets";
    bool const has_columns = to.columns != reference.columns;
    EXPECT_THAT(messages(), ::testing::Each(::testing::StartsWith(has_columns ? columns : offsets))) << what;
    a.write(exec, reference);
    EXPECT_THAT(messages(), ::testing::Each("nothing thrown")) << what;
  }
}

// Every number of every piece matters, the last piece being shorter.
TYPED_TEST(CsrStructureTest, is_compared_to_the_last_number) {
  TypeParam const exec;
  for (int const rows : {1, 2, 255, 256, 257, 600}) {
    ReferenceCsr diagonal(1);
    for (int row = 0; row < rows; ++row) {
      diagonal.add(row, identity(1));
      diagonal.end_row();
    }
    WritableCsr<1, TypeParam, std::int64_t> const a(exec, diagonal);
    auto const at = transposed(exec, a.matrix);
    for (int row = 0; row < rows; row += rows > 300 ? 7 : 1) {
      auto changed = diagonal;
      changed.columns[static_cast<std::size_t>(row)] ^= 1 << row % 31;
      a.write(exec, changed);
      EXPECT_THROW(at.check_structure(exec), Error) << rows << ", column " << row;
      changed = diagonal;
      changed.offsets[static_cast<std::size_t>(row)] ^= std::int64_t{1} << row % 63;
      a.write(exec, changed);
      EXPECT_THROW(at.check_structure(exec), Error) << rows << ", offset " << row;
    }
    a.write(exec, diagonal);
    EXPECT_NO_THROW(at.check_structure(exec)) << rows;
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
// The first of several rows is named, whoever comes to it first.
TEST(CsrStructureThreads, find_the_same_row) {
  auto const reference = random_csr(3000, 1);
  auto changed = reference;
  for (int const row : {2990, 1700, 1699, 12}) {
    std::swap(changed.columns[static_cast<std::size_t>(reference.offsets[row])],
              changed.columns[static_cast<std::size_t>(reference.offsets[row]) + 1]);
  }
  for (int const threads : {1, 2, 3, 4}) {
    Kokkos::OpenMP const exec(threads);
    WritableCsr<1, Kokkos::OpenMP, std::int64_t> const a(exec, reference);
    BlockIlu0Csr<double, 1, Kokkos::OpenMP> ilu(exec, a.matrix);
    a.write(exec, changed);
    for (int repeat = 0; repeat < 5; ++repeat) {
      ilu.factor(exec, a.matrix);
      EXPECT_EQ(ilu.status(exec).row, 12) << threads;
    }
  }
}
#endif

}  // namespace
}  // namespace hyperplane::test
