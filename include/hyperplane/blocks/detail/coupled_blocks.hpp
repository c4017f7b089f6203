// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/detail/coloured_couplings_of.hpp>
#include <hyperplane/blocks/detail/copy_values.hpp>
#include <hyperplane/blocks/detail/first_failure.hpp>
#include <hyperplane/blocks/detail/ranked_blocks.hpp>
#include <hyperplane/blocks/detail/through_stages.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/natural_order.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <memory>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The preconditioners of a MultiBlock and what couples them, stage after stage: see there.
template <class P>
class CoupledBlocks {
  using Of = ColouredCouplingsOf<P>;
  using Blocks = RankedBlocks<P>;
  using Couplings = typename Of::Type;
  using InOrder = typename Of::InOrder;
  using Remote = typename Of::Remote;
  using Exec = typename P::Vector::execution_space;
  static constexpr bool couples = !std::is_same_v<Couplings, std::monostate>;

 public:
  template <class Options>
  CoupledBlocks(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const Colouring& colouring,
                const std::shared_ptr<Remote>& remote)
      : m_remote(remote),
        m_is_natural(has_natural_order(grid, options, colouring, remote.get())),
        m_in_order(m_is_natural && Blocks::can_be_in_order(options.block)),
        m_boxes(made_boxes(exec, grid, colouring, remote)),
        m_blocks(exec, *grids_of(grid), options.block, *colouring_of(colouring), m_in_order) {
    if constexpr (couples) {
      if (options.coupling == Coupling::none) return;
      std::vector<typename Couplings::Factors> factors;
      for (int b = 0; b < grids_of(grid)->block_count(); ++b) factors.push_back(m_blocks.block(b).sweeps().factors());
      if constexpr (Of::natural) {
        if (m_boxes) m_boxes->set_factors(exec, factors);
      }
      if (!m_boxes) {
        m_couplings.emplace(exec, grid, colouring, factors, Of::rule(options.block), remote, m_in_order);
      }
      if (m_remote) m_remote->forget_lists();
    }
  }

  template <class Options>
  static bool can_be_cut(const Options& options) {
    return Blocks::can_be_cut(options);
  }

