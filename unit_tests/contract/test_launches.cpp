// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/convert.hpp>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// What each function launches: its own kernel, visible by its label, and nothing else. (BlockIlu0 has a file of its
// own.)
namespace hyperplane::test::launches {
namespace {

constexpr int n = 2;

template <class Exec>
class Launches : public ::testing::Test {
 protected:
  using Vector = BlockVector<double, n, Exec>;

  Exec exec = OtherInstance<Exec>::make();
  Grid grid{5, 11, 3};
  BlockStencil7<double, n, Exec> a = to_device<double, n, double>(exec, random_stencil(grid, n));
  Vector b = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  Vector x = to_device<double, n>(exec, grid, random_vector(grid.size() * n));

  /// `function` launches kernels with these labels on the given instance, allocates, copies and fences nothing.
  template <class Function>
  void expect(const std::vector<std::string>& labels, Function&& function) {
    exec.fence();
    KokkosEvents const events;
    function();
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << labels.front();
    EXPECT_THAT(events.fences(), ::testing::IsEmpty()) << labels.front();
    EXPECT_THAT(events.copies(), ::testing::IsEmpty()) << labels.front();
    std::vector<std::string> found;
    for (auto const& kernel : events.kernels()) {
      found.push_back(kernel.label);
      EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
    }
    EXPECT_EQ(found, labels);
  }
};
TYPED_TEST_SUITE(Launches, ExecutionSpaces, SpaceNames);

TYPED_TEST(Launches, of_apply_and_residual) {
  this->expect({"Hyperplane::BlockStencil7::apply"}, [&] { apply(this->exec, this->a, this->b, this->x); });
  this->expect({"Hyperplane::BlockStencil7::residual"},
               [&] { residual(this->exec, this->a, this->b, this->x, this->b); });
}

TYPED_TEST(Launches, of_conversions) {
  Kokkos::View<double*, TypeParam> const rows("rows", this->grid.size() * n);
  Kokkos::View<double****, TypeParam> const blocks("blocks", this->grid.size(), stencil7_size, n, n);
  this->expect({"Hyperplane::BlockVector::unpack"}, [&] { unpack(this->exec, this->x, rows); });
  this->expect({"Hyperplane::BlockVector::pack"}, [&] { pack(this->exec, rows, this->x); });
  this->expect({"Hyperplane::BlockStencil7::unpack"}, [&] { unpack(this->exec, this->a, blocks); });
  this->expect({"Hyperplane::BlockStencil7::pack"}, [&] { pack(this->exec, blocks, this->a); });
}

TYPED_TEST(Launches, of_block_jacobi) {
  BlockJacobi<double, n, TypeParam> jacobi(this->exec, this->grid);
  this->expect({"Hyperplane::BlockJacobi::factor", "Hyperplane::FactorStatus::conclude"},
               [&] { jacobi.factor(this->exec, this->a); });
  this->expect({"Hyperplane::BlockJacobi::solve"}, [&] { jacobi.solve(this->exec, this->b, this->x); });
}

}  // namespace
}  // namespace hyperplane::test::launches
