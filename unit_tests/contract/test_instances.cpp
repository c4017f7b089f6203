// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <chrono>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/krylov/simultaneous_fgmres.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/convert.hpp>
#include <hyperplane/stencil/narrow.hpp>
#include <optional>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/several_vectors.hpp"
#include "support/solver_paths.hpp"
#include "support/transfer.hpp"

// Everything runs on the instance that is given, and waits for no other one: it works while the default one is busy.
// Plans and vectors are made meanwhile and outlive it: Kokkos waits for all instances before it frees memory.
namespace hyperplane::test {
namespace {

constexpr int n = 2;

template <class Exec>
class GivenInstance : public ::testing::Test {
 protected:
  using Vector = BlockVector<double, n, Exec>;
  using Rows = Kokkos::View<double*, Exec>;

  Grid grid{7, 19, 3};
  ReferenceStencil reference = random_stencil(grid, n);
  std::vector<double> values = random_vector(grid.size() * n);
  // Made on the default instance, before it is busy.
  BlockStencil7<double, n, Exec> a = to_device<double, n, double>(Exec(), reference);
  Vector b = to_device<double, n>(Exec(), grid, values);
  Vector x = to_device<double, n>(Exec(), grid, values);
  Rows rows{"rows", static_cast<std::size_t>(grid.size() * n)};
  Exec exec = OtherInstance<Exec>::make();

