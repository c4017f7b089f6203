// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/grid/status_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_stencil7_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_vector_on_devices_cuda.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A preconditioner P of each part of a GridOnDevices by itself: couplings across the cuts are left out of M, as those
/// of grid blocks are with Coupling::none.
///
/// For BlockJacobi, which knows no neighbours, that is M of the whole box, with its bits but for factors in Half, whose
/// units are those of each part. For others it is another M, whose sweeps wait for no other device. P's status is a
/// FactorStatus.
///
/// A plan, as P is: the constructor allocates, for each part on its device; calls are those of P on each part, which
/// are launched one device after the other, and asynchronous on the given instance, see GridOnDevices.
template <class P>
class UncoupledOnDevices {
 public:
  using scalar_type = typename P::scalar_type;
  using storage_type = typename P::storage_type;
  using execution_space = typename P::execution_space;
  using Options = typename P::Options;
  static constexpr int block_size = P::block_size;
  using Vector = BlockVectorOnDevices<scalar_type, block_size, execution_space>;

  /// Throws Error where P does.
  explicit UncoupledOnDevices(const GridOnDevices<execution_space>& grid, const Options& options = {}) : m_grid(grid) {
    m_grid.for_parts([&](int p) { m_parts.emplace_back(m_grid.exec(p), m_grid.part(p), options); });
  }

  const GridOnDevices<execution_space>& grid() const { return m_grid; }
  /// The plan of a part.
  const P& part(int p) const { return m_parts[detail::as_size(p)]; }

  /// Computes the factors of A. Throws Error where A is on another grid.
  template <class MatrixStorage>
  void factor(const execution_space& exec,
              const BlockStencil7OnDevices<scalar_type, block_size, execution_space, MatrixStorage>& a) {
    detail::check_grid_on_devices("UncoupledOnDevices::factor", "A", a.grid(), m_grid);
    m_grid.run(exec, [&](int p) { m_parts[detail::as_size(p)].factor(m_grid.exec(p), a.part(p)); });
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where vectors are on other grids.
  void solve(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    check("UncoupledOnDevices::solve", rhs, x);
    m_grid.run(exec, [&](int p) { part(p).solve(m_grid.exec(p), rhs.part(p), x.part(p)); });
  }

  /// x = M^-T rhs, as solve().
  void solve_transposed(const execution_space& exec, const Vector& rhs, const Vector& x) const
    requires requires(const P& plan, const execution_space& e, const typename P::Vector& v) {
      plan.solve_transposed(e, v, v);
    }
  {
    check("UncoupledOnDevices::solve_transposed", rhs, x);
    m_grid.run(exec, [&](int p) { part(p).solve_transposed(m_grid.exec(p), rhs.part(p), x.part(p)); });
  }

  /// Whether the last factor() failed, where, and why: the first failure from the lowest part on, with the point of the
  /// box. Waits for all instances.
  FactorStatus status() const {
    return detail::status_on_devices(m_grid, [&](int p) { return part(p).status(m_grid.exec(p)); });
  }

 private:
  void check(const char* function, const Vector& rhs, const Vector& x) const {
    detail::check_grid_on_devices(function, "the right-hand side", rhs.grid(), m_grid);
    detail::check_grid_on_devices(function, "x", x.grid(), m_grid);
  }

  GridOnDevices<execution_space> m_grid;
  std::vector<P> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
