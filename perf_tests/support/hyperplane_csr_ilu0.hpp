// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_support.hpp"
#include "cusparse_ilu0.hpp"
#include "problem.hpp"

#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>

#include <Kokkos_Core.hpp>

#include <stdexcept>
#include <vector>

namespace hyperplane::perf {

/// BlockIlu0Csr of a RandomSystem, whose rows are taken by their numbers.
template <class Scalar, int n, class Storage = Scalar>
class HyperplaneCsrIlu0 {
  using Matrix = BlockCsr<Scalar, n, Kokkos::Cuda, Scalar, int>;
  using Ilu = BlockIlu0Csr<Scalar, n, Kokkos::Cuda, Storage, int>;

 public:
  HyperplaneCsrIlu0(const Kokkos::Cuda& exec, const test::RandomSystem& system, CsrPath path)
      : m_exec(exec),
        m_system(bsr_system<Scalar>(exec, system, CUSPARSE_DIRECTION_ROW)),
        m_a(m_system.row_begin, m_system.columns, m_system.values),
        m_x(device_array<Scalar>(exec, "x", m_system.rhs.size())),
        m_ilu(exec, m_a, {.path = path}) {
    factor();
    if (auto const status = m_ilu.status(exec); !status.ok()) throw std::runtime_error(status.message());
  }

  void factor() { m_ilu.factor(m_exec, m_a); }
  void solve() const { m_ilu.solve(m_exec, m_system.rhs, m_x); }
  std::vector<double> x() const { return to_host(m_x); }

 private:
  Kokkos::Cuda m_exec;
  BsrSystem<Scalar> m_system;
  Matrix m_a;
  DeviceArray<Scalar> m_x;
  Ilu m_ilu;
};

}  // namespace hyperplane::perf
