// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/detail/colour_lists.hpp>
#include <hyperplane/blocks/detail/coloured_couplings_of.hpp>
#include <hyperplane/blocks/detail/copy_values.hpp>
#include <hyperplane/blocks/detail/donor_block.hpp>
#include <hyperplane/blocks/detail/first_failure.hpp>
#include <hyperplane/blocks/detail/ranked_blocks.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The preconditioners of some grid blocks and what couples them, stage by stage: what a factorization and the halves
/// of a solve do for one stage, which is a colour where grid blocks are not cut into pieces. Without colours there is
/// one. Couplings are of one of three kinds: in order, inside of the kernels of the grid blocks; larger grids,
/// BoxesInOrder; and what ColouredCouplings does before those kernels.
template <class P>
class BlocksByColour {
  using Of = ColouredCouplingsOf<P>;
  using Blocks = RankedBlocks<P>;
  using Exec = typename P::Vector::execution_space;

 public:
  using Couplings = typename Of::Type;
  using InOrder = typename Of::InOrder;
  using Remote = typename Of::Remote;
  static constexpr bool couples = !std::is_same_v<Couplings, std::monostate>;

  /// `is_natural`: whether all grid blocks are parts of a box in its natural order. Others are those of `remote`, or
  /// other parts of this process, which have `parts`; then connect_transposed() and forget_lists() have to follow.
  /// Waits for the instance.
  template <class Options>
  BlocksByColour(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const Colouring& colouring,
                 bool is_natural, const std::shared_ptr<Remote>& remote,
                 std::optional<RemoteLists> parts = std::nullopt)
      : m_in_order(is_natural && Blocks::can_be_in_order(options.block)),
        m_boxes(made_boxes(exec, grid, colouring, is_natural, remote, parts)),
        m_blocks(exec, *grids_of(grid), options.block, *colouring_of(colouring), m_in_order) {
    if constexpr (couples) {
      if (options.coupling == Coupling::none) return;
      bool const is_part = parts.has_value();
      auto const factors = all_factors(*grids_of(grid));
      if constexpr (Of::natural) {
        if (m_boxes) {
          m_boxes->set_factors(exec, factors);
          if (!remote && !is_part) connect_transposed(exec, blocks_with_donors<P::Vector::vector_length>(*this, grid));
          return;
        }
      }
      m_couplings.emplace(exec, grid, colouring, factors, Of::rule(options.block), remote, m_in_order,
                          is_part ? std::move(*parts) : RemoteLists(remote.get()));
      if (!is_part) m_couplings->forget_lists();
    }
  }

  int stages() const { return m_blocks.stages(); }
  bool is_coupled() const { return m_couplings || m_boxes; }
  bool is_in_order() const { return m_in_order; }
  /// Where grid blocks are parts of larger grids.
  const std::optional<InOrder>& boxes() const { return m_boxes; }
  /// Where they are not, and are coupled.
  const std::optional<Couplings>& couplings() const { return m_couplings; }
  /// Throws Error where grid blocks are parts of larger grids.
  const P& block(int number) const {
    require(!m_boxes, "MultiBlock: with coupling natural this path has no preconditioner of each grid block");
    return m_blocks.block(number);
  }

