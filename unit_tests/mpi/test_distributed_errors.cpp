// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <stdexcept>
#include <string>

#include "distributed_fixture.hpp"

// What a code's own product or preconditioner throws on one rank.
namespace hyperplane::test {
namespace {

/// Throws in so many calls from now, once.
struct Failure {
  int calls = -1;  ///< never
  void count() {
    if (calls >= 0 && calls-- == 0) throw std::runtime_error("out of range");
  }
};

template <class Exec>
class DistributedErrors : public DistributedTest<Exec> {};
TYPED_TEST_SUITE(DistributedErrors, ExecutionSpaces, SpaceNames);

/// A product and a preconditioner of a code's own, each of which can fail. Messages of the product are behind it then.
template <class Matrix>
struct OwnProduct {
  Matrix a;
  Failure* failure;
  template <class Exec, class Vector>
  friend void apply(const Exec& exec, const OwnProduct& own, const Vector& x, const Vector& y) {
    apply(exec, own.a, x, y);
    own.failure->count();
  }
};
template <class Plan>
struct OwnPreconditioner {
  const Plan* m;
  Failure* failure;
  template <class Exec, class Vector>
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    failure->count();
    m->solve(exec, r, z);
  }
};

// The others wait for nobody, and the method solves the next system.
TYPED_TEST(DistributedErrors, what_a_product_or_a_preconditioner_throws_on_one_rank_all_throw) {
  constexpr int n = 2;
  using Vector = DistributedVector<double, n, TypeParam>;
  auto const whole = cut_grid(Grid(8, 6, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole);
  MultiBlockReference const reference(whole, n);
  auto const a = to_ranks<double, n, double>(this->exec, grid, reference);
  auto const solution = random_vector(whole.size() * n);
  auto const b = to_ranks<double, n>(this->exec, grid, reference.rows() * solution);
  DistributedMultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid);
  ilu.factor(this->exec, a);
  Failure product, preconditioner;
  auto const expect_errors = [&](const auto& method, const char* what) {
    for (int failing = 0; failing < this->world.size(); ++failing) {
      for (auto* const failure : {&product, &preconditioner}) {
        for (int const calls : {0, 1, 3, -1}) {
          Vector const x(this->exec, grid);
          failure->calls = this->world.rank() == failing ? calls : -1;
          auto const text = thrown_text([&] {
            auto const result =
                method.solve(this->exec, OwnProduct{a, &product}, OwnPreconditioner{&ilu, &preconditioner}, b, x);
            EXPECT_TRUE(result.converged()) << what << ": " << result.message();
          });
          EXPECT_EQ(text, calls < 0 ? "nothing thrown" : "rank " + std::to_string(failing) + ": out of range") << what;
          if (calls >= 0) continue;
          EXPECT_TRUE(near(to_host(this->exec, x), part_of_rank(grid, n, solution), 1e-6)) << what;
        }
      }
    }
  };
  KrylovOptions const options{.tolerance = 1e-9, .restart = 5, .recycled = 2};
  expect_errors(BiCgStab<Vector>(this->exec, grid, options), "BiCgStab");
  expect_errors(Fgcrodr<Vector>(this->exec, grid, options), "Fgcrodr");
  expect_errors(Richardson<Vector>(this->exec, grid, options), "Richardson");
}

}  // namespace
}  // namespace hyperplane::test
