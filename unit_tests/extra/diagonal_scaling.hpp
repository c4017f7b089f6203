// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

namespace hyperplane::test {

struct DiagonalScalingOptions {
  /// w of the formula, 0 < w <= 1.
  double damping = 1.0;
  /// a of the formula, at least 0. SIP has an option of that name, of which the command line has to tell it.
  double alpha = 0.0;
};

// Kernels are no lambdas: CUDA has to be able to name them.
template <int n, class MatrixRef, class VectorRef>
struct InvertDiagonal {
  MatrixRef m_a;
  VectorRef m_inverse;
  double m_alpha;
  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const p = m_a.grid().point(number);
    for (int c = 0; c < n; ++c) {
      double const entry = m_a(p, Direction::center, c, c);
      m_inverse(p, c) = entry != 0.0 ? 1.0 / ((1.0 + m_alpha) * entry) : 0.0;
    }
  }
};

template <int n, class VectorRef>
struct ScaleByDiagonal {
  Grid m_grid;
  VectorRef m_inverse, m_rhs, m_x;
  double m_damping;
  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const p = m_grid.point(number);
    for (int c = 0; c < n; ++c) m_x(p, c) = m_damping * m_inverse(p, c) * m_rhs(p, c);
  }
};

/// A preconditioner as a user would write one for the compiled library: x = w ((1 + a) diag(A))^-1 rhs, with zero
/// where the diagonal is.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar>
class DiagonalScaling {
 public:
  using Options = DiagonalScalingOptions;
  using Vector = BlockVector<Scalar, n, Exec>;

  DiagonalScaling(const Exec& exec, const Grid& grid, const DiagonalScalingOptions& options = {})
      : m_damping(options.damping), m_alpha(options.alpha), m_inverse(exec, grid, "DiagonalScaling::inverse") {
    require(m_damping > 0 && m_damping <= 1, "DiagonalScaling: damping is not more than 0 and at most 1");
    require(m_alpha >= 0, "DiagonalScaling: alpha is not at least 0");
  }

  Grid grid() const { return m_inverse.grid(); }

  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, StorageScalar>& a) {
    using Kernel = InvertDiagonal<n, decltype(a.ref()), decltype(m_inverse.ref())>;
    Kokkos::parallel_for("DiagonalScaling::factor", points(exec), Kernel{a.ref(), m_inverse.ref(), m_alpha});
  }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    using Kernel = ScaleByDiagonal<n, decltype(m_inverse.ref())>;
    Kokkos::parallel_for("DiagonalScaling::solve", points(exec),
                         Kernel{grid(), m_inverse.ref(), rhs.ref(), x.ref(), m_damping});
  }
  FactorStatus status(const Exec&) const { return {}; }

 private:
  auto points(const Exec& exec) const {
    return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, grid().size());
  }

  double m_damping;
  double m_alpha;
  Vector m_inverse;
};

/// As the table of the compiled library names them.
struct DiagonalScalingPlans {
  template <int n, class Exec, class Storage>
  using Plan = DiagonalScaling<double, n, Exec, Storage>;
};

}  // namespace hyperplane::test