  /// The factors of a stage, when those of the stages before it are there.
  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a, int stage) {
    if constexpr (Of::natural) {
      if (m_boxes) {
        return m_boxes->factor(exec, stage, a.flat().data(),
                               [&](const auto& of_boxes) { m_blocks.factor(exec, of_boxes, stage); });
      }
    }
    if constexpr (couples) {
      if (m_couplings) {
        return m_couplings->factor(exec, stage, a.flat().data(), [&] { factor_blocks(exec, a, stage); });
      }
    }
    m_blocks.factor(exec, a, stage);
  }
  /// After the last stage, of all who have some.
  void finish_factor(const Exec& exec) const {
    if constexpr (Of::natural) {
      if (m_boxes) m_boxes->finish_factor(exec);
    }
    conclude(exec);
  }
  /// Where a factorization ends after so many stages: A has all its diagonal blocks again, and what is recorded so far
  /// is no failure of the next one.
  template <class Matrix>
  void abandon_factor(const Exec& exec, const Matrix& a, int stages) const {
    if constexpr (couples) {
      if (m_couplings) m_couplings->abandon_factor(exec, stages, a.flat().data());
    }
    m_blocks.abandon_factor(exec);
    conclude(exec);
  }

  /// Stages upwards, with the right-hand side, which may be x.
  template <class Vector>
  void solve_upwards(const Exec& exec, int stage, const Vector& rhs, const Vector& x) const {
    bool const is_subtracted = !m_in_order && subtracts();
    if constexpr (couples) {
      if (is_subtracted) {
        begin("Hyperplane::MultiBlock::solve::copy", exec, stage, rhs, x);
        if (stage > 0) m_couplings->subtract_lower(exec, stage, x.flat().data());
      }
    }
    // Nothing comes between the sweeps of the last stage.
    sweep(exec, stage, is_last(stage) ? Sweeps::both : Sweeps::forward, is_subtracted ? x : rhs, x);
  }
  /// Then downwards, from the last stage but one.
  template <class Vector>
  void solve_downwards(const Exec& exec, int stage, const Vector& x) const {
    if constexpr (couples) {
      if (!m_in_order && subtracts()) m_couplings->subtract_upper(exec, stage, x.flat().data());
    }
    sweep(exec, stage, Sweeps::backward, x, x);
  }

  /// The same with M^T = (I + d^-1 U)^T (d + L)^T.
  template <class Vector>
  void solve_transposed_upwards(const Exec& exec, int stage, const Vector& rhs, const Vector& x) const {
    if constexpr (couples) {
      if (subtracts()) {
        begin("Hyperplane::MultiBlock::solve_transposed::copy", exec, stage, rhs, x);
        if (stage > 0) m_couplings->subtract_lower_transposed(exec, stage, x.flat().data());
      }
    }
    sweep_transposed(exec, stage, is_last(stage) ? Sweeps::both : Sweeps::forward, subtracts() ? x : rhs, x);
  }
  template <class Vector>
  void solve_transposed_downwards(const Exec& exec, int stage, const Vector& x) const {
    if constexpr (couples) {
      if (subtracts()) m_couplings->subtract_upper_transposed(exec, stage, x.flat().data());
    }
    sweep_transposed(exec, stage, Sweeps::backward, x, x);
  }
  /// What the first of them prepares.
  void prepare_transposed(const Exec& exec) const { m_blocks.prepare_transposed(exec); }

  /// The first failure in the order of the factorization. Waits for the instance.
  template <class Status>
  BlockFailure<Status> first_failure(const Exec& exec) const {
    std::optional<FaceFailure> face;
    if constexpr (couples) {
      if (m_couplings) face = m_couplings->failure(exec);
    }
    return detail::first_failure<Status>(exec, m_blocks, face, [&](int b) { return status_of<Status>(exec, b); });
  }

  /// When all parts are there: finds the factors that solves with M^T read. Of `donors` the first ones are the grid
  /// blocks here, and those of the whole grid come after them. Waits for the instance.
  void connect_transposed(const Exec& exec, const std::vector<DonorBlock<BlocksByColour>>& donors) {
    if constexpr (Of::natural) {
      if (m_boxes) {
        return m_boxes->connect_transposed(exec, [&](const FaceCoupling& coupling) {
          auto const& [blocks, number, first_pack] = donors[as_size(coupling.donor_block)];
          auto const& [pack, lane] = coupling.donor;
          return blocks->m_boxes->coupling(number, pack - first_pack, lane, coupling.back);
        });
      }
      if (!m_in_order) return;
      std::vector<typename Couplings::Factors> factors;
      std::vector<std::int64_t> first_packs;
      for (auto const& [blocks, number, first_pack] : donors) {
        factors.push_back(blocks->m_blocks.block(number).sweeps().factors());
        first_packs.push_back(first_pack);
      }
      m_couplings->set_factors_of_donors(exec, factors, first_packs);
    }
  }
  void forget_lists() {
    if constexpr (Of::natural) {
      if (m_boxes) m_boxes->forget_lists();
    }
    if (m_couplings) m_couplings->forget_lists();
  }

 private:
  void conclude(const Exec& exec) const {
    if constexpr (couples) {
      if (m_couplings) m_couplings->conclude(exec);
    }
  }

  /// None where kernels take neighbours outside of their grid, and where nothing is coupled.
  std::optional<InOrder> made_boxes(const Exec& exec, const MultiBlockGrid& grid, const Colouring& colouring,
                                    bool is_natural, const std::shared_ptr<Remote>& remote,
                                    std::optional<RemoteLists>& parts) const {
    if constexpr (Of::natural) {
      if (is_natural && !m_in_order && colouring.count > 1) {
        return InOrder(exec, grid, colouring, remote, std::move(parts));
      }
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
  auto all_factors(const MultiBlockGrid& grids) const {
    std::vector<typename Couplings::Factors> result;
    for (int b = 0; b < grids.block_count(); ++b) result.push_back(m_blocks.block(b).sweeps().factors());
    return result;
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
  void factor_blocks(const Exec& exec, const Matrix& a, int stage) {
    if constexpr (Blocks::orders) {
      if (m_in_order) return m_blocks.factor(exec, a, stage, [&](int b) { return m_couplings->factors_outside(b); });
    }
    m_blocks.factor(exec, a, stage);
  }

  bool is_last(int stage) const { return stage + 1 == stages(); }
  /// Whether neighbours of other colours subtract from x before sweeps, where these do not take them themselves.
  bool subtracts() const { return m_couplings && stages() > 1; }
  template <class Vector>
  void begin(const char* label, const Exec& exec, int stage, const Vector& rhs, const Vector& x) const {
    if (stage > 0 || rhs.flat().data() == x.flat().data()) return;
    copy_values(label, exec, rhs.flat().data(), x.flat().data(), x.flat().size());
  }

  template <class Vector>
  void sweep(const Exec& exec, int stage, Sweeps sweeps, const Vector& from, const Vector& x) const {
    if constexpr (Of::natural) {
      if (m_boxes) {
        return m_boxes->sweep(exec, stage, sweeps, from.flat().data(), x.flat().data(),
                              [&](const auto& of_boxes) { m_blocks.sweep(exec, stage, sweeps, of_boxes, of_boxes); });
      }
    }
    if constexpr (Blocks::orders && couples) {
      if (m_in_order) {
        auto const outside_of = [&](int b) { return m_couplings->values_outside(b, x.flat().data()); };
        return m_blocks.sweep(exec, stage, sweeps, from, x, outside_of);
      }
    }
    m_blocks.sweep(exec, stage, sweeps, from, x);
  }
  template <class Vector>
  void sweep_transposed(const Exec& exec, int stage, Sweeps sweeps, const Vector& from, const Vector& x) const {
    if constexpr (Of::natural) {
      if (m_boxes) {
        return m_boxes->sweep(exec, stage, sweeps, from.flat().data(), x.flat().data(), [&](const auto& of_boxes) {
          m_blocks.sweep_transposed(exec, stage, sweeps, of_boxes, of_boxes);
        });
      }
    }
    m_blocks.sweep_transposed(exec, stage, sweeps, from, x);
  }

  bool m_in_order;
  std::optional<InOrder> m_boxes;
  Blocks m_blocks;
  std::optional<Couplings> m_couplings;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
