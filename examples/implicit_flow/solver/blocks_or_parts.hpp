// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "steady.hpp"

#include <hyperplane/blocks/choose_parts.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/parted.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/stencil/coupling_strengths.hpp>

#include <array>
#include <optional>
#include <string>
#include <variant>

namespace implicit_flow {

/// Whether parts of a grid block make another preconditioner of it: those with a coupling.
template <class P>
inline constexpr bool has_parts = hyperplane::MultiBlock<P>::can_be_coloured;

/// Throws hyperplane::Error where there are parts that a preconditioner cannot have.
inline void check_parts(const hyperplane::MultiBlockGrid& grid, const LinearOptions& options, bool has) {
  if (!options.parts) return;
  std::string const option = "--preconditioner-parts " + to_string(*options.parts);
  if (!has) throw hyperplane::Error(option + ": bilu0 and ssor have parts, " + name(options.preconditioner) + " not");
  if (grid.block_count() > 1) {
    throw hyperplane::Error(option + ": it is for one grid block, and there are " + std::to_string(grid.block_count()));
  }
  if (options.coupling == hyperplane::Coupling::natural) {
    throw hyperplane::Error(option +
                            ": with coupling natural it is the preconditioner of the whole grid: leave parts out");
  }
  // So that a number of parts that does not fit is an error now, and not in the first step.
  if (auto const* const count = std::get_if<int>(&*options.parts)) hyperplane::choose_parts(grid.block(0), *count);
}

/// A preconditioner of the grid blocks of one process: one P for each of them, or for each part of the only one. With
/// parts the matrix and the vectors are those of the whole grid block all the same.
template <class P, class MatrixStorage>
class BlocksOrParts {
 public:
  using Blocks = hyperplane::MultiBlock<P>;
  using Vector = typename Blocks::Vector;
  using Exec = typename Blocks::execution_space;
  using Matrix = hyperplane::MultiBlockStencil7<double, Blocks::block_size, Exec, MatrixStorage>;

  BlocksOrParts(const Exec& exec, const hyperplane::MultiBlockGrid& grid, const LinearOptions& options,
                const typename P::Options& block)
      : m_options(options), m_block_options(block) {
    check_parts(grid, options, has_parts<P>);
    if (!options.parts) {
      // GCC warns of options without members that are a part of a temporary.
      typename Blocks::Options of_blocks;
      of_blocks.coupling = options.coupling;
      of_blocks.block = block;
      m_blocks.emplace(exec, grid, of_blocks);
    } else if (auto const* const parts = std::get_if<std::array<int, 3>>(&*options.parts)) {
      make_parts(exec, grid.block(0), *parts);
    }
  }

  /// Where the parts are not given, the first matrix says where to cut, and the parts are made then.
  void factor(const Exec& exec, const Matrix& a) {
    if (m_blocks) return m_blocks->factor(exec, a);
    if constexpr (has_parts<P>) {
      auto const whole = a.block(0);
      if (!m_parts) {
        auto const strengths = coupling_strengths(exec, whole);
        auto const* const count = std::get_if<int>(&*m_options.parts);
        make_parts(exec, whole.grid(),
                   count != nullptr ? choose_parts(whole.grid(), *count, strengths)
                                    : choose_parts(exec, whole.grid(), Blocks::block_size, strengths));
      }
      m_parts->factor(exec, whole);
    }
  }

  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    if (m_blocks) return m_blocks->solve(exec, rhs, x);
    if constexpr (has_parts<P>) m_parts->solve(exec, rhs.block(0), x.block(0));
  }

  /// Of the last factor(), with points of the grid block. Waits for the instance.
  typename Blocks::Status status(const Exec& exec) const {
    if constexpr (has_parts<P>) {
      if (m_parts) return {m_parts->status(exec), 0};
    }
    return m_blocks->status(exec);
  }

 private:
  void make_parts([[maybe_unused]] const Exec& exec, [[maybe_unused]] const hyperplane::Grid& grid,
                  [[maybe_unused]] const std::array<int, 3>& parts) {
    if constexpr (has_parts<P>) {
      m_parts.emplace(
          exec, grid,
          typename Parted::Options{.parts = parts, .coupling = m_options.coupling, .block = m_block_options});
    }
  }

  struct None {};
  template <class Q>
  struct PartedOf {
    using Type = None;
  };
  template <class Q>
    requires has_parts<Q>
  struct PartedOf<Q> {
    using Type = hyperplane::Parted<Q, MatrixStorage>;
  };
  using Parted = typename PartedOf<P>::Type;

  LinearOptions m_options;
  typename P::Options m_block_options;
  std::optional<Blocks> m_blocks;
  std::optional<Parted> m_parts;
};

}  // namespace implicit_flow
