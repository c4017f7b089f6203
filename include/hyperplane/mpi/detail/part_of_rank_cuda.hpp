// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/blocks/part_of_cuda.hpp>
#include <hyperplane/blocks/stacked_parts.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/made_by_all.hpp>
#include <hyperplane/mpi/detail/part_of_rank.hpp>
#include <hyperplane/mpi/detail/peer_memory.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/sweep/part_sweeps_cuda.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// P of a box whose parts are on the devices of the ranks, by PartOf<P>. Where a rank has several grid blocks, they are
/// one part: A and a vector are copied to it and from it.
template <class P>
  requires PartOfBox<typename PartOf<P>::Type>
class PartOfRank<P> {
  using Part = typename PartOf<P>::Type;
  using Scalar = typename Part::scalar_type;
  using Exec = typename Part::execution_space;
  using Boxes = typename ColouredCouplingsOf<P>::InOrder;

 public:
  using Vector = MultiBlockVector<Scalar, Part::block_size, Exec>;
  static constexpr bool exists = true;

  /// Null, on all ranks, where grid blocks are not as StackedParts wants them, where the path that is asked for is
  /// another one, where a device lacks what it takes, and where a rank gets no memory that others open, or cannot open
  /// theirs; and where options of a rank are out of range, so that P itself says so. Collective. With Transport::peer
  /// alone.
  static std::shared_ptr<PartOfRank> make(const Exec& exec, const DistributedGrid& grid,
                                          const typename P::Options& options) {
    auto const& communicator = grid.communicator();
    std::vector<int> owners;
    for (int b = 0; b < grid.whole().block_count(); ++b) owners.push_back(grid.owner(b));
    auto const ranks = StackedParts::owners_upwards(grid.whole(), owners, communicator.size());
    if (ranks.size() < 2) return nullptr;
    auto const suits = [&] {
      cuda::CurrentDevice const current(exec.cuda_device());
      PartOf<P>::check(options);
      return (options.path == SweepPath::automatic || options.path == SweepPath::slab) && Part::lacking().empty();
    };
    int const place = static_cast<int>(std::ranges::find(ranks, communicator.rank()) - ranks.begin());
    Neighbours const neighbours{place > 0 ? ranks[as_size(place - 1)] : none,
                                place + 1 < static_cast<int>(ranks.size()) ? ranks[as_size(place + 1)] : none};
    int below = 0;
    for (int b = 0; b < grid.whole().block_count(); ++b) {
      if (std::ranges::find(ranks, grid.owner(b)) - ranks.begin() < place) below += grid.whole().block(b).nk();
    }
    auto memory = made_by_all(communicator, suits, [&] { return made_memory(exec, grid, neighbours); });
    if (!memory) return nullptr;
    cuda::CurrentDevice const current(exec.cuda_device());
    try {
      return communicator.agree(
          [&] { return std::make_shared<PartOfRank>(exec, grid, below, neighbours, memory, options); });
    } catch (const Error&) {
      // Which all ranks throw: here they free the memory together, as unwinding would not.
      memory.reset();
      throw;
    }
  }

  /// The ranks that have the parts below and above; `none` where there is none.
  struct Neighbours {
    int below, above;
  };

  /// `below`: the layers of the box below this part.
  PartOfRank(const Exec& exec, const DistributedGrid& grid, int below, const Neighbours& neighbours,
             std::shared_ptr<PeerMemory> memory, const typename P::Options& options)
      : m_communicator(grid.communicator()),
        m_below(below),
        m_memory(std::move(memory)),
        m_part(exec, StackedParts::box(grid.local()),
               PartWindows{m_memory->own(), window(neighbours.below), window(neighbours.above)},
               PartOf<P>::options(options)) {
    auto const& blocks = grid.local();
    if (blocks.block_count() == 1) return;
    m_boxes.emplace(exec, blocks, Colouring(std::vector<int>(as_size(blocks.block_count()), 0)), nullptr);
    require(m_boxes->is_whole(), "DistributedMultiBlock: the grid blocks of a rank do not fill a box");
  }

  /// Throws Error where the device cannot factor matrices of this type.
  template <class MatrixStorage>
  void check_factor() const {
    m_boxes ? m_part.template check_factor<Scalar>() : m_part.template check_factor<MatrixStorage>();
  }

  template <class MatrixStorage>
  void factor(const Exec& exec, const MultiBlockStencil7<Scalar, Part::block_size, Exec, MatrixStorage>& a) {
    if (!m_boxes) return m_part.factor(exec, a.block(0));
    m_boxes->factor(exec, 0, a.flat().data(), [&](const auto& of_box) { m_part.factor(exec, of_box.block(0)); });
  }

  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    run(exec, rhs, x, [&](const auto& from, const auto& to) { m_part.solve(exec, from, to); });
  }

  /// x = M^-T rhs. The first one is collective: where a rank does not get what it prepares, all ranks throw Error, and
  /// none waits for kernels of that rank.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) {
    if (!m_is_prepared) {
      m_communicator.agree([&] { m_part.prepare_transposed(exec); });
      m_is_prepared = true;
    }
    run(exec, rhs, x, [&](const auto& from, const auto& to) { m_part.solve_transposed(exec, from, to); });
  }

  /// Whether the last factor() failed here, with the number of the grid block among those of this rank, and a number
  /// that rises with points of the box at which failures show. Waits for the instance.
  typename MultiBlock<P>::Failure first_failure(const Exec& exec) const {
    auto const found = m_part.status(exec);
    Grid const& part = m_part.grid();
    auto const number = part.index(found.point.i, found.point.j, m_below + found.point.k);
    auto status = StackedParts::status_inside(part, found);
    int const block = m_boxes ? m_boxes->status_in_block(0, status) : 0;
    // What the part below has left to a point comes before what the point makes of it.
    return {{status, block}, 2 * number + (part.contains(found.point) ? 1 : 0)};
  }

 private:
  static constexpr int none = -1;

  /// Calls solve(rhs, x) of the box.
  template <class Solve>
  void run(const Exec& exec, const Vector& rhs, const Vector& x, const Solve& solve) const {
    if (!m_boxes) return solve(rhs.block(0), x.block(0));
    m_boxes->sweep(exec, 0, Sweeps::both, rhs.flat().data(), x.flat().data(),
                   [&](const auto& of_box) { solve(of_box.block(0), of_box.block(0)); });
  }

  static std::shared_ptr<PeerMemory> made_memory(const Exec& exec, const DistributedGrid& grid,
                                                 const Neighbours& neighbours) {
    cuda::CurrentDevice const current(exec.cuda_device());
    std::vector<int> ranks;
    if (neighbours.below != none) ranks.push_back(neighbours.below);
    if (neighbours.above != none) ranks.push_back(neighbours.above);
    auto const bytes = Part::window_bytes(StackedParts::box(grid.local()));
    return std::make_shared<PeerMemory>(exec, grid.communicator(), bytes, ranks);
  }

  std::byte* window(int rank) const { return rank == none ? nullptr : m_memory->of(rank); }

  Communicator m_communicator;
  int m_below;
  std::shared_ptr<PeerMemory> m_memory;  ///< ends after the part, whose kernels write into that of others
  Part m_part;
  std::optional<Boxes> m_boxes;  ///< where there are several grid blocks
  bool m_is_prepared = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
