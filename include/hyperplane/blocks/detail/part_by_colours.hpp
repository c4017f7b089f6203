// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/detail/blocks_by_colour.hpp>
#include <hyperplane/blocks/detail/coefficient_copies.hpp>
#include <hyperplane/blocks/detail/colour_lists.hpp>
#include <hyperplane/blocks/detail/coloured_couplings_of.hpp>
#include <hyperplane/blocks/detail/donor_block.hpp>
#include <hyperplane/blocks/detail/first_failure.hpp>
#include <hyperplane/blocks/detail/spread_colours.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/spread_slots.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The preconditioners of the grid blocks that one part has of a MultiBlockOnDevices, and what couples them, colour by
/// colour: the parts take each step together. Without colours there is one step of each kind.
template <class P>
class PartByColours {
  using Exec = typename P::Vector::execution_space;
  using Blocks = BlocksByColour<P>;

 public:
  /// `others`: what other parts have; `is_natural` as for BlocksByColour. Where grid blocks are coupled and there are
  /// others, connect() and forget_lists() have to follow. Waits for the instance.
  template <class Options>
  PartByColours(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const Colouring& colouring,
                bool is_natural, std::optional<RemoteLists> others)
      : m_blocks(exec, grid, options, colouring, is_natural, nullptr, std::move(others)) {}

  int colours() const { return m_blocks.stages(); }

  /// When all parts are there, of which this is number `own`: finds where coefficients and factors are that come from
  /// the others. Waits for the instance.
  void connect(const Exec& exec, const std::vector<PartByColours>& parts, int own,
               const SpreadSlots<P::Vector::vector_length>& slots, const std::vector<CoefficientOrigin>& upper_origins,
               const std::vector<CoefficientOrigin>& lower_origins) {
    bool const before_kernels = !m_blocks.is_in_order() && !m_blocks.boxes();
    if (before_kernels || Blocks::Couplings::subtracts) {
      m_copies.push_back(made_copies(exec, parts, upper_origins, true));
    }
    if (before_kernels) m_copies.push_back(made_copies(exec, parts, lower_origins, false));
    std::vector<DonorBlock<Blocks>> here, whole;
    for (int b = 0; b < slots.whole().block_count(); ++b) {
      whole.push_back({&parts[as_size(slots.owner(b))].m_blocks, slots.place(b), slots.first_pack(b, own)});
      if (slots.owner(b) == own) here.push_back(whole.back());
    }
    here.insert(here.end(), whole.begin(), whole.end());
    m_blocks.connect_transposed(exec, here);
  }
  /// When all parts are connected.
  void forget_lists() { m_blocks.forget_lists(); }

  /// The factors of a colour, when those of the colours before it are there.
  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a, int colour) {
    if (colour > 0) bring_coefficients(exec, colour - 1);
    m_blocks.factor(exec, a, colour);
  }
  /// After the last colour.
  void finish_factor(const Exec& exec) const {
    bring_coefficients(exec, colours() - 1);
    m_blocks.finish_factor(exec);
  }
  /// Where a factorization ends before it: what is recorded so far is no failure of the next one. Grid blocks are whole
  /// here, so that A has its diagonal blocks again after each colour.
  template <class Matrix>
  void abandon_factor(const Exec& exec, const Matrix& a) const {
    m_blocks.abandon_factor(exec, a, 0);
  }

  /// Of BlocksByColour.
  template <class Vector>
  void solve_upwards(const Exec& exec, int colour, const Vector& rhs, const Vector& x) const {
    m_blocks.solve_upwards(exec, colour, rhs, x);
  }
  template <class Vector>
  void solve_downwards(const Exec& exec, int colour, const Vector& x) const {
    m_blocks.solve_downwards(exec, colour, x);
  }
  template <class Vector>
  void solve_transposed_upwards(const Exec& exec, int colour, const Vector& rhs, const Vector& x) const {
    m_blocks.solve_transposed_upwards(exec, colour, rhs, x);
  }
  template <class Vector>
  void solve_transposed_downwards(const Exec& exec, int colour, const Vector& x) const {
    m_blocks.solve_transposed_downwards(exec, colour, x);
  }
  template <class Status>
  BlockFailure<Status> first_failure(const Exec& exec) const {
    return m_blocks.template first_failure<Status>(exec);
  }

 private:
  using Storage = typename P::storage_type;
  static constexpr int n = P::Vector::block_size;
  static constexpr bool has_boxes = ColouredCouplingsOf<P>::natural;
  using Copies = CoefficientCopies<Storage, n, Exec>;

  /// Coefficients of couplings to higher, or to lower colours that other parts read, and behind them copies of those
  /// that other parts have.
  const typename Blocks::Couplings::Values& coefficients(bool upper) const {
    if constexpr (has_boxes) {
      if (auto const& boxes = m_blocks.boxes()) return boxes->upper_values();
    }
    auto const& couplings = *m_blocks.couplings();
    return upper ? couplings.upper_values() : couplings.lower_values();
  }
  /// Their numbers, before forget_lists().
  int number(bool upper, int colour, const Slot& slot, Direction direction) const {
    if constexpr (has_boxes) {
      if (auto const& boxes = m_blocks.boxes()) return boxes->upper_number(colour, slot, direction);
    }
    return m_blocks.couplings()->number(upper, colour, slot, direction);
  }

  Copies made_copies(const Exec& exec, const std::vector<PartByColours>& parts,
                     const std::vector<CoefficientOrigin>& origins, bool upper) const {
    std::vector<CoefficientAddress<Storage>> from;
    for (auto const& [part, colour, slot, direction] : origins) {
      auto const& other = parts[as_size(part)];
      auto const number = other.number(upper, colour, slot, direction);
      from.push_back({other.coefficients(upper).data() + std::int64_t{number} * (n * n)});
    }
    return Copies(exec, origins, from, colours(), coefficients(upper));
  }

  void bring_coefficients(const Exec& exec, int colour) const {
    for (auto const& copies : m_copies) copies.bring(exec, colour);
  }

  Blocks m_blocks;
  std::vector<Copies> m_copies;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
