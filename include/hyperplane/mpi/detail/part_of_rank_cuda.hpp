// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_part_cuda.hpp>
#include <hyperplane/mpi/detail/part_of_rank.hpp>
#include <hyperplane/mpi/detail/peer_memory.hpp>
#include <hyperplane/mpi/detail/stacked_parts.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// BILU(0) of a box whose parts are on the devices of the ranks, by BlockIlu0Part.
template <class Scalar, int n, CudaExecutionSpace Exec, Real Storage>
  requires(n > 1)
class PartOfRank<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Part = BlockIlu0Part<Scalar, n, Exec, Storage>;

 public:
  static constexpr bool exists = true;

  /// Null where grid blocks are no parts that lie one above the other, one on each rank, where the path that is asked
  /// for is another one, and where a device lacks what it takes. Collective. With Transport::peer alone.
  static std::shared_ptr<PartOfRank> make(const Exec& exec, const DistributedGrid& grid,
                                          const BlockIlu0Options& options) {
    auto const& communicator = grid.communicator();
    auto const ranks = StackedParts::ranks(grid);
    if (ranks.size() < 2) return nullptr;
    cuda::CurrentDevice const current(exec.cuda_device());
    bool const suits = options.path == SweepPath::automatic || options.path == SweepPath::slab;
    if (communicator.any(!suits || !Part::lacking().empty())) return nullptr;
    return std::make_shared<PartOfRank>(exec, grid, ranks, options);
  }

  PartOfRank(const Exec& exec, const DistributedGrid& grid, const std::vector<int>& ranks,
             const BlockIlu0Options& options)
      : m_place(static_cast<int>(std::ranges::find(ranks, grid.communicator().rank()) - ranks.begin())) {
    Grid const part = grid.local().block(0);
    int const below = m_place > 0 ? ranks[as_size(m_place - 1)] : -1;
    int const above = m_place + 1 < static_cast<int>(ranks.size()) ? ranks[as_size(m_place + 1)] : -1;
    std::vector<int> neighbours;
    for (int const rank : {below, above}) {
      if (rank >= 0) neighbours.push_back(rank);
    }
    m_memory = std::make_shared<PeerMemory>(exec, grid.communicator(), Part::window_bytes(part), neighbours);
    auto const window = [&](int rank) { return rank < 0 ? nullptr : m_memory->of(rank); };
    m_part = grid.communicator().agree([&] {
      return std::make_shared<Part>(exec, part, PartWindows{m_memory->own(), window(below), window(above)},
                                    BlockIlu0PartOptions{.multiprocessors = options.multiprocessors});
    });
  }

  /// The number of this part, from the lowest on.
  int place() const { return m_place; }
  Part& part() const { return *m_part; }

 private:
  int m_place;
  std::shared_ptr<PeerMemory> m_memory;  ///< ends after the part, whose kernels write into that of others
  std::shared_ptr<Part> m_part;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
