// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/detail/blocks_by_colour.hpp>
#include <hyperplane/blocks/detail/first_failure.hpp>
#include <hyperplane/blocks/detail/ranked_blocks.hpp>
#include <hyperplane/blocks/detail/through_stages.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/natural_order.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <memory>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The preconditioners of a MultiBlock and what couples them, stage after stage, with those of other processes: see
/// there.
template <class P>
class CoupledBlocks {
  using Blocks = BlocksByColour<P>;
  using Remote = typename Blocks::Remote;
  using Exec = typename P::Vector::execution_space;
  static constexpr bool couples = Blocks::couples;

 public:
  template <class Options>
  CoupledBlocks(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const Colouring& colouring,
                const std::shared_ptr<Remote>& remote)
      : m_remote(remote),
        m_blocks(exec, grid, options, colouring, has_natural_order(grid, options, colouring, remote.get()), remote) {
    if constexpr (couples) {
      if (m_remote) m_remote->forget_lists();
    }
  }

  template <class Options>
  static bool can_be_cut(const Options& options) {
    return RankedBlocks<P>::can_be_cut(options);
  }

  /// Throws Error where grid blocks are parts of larger grids.
  const P& block(int number) const { return m_blocks.block(number); }

  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a) {
    if constexpr (couples) {
      if (m_blocks.is_coupled()) return factor_coupled(exec, a);
    }
    m_blocks.factor(exec, a, 0);
  }

  template <class Vector>
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    auto const upwards = [&](int stage) { m_blocks.solve_upwards(exec, stage, rhs, x); };
    if constexpr (couples) {
      auto* const values = x.flat().data();
      solve_stages(
          exec, m_remote.get(), m_blocks.stages(), upwards,
          [&](int stage) { m_blocks.solve_downwards(exec, stage, x); },
          [&](int stage) { m_remote->send_forward(exec, stage, values); },
          [&](int stage) { m_remote->send_backward(exec, stage, values); });
    } else {
      upwards(0);
    }
  }

  /// x = M^-T rhs; x may be rhs.
  template <class Vector>
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    auto const upwards = [&](int stage) { m_blocks.solve_transposed_upwards(exec, stage, rhs, x); };
    if constexpr (couples) {
      if (m_remote) prepare_transposed(exec);
      auto* const values = x.flat().data();
      solve_stages(
          exec, m_remote.get(), m_blocks.stages(), upwards,
          [&](int stage) { m_blocks.solve_transposed_downwards(exec, stage, x); },
          [&](int stage) { m_blocks.couplings()->send_forward_transposed(exec, stage, values); },
          [&](int stage) { m_blocks.couplings()->send_backward_transposed(exec, stage, values); });
    } else {
      upwards(0);
    }
  }

  /// The first failure in the order of the factorization. Waits for the instance.
  template <class Status>
  BlockFailure<Status> first_failure(const Exec& exec) const {
    return m_blocks.template first_failure<Status>(exec);
  }

 private:
  /// Whether the grid blocks are parts of a box in its natural order.
  template <class Options>
  static bool has_natural_order(const MultiBlockGrid& grid, const Options& options, const Colouring& colouring,
                                [[maybe_unused]] const Remote* remote) {
    if (options.coupling != Coupling::natural) return false;
    if constexpr (couples) {
      if (remote != nullptr) return remote->rise_along_axes();
    }
    return rises_along_axes(grid, colouring.ranks);
  }

  template <class Matrix>
  void factor_coupled(const Exec& exec, const Matrix& a) {
    int const count = m_blocks.stages();
    int done = 0;
    // All that may fail in one process alone.
    auto const factor_stage = [&] {
      if (m_remote && done > 0) m_remote->take_over_coefficients(exec, done - 1);
      m_blocks.factor(exec, a, done);
      ++done;
      if (m_remote) m_remote->hand_over_coefficients(exec, done - 1);
      if (done == count) m_blocks.finish_factor(exec);
    };
    try {
      factor_stages(exec, m_remote.get(), count, factor_stage);
    } catch (...) {
      m_blocks.abandon_factor(exec, a, done);
      throw;
    }
  }

  void prepare_transposed(const Exec& exec) const {
    require(!m_blocks.boxes(),
            "MultiBlock::solve_transposed: on this path, coupling natural has M^-T in one process, and not over ranks");
    if (*m_is_prepared) return;
    // What fails in one process here would leave others waiting later.
    m_remote->agree([&] { m_blocks.prepare_transposed(exec); });
    *m_is_prepared = true;
  }

  std::shared_ptr<Remote> m_remote;
  Blocks m_blocks;
  /// For solves with M^T, all processes. Copies share it: a process may make them before or after the first of these.
  std::shared_ptr<bool> m_is_prepared = std::make_shared<bool>(false);
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
