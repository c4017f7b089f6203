// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Slabs whose thread blocks have six rows, on a small grid, since a plan may use few multiprocessors. Those of M^T have
// four, and other packets.
namespace hyperplane::test {
namespace {

template <int n, class Storage>
void compare_with_portable() {
  using Exec = Kokkos::Cuda;
  using Plan = BlockIlu0<double, n, Exec, Storage>;
  Exec const exec;
  Grid const grid(40, 33, 21);
  auto const a = to_device<double, n, detail::WideStorage<double, Storage>>(exec, random_stencil(grid, n));
  auto const b = to_device<double, n>(exec, grid, random_vector(grid.size() * n));
  BlockVector<double, n, Exec> const x(exec, grid);
  auto const solved = [&](Plan& plan, bool transposed) {
    transposed ? plan.solve_transposed(exec, b, x) : plan.solve(exec, b, x);
    return to_host(exec, x);
  };
  Plan portable(exec, grid, {.path = SweepPath::portable});
  portable.factor(exec, a);
  auto const expected = solved(portable, false), expected_transposed = solved(portable, true);
  for (int const multiprocessors : {1, 2}) {
    Plan slab(exec, grid, {.path = SweepPath::slab, .multiprocessors = multiprocessors});
    slab.factor(exec, a);
    for (int repetition = 0; repetition < 3; ++repetition) {
      EXPECT_TRUE(bitwise_equal(solved(slab, false), expected)) << "n = " << n << ", repetition " << repetition;
      EXPECT_TRUE(bitwise_equal(solved(slab, true), expected_transposed))
          << "M^T, n = " << n << ", repetition " << repetition;
    }
  }
}

TEST(TallSlabs, have_the_bits_of_the_portable_path) {
  compare_with_portable<2, double>();
  compare_with_portable<3, float>();
  compare_with_portable<5, Half>();
  compare_with_portable<6, float>();
  compare_with_portable<8, BFloat16>();
}

}  // namespace
}  // namespace hyperplane::test
