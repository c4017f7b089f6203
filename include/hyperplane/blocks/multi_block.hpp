// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/colours.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/detail/coloured_couplings_of.hpp>
#include <hyperplane/blocks/detail/coupled_blocks.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_line_implicit.hpp>
#include <hyperplane/blocks/multi_block_options.hpp>
#include <hyperplane/blocks/multi_block_status.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/blocks/natural_order.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A preconditioner of several grid blocks, made of one for each: P is BlockIlu0, Ssor, Sip, BlockJacobi or
/// LineImplicit, as MultiBlock<BlockIlu0<double, 5, Exec>>.
///
/// Coupling::none leaves couplings across interfaces out of M: block Jacobi over grid blocks. Coupling::coloured, of
/// BlockIlu0, Ssor and Sip, is BILU(0) or SSOR of the whole matrix in the order of colour, grid block, point. With
/// BILU(0) M equals A on A's pattern, the couplings across interfaces included; with SSOR couplings to lower colours
/// belong to L, and those to higher ones to U. Sip is SIP in each grid block, coupled as ILU(0) is: it extrapolates
/// inside grid blocks alone. (Couplings of a grid block to itself are left out. Where three points are neighbours of
/// one another, as around an edge at which three grid blocks meet, fill-in of BILU(0) and SIP that would fall on A's
/// pattern is left out, too.) Before the sweeps of a colour, neighbours of other colours subtract their part: on faces
/// alone, so that kernels inside are those of one grid. Coupling::natural is the same with the colours of
/// find_natural_order(), of grid blocks that are parts of one box: M is that of P, BlockIlu0 or Ssor, of the box, but
/// for rounding. Where no direction that is cut is periodic, it is that of the box bit by bit: on SweepPath::slab of
/// hosts kernels take neighbours of other colours at their place. Elsewhere A and a vector are copied: to the box, in
/// one process where grid blocks fill it, so that nothing goes by colours, or to grid blocks with ghost points.
///
/// A plan: the constructor allocates and waits for the instance; the other functions do not, and are asynchronous on
/// it. factor() of BlockIlu0 and Sip with another coupling than none writes into the diagonal blocks of A at points on
/// interfaces and restores them, bit by bit, also where it throws, so nothing else may use A meanwhile; what it
/// computes there is rounded to the type of A. (It only reads A where M has the bits of the box.) Copies, made after
/// factor(), share factors and working memory: at most one call of a plan and all its copies may run at a time. On
/// SweepPath::slab the grid blocks of a colour are run together, with the bits of one grid block after the other: on
/// hosts in one launch for each sweep of BlockIlu0, Ssor and Sip, on CUDA (where Sip has no factors of 16 bits) in one
/// for a solve, and on both in one for a factorization (and one for the status, and three for units of Half). So is
/// BlockJacobi, everywhere, with three for the units of each grid block; LineImplicit has a plan of its own, see
/// multi_block_line_implicit.hpp. Elsewhere, and where directions are folded, they follow one another. Launches beside:
/// with C colours at most 2 C - 1 for a solve, and for each of a factorization three of BlockIlu0 and Sip, two of Ssor;
/// with larger grids at most three for each sweep of a colour and four for its factorization, and one at the end of it,
/// for M^T; of the box two and one.
/// Of threads and A's life see P.
template <class P>
class MultiBlock {
 public:
  using scalar_type = typename P::Vector::scalar_type;
  using execution_space = typename P::Vector::execution_space;
  static constexpr int block_size = P::Vector::block_size;
  using Options = MultiBlockOptions<typename P::Options>;
  template <class Other, class Q = P>
  using WithStorage = MultiBlock<typename Q::template WithStorage<Other>>;
  using Vector = MultiBlockVector<scalar_type, block_size, execution_space>;
  using Status = MultiBlockStatus<decltype(std::declval<const P&>().status(std::declval<const execution_space&>()))>;

  using RemoteColours = typename detail::ColouredCouplingsOf<P>::Remote;
  /// Whether it has another coupling than none.
  static constexpr bool can_be_coloured = !std::is_same_v<RemoteColours, std::monostate>;
  /// Whether it has this one.
  static constexpr bool has_coupling(Coupling coupling) {
    switch (coupling) {
      case Coupling::none: return true;
      case Coupling::coloured: return can_be_coloured;
      case Coupling::natural: return can_be_coloured && detail::ColouredCouplingsOf<P>::natural;
    }
    return false;
  }

  /// Whether factors of its type have what the options ask for.
  static bool has_options(const Options& options) {
    if constexpr (requires { P::has_options(options.block); }) {
      return has_coupling(options.coupling) && P::has_options(options.block);
    } else {
      return has_coupling(options.coupling);
    }
  }

  /// Whether grid blocks can be cut into pieces where other processes have their neighbours: on SweepPath::slab of
  /// hosts.
  static bool can_be_cut(const typename P::Options& options) { return detail::CoupledBlocks<P>::can_be_cut(options); }

