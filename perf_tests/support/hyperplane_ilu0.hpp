// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "problem.hpp"

#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/comparison_paths.hpp>

#include <stdexcept>
#include <utility>
#include <vector>

namespace hyperplane::perf {

/// BlockIlu0 of a RandomSystem on one path, beside other libraries.
template <class Scalar, int n, class Storage = Scalar, ExecutionSpace Space = Kokkos::Cuda>
struct HyperplaneIlu0 {
  using Ilu = BlockIlu0<Scalar, n, Space, Storage>;

  HyperplaneIlu0(const Space& exec, const Grid& grid, SweepPath path)
      : HyperplaneIlu0(exec, grid, Ilu(exec, grid, {.path = path})) {}
  HyperplaneIlu0(const Space& exec, const Grid& grid, ComparisonPath path)
      : HyperplaneIlu0(exec, grid, with_comparison_path<Ilu>(exec, grid, path)) {}
  HyperplaneIlu0(const Space& exec, const Grid& grid, Ilu ilu)
      : m_exec(exec), m_a(exec, grid, "a"), m_b(exec, grid, "b"), m_x(exec, grid, "x"), m_ilu(std::move(ilu)) {
    RandomSystem const system{grid, n};
    assemble(exec, system, m_a);
    assemble(exec, system, m_b);
    factor();
    if (auto const status = m_ilu.status(exec); !status.ok()) throw std::runtime_error(status.message());
  }

  void factor() { m_ilu.factor(m_exec, m_a); }
  void solve() const { m_ilu.solve(m_exec, m_b, m_x); }
  std::vector<double> x() const { return to_host(m_exec, m_x); }

  Space m_exec;
  BlockStencil7<Scalar, n, Space, Storage> m_a;
  BlockVector<Scalar, n, Space> m_b;
  BlockVector<Scalar, n, Space> m_x;
  Ilu m_ilu;
};

}  // namespace hyperplane::perf
