// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/detail/coefficient_copies.hpp>
#include <hyperplane/blocks/detail/colour_lists.hpp>
#include <hyperplane/blocks/detail/coloured_couplings_of.hpp>
#include <hyperplane/blocks/detail/copy_values.hpp>
#include <hyperplane/blocks/detail/first_failure.hpp>
#include <hyperplane/blocks/detail/ranked_blocks.hpp>
#include <hyperplane/blocks/detail/spread_colours.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The preconditioners of the grid blocks that one part has of a MultiBlockOnDevices, and what couples them, colour by
/// colour: the parts take each step together. Without colours there is one step of each kind.
template <class P>
class PartByColours {
  using Of = ColouredCouplingsOf<P>;
  using Exec = typename P::Vector::execution_space;

 public:
  using Couplings = typename Of::Type;

  /// `others`: what other parts have. Waits for the instance.
  template <class Options>
  PartByColours(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const Colouring& colouring,
                RemoteLists others)
      : m_blocks(exec, grid, options.block, colouring, false) {
    if (options.coupling == Coupling::none) return;
    std::vector<typename Couplings::Factors> factors;
    for (int b = 0; b < grid.block_count(); ++b) factors.push_back(m_blocks.block(b).sweeps().factors());
    m_couplings.emplace(exec, grid, colouring, factors, Of::rule(options.block), std::move(others));
  }

  int colours() const { return m_blocks.ranks(); }
  const P& block(int number) const { return m_blocks.block(number); }

  /// Where grid blocks are coupled, when all parts are there: finds where the coefficients are that come from the
  /// others. Waits for the instance.
  void connect(const Exec& exec, const std::vector<PartByColours>& parts,
               const std::vector<CoefficientOrigin>& upper_origins,
               const std::vector<CoefficientOrigin>& lower_origins) {
    m_copies.push_back(made_copies(exec, parts, upper_origins, true));
    m_copies.push_back(made_copies(exec, parts, lower_origins, false));
  }
  /// When all parts are connected.
  void forget_lists() { m_couplings->forget_lists(); }

  /// The factors of a colour, when those of the colours before it are there.
  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a, int colour) {
    if (!m_couplings) return m_blocks.factor(exec, a, colour);
    if (colour > 0) bring_coefficients(exec, colour - 1);
    m_couplings->factor(exec, colour, a.flat().data(), [&] { m_blocks.factor(exec, a, colour); });
  }
  /// After the last colour.
  void finish_factor(const Exec& exec) const {
    if (m_couplings) bring_coefficients(exec, colours() - 1);
    abandon_factor(exec);
  }
  /// Where a factorization ends before it: what is recorded so far is no failure of the next one.
  void abandon_factor(const Exec& exec) const {
    if (m_couplings) m_couplings->conclude(exec);
  }

  /// Colours upwards, with the right-hand side in the first one, then downwards from the last but one.
  template <class Vector>
  void solve_upwards(const Exec& exec, int colour, const Vector& rhs, const Vector& x) const {
    begin("Hyperplane::MultiBlock::solve::copy", exec, colour, rhs, x);
    if (colour > 0) m_couplings->subtract_lower(exec, colour, x.flat().data());
    m_blocks.sweep(exec, colour, is_last(colour) ? Sweeps::both : Sweeps::forward, is_copied() ? x : rhs, x);
  }
  template <class Vector>
  void solve_downwards(const Exec& exec, int colour, const Vector& x) const {
    m_couplings->subtract_upper(exec, colour, x.flat().data());
    m_blocks.sweep(exec, colour, Sweeps::backward, x, x);
  }

  /// The same with M^T = (I + d^-1 U)^T (d + L)^T.
  template <class Vector>
  void solve_transposed_upwards(const Exec& exec, int colour, const Vector& rhs, const Vector& x) const {
    begin("Hyperplane::MultiBlock::solve_transposed::copy", exec, colour, rhs, x);
    if (colour > 0) m_couplings->subtract_lower_transposed(exec, colour, x.flat().data());
    m_blocks.sweep_transposed(exec, colour, is_last(colour) ? Sweeps::both : Sweeps::forward, is_copied() ? x : rhs, x);
  }
  template <class Vector>
  void solve_transposed_downwards(const Exec& exec, int colour, const Vector& x) const {
    m_couplings->subtract_upper_transposed(exec, colour, x.flat().data());
    m_blocks.sweep_transposed(exec, colour, Sweeps::backward, x, x);
  }

  /// The first failure in the order of the factorization. Waits for the instance.
  template <class Status>
  BlockFailure<Status> first_failure(const Exec& exec) const {
    std::optional<FaceFailure> const face = m_couplings ? m_couplings->failure(exec) : std::nullopt;
    return detail::first_failure<Status>(exec, m_blocks, face,
                                         [&](int b) { return Status{m_blocks.block(b).status(exec), b}; });
  }

 private:
  using Values = typename Couplings::Values;
  using Storage = typename Values::value_type;
  static constexpr int n = P::Vector::block_size;
  using Copies = CoefficientCopies<Storage, n, Exec>;

  /// Of couplings to higher, or to lower colours.
  const Values& values(bool upper) const { return upper ? m_couplings->upper_values() : m_couplings->lower_values(); }

  Copies made_copies(const Exec& exec, const std::vector<PartByColours>& parts,
                     const std::vector<CoefficientOrigin>& origins, bool upper) const {
    std::vector<CoefficientAddress<Storage>> from;
    for (auto const& [part, colour, slot, direction] : origins) {
      auto const& other = parts[as_size(part)];
      auto const number = other.m_couplings->number(upper, colour, slot, direction);
      from.push_back({other.values(upper).data() + std::int64_t{number} * (n * n)});
    }
    return Copies(exec, origins, from, colours(), values(upper));
  }

  void bring_coefficients(const Exec& exec, int colour) const {
    for (auto const& copies : m_copies) copies.bring(exec, colour);
  }

  bool is_last(int colour) const { return colour + 1 == colours(); }

  /// What lower colours subtract from is in x.
  bool is_copied() const { return colours() > 1; }
  template <class Vector>
  void begin(const char* label, const Exec& exec, int colour, const Vector& rhs, const Vector& x) const {
    if (colour > 0 || !is_copied() || rhs.flat().data() == x.flat().data()) return;
    copy_values(label, exec, rhs.flat().data(), x.flat().data(), x.flat().size());
  }

  RankedBlocks<P> m_blocks;
  std::optional<Couplings> m_couplings;
  std::vector<Copies> m_copies;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
