// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/line_jacobi.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <string>
#include <tuple>

#include "extra/diagonal_scaling.hpp"
#include "preconditioner_table.hpp"
#include "support/execution_spaces.hpp"

// Every preconditioner of the table has one face, with each of its storage types; so have line solvers.
namespace hyperplane::test {
namespace {

template <class Exec>
class Faces : public ::testing::Test {};
TYPED_TEST_SUITE(Faces, ExecutionSpaces, SpaceNames);

template <int n, class Exec, class Storage, class Line>
void expect_face(const Line& line) {
  if constexpr (n <= Line::largest_block_size) {
    using Plan = typename Line::template Plan<n, Exec, Storage>;
    static_assert(PreconditionerPlan<Plan, BlockStencil7<double, n, Exec, Storage>>);
    SCOPED_TRACE(line.name);
    Grid const grid(3, 2, 2);
    Exec const exec{};
    Plan plan(exec, grid, typename Plan::Options{});
    BlockStencil7<double, n, Exec, Storage> const a(exec, grid);
    EXPECT_TRUE(plan.status(exec).ok());
    EXPECT_TRUE(plan.grid() == grid);
    plan.factor(exec, a);
    bool const takes_zeros = std::string(line.name) == "identity" || std::string(line.name) == "diagonal";
    EXPECT_EQ(plan.status(exec).ok(), takes_zeros) << "of a matrix of zeros";
  }
}

TYPED_TEST(Faces, of_all_preconditioners_of_the_table_are_the_same) {
  run_time::for_each_preconditioner([](const auto& line) {
    expect_face<1, TypeParam, double>(line);
    expect_face<1, TypeParam, float>(line);
    expect_face<2, TypeParam, double>(line);
    expect_face<2, TypeParam, float>(line);
  });
}

template <class Plan, class Exec>
concept HasTransposed =
    requires(const Plan& plan, const Exec& exec, const typename Plan::Vector& v) { plan.solve_transposed(exec, v, v); };

TYPED_TEST(Faces, of_all_that_are_part_of_the_library_have_solves_with_the_transpose) {
  std::apply(
      []<class... Lines>(const Lines&...) {
        static_assert((HasTransposed<typename Lines::template Plan<1, TypeParam, double>, TypeParam> && ...));
        static_assert((HasTransposed<typename Lines::template Plan<1, TypeParam, float>, TypeParam> && ...));
      },
      run_time::library_preconditioners);
  static_assert(!HasTransposed<DiagonalScaling<double, 1, TypeParam>, TypeParam>, "nobody has to");
}

template <class... Added>
constexpr bool are_unique_with(const Added&... added) {
  return run_time::names_are_unique(std::tuple_cat(run_time::library_preconditioners, std::make_tuple(added...)));
}
constexpr auto named(const char* name) { return run_time::line<DiagonalScalingPlans>(name, "one of one's own"); }

TEST(PreconditionerTable, takes_no_name_twice) {
  static_assert(are_unique_with());
  static_assert(are_unique_with(named("mine"), named("yours"), named("sip2")));
  static_assert(!are_unique_with(named("identity")), "the first of the table");
  static_assert(!are_unique_with(named("mine"), named("bilu0")), "its last");
  static_assert(!are_unique_with(named("mine"), named("mine")));
}

TYPED_TEST(Faces, of_line_solvers_are_that_of_preconditioners) {
  using Matrix = BlockStencil7<double, 2, TypeParam, float>;
  static_assert(PreconditionerPlan<BlockTridiagonal<double, 2, TypeParam, float>, Matrix>);
  static_assert(PreconditionerPlan<LineJacobi<double, 2, TypeParam, float>, Matrix>);
}

TYPED_TEST(Faces, of_a_preconditioner_of_ones_own_is_checked) {
  using Matrix = BlockStencil7<double, 2, TypeParam>;
  static_assert(PreconditionerPlan<DiagonalScaling<double, 2, TypeParam>, Matrix>);
  static_assert(!PreconditionerPlan<IdentityPreconditioner, Matrix>, "a Krylov method takes it, the table does not");
}

}  // namespace
}  // namespace hyperplane::test
