// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/colours.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/detail/coloured_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_status.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/blocks/natural_order.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/sweep/grouped_sweeps.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// What couples the grid blocks of a preconditioner by colours; none, where it cannot.
template <class P>
struct ColouredCouplingsOf {
  using Type = std::monostate;
  using Remote = std::monostate;
};
template <class Scalar, int n, class Exec, class Storage>
struct ColouredCouplingsOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = ColouredCouplings<Scalar, n, Exec, Storage, BlockIlu0<Scalar, n, Exec, Storage>::vector_length>;
  using Remote = RemoteColours<Scalar, Exec, Storage>;
};

/// What runs the sweeps of several grid blocks together; none, where they follow one another.
template <class P>
struct GroupedSweepsOf {
  using Type = std::monostate;
};
template <class P>
  requires(HostExecutionSpace<typename P::Vector::execution_space> && requires(const P& p) { p.sweeps(); })
struct GroupedSweepsOf<P> {
  using Plan = std::remove_cvref_t<decltype(std::declval<const P&>().sweeps())>;
  using Type = GroupedSweeps<typename Plan::scalar_type, Plan::block_size, typename Plan::execution_space,
                             typename Plan::storage_type>;
};

template <class Scalar>
struct CopyValues {
  const Scalar* m_from;
  Scalar* m_to;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_to[e] = m_from[e]; }
};

}  // namespace detail

template <class Options>
struct MultiBlockOptions {
  Coupling coupling = Coupling::none;
  /// With Coupling::coloured alone: the colour of each grid block, lower ones first; empty: find_colours().
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
/// neighbours of one another, as around an edge at which three grid blocks meet, fill-in that would fall on A's pattern
/// is left out, too.) Before the sweeps of a colour, neighbours of other colours subtract their part: on faces alone,
/// so that kernels inside are those of one grid. Coupling::natural is the same with the colours of
/// find_natural_order(), of grid blocks that are parts of one box: M is that of BlockIlu0 of the box, but for rounding.
///
/// A plan: the constructor allocates and waits for the instance; the other functions do not, and are asynchronous on
/// it. factor() with another coupling than none writes into the diagonal blocks of A at points on interfaces and
/// restores them, bit by bit, also where it throws, so nothing else may use A meanwhile; what it computes there is
/// rounded to the type of A. Copies, made after factor(), share factors and working memory: at most one call of a plan
/// and all its copies may run at a time. Launches: those of each grid block; with C colours at most 2 (C - 1) more for
/// a solve and three for each colour of a factorization. How long A has to stay, and whether results depend on the
/// number of threads, is as P says.
template <class P>
class MultiBlock {
 public:
  using scalar_type = typename P::Vector::scalar_type;
  using execution_space = typename P::Vector::execution_space;
  static constexpr int block_size = P::Vector::block_size;
  using Options = MultiBlockOptions<typename P::Options>;
  using Vector = MultiBlockVector<scalar_type, block_size, execution_space>;
  using Status = MultiBlockStatus<decltype(std::declval<const P&>().status(std::declval<const execution_space&>()))>;

  using RemoteColours = typename detail::ColouredCouplingsOf<P>::Remote;
  /// Whether it has Coupling::coloured.
  static constexpr bool can_be_coloured = !std::is_same_v<RemoteColours, std::monostate>;

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

