// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/stacked_parts.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/mpi/apply.hpp>
#include <hyperplane/mpi/detail/choose_transport.hpp>
#include <hyperplane/mpi/detail/colours_of_ranks.hpp>
#include <hyperplane/mpi/detail/digest.hpp>
#include <hyperplane/mpi/detail/mpi_call.hpp>
#include <hyperplane/mpi/detail/part_of_rank.hpp>
#include <hyperplane/mpi/detail/stages_of_ranks.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/distributed_status.hpp>
#include <hyperplane/mpi/distributed_stencil7.hpp>
#include <hyperplane/mpi/distributed_vector.hpp>
#include <hyperplane/mpi/transport.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <mpi.h>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/mpi/detail/part_of_rank_cuda.hpp>
#endif

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Couplings by colours between ranks, of the preconditioners that have them.
template <class P>
struct ColoursOfRanksOf;
template <class Scalar, int n, class Exec, class Storage>
struct ColoursOfRanksOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = ColoursOfRanks<Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>;
};
template <class Scalar, int n, class Exec, class Storage>
struct ColoursOfRanksOf<Ssor<Scalar, n, Exec, Storage>> {
  using Type = ColoursOfRanks<Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>;
};
template <class Scalar, class Exec, class Storage>
struct ColoursOfRanksOf<Sip<Scalar, Exec, Storage>> : ColoursOfRanksOf<BlockIlu0<Scalar, 1, Exec, Storage>> {};

}  // namespace detail

/// A preconditioner of the grid blocks of all ranks, made of one for each: a MultiBlock<P> of each rank.
///
/// M, and what it makes of a vector, has the bits of one process with the same grid blocks, whichever rank has which:
/// Coupling::none leaves couplings across interfaces out; the others have them as MultiBlock has. (But see below for
/// devices.)
///
/// A plan. Constructor, factor() and status() are collective: where one of them throws on a rank, all ranks throw
/// Error. solve() is of each rank by itself with Coupling::none, and collective with the others. Copies are as
/// those of MultiBlock. Cost: that of MultiBlock, and
/// - with Coupling::none a reduction of one number between ranks in factor(), which does not wait for the instance;
/// - with the others and C colours, such a reduction in factor(), on devices for each colour, and where a rank meets
///   others messages of n^2 values for each pair of points (not of Ssor), and in solve() up to 2 (C - 1) exchanges of n
///   values for each pair. On hosts, where grid blocks are run by slabs and ranks meet, these are cut into pieces, and
///   there are stages instead of colours, as many as the longest way through pieces that depend on one another. Each of
///   the exchanges waits for the instance and for the ranks that are met; with Transport::peer the device waits, and
///   the host does not. Memory: for each pair of
///   points across an interface between ranks, on both of them 2 n^2 values (4 n^2 where there is a device; n^2 of
///   Ssor) and less than 280 bytes.
///
/// With Coupling::natural and Transport::peer, where grid blocks are the parts of a box that is cut along k, and each
/// rank has some that follow one another, BlockIlu0 and Ssor are not one of each part, coupled by colours, but that of
/// the box, by BlockIlu0Part and SsorPart: its bits are those of the whole box, and all devices work at once.
/// goes_through_devices() says so; it is false, on all ranks, where one of them cannot open the memory of another.
/// factor() then has one reduction, and solve() is one launch and waits for nothing; where a rank has several grid
/// blocks, it has a copy of A and of a vector, and factor() one launch more, solve() two. A launch that fails is an
/// error of its rank alone, which has to end the program (MPI_Abort). Kernels that wait for another device occupy
/// theirs: what else waits for other ranks, as apply() does with Transport::peer, is on the same instance, or ordered
/// by events.
///
/// `LocalBlocks` is what each rank has of it: another type with the face of MultiBlock<P>, as one that is compiled
/// elsewhere. Where kernels go from device to device, nothing of it is made.
template <class P, class LocalBlocks = MultiBlock<P>>
class DistributedMultiBlock {
 public:
  using Local = LocalBlocks;
  using scalar_type = typename Local::scalar_type;
  using execution_space = typename Local::execution_space;
  static constexpr int block_size = Local::block_size;
  using Options = typename Local::Options;
  using Vector = DistributedVector<scalar_type, block_size, execution_space>;
  using BlockStatus = decltype(std::declval<const P&>().status(std::declval<const execution_space&>()));
  using Status = DistributedStatus<BlockStatus>;

