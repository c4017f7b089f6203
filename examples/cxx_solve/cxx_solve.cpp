// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system of c_solve and fortran_solve with the C++ interface: cxx_solve [FILE] writes the bits of the solution.
#include <Kokkos_Core.hpp>
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <hyperplane/hyperplane.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using hyperplane::Direction;

namespace {

constexpr int n = 5;
using Matrix = hyperplane::BlockStencil7<double, n, Exec>;
using Vector = hyperplane::BlockVector<double, n, Exec>;

struct Assemble {
  hyperplane::Grid grid;
  Matrix::Ref a;
  Vector::Ref b;
  KOKKOS_FUNCTION void operator()(std::int64_t point) const {
    auto const p = grid.point(point);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) a(p, Direction::center, r, c) = r == c ? 7.0 : 0.125 * (c - r);
      a(p, Direction::west, r, r) = -1.5;
      a(p, Direction::east, r, r) = -0.5;
      a(p, Direction::south, r, r) = -1.25;
      a(p, Direction::north, r, r) = -0.75;
      a(p, Direction::bottom, r, r) = -1.0;
      a(p, Direction::top, r, r) = -1.0;
      b(p, r) = 1.0 + 0.125 * static_cast<double>((point * n + r) % 7);
    }
  }
};

int run(const char* path) {
  Exec const exec;
  hyperplane::Grid const grid(20, 12, 9);
  Matrix const a(exec, grid);
  Vector const b(exec, grid), x(exec, grid);
  Kokkos::parallel_for("assemble", Kokkos::RangePolicy<Exec>(exec, 0, grid.size()), Assemble{grid, a.ref(), b.ref()});

  hyperplane::BlockIlu0<double, n, Exec> ilu(exec, grid);
  ilu.factor(exec, a);
  hyperplane::BiCgStab<Vector> const bicgstab(exec, grid, {.tolerance = 1e-10});
  auto const result = bicgstab.solve(exec, a, ilu, b, x);
  std::printf("%s: %s after %d iterations, residual %.3e of %.3e\n", Exec::name(),
              result.converged() ? "converged" : "not converged", result.iterations, result.residual_norm,
              result.rhs_norm);

  Kokkos::View<double*, Exec> const rows("rows", grid.size() * n);
  hyperplane::unpack(exec, x, rows);
  exec.fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, rows);
  if (path != nullptr) {
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return 1;
    for (std::size_t row = 0; row < host.size(); ++row) {
      std::fprintf(file, "%016" PRIX64 "\n", std::bit_cast<std::uint64_t>(host(row)));
    }
    std::fclose(file);
  }
  return result.converged() ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos;
  return run(argc > 1 ? argv[1] : nullptr);
}