  /// Throws Error where the preconditioner has no such coupling, where colours are not those of the grid blocks (one of
  /// at least 0 for each, different ones for neighbours), and where grid blocks have no natural order.
  MultiBlock(const execution_space& exec, const MultiBlockGrid& grid, const Options& options = {})
      : MultiBlock(exec, grid, options, detail::Colouring(checked_colours(grid, options)), nullptr) {}
  /// That of the grid blocks of this process where others have more of them, with another coupling than none: `colours`
  /// are 0, 1, ... without gaps over all processes. What MultiBlock does is then done by all of them together. Throws
  /// Error where the coupling is none, and as the other constructor does.
  MultiBlock(const execution_space& exec, const MultiBlockGrid& grid, const Options& options,
             const std::vector<int>& colours, const std::shared_ptr<RemoteColours>& remote)
    requires can_be_coloured
      : MultiBlock(exec, grid, options, remote_colouring(grid, options, colours, remote.get()), remote) {}

  /// The colours of the options, or those that are found; empty with Coupling::none. Throws as the constructor does.
  static std::vector<int> checked_colours(const MultiBlockGrid& grid, const Options& options) {
    if (options.coupling != Coupling::coloured && !options.colours.empty()) {
      fail("MultiBlock: colours are given, and coupling " + std::string(name(options.coupling)) + " takes none");
    }
    if (options.coupling == Coupling::none) return {};
    detail::check_order(options);
    if (!has_coupling(options.coupling)) {
      fail("MultiBlock: this preconditioner has " + detail::no_coupling<MultiBlock>(options.coupling));
    }
    if (options.coupling == Coupling::natural) return find_natural_order(grid);
    if (options.colours.empty()) return find_colours(grid);
    check_colours("MultiBlock", grid, options.colours);
    return options.colours;
  }

  const MultiBlockGrid& grid() const { return m_grid; }
  Coupling coupling() const { return m_coupling; }
  /// Those of the grid blocks; empty with Coupling::none.
  const std::vector<int>& colours() const { return m_colours; }
  /// The preconditioner of a grid block. Throws Error where there is none, because A is copied to larger grids: see
  /// Coupling::natural above.
  const P& block(int number) const { return m_blocks.block(number); }

  /// Computes the factors of A. Throws Error where the grid of A is another one.
  template <class MatrixStorage>
  void factor(const execution_space& exec,
              const MultiBlockStencil7<scalar_type, block_size, execution_space, MatrixStorage>& a) {
    detail::check_multi_block_grid("MultiBlock::factor", "A", a.grid(), m_grid);
    m_factored = false;
    m_blocks.factor(exec, a);
    m_factored = true;
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    detail::check_multi_block_solve("MultiBlock::solve", m_grid, rhs, x, m_factored);
    m_blocks.solve(exec, rhs, x);
  }

  /// x = M^-T rhs, of a P that has it, from the same factors; x may be rhs. Grid blocks follow one another, but on
  /// SweepPath::slab of hosts, where those of a colour are run together as those of a solve are. Throws Error as
  /// solve() does, and with natural of grid blocks that are not all of this process, on all paths but SweepPath::slab
  /// of hosts, unless a direction that is cut is periodic.
  void solve_transposed(const execution_space& exec, const Vector& rhs, const Vector& x) const
    requires requires(const P& p, const typename P::Vector& v) { p.solve_transposed(exec, v, v); }
  {
    detail::check_multi_block_solve("MultiBlock::solve_transposed", m_grid, rhs, x, m_factored);
    m_blocks.solve_transposed(exec, rhs, x);
  }

  /// Whether the last factor() failed, where, and why: the first failure in the order of the factorization. Waits for
  /// the instance.
  Status status(const execution_space& exec) const { return first_failure(exec).status; }

  /// A status, and a number that rises in the order in which a factorization looks at couplings and grid blocks.
  using Failure = detail::BlockFailure<Status>;
  /// The first one in that order. Waits for the instance.
  Failure first_failure(const execution_space& exec) const { return m_blocks.template first_failure<Status>(exec); }

 private:
  static bool is_known(Coupling coupling) { return coupling == Coupling::coloured || coupling == Coupling::natural; }

  static detail::Colouring remote_colouring(const MultiBlockGrid& grid, const Options& options,
                                            const std::vector<int>& colours, const RemoteColours* remote) {
    require(is_known(options.coupling),
            "MultiBlock: coupling has to be coloured or natural where there are other processes");
    detail::check_order(options);
    require(remote != nullptr, "MultiBlock: it is not said what other processes have");
    check_colours("MultiBlock", grid, colours);
    detail::Colouring result(colours, remote->colours());
    if (remote->stages().are_cut()) result.cut = remote->stages();
    return result;
  }

  MultiBlock(const execution_space& exec, const MultiBlockGrid& grid, const Options& options,
             const detail::Colouring& colouring, const std::shared_ptr<RemoteColours>& remote)
      : m_grid(grid),
        m_coupling(options.coupling),
        m_colours(colouring.colours),
        m_blocks(exec, grid, options, colouring, remote) {}

  MultiBlockGrid m_grid;
  Coupling m_coupling;
  std::vector<int> m_colours;
  detail::CoupledBlocks<P> m_blocks;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
