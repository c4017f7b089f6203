// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assembled.hpp"

#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/point_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace hyperplane::perf {

/// A system in block CSR with a preconditioner M that takes no order of the rows, block Jacobi or lines, and solves
/// with M and M^T, verified as adjoints of one another.
template <class Exec, class M>
class CsrAdjointProblem {
 public:
  static constexpr int n = M::block_size;

  /// make(exec, a) makes M.
  template <class Make>
  CsrAdjointProblem(const Exec& exec, const CsrSystem& system, const Make& make)
      : m_a(assembled<n>(exec, system)),
        m_b(detail::to_space(exec, "b", system.rhs)),
        m_x(exec, m_a.rows()),
        m_m(make(exec, m_a)) {
    m_m.factor(exec, m_a);
    if (auto const status = m_m.status(exec); !status.ok()) throw std::runtime_error(status.message());
    check_adjoint(system.rhs, [&](bool transposed) {
      transposed ? solve_transposed(exec) : solve(exec);
      return detail::to_vector(exec, m_x.flat());
    });
  }

  std::int64_t points() const { return m_a.rows(); }
  void solve(const Exec& exec) const { m_m.solve(exec, m_b, m_x); }
  void solve_transposed(const Exec& exec) const { m_m.solve_transposed(exec, m_b, m_x); }

 private:
  BlockCsr<double, n, Exec> m_a;
  PointVector<double, n, Exec> m_b, m_x;
  M m_m;
};

}  // namespace hyperplane::perf