  /// Colours are those of all grid blocks. Throws Error where MultiBlock does, where ranks have different couplings or
  /// colours, and where the grid asks for a transport that cannot be had.
  DistributedMultiBlock(const execution_space& exec, const DistributedGrid& grid, const Options& options = {})
      : m_grid(grid),
        m_coupling(options.coupling),
        m_colours(checked_colours(grid, options)),
        m_transport(m_coupling == Coupling::none ? Transport::host : detail::choose_transport(exec, grid)),
        m_part(made_part(exec, options)) {
    if (!m_part) m_local.emplace(made_local(exec, options));
  }

  const DistributedGrid& grid() const { return m_grid; }
  Coupling coupling() const { return m_coupling; }
  /// How values of other ranks come: host, gpu_aware or peer; host with Coupling::none, which needs none.
  Transport transport() const { return m_transport; }
  /// Those of all grid blocks; empty with Coupling::none.
  const std::vector<int>& colours() const { return m_colours; }
  /// Whether kernels go on from the device of a rank to that of the next one, see above.
  bool goes_through_devices() const { return m_part != nullptr; }
  /// That of the grid blocks of this rank. Throws Error where goes_through_devices().
  const Local& local() const {
    require(m_local.has_value(), "DistributedMultiBlock: this rank has a part of a box, no MultiBlock");
    return *m_local;
  }

  /// Computes the factors of A. Throws Error where the grid of A is another one.
  template <class MatrixStorage>
  void factor(const execution_space& exec,
              const DistributedStencil7<scalar_type, block_size, execution_space, MatrixStorage>& a) {
    m_factored = false;
    auto const& communicator = m_grid.communicator();
    communicator.agree([&] {
      detail::check_distributed_grid("DistributedMultiBlock::factor", "A", a.grid(), m_grid);
      if (m_coupling == Coupling::none) m_local->factor(exec, a.local());
      if constexpr (can_go_through_devices) {
        if (m_part) m_part->template check_factor<MatrixStorage>();
      }
    });
    if constexpr (can_go_through_devices) {
      if (m_part) m_part->factor(exec, a.local());
    }
    // The ranks agree once more: on hosts in the end, on devices on each colour.
    if (m_local && m_coupling != Coupling::none) m_local->factor(exec, a.local());
    m_factored = true;
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    check_solve("DistributedMultiBlock::solve", rhs, x);
    if constexpr (can_go_through_devices) {
      if (m_part) return m_part->solve(exec, rhs.local(), x.local());
    }
    m_local->solve(exec, rhs.local(), x.local());
  }

  /// x = M^-T rhs, of a P that has it, from the same factors; x may be rhs. With other couplings than none as
  /// collective, and with as many messages, as solve(): n values for each pair of points, of what one gives to the
  /// other. The first one then prepares what paths on devices need, and has a reduction of one number between ranks:
  /// where that fails on a rank, all ranks throw Error. Where goes_through_devices() it has the bits of SweepPath::slab
  /// on the whole box for n > 1, and agrees to rounding with those of other kernels for n = 1. Throws Error as solve()
  /// and MultiBlock::solve_transposed() do.
  void solve_transposed(const execution_space& exec, const Vector& rhs, const Vector& x) const
    requires requires(const Local& local, const typename Vector::Local& v) { local.solve_transposed(exec, v, v); }
  {
    check_solve("DistributedMultiBlock::solve_transposed", rhs, x);
    if constexpr (can_go_through_devices) {
      if (m_part) return m_part->solve_transposed(exec, rhs.local(), x.local());
    }
    m_local->solve_transposed(exec, rhs.local(), x.local());
  }