  /// Throws Error where grid blocks are parts of larger grids.
  const P& block(int number) const {
    require(!m_boxes, "MultiBlock: with coupling natural this path has no preconditioner of each grid block");
    return m_blocks.block(number);
  }

  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a) {
    if constexpr (couples) {
      if (m_couplings || m_boxes) return factor_coloured(exec, a);
    }
    m_blocks.factor(exec, a, 0);
  }

  template <class Vector>
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    if constexpr (couples) {
      if (m_couplings || m_boxes) return solve_coloured(exec, rhs, x);
    }
    m_blocks.sweep(exec, 0, Sweeps::both, rhs, x);
  }

  /// x = M^-T rhs; x may be rhs.
  template <class Vector>
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    if constexpr (Of::natural) {
      if (m_boxes) {
        require(
            m_boxes->is_whole(),
            "MultiBlock::solve_transposed: on this path, coupling natural has M^-T for grid blocks that fill a box, "
            "and not over ranks");
        return m_boxes->sweep(exec, 0, Sweeps::both, rhs.flat().data(), x.flat().data(), [&](const auto& of_boxes) {
          m_blocks.sweep_transposed(exec, 0, Sweeps::both, of_boxes, of_boxes);
        });
      }
    }
    if constexpr (couples) {
      if (m_couplings) return solve_transposed_coloured(exec, rhs, x);
    }
    m_blocks.sweep_transposed(exec, 0, Sweeps::both, rhs, x);
  }

  /// The first failure in the order of the factorization. Waits for the instance.
  template <class Status>
  BlockFailure<Status> first_failure(const Exec& exec) const {
    std::optional<FaceFailure> face;
    if constexpr (couples) {
      if (m_couplings) face = m_couplings->failure(exec);
    }
    return detail::first_failure<Status>(exec, m_blocks, face, [&](int b) { return status_of<Status>(exec, b); });
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

  /// None where kernels take neighbours outside of their grid, and where nothing is coupled.
  std::optional<InOrder> made_boxes(const Exec& exec, const MultiBlockGrid& grid, const Colouring& colouring,
                                    const std::shared_ptr<Remote>& remote) const {
    if constexpr (Of::natural) {
      if (m_is_natural && !m_in_order && colouring.count > 1) return InOrder(exec, grid, colouring, remote);
    }
    return std::nullopt;
  }
  const MultiBlockGrid* grids_of(const MultiBlockGrid& grid) const {
    if constexpr (Of::natural) {
      if (m_boxes) return &m_boxes->grids();
    }
    return &grid;
  }
  const Colouring* colouring_of(const Colouring& colouring) const {
    if constexpr (Of::natural) {
      if (m_boxes) return &m_boxes->colouring();
    }
    return &colouring;
  }

  template <class Status>
  Status status_of(const Exec& exec, int b) const {
    auto status = m_blocks.block(b).status(exec);
    if constexpr (Of::natural) {
      if (m_boxes) {
        int const block = m_boxes->status_in_block(b, status);
        return {status, block};
      }
    }
    return {status, b};
  }

  template <class Matrix>
  void factor_one(const Exec& exec, const Matrix& a, int stage) {
    if constexpr (Of::natural) {
      if (m_boxes) {
        return m_boxes->factor(exec, stage, a.flat().data(),
                               [&](const auto& of_boxes) { m_blocks.factor(exec, of_boxes, stage); });
      }
    }
    m_couplings->factor(exec, stage, a.flat().data(), [&] {
      if constexpr (Blocks::orders) {
        if (m_in_order) return m_blocks.factor(exec, a, stage, [&](int b) { return m_couplings->factors_outside(b); });
      }
      m_blocks.factor(exec, a, stage);
    });
  }

  template <class Matrix>
  void factor_coloured(const Exec& exec, const Matrix& a) {
    int const count = m_blocks.stages();
    int done = 0;
    auto const conclude = [&] {
      if (m_couplings) m_couplings->conclude(exec);
    };
    // All that may fail in one process alone.
    auto const factor_stage = [&] {
      if (m_remote && done > 0) m_remote->take_over_coefficients(exec, done - 1);
      factor_one(exec, a, done);
      ++done;
      if (m_remote) m_remote->hand_over_coefficients(exec, done - 1);
      if (done == count) conclude();
    };
    try {
      factor_stages(exec, m_remote.get(), count, factor_stage);
    } catch (...) {
      // What is recorded so far is no failure of the next factorization.
      if (m_couplings) m_couplings->abandon_factor(exec, done, a.flat().data());
      m_blocks.abandon_factor(exec);
      conclude();
      throw;
    }
  }

  template <class Vector>
  void sweep_one(const Exec& exec, int stage, Sweeps sweeps, const Vector& from, const Vector& x) const {
    if constexpr (Of::natural) {
      if (m_boxes) {
        return m_boxes->sweep(exec, stage, sweeps, from.flat().data(), x.flat().data(),
                              [&](const auto& of_boxes) { m_blocks.sweep(exec, stage, sweeps, of_boxes, of_boxes); });
      }
    }
    if constexpr (Blocks::orders) {
      if (m_in_order) {
        auto const outside_of = [&](int b) { return m_couplings->values_outside(b, x.flat().data()); };
        return m_blocks.sweep(exec, stage, sweeps, from, x, outside_of);
      }
    }
    m_blocks.sweep(exec, stage, sweeps, from, x);
  }

  template <class Vector>
  void solve_coloured(const Exec& exec, const Vector& rhs, const Vector& x) const {
    bool const in_place = x.flat().data() == rhs.flat().data();
    auto* const values = x.flat().data();
    // What lower colours subtract from is in x, unless sweeps do.
    bool const subtracts = !m_in_order && !m_boxes && m_blocks.stages() > 1;
    if (!in_place && subtracts) {
      copy_values("Hyperplane::MultiBlock::solve::copy", exec, rhs.flat().data(), values, x.flat().size());
    }
    auto const forward = [&](int stage, Sweeps sweeps) {
      if (stage > 0 && subtracts) m_couplings->subtract_lower(exec, stage, values);
      sweep_one(exec, stage, sweeps, subtracts ? x : rhs, x);
    };
    auto const backward = [&](int stage) {
      if (subtracts) m_couplings->subtract_upper(exec, stage, values);
      sweep_one(exec, stage, Sweeps::backward, x, x);
    };
    solve_stages(
        exec, m_remote.get(), m_blocks.stages(), forward, backward,
        [&](int stage) { m_remote->send_forward(exec, stage, values); },
        [&](int stage) { m_remote->send_backward(exec, stage, values); });
  }

  /// M^T = (I + d^-1 U)^T (d + L)^T: the first of these goes through the stages upwards, the other one downwards.
  template <class Vector>
  void solve_transposed_coloured(const Exec& exec, const Vector& rhs, const Vector& x) const {
    if (m_remote && !*m_is_prepared) {
      // What fails in one process here would leave others waiting later.
      m_remote->agree([&] { m_blocks.prepare_transposed(exec); });
      *m_is_prepared = true;
    }
    auto* const values = x.flat().data();
    if (values != rhs.flat().data()) {
      copy_values("Hyperplane::MultiBlock::solve_transposed::copy", exec, rhs.flat().data(), values, x.flat().size());
    }
    auto const forward = [&](int stage, Sweeps sweeps) {
      if (stage > 0) m_couplings->subtract_lower_transposed(exec, stage, values);
      m_blocks.sweep_transposed(exec, stage, sweeps, x, x);
    };
    auto const backward = [&](int stage) {
      m_couplings->subtract_upper_transposed(exec, stage, values);
      m_blocks.sweep_transposed(exec, stage, Sweeps::backward, x, x);
    };
    solve_stages(
        exec, m_remote.get(), m_blocks.stages(), forward, backward,
        [&](int stage) { m_couplings->send_forward_transposed(exec, stage, values); },
        [&](int stage) { m_couplings->send_backward_transposed(exec, stage, values); });
  }

  std::shared_ptr<Remote> m_remote;
  bool m_is_natural;
  bool m_in_order;
  std::optional<InOrder> m_boxes;
  Blocks m_blocks;
  std::optional<Couplings> m_couplings;
  /// For solves with M^T, all processes. Copies share it: a process may make them before or after the first of these.
  std::shared_ptr<bool> m_is_prepared = std::make_shared<bool>(false);
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