  /// Runs `function` while the default instance is busy.
  template <class Function>
  void run(Function&& function) {
    if constexpr (has_busy_instance<Exec>) {
      BusyDefaultInstance<Exec> const busy;
      function();
      EXPECT_TRUE(busy.still_busy()) << "something waited for the default instance";
    } else {
      GTEST_SKIP() << "Kokkos Tools tells the instances of a device apart, and Threads has one alone";
    }
  }
};
TYPED_TEST_SUITE(GivenInstance, ExecutionSpaces, SpaceNames);

TYPED_TEST(GivenInstance, is_known_from_a_busy_default_instance) {
  // What the tests below rely on: a launch on the default instance, and a fence of all, outlast its patience.
  if constexpr (has_busy_instance<TypeParam>) {
    auto const patience = std::chrono::milliseconds(50);
    auto const nothing = [](int) {};
    {
      BusyDefaultInstance<TypeParam> const busy(patience);
      Kokkos::parallel_for("default", Kokkos::RangePolicy<TypeParam>(TypeParam(), 0, 1), nothing);
      EXPECT_FALSE(busy.still_busy());
    }
    {
      BusyDefaultInstance<TypeParam> const busy(patience);
      Kokkos::fence();
      EXPECT_FALSE(busy.still_busy());
    }
    this->run([&] {
      Kokkos::parallel_for("other", Kokkos::RangePolicy<TypeParam>(this->exec, 0, 1), nothing);
      this->exec.fence();
    });
  }
}

TYPED_TEST(GivenInstance, serves_vectors_and_stencils) {
  std::optional<typename TestFixture::Vector> y;
  std::optional<BlockStencil7<double, n, TypeParam>> zero;
  this->run([&] {
    y.emplace(this->exec, this->grid);
    zero.emplace(this->exec, this->grid);
    unpack(this->exec, this->x, this->rows);
    pack(this->exec, this->rows, *y);
    apply(this->exec, this->a, this->x, *y);
    residual(this->exec, this->a, this->b, this->x, *y);
    this->exec.fence();
  });
}

TYPED_TEST(GivenInstance, serves_block_ilu0_on_every_path) {
  for (SolverPath const path : solver_paths_of<TypeParam>()) {
    std::optional<BlockIlu0<double, n, TypeParam>> ilu;
    this->run([&] {
      ilu.emplace(path.make<BlockIlu0<double, n, TypeParam>>(this->exec, this->grid));
      ilu->factor(this->exec, this->a);
      ilu->solve(this->exec, this->b, this->x);
      EXPECT_TRUE(ilu->status(this->exec).ok());
    });
    if (this->IsSkipped()) return;
    EXPECT_TRUE(near(to_host(TypeParam(), this->x), ReferenceIlu0(this->reference).solve(this->values),
                     rounding<double>(100, n)));
  }
}

TYPED_TEST(GivenInstance, serves_block_jacobi) {
  std::optional<BlockJacobi<double, n, TypeParam>> jacobi;
  this->run([&] {
    jacobi.emplace(this->exec, this->grid);
    jacobi->factor(this->exec, this->a);
    jacobi->solve(this->exec, this->b, this->x);
    EXPECT_TRUE(jacobi->status(this->exec).ok());
  });
}

TYPED_TEST(GivenInstance, serves_ssor) {
  std::optional<Ssor<double, n, TypeParam>> ssor;
  this->run([&] {
    ssor.emplace(this->exec, this->grid, SsorOptions{.relaxation = 1.2});
    ssor->factor(this->exec, this->a);
    ssor->solve(this->exec, this->b, this->x);
    EXPECT_TRUE(ssor->status(this->exec).ok());
  });
}

TYPED_TEST(GivenInstance, serves_the_line_implicit_iteration) {
  std::optional<LineImplicit<double, n, TypeParam>> lines;
  this->run([&] {
    lines.emplace(this->exec, this->grid, LineImplicitOptions{.directions = {LineDirection::j, LineDirection::k}});
    lines->factor(this->exec, this->a);
    lines->solve(this->exec, this->b, this->x);
    EXPECT_TRUE(lines->status(this->exec).ok());
  });
}

TYPED_TEST(GivenInstance, serves_the_methods) {
  auto const check = [&]<template <class> class Method>() {
    BlockJacobi<double, n, TypeParam> jacobi(this->exec, this->grid);
    std::optional<Method<typename TestFixture::Vector>> method;
    this->run([&] {
      jacobi.factor(this->exec, this->a);
      method.emplace(this->exec, this->grid, KrylovOptions{});
      EXPECT_TRUE(method->solve(this->exec, this->a, jacobi, this->b, this->x).converged());
      this->exec.fence();
    });
  };
  check.template operator()<Richardson>();
  check.template operator()<BiCgStab>();
  check.template operator()<Fgmres>();
  check.template operator()<Fgcrodr>();
}

TYPED_TEST(GivenInstance, serves_methods_whose_products_read_a_copy) {
  using Method = BiCgStab<typename TestFixture::Vector>;
  BlockJacobi<double, n, TypeParam> jacobi(this->exec, this->grid);
  std::optional<BlockStencil7<double, n, TypeParam, float>> copy;
  std::optional<Method> method;
  this->run([&] {
    jacobi.factor(this->exec, this->a);
    copy.emplace(narrowed<float>(this->exec, this->a));
    method.emplace(this->exec, this->grid, KrylovOptions{.tolerance = 1e-12});
    NarrowedMatrix const products(this->a, *copy);
    EXPECT_TRUE(method->solve(this->exec, products, jacobi, this->b, this->x).converged());
    this->exec.fence();
  });
}

TYPED_TEST(GivenInstance, serves_the_methods_for_several_right_hand_sides) {
  constexpr int count = 3, rows = 40;
  using Vectors = PointVectors<double, n, count, TypeParam>;
  auto const csr = to_device<double, n, double>(TypeParam(), random_csr(rows, n));
  auto const rhs = to_vectors<double, n, count>(TypeParam(), random_vectors(count, rows * n));
  auto const check = [&]<class Method>(std::optional<Method> method) {
    std::optional<Vectors> solution;
    this->run([&] {
      solution.emplace(this->exec, rows);
      method.emplace(this->exec, rows, KrylovOptions{});
      for (auto const& result : method->solve(this->exec, csr, IdentityPreconditioner(), rhs, *solution)) {
        EXPECT_TRUE(result.converged()) << result.message();
      }
      this->exec.fence();
    });
  };
  check(std::optional<SimultaneousBiCgStab<Vectors>>());
  check(std::optional<SimultaneousFgmres<Vectors>>());
}

}  // namespace
}  // namespace hyperplane::test