  /// Whether the last factor() failed, where, and why, the same on all ranks: the first failure in the order of the
  /// factorization, but where it goes_through_devices() an overflow of what a rank has left to the one above it comes
  /// before other failures of the latter. Waits for the instance.
  Status status(const execution_space& exec) const {
    static_assert(std::is_trivially_copyable_v<BlockStatus>);
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    auto const& communicator = m_grid.communicator();
    auto const mine = communicator.agree([&] { return first_failure(exec); });
    std::int64_t const count = m_grid.whole().block_count();
    std::int64_t place = none;
    if (!mine.status.ok()) place = mine.place * count + m_grid.blocks()[detail::as_size(mine.status.grid_block)];
    auto const first = communicator.lowest(place);
    if (first == none) return {};
    BlockStatus status = mine.status;
    int const number = static_cast<int>(first % count);
    detail::mpi_call("MPI_Bcast", MPI_Bcast(&status, static_cast<int>(sizeof(status)), MPI_BYTE, m_grid.owner(number),
                                            communicator.get()));
    return {status, number, m_grid.owner(number)};
  }

 private:
  using PartOfRank = detail::PartOfRank<P>;
  static constexpr bool can_go_through_devices = PartOfRank::exists;

  void check_solve(const char* function, const Vector& rhs, const Vector& x) const {
    detail::check_distributed_grid(function, "the right-hand side", rhs.grid(), m_grid);
    detail::check_distributed_grid(function, "x", x.grid(), m_grid);
    if (!m_factored) fail(std::string(function) + ": called before factor");
  }

  static std::vector<int> checked_colours(const DistributedGrid& grid, const Options& options) {
    auto const& communicator = grid.communicator();
    auto colours = communicator.agree([&] { return Local::checked_colours(grid.whole(), options); });
    communicator.require_same("DistributedMultiBlock: coupling",
                              std::array{static_cast<std::uint64_t>(options.coupling)});
    communicator.require_same("DistributedMultiBlock: colours",
                              std::array{detail::digest(std::span<const int>(colours))});
    return colours;
  }

  /// That of this rank, see MultiBlock::first_failure().
  auto first_failure(const execution_space& exec) const {
    if constexpr (can_go_through_devices) {
      if (m_part) return m_part->first_failure(exec);
    }
    return m_local->first_failure(exec);
  }

  /// Null where no kernels go through devices.
  std::shared_ptr<PartOfRank> made_part([[maybe_unused]] const execution_space& exec,
                                        [[maybe_unused]] const Options& options) const {
    if constexpr (can_go_through_devices) {
      if (m_coupling == Coupling::natural && m_transport == Transport::peer) {
        return PartOfRank::make(exec, m_grid, options.block);
      }
    }
    return nullptr;
  }

  Local made_local(const execution_space& exec, const Options& options) const {
    auto const& communicator = m_grid.communicator();
    if constexpr (Local::can_be_coloured) {
      if (m_coupling != Coupling::none) {
        using Remote = typename detail::ColoursOfRanksOf<P>::Type;
        std::shared_ptr<Remote> remote;
        auto const ranked = detail::ranked_colours(m_colours);
        auto const stages = detail::stages_of_ranks<P>(exec, m_grid, options.block, ranked);
        auto local = communicator.agree([&] {
          std::vector<int> own;
          for (int const b : m_grid.blocks()) own.push_back(ranked[detail::as_size(b)]);
          remote = std::make_shared<Remote>(exec, m_grid, m_transport, ranked, stages,
                                            detail::ColouredCouplingsOf<P>::Type::subtracts);
          return Local(exec, m_grid.local(), options, own, remote);
        });
        remote->connect_mailboxes(exec);
        return local;
      }
    }
    return communicator.agree([&] { return Local(exec, m_grid.local(), options); });
  }

  DistributedGrid m_grid;
  Coupling m_coupling;
  std::vector<int> m_colours;
  Transport m_transport;
  std::shared_ptr<PartOfRank> m_part;
  std::optional<Local> m_local;  ///< where there is no part
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