  /// The colours of the options, or those that are found; empty with Coupling::none. Throws Error as the constructor
  /// does.
  static std::vector<int> checked_colours(const MultiBlockGrid& grid, const Options& options) {
    if (options.coupling != Coupling::coloured && !options.colours.empty()) {
      fail("MultiBlock: colours are given, and coupling " + std::string(name(options.coupling)) + " takes none");
    }
    if (options.coupling == Coupling::none) return {};
    bool const is_known = options.coupling == Coupling::coloured || options.coupling == Coupling::natural;
    if (!is_known || !can_be_coloured) {
      fail("MultiBlock: this preconditioner has no coupling " + std::string(name(options.coupling)));
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
  /// The preconditioner of a grid block.
  const P& block(int number) const { return m_blocks.at(detail::as_size(number)); }

  /// Computes the factors of A. Throws Error where the grid of A is another one.
  template <class MatrixStorage>
  void factor(const execution_space& exec,
              const MultiBlockStencil7<scalar_type, block_size, execution_space, MatrixStorage>& a) {
    detail::check_multi_block_grid("MultiBlock::factor", "A", a.grid(), m_grid);
    m_factored = false;
    if constexpr (can_be_coloured) {
      if (m_couplings) factor_coloured(exec, a);
    }
    if (m_coupling == Coupling::none) factor_blocks(exec, a, m_blocks_of[0]);
    m_factored = true;
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    detail::check_multi_block_grid("MultiBlock::solve", "the right-hand side", rhs.grid(), m_grid);
    detail::check_multi_block_grid("MultiBlock::solve", "x", x.grid(), m_grid);
    require(m_factored, "MultiBlock::solve: called before factor");
    if constexpr (can_be_coloured) {
      if (m_couplings) return solve_coloured(exec, rhs, x);
    }
    sweep_blocks(exec, 0, detail::Sweeps::both, rhs, x);
  }

  /// Whether the last factor() failed, where, and why: the first failure in the order of the factorization. Waits for
  /// the instance.
  Status status(const execution_space& exec) const { return first_failure(exec).status; }

  /// A status, and a number that rises in the order in which a factorization looks at couplings and grid blocks.
  struct Failure {
    Status status{};
    int place = 0;
  };
  /// The first one in that order. Waits for the instance.
  Failure first_failure(const execution_space& exec) const {
    std::optional<detail::FaceFailure> face;
    if constexpr (can_be_coloured) {
      if (m_couplings) face = m_couplings->failure(exec);
    }
    auto const face_fails = [&](std::size_t rank, bool upper) {
      return face && detail::as_size(face->rank) == rank && face->upper == upper;
    };
    for (std::size_t rank = 0; rank < m_blocks_of.size(); ++rank) {
      // Couplings to lower colours, the grid blocks of a colour, couplings to higher ones.
      int const place = 3 * static_cast<int>(rank);
      if constexpr (can_be_coloured) {
        if (face_fails(rank, false)) return {{face->status, face->block}, place};
      }
      for (int const b : m_blocks_of[rank]) {
        auto const status = block(b).status(exec);
        if (!status.ok()) return {{status, b}, place + 1};
      }
      if constexpr (can_be_coloured) {
        if (face_fails(rank, true)) return {{face->status, face->block}, place + 2};
      }
    }
    return {};
  }

 private:
  using Couplings = typename detail::ColouredCouplingsOf<P>::Type;
  using Grouped = typename detail::GroupedSweepsOf<P>::Type;
  static constexpr bool can_be_grouped = !std::is_same_v<Grouped, std::monostate>;

  static detail::Colouring remote_colouring(const MultiBlockGrid& grid, const Options& options,
                                            const std::vector<int>& colours, const RemoteColours* remote) {
    require(options.coupling != Coupling::none, "MultiBlock: with coupling none there are no other processes");
    require(remote != nullptr, "MultiBlock: it is not said what other processes have");
    check_colours("MultiBlock", grid, colours);
    return {colours, remote->colours()};
  }

  MultiBlock(const execution_space& exec, const MultiBlockGrid& grid, const Options& options,
             const detail::Colouring& colouring, const std::shared_ptr<RemoteColours>& remote)
      : m_grid(grid), m_coupling(options.coupling), m_colours(colouring.colours) {
    auto const& ranks = colouring.ranks;
    m_blocks.reserve(detail::as_size(grid.block_count()));
    for (auto const& block : grid.blocks()) m_blocks.emplace_back(exec, block, options.block);
    m_blocks_of.resize(detail::as_size(colouring.count));
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
      m_blocks_of[ranks.empty() ? 0 : detail::as_size(ranks[b])].push_back(static_cast<int>(b));
    }
    if constexpr (can_be_grouped) group_sweeps(exec);
    if constexpr (can_be_coloured) {
      if (m_coupling == Coupling::none) return;
      std::vector<typename Couplings::Factors> factors;
      factors.reserve(m_blocks.size());
      for (auto const& block : m_blocks) factors.push_back(block.sweeps().factors());
      m_couplings.emplace(exec, grid, ranks, factors, remote);
    }
  }

  /// Those of each rank that has several grid blocks.
  void group_sweeps(const execution_space& exec) {
    detail::BlockPacks<Grouped::vector_length> const packs(m_grid);
    for (auto const& numbers : m_blocks_of) {
      std::vector<typename Grouped::Member> members;
      for (int const b : numbers) {
        if (Grouped::takes(block(b).sweeps())) members.push_back({block(b).sweeps(), packs.first(b)});
      }
      auto& grouped = m_grouped.emplace_back();
      if (members.size() == numbers.size() && members.size() > 1) grouped.emplace(exec, members);
    }
  }

  /// What `sweeps` says of the solves of the grid blocks of a rank.
  void sweep_blocks(const execution_space& exec, std::size_t rank, detail::Sweeps sweeps, const Vector& rhs,
                    const Vector& x) const {
    if constexpr (can_be_grouped) {
      if (m_grouped[rank]) return m_grouped[rank]->run(exec, sweeps, rhs.flat().data(), x.flat().data());
    }
    for (int const b : m_blocks_of[rank]) {
      auto const from = rhs.block(b), to = x.block(b);
      if (sweeps == detail::Sweeps::both) {
        block(b).solve(exec, from, to);
      } else if constexpr (can_be_coloured) {
        sweeps == detail::Sweeps::forward ? block(b).forward(exec, from, to) : block(b).backward(exec, from, to);
      }
    }
  }

  template <class Matrix>
  void factor_blocks(const execution_space& exec, const Matrix& a, const std::vector<int>& numbers) {
    for (int const b : numbers) m_blocks[detail::as_size(b)].factor(exec, a.block(b));
  }

  template <class Matrix>
  void factor_coloured(const execution_space& exec, const Matrix& a) {
    auto const* const remote = m_couplings->remote();
    int const last = static_cast<int>(m_blocks_of.size()) - 1;
    try {
      for (int rank = 0; rank <= last; ++rank) {
        // All that may fail in one process alone.
        auto const factor_colour = [&] {
          if (remote != nullptr && rank > 0) remote->take_over_coefficients(exec, rank - 1);
          m_couplings->factor(exec, rank, a.flat().data(),
                              [&] { factor_blocks(exec, a, m_blocks_of[detail::as_size(rank)]); });
          if (remote != nullptr) remote->hand_over_coefficients(exec, rank);
          if (rank == last) m_couplings->conclude(exec);
        };
        if (remote == nullptr) {
          factor_colour();
        } else {
          remote->agree(factor_colour);
          remote->exchange_coefficients(rank);
        }
      }
    } catch (...) {
      // What is recorded so far is no failure of the next factorization.
      m_couplings->conclude(exec);
      throw;
    }
  }

  void solve_coloured(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    bool const in_place = x.flat().data() == rhs.flat().data();
    std::size_t const last = m_blocks_of.size() - 1;
    auto* const values = x.flat().data();
    auto const* const remote = m_couplings->remote();
    for (std::size_t rank = 0; rank <= last; ++rank) {
      // What lower colours subtract from is in x; the first colour reads the right-hand side itself.
      if (rank > 0) {
        for (int const b : m_blocks_of[rank]) {
          if (!in_place) copy(exec, rhs.block(b), x.block(b));
        }
        m_couplings->subtract_lower(exec, static_cast<int>(rank), values);
      }
      // Nothing comes between the sweeps of the last colour.
      sweep_blocks(exec, rank, rank == last ? detail::Sweeps::both : detail::Sweeps::forward, rank > 0 ? x : rhs, x);
      if (remote != nullptr && rank < last) remote->bring_forward(exec, static_cast<int>(rank), values);
    }
    for (std::size_t rank = last; rank-- > 0;) {
      if (remote != nullptr) remote->bring_backward(exec, static_cast<int>(rank + 1), values);
      m_couplings->subtract_upper(exec, static_cast<int>(rank), values);
      sweep_blocks(exec, rank, detail::Sweeps::backward, x, x);
    }
  }

  static void copy(const execution_space& exec, const typename Vector::Block& from, const typename Vector::Block& to) {
    auto const size = static_cast<std::int64_t>(from.flat().size());
    detail::launch("Hyperplane::MultiBlock::solve::copy", detail::LongIndexRange<execution_space>(exec, 0, size),
                   2.0 * sizeof(scalar_type), detail::CopyValues<scalar_type>{from.flat().data(), to.flat().data()});
  }

  MultiBlockGrid m_grid;
  Coupling m_coupling;
  std::vector<int> m_colours;
  std::vector<P> m_blocks;
  /// Grid blocks by rank; without colours all of them.
  std::vector<std::vector<int>> m_blocks_of;
  /// Of each rank, if its grid blocks are swept together.
  std::vector<std::optional<Grouped>> m_grouped;
  std::optional<Couplings> m_couplings;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
