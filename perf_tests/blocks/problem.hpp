// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/assemble.hpp"
#include "../support/relative_difference.hpp"
#include "block_case.hpp"

#include "unit_tests/support/transfer.hpp"

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_status.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::perf {

/// What MultiBlock is compared with: a BlockIlu0 of each grid block, one after the other, of grid blocks that meet no
/// other.
template <int n, class Exec>
class OneByOne {
 public:
  using Vector = MultiBlockVector<double, n, Exec>;
  using Matrix = MultiBlockStencil7<double, n, Exec>;

  OneByOne(const Exec& exec, const MultiBlockGrid& grid) {
    for (auto const& block : grid.blocks()) m_plans.emplace_back(exec, block);
  }
  void factor(const Exec& exec, const Matrix& a) {
    for (int b = 0; b < count(); ++b) m_plans[as_place(b)].factor(exec, a.block(b));
  }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    for (int b = 0; b < count(); ++b) m_plans[as_place(b)].solve(exec, rhs.block(b), x.block(b));
  }
  MultiBlockStatus<FactorStatus> status(const Exec& exec) const {
    for (int b = 0; b < count(); ++b) {
      auto const status = m_plans[as_place(b)].status(exec);
      if (!status.ok()) return {status, b};
    }
    return {};
  }

 private:
  static std::size_t as_place(int b) { return static_cast<std::size_t>(b); }
  int count() const { return static_cast<int>(m_plans.size()); }

  std::vector<BlockIlu0<double, n, Exec>> m_plans;
};

/// The systems of grid blocks, and a preconditioner of them: MultiBlock or OneByOne.
template <int n, class Exec, class Preconditioner>
class BlocksProblem {
 public:
  template <class... Options>
  BlocksProblem(const Exec& exec, const BlockCase& blocks, const Options&... options)
      : m_case(blocks),
        m_a(exec, blocks.grid(), "a"),
        m_b(exec, blocks.grid(), "b"),
        m_x(exec, blocks.grid(), "x"),
        m_preconditioner(exec, blocks.grid(), options...) {
    for (int b = 0; b < blocks.grid().block_count(); ++b) {
      auto const part = blocks.part(b, n);
      assemble(exec, part, m_a.block(b));
      assemble(exec, part, m_b.block(b));
    }
    factor(exec);
    if (auto const status = m_preconditioner.status(exec); !status.ok()) throw std::runtime_error(status.message());
  }

  void factor(const Exec& exec) { m_preconditioner.factor(exec, m_a); }
  void solve(const Exec& exec) const { m_preconditioner.solve(exec, m_b, m_x); }
  void apply(const Exec& exec) const {
    if constexpr (std::is_same_v<Preconditioner, OneByOne<n, Exec>>) {
      for (int b = 0; b < m_case.grid().block_count(); ++b) {
        hyperplane::apply(exec, m_a.block(b), m_b.block(b), m_x.block(b));
      }
    } else {
      hyperplane::apply(exec, m_a, m_b, m_x);
    }
  }

  void verify_solve(const Exec& exec, const std::vector<double>& reference) {
    solve(exec);
    check(exec, "solve", reference);
    // The factors must be the same the second time: the timed loop overwrites them again and again.
    factor(exec);
    solve(exec);
    check(exec, "solve after another factor", reference);
  }
  void verify_apply(const Exec& exec, const std::vector<double>& reference) const {
    apply(exec);
    check(exec, "apply", reference);
  }

 private:
  /// x by rows, system after system.
  std::vector<double> x(const Exec& exec) const {
    std::vector<double> result(static_cast<std::size_t>(m_case.grid().size() * n));
    for (int b = 0; b < m_case.grid().block_count(); ++b) {
      auto const part = test::to_host(exec, m_x.block(b));
      auto from = part.begin();
      for (auto const p : m_case.places(b)) {
        std::copy_n(from, n, result.begin() + p * n);
        from += n;
      }
    }
    return result;
  }

  void check(const Exec& exec, const char* what, const std::vector<double>& expected) const {
    check_reference(std::string(what) + " of " + m_case.name(), n, std::numeric_limits<double>::epsilon(), x(exec),
                    expected);
  }

  BlockCase m_case;
  MultiBlockStencil7<double, n, Exec> m_a;
  MultiBlockVector<double, n, Exec> m_b;
  MultiBlockVector<double, n, Exec> m_x;
  Preconditioner m_preconditioner;
};

}  // namespace hyperplane::perf
