// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/processes.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/krylov/detail/processes_on_devices_cuda.hpp>
#endif

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

template <class Scalar>
struct CopyValue {
  const Scalar* m_from;
  Scalar* m_to;

  KOKKOS_FUNCTION void operator()(std::size_t e) const { m_to[e] = m_from[e]; }
};

template <class Elements, class Scalar>
void copy_values(const Elements& elements, const Scalar* from, Scalar* to) {
  launch("Hyperplane::IdentityPreconditioner::solve", elements, 2.0 * sizeof(Scalar), CopyValue<Scalar>{from, to});
}

}  // namespace detail

/// M = I: no preconditioning. One launch, a copy; over devices one for each part.
struct IdentityPreconditioner {
  template <class Exec, class Vector>
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    using Processes = detail::KrylovProcesses<VectorDomain<Vector>>;
    detail::copy_values(Processes::elements(exec, z), r.flat().data(), z.flat().data());
  }
};

struct IdentityOptions {};

/// M = I with the face of the other preconditioners, for code that takes any of them: factor() has nothing to do, and
/// status() nothing to say.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar>
class Identity {
 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = IdentityOptions;
  using Vector = BlockVector<Scalar, n, Exec>;
  static constexpr int block_size = n;

  Identity(const Exec&, const Grid& grid, const IdentityOptions& = {}) : m_grid(grid) {}

  const Grid& grid() const { return m_grid; }

  /// Throws Error where the grid of A is another one.
  template <class MatrixStorage>
  void factor(const Exec&, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("Identity::factor", "A", a.grid(), m_grid);
  }

  /// x = rhs; x may be rhs. Throws Error where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    detail::check_grid("Identity::solve", "the right-hand side", rhs.grid(), m_grid);
    detail::check_grid("Identity::solve", "x", x.grid(), m_grid);
    IdentityPreconditioner{}.solve(exec, rhs, x);
  }

  /// The same: M^T is M.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const { solve(exec, rhs, x); }

  FactorStatus status(const Exec&) const { return {}; }

 private:
  Grid m_grid;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
