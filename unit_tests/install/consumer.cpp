// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <hyperplane/hyperplane.hpp>
#include <hyperplane/version.hpp>

using Exec = Kokkos::DefaultExecutionSpace;

// Solves a system on one line, where BILU(0) is exact, and looks at the residual.
int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  hyperplane::Grid const grid(10, 1, 1);
  hyperplane::BlockStencil7<double, 2, Exec> const a(exec, grid);
  hyperplane::BlockVector<double, 2, Exec> const b(exec, grid), x(exec, grid), r(exec, grid);
  auto const entries = a.ref();
  auto const rhs = b.ref();
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(exec, 0, grid.ni()), KOKKOS_LAMBDA(int i) {
        for (int c = 0; c < 2; ++c) {
          entries(i, 0, 0, hyperplane::Direction::center, c, c) = 4.0;
          entries(i, 0, 0, hyperplane::Direction::center, c, 1 - c) = 1.0;
          entries(i, 0, 0, hyperplane::Direction::west, c, c) = -1.0;
          entries(i, 0, 0, hyperplane::Direction::east, c, c) = -1.0;
          rhs(i, 0, 0, c) = i + c;
        }
      });
  hyperplane::BlockIlu0<double, 2, Exec> ilu(exec, grid);
  ilu.factor(exec, a);
  ilu.solve(exec, b, x);
  hyperplane::residual(exec, a, b, x, r);
  double norm = 0.0;
  auto const flat = r.flat();
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Exec>(exec, 0, flat.size()),
      KOKKOS_LAMBDA(std::size_t e, double& sum) { sum += flat(e) * flat(e); }, norm);
  std::printf("Hyperplane %d.%d.%d: residual %.3g\n", HYPERPLANE_VERSION_MAJOR, HYPERPLANE_VERSION_MINOR,
              HYPERPLANE_VERSION_PATCH, std::sqrt(norm));
  return std::sqrt(norm) < 1e-12 ? 0 : 1;
}
