// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/stages.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How many layers of j pieces of a grid block have: as many slabs as there are threads, and more where these are so
/// small that messages and launches would take longer than the factors of a piece.
template <class Scalar, int n, int vector_length>
int layers_of_piece(const Grid& grid, int threads) {
  constexpr std::int64_t least_bytes = 128 * 1024;  // for each thread
  auto const steps = SlabMap<vector_length>(grid).steps();
  auto const bytes = steps * std::int64_t{4 * n * n * vector_length} * static_cast<std::int64_t>(sizeof(Scalar));
  auto const slabs = threads * ((least_bytes - 1) / bytes + 1);
  return static_cast<int>(std::min<std::int64_t>(slabs * vector_length, grid.nj()));
}

/// The stages of the grid blocks of all ranks, with P and its options. Grid blocks are cut into pieces where ranks
/// meet, and all of them run all of theirs by slabs: a rank whose neighbour has a lower colour begins when the first
/// pieces of that are there. Collective; `colours` are 0, 1, ... without gaps.
template <class P, class Exec, class Options>
Stages stages_of_ranks(const Exec& exec, const DistributedGrid& grid, const Options& options,
                       const std::vector<int>& colours) {
  using Scalar = typename P::Vector::scalar_type;
  auto const& whole = grid.whole();
  bool const ranks_meet = std::ranges::any_of(
      whole.interfaces(), [&](const Interface& i) { return grid.owner(i.block) != grid.owner(i.donor); });
  if (ranks_meet) {
    auto const& communicator = grid.communicator();
    bool const can = MultiBlock<P>::can_be_cut(options);
    if (!communicator.any(!can)) {
      auto const threads = -communicator.lowest(-std::int64_t{concurrency_of(exec)});
      std::vector<int> widths;
      bool cuts = false;
      for (auto const& block : whole.blocks()) {
        widths.push_back(layers_of_piece<Scalar, P::Vector::block_size, vector_length_v<Scalar, Exec>>(
            block, static_cast<int>(threads)));
        cuts = cuts || widths.back() < block.nj();
      }
      if (cuts) return Stages(whole, colours, std::move(widths));
    }
  }
  return Stages(whole, colours, *std::ranges::max_element(colours) + 1);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
