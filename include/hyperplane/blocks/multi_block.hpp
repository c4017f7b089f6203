// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/colours.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/detail/block_packs.hpp>
#include <hyperplane/blocks/detail/coloured_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_status.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

template <class P>
struct ColouredCouplingsOf {
  using Type = std::monostate;
};
template <class Scalar, int n, class Exec, class Storage>
struct ColouredCouplingsOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = ColouredCouplings<Scalar, n, Exec, Storage, BlockIlu0<Scalar, n, Exec, Storage>::vector_length>;
};

}  // namespace detail

template <class Options>
struct MultiBlockOptions {
  Coupling coupling = Coupling::none;
  /// With Coupling::coloured: the colour of each grid block; empty: find_colours().
  std::vector<int> colours{};
  /// Those of the preconditioner of a grid block.
  Options block{};
};

/// A preconditioner of several grid blocks, made of one for each: P is BlockIlu0, Ssor, Sip, BlockJacobi or
/// LineImplicit, as MultiBlock<BlockIlu0<double, 5, Exec>>.
///
/// Coupling::none leaves couplings across interfaces out of M: block Jacobi over grid blocks. Coupling::coloured, of
/// BlockIlu0, is BILU(0) of the whole matrix in the order of colour, grid block, point: M equals A on A's pattern, the
/// couplings across interfaces included. (Couplings of a grid block to itself are left out. Where three points are
/// neighbours of one another, as around a point at which three grid blocks meet, fill-in that would fall on A's pattern
/// is left out, too.) Before the sweeps of a colour, neighbours of other colours subtract their part: on faces alone,
/// so that kernels inside are those of one grid.
///
/// A plan: the constructor allocates and waits for the instance; the other functions do not, and are asynchronous on
/// it. factor() with Coupling::coloured writes into the diagonal blocks of A at points on interfaces and restores them,
/// bit by bit, so nothing else may use A meanwhile. At most one call of a plan and its copies may run at a time.
/// Launches: those of each grid block, and with Coupling::coloured two for each colour and solve, three for each
/// factor(). Results are bitwise the same whatever the number of threads.
template <class P>
class MultiBlock {
 public:
  using scalar_type = typename P::Vector::scalar_type;
  using execution_space = typename P::Vector::execution_space;
  static constexpr int block_size = P::Vector::block_size;
  using Options = MultiBlockOptions<typename P::Options>;
  using Vector = MultiBlockVector<scalar_type, block_size, execution_space>;
  using Status = MultiBlockStatus<decltype(std::declval<const P&>().status(std::declval<const execution_space&>()))>;

  /// Throws Error where the preconditioner has no such coupling, and where colours are not those of the grid blocks:
  /// one of at least 0 for each, different ones for neighbours.
  MultiBlock(const execution_space& exec, const MultiBlockGrid& grid, const Options& options = {})
      : m_grid(grid), m_coupling(options.coupling) {
    for (auto const& block : grid.blocks()) m_blocks.emplace_back(exec, block, options.block);
    if (m_coupling == Coupling::none) return;
    if constexpr (std::is_same_v<Couplings, std::monostate>) {
      fail("MultiBlock: this preconditioner has no coupling " + std::string(name(m_coupling)));
    } else {
      m_colours = options.colours.empty() ? find_colours(grid) : options.colours;
      check_colours(grid, m_colours);
      std::vector<typename Couplings::Factors> factors;
      for (auto const& block : m_blocks) factors.push_back(block.sweeps().factors());
      m_couplings.emplace(exec, grid, detail::BlockPacks<Vector::vector_length>(grid), m_colours, factors);
    }
  }

  const MultiBlockGrid& grid() const { return m_grid; }
  Coupling coupling() const { return m_coupling; }
  /// Those of the grid blocks; empty with Coupling::none.
  const std::vector<int>& colours() const { return m_colours; }

  /// Computes the factors of A, which may be overwritten when the instance has finished. Throws Error where the grid of
  /// A is another one.
  template <class MatrixStorage>
  void factor(const execution_space& exec,
              const MultiBlockStencil7<scalar_type, block_size, execution_space, MatrixStorage>& a) {
    detail::check_multi_block_grid("MultiBlock::factor", "A", a.grid(), m_grid);
    if constexpr (!std::is_same_v<Couplings, std::monostate>) {
      if (m_coupling == Coupling::coloured) {
        for (int colour = 0; colour < m_couplings->colours(); ++colour) {
          m_couplings->factor(exec, colour, a.flat().data(), [&] {
            for_blocks_of(colour, [&](int b) { m_blocks[detail::as_size(b)].factor(exec, a.block(b)); });
          });
        }
        return;
      }
    }
    for (int b = 0; b < m_grid.block_count(); ++b) m_blocks[detail::as_size(b)].factor(exec, a.block(b));
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    detail::check_multi_block_grid("MultiBlock::solve", "the right-hand side", rhs.grid(), m_grid);
    detail::check_multi_block_grid("MultiBlock::solve", "x", x.grid(), m_grid);
    if constexpr (!std::is_same_v<Couplings, std::monostate>) {
      if (m_coupling == Coupling::coloured) return solve_coloured(exec, rhs, x);
    }
    for (int b = 0; b < m_grid.block_count(); ++b) m_blocks[detail::as_size(b)].solve(exec, rhs.block(b), x.block(b));
  }

  /// Whether the last factor() failed, where, and why. Waits for the instance.
  Status status(const execution_space& exec) const {
    for (int b = 0; b < m_grid.block_count(); ++b) {
      auto const status = m_blocks[detail::as_size(b)].status(exec);
      if (!status.ok()) return {status, b};
    }
    return {};
  }

 private:
  using Couplings = typename detail::ColouredCouplingsOf<P>::Type;

  template <class F>
  void for_blocks_of(int colour, const F& f) const {
    for (int b = 0; b < m_grid.block_count(); ++b) {
      if (m_colours[detail::as_size(b)] == colour) f(b);
    }
  }

  void solve_coloured(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    // The sweeps of a colour read what lower colours have left in x, and their own part of it.
    if (x.flat().data() != rhs.flat().data()) Kokkos::deep_copy(exec, x.flat(), rhs.flat());
    auto const part = [&](int b) { return std::pair(x.block(b), &m_blocks[detail::as_size(b)]); };
    for (int colour = 0; colour < m_couplings->colours(); ++colour) {
      m_couplings->subtract_lower(exec, colour, x.flat().data());
      for_blocks_of(colour, [&](int b) {
        auto const [values, plan] = part(b);
        plan->forward(exec, values, values);
      });
    }
    for (int colour = m_couplings->colours() - 1; colour >= 0; --colour) {
      m_couplings->subtract_upper(exec, colour, x.flat().data());
      for_blocks_of(colour, [&](int b) {
        auto const [values, plan] = part(b);
        plan->backward(exec, values, values);
      });
    }
  }

  MultiBlockGrid m_grid;
  Coupling m_coupling;
  std::vector<int> m_colours;
  std::vector<P> m_blocks;
  std::optional<Couplings> m_couplings;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
