// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/detail/coloured_couplings_of.hpp>
#include <hyperplane/blocks/detail/copy_values.hpp>
#include <hyperplane/blocks/detail/first_failure.hpp>
#include <hyperplane/blocks/detail/ranked_blocks.hpp>
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

/// The preconditioners of a MultiBlock and what couples them, colour after colour: see there.
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
        m_couplings.emplace(exec, grid, colouring.ranks, factors, Of::rule(options.block), remote, m_in_order);
      }
      if (m_remote) m_remote->forget_lists();
    }
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
  void factor_one(const Exec& exec, const Matrix& a, int rank) {
    if constexpr (Of::natural) {
      if (m_boxes) {
        return m_boxes->factor(exec, rank, a.flat().data(),
                               [&](const auto& of_boxes) { m_blocks.factor(exec, of_boxes, rank); });
      }
    }
    m_couplings->factor(exec, rank, a.flat().data(), [&] {
      if constexpr (Blocks::orders) {
        if (m_in_order) return m_blocks.factor(exec, a, rank, [&](int b) { return m_couplings->factors_outside(b); });
      }
      m_blocks.factor(exec, a, rank);
    });
  }

  template <class Matrix>
  void factor_coloured(const Exec& exec, const Matrix& a) {
    int const last = m_blocks.ranks() - 1;
    auto const conclude = [&] {
      if (m_couplings) m_couplings->conclude(exec);
    };
    try {
      for (int rank = 0; rank <= last; ++rank) {
        // All that may fail in one process alone.
        auto const factor_colour = [&] {
          if (m_remote && rank > 0) m_remote->take_over_coefficients(exec, rank - 1);
          factor_one(exec, a, rank);
          if (m_remote) m_remote->hand_over_coefficients(exec, rank);
          if (rank == last) conclude();
        };
        if (!m_remote) {
          factor_colour();
        } else {
          m_remote->agree(factor_colour);
          m_remote->exchange_coefficients(exec, rank);
        }
      }
    } catch (...) {
      // What is recorded so far is no failure of the next factorization.
      conclude();
      throw;
    }
  }

  template <class Vector>
  void sweep_one(const Exec& exec, int rank, Sweeps sweeps, const Vector& from, const Vector& x) const {
    if constexpr (Of::natural) {
      if (m_boxes) {
        return m_boxes->sweep(exec, rank, sweeps, from.flat().data(), x.flat().data(),
                              [&](const auto& of_boxes) { m_blocks.sweep(exec, rank, sweeps, of_boxes, of_boxes); });
      }
    }
    if constexpr (Blocks::orders) {
      if (m_in_order) {
        auto const outside_of = [&](int b) { return m_couplings->values_outside(b, x.flat().data()); };
        return m_blocks.sweep(exec, rank, sweeps, from, x, outside_of);
      }
    }
    m_blocks.sweep(exec, rank, sweeps, from, x);
  }

  template <class Vector>
  void solve_coloured(const Exec& exec, const Vector& rhs, const Vector& x) const {
    bool const in_place = x.flat().data() == rhs.flat().data();
    int const last = m_blocks.ranks() - 1;
    auto* const values = x.flat().data();
    // What lower colours subtract from is in x, unless sweeps do.
    bool const subtracts = !m_in_order && !m_boxes && last > 0;
    if (!in_place && subtracts) {
      copy_values("Hyperplane::MultiBlock::solve::copy", exec, rhs.flat().data(), values, x.flat().size());
    }
    for (int rank = 0; rank <= last; ++rank) {
      if (rank > 0 && subtracts) m_couplings->subtract_lower(exec, rank, values);
      // Nothing comes between the sweeps of the last colour.
      sweep_one(exec, rank, rank == last ? Sweeps::both : Sweeps::forward, subtracts ? x : rhs, x);
      if (m_remote && rank < last) m_remote->bring_forward(exec, rank, values);
    }
    for (int rank = last - 1; rank >= 0; --rank) {
      if (m_remote) m_remote->bring_backward(exec, rank + 1, values);
      if (subtracts) m_couplings->subtract_upper(exec, rank, values);
      sweep_one(exec, rank, Sweeps::backward, x, x);
    }
  }

  /// M^T = (I + d^-1 U)^T (d + L)^T: the first of these goes through the colours upwards, the other one downwards.
  template <class Vector>
  void solve_transposed_coloured(const Exec& exec, const Vector& rhs, const Vector& x) const {
    if (m_remote && !*m_is_prepared) {
      // What fails in one process here would leave others waiting later.
      m_remote->agree([&] { m_blocks.prepare_transposed(exec); });
      *m_is_prepared = true;
    }
    int const last = m_blocks.ranks() - 1;
    auto* const values = x.flat().data();
    if (values != rhs.flat().data()) {
      copy_values("Hyperplane::MultiBlock::solve_transposed::copy", exec, rhs.flat().data(), values, x.flat().size());
    }
    for (int rank = 0; rank <= last; ++rank) {
      if (rank > 0) m_couplings->subtract_lower_transposed(exec, rank, values);
      m_blocks.sweep_transposed(exec, rank, rank == last ? Sweeps::both : Sweeps::forward, x, x);
      if (rank < last) m_couplings->bring_forward_transposed(exec, rank, values);
    }
    for (int rank = last - 1; rank >= 0; --rank) {
      m_couplings->bring_backward_transposed(exec, rank + 1, values);
      m_couplings->subtract_upper_transposed(exec, rank, values);
      m_blocks.sweep_transposed(exec, rank, Sweeps::backward, x, x);
    }
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
