// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/stencil/apply_several.hpp>
#include <hyperplane/stencil/block_vectors.hpp>
#include <hyperplane/stencil/convert.hpp>
#include <hyperplane/stencil/narrow.hpp>
#include <string>
#include <vector>

#include "counted_matrix.hpp"
#include "krylov_fixture.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/views.hpp"

// When BiCGStab turns from products with a copy of A to those of A itself, and what it does then.
namespace hyperplane::test::rough_products {
namespace {

template <class Exec>
class RoughProductsTest : public Krylov<Exec> {
 protected:
  using Matrix = BlockStencil7<double, n, Exec>;

  /// -A, which is no copy of A.
  BlockStencil7<double, n, Exec, float> negative() const {
    ReferenceStencil result = this->reference;
    for (auto& blocks : result.blocks) {
      for (auto& block : blocks) {
        for (auto& entry : block.entries) entry = -entry;
      }
    }
    return narrowed<float>(this->exec, to_device<double, n, double>(this->exec, result));
  }
};
TYPED_TEST_SUITE(RoughProductsTest, ExecutionSpaces, SpaceNames);

std::ptrdiff_t count_of(const KokkosEvents& events, const std::string& label) {
  return std::ranges::count(events.kernels(), label, &KokkosEvents::Kernel::label);
}

TYPED_TEST(RoughProductsTest, after_the_turn_nothing_is_as_if_the_copy_were_read) {
  Counted<typename TestFixture::Matrix> const matrix{this->a};
  Counted<BlockStencil7<double, n, TypeParam, float>> const copy{this->negative()};
  NarrowedMatrix const a(matrix, copy);
  using Vector = typename TestFixture::Vector;
  BiCgStab<Vector> const method(this->exec, this->grid(), {.tolerance = 1e-12, .max_iterations = 200});
  KokkosEvents const events;
  auto const result = method.solve(this->exec, a, this->ilu, this->b, this->x);
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_LE(count_of(events, "Hyperplane::BiCgStab::renew"), 1);
  EXPECT_LT(2 * *copy.products, *matrix.products);
}

TYPED_TEST(RoughProductsTest, several_right_hand_sides_turn_together) {
  Counted<typename TestFixture::Matrix> const matrix{this->a};
  Counted<BlockStencil7<double, n, TypeParam, float>> const copy{this->negative()};
  // The second one is solved already, the third one as good as that.
  using Vectors = BlockVectors<double, n, 3, TypeParam>;
  Vectors const b(this->exec, this->grid()), x(this->exec, this->grid());
  for (int j = 0; j < 3; ++j) Kokkos::deep_copy(this->exec, b[j].flat(), this->b.flat());
  auto near_solution = this->solution;
  pack(this->exec, to_view<double>(this->exec, near_solution), x[1]);
  near_solution[7] += 1e-9;
  pack(this->exec, to_view<double>(this->exec, near_solution), x[2]);
  SimultaneousBiCgStab<Vectors> const method(this->exec, this->grid(), {.tolerance = 1e-12, .max_iterations = 200});
  KokkosEvents const events;
  auto const results = method.solve(this->exec, NarrowedMatrix(matrix, copy), this->ilu, b, x);
  for (auto const& result : results) EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_TRUE(near(to_host(this->exec, x[0]), this->solution, 1e-9));
  EXPECT_LE(count_of(events, "Hyperplane::SimultaneousBiCgStab::renew"), 2);
  EXPECT_LT(2 * *copy.products, *matrix.products);
}

/// A 3 x 3 block of one point, in rows.
template <class Storage, class Exec>
auto one_block(const Exec& exec, const std::array<double, n * n>& rows) {
  ReferenceStencil reference(Grid(1, 1, 1), n);
  for (int e = 0; e < n * n; ++e)
    reference.block(0, Direction::center)(e / n, e % n) = rows[static_cast<std::size_t>(e)];
  return to_device<double, n, Storage>(exec, reference);
}

// After an iteration the recursion's residual is 2^-9 of the first one, and that of x, which is 0.4 of it, stands
// upright on the first one: the recursion is renewed, breaks down and begins anew, all with one residual of x.
TYPED_TEST(RoughProductsTest, a_renewal_that_breaks_down_counts_once) {
  Grid const grid(1, 1, 1);
  Counted<BlockStencil7<double, n, TypeParam>> const matrix{
      one_block<double>(this->exec, {1, 0, 0, 0.6, 1, 0, 0, 0, 1})};
  Counted<BlockStencil7<double, n, TypeParam, float>> const copy{
      one_block<float>(this->exec, {1, 0x1p-9, 0, 1, 1, 0, 0, 0, 1})};
  BlockIlu0<double, n, TypeParam> identity(this->exec, grid);
  identity.factor(this->exec, one_block<double>(this->exec, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
  NarrowedMatrix const a(matrix, copy);
  KrylovOptions const options{.tolerance = 1e-9, .max_iterations = 20};
  std::vector<double> const rhs{1, 0, 0};
  using Vector = typename TestFixture::Vector;
  auto const b = to_device<double, n>(this->exec, grid, rhs);
  Vector const x(this->exec, grid);
  auto const result = BiCgStab<Vector>(this->exec, grid, options).solve(this->exec, a, identity, b, x);
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_EQ(*copy.products, 2 * result.iterations);
  EXPECT_GT(result.iterations, 1);

  using Vectors = BlockVectors<double, n, 3, TypeParam>;
  Vectors const all_b(this->exec, grid), all_x(this->exec, grid);
  for (int j = 0; j < 3; ++j) Kokkos::deep_copy(this->exec, all_b[j].flat(), b.flat());
  *copy.products = 0;
  for (auto const& of_one :
       SimultaneousBiCgStab<Vectors>(this->exec, grid, options).solve(this->exec, a, identity, all_b, all_x)) {
    EXPECT_EQ(of_one.history, result.history);
  }
  EXPECT_EQ(*copy.products, 2 * result.iterations);
}

/// Convection along a line, whose entries every storage type has: nothing is rounded but sums.
template <class Exec>
auto convection(const Exec& exec, int points) {
  ReferenceStencil reference(Grid(points, 1, 1), 1);
  for (int i = 0; i < points; ++i) {
    reference.block(i, Direction::center)(0, 0) = 1.0;
    if (i > 0) reference.block(i, Direction::west)(0, 0) = -1.0;
  }
  return to_device<double, 1, double>(exec, reference);
}

// Renewed on their way down from a peak, residuals are larger than the first one, although the copy is as good as A.
TYPED_TEST(RoughProductsTest, a_peak_of_the_residual_is_no_reason_to_turn) {
  for (int const points : {40, 60, 64}) {
    SCOPED_TRACE(points);
    Counted<BlockStencil7<double, 1, TypeParam>> const matrix{convection(this->exec, points)};
    Counted<ScaledStencil7<double, 1, TypeParam, Half>> const copy{narrowed<Half>(this->exec, matrix.matrix)};
    using Vector = BlockVector<double, 1, TypeParam>;
    Vector const b = to_device<double, 1>(this->exec, Grid(points, 1, 1), random_vector(points, 1)),
                 x(this->exec, Grid(points, 1, 1));
    BiCgStab<Vector> const method(this->exec, Grid(points, 1, 1), {.tolerance = 1e-8});
    auto const result = method.solve(this->exec, NarrowedMatrix(matrix, copy), IdentityPreconditioner(), b, x);
    EXPECT_TRUE(result.converged()) << result.message();
    EXPECT_GT(std::ranges::max(result.history), 2 * result.rhs_norm);
    EXPECT_GE(*copy.products, 2 * result.iterations);
  }
}

}  // namespace
}  // namespace hyperplane::test::rough_products
