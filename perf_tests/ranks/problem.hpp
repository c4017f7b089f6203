// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../blocks/block_case.hpp"
#include "../support/assemble.hpp"
#include "../support/relative_difference.hpp"

#include "unit_tests/support/transfer.hpp"

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/mpi/mpi.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {

/// The system of a box whose parts are spread over ranks, and BILU(0) of it.
template <int n, class Exec>
class RanksProblem {
 public:
  using Preconditioner = DistributedMultiBlock<BlockIlu0<double, n, Exec>>;

  RanksProblem(const Exec& exec, const Communicator& communicator, const BlockCase& parts, Coupling coupling)
      : m_case(parts),
        m_grid(communicator, parts.grid(), assign_blocks(parts.grid(), communicator.size())),
        m_a(exec, m_grid),
        m_b(exec, m_grid),
        m_x(exec, m_grid),
        m_preconditioner(exec, m_grid, {.coupling = coupling}) {
    for (int const b : m_grid.blocks()) {
      auto const part = parts.part(b, n);
      assemble(exec, part, m_a.block(b));
      assemble(exec, part, m_b.block(b));
    }
    factor(exec);
    if (auto const status = m_preconditioner.status(exec); !status.ok()) throw std::runtime_error(status.message());
  }

  void factor(const Exec& exec) { m_preconditioner.factor(exec, m_a); }
  void solve(const Exec& exec) const { m_preconditioner.solve(exec, m_b, m_x); }
  void apply(const Exec& exec) const { hyperplane::apply(exec, m_a, m_b, m_x); }

  /// Throws Error on all ranks where x of one of them is not that of a serial reference, which has the values of the
  /// box.
  void check(const Exec& exec, const std::string& what, const std::vector<double>& expected) const {
    m_grid.communicator().agree([&] {
      for (int const b : m_grid.blocks()) {
        std::vector<double> part;
        for (auto const p : m_case.places(b)) {
          auto const first = expected.begin() + p * n;
          part.insert(part.end(), first, first + n);
        }
        check_reference(what + " of " + m_case.name() + ", grid block " + std::to_string(b), n,
                        std::numeric_limits<double>::epsilon(), test::to_host(exec, m_x.block(b)), part);
      }
    });
  }

 private:
  BlockCase m_case;
  DistributedGrid m_grid;
  DistributedStencil7<double, n, Exec> m_a;
  DistributedVector<double, n, Exec> m_b;
  DistributedVector<double, n, Exec> m_x;
  Preconditioner m_preconditioner;
};

}  // namespace hyperplane::perf
