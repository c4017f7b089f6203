// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/hyperplane.hpp>
#include <hyperplane/mpi/mpi.hpp>

// As no_warnings.cpp, over ranks.
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

template <class Scalar, int n, class Storage>
void solve(const Exec& exec) {
  using namespace hyperplane;
  using Vector = DistributedVector<Scalar, n, Exec>;
  DistributedGrid const grid(Communicator(MPI_COMM_WORLD), cut_grid(Grid(5, 4, 3), {2, 1, 1}).grid);
  DistributedStencil7<Scalar, n, Exec, Storage> const a(exec, grid);
  Vector const b(exec, grid);
  Vector const x(exec, grid);
  DistributedMultiBlock<BlockIlu0<Scalar, n, Exec, Storage>> preconditioner(exec, grid);
  preconditioner.factor(exec, a);
  if (!preconditioner.status(exec).ok()) return;
  BiCgStab<Vector>(exec, grid, {.tolerance = 1e-6}).solve(exec, a, preconditioner, b, x);
  Fgmres<Vector>(exec, grid).solve(exec, a, preconditioner, b, x);
  Fgcrodr<Vector>(exec, grid).solve(exec, a, preconditioner, b, x);
  Richardson<Vector>(exec, grid).solve(exec, a, preconditioner, b, x);
  residual(exec, a, b, x, b);
}

}  // namespace

int main() {
  Exec const exec;
  solve<double, 5, double>(exec);
  solve<double, 1, float>(exec);
  solve<float, 2, float>(exec);
}
