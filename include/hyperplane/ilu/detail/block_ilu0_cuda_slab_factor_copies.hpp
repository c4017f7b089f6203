// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/cuda/warp_copies.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_short.hpp>
#include <hyperplane/sweep/part_window_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The warp that copies the blocks of A ahead of their use, keeps the lower ones, and tells the other rows how far this
/// one has come.
template <class Layout>
class CudaSlabFactorMover {
  using Shared = typename Layout::Shared;
  using Row = typename Layout::Row;
  static constexpr int block = Layout::block;
  static constexpr std::size_t given_bytes = Layout::given_bytes;
  static constexpr std::size_t neighbour_bytes = Layout::neighbour_bytes;
  static constexpr int stages = Layout::stages;
  static constexpr int window = Layout::window;
  static constexpr bool keeps_lower_as_given = Layout::keeps_lower_as_given;
  static constexpr bool keeps_lower_short = ShortReal<typename Layout::Storage>;

 public:
  using Matrix = typename Layout::Matrix;
  /// After so many steps another device is told: a fence that waits for it goes before every word.
  static constexpr int steps_to_device = 4;

  __device__ CudaSlabFactorMover(const Layout& layout, const Matrix& a) : m_layout(layout), m_a(a) {}

  __device__ void run(const Shared& s, const Row& row) const {
    cuda::WarpCopies const copies;
    if (copies.take_part() || keeps_lower_short) {
      auto const policy = cuda::evict_first_policy();
      const auto* const given = m_a.pack_data(m_layout.m_first_pack + row.first_pack);
      auto const copy = [&](int v) {
        if (!copies.take_part()) return;
        unsigned const slot = (row.count + v) % stages;
        copies.begin(s.given_there[slot], given_bytes);
        copies.copy(s.given_there[slot], s.given + slot * (stencil7_size * block),
                    given + std::int64_t{v} * (stencil7_size * block), given_bytes, policy);
        copies.end(s.given_there[slot]);
      };
      int const all_steps = m_layout.steps();
      for (int v = 0; v < min(stages, all_steps); ++v) copy(v);
      int* const progress = m_layout.m_progress + (row.k * m_layout.map().slabs() + row.slab);
      // A row of another cluster is above, or the next slab, which is some steps behind anyway.
      int const told_every = !row.to_block && row.k + 1 < m_layout.map().grid().nk() ? 1
                             : row.slab + 1 < m_layout.map().slabs()                 ? m_layout.m_steps_to_slab
                                                                                     : all_steps;
      for (int v = 0; v < all_steps; ++v) {
        if constexpr (keeps_lower_as_given) {
          // All lanes, also those of other rows, which store the same values.
          Layout::wait(s.given_there, stages, row.count + v);
          copies.store(m_layout.m_factors.lower(row.first_pack + v, LowerBlock::bottom),
                       s.given + (row.count + v) % stages * (stencil7_size * block), 3 * neighbour_bytes);
        }
        Layout::wait(s.done, window, row.count + v);
        if (v + stages < all_steps && !keeps_lower_short) {
          if constexpr (keeps_lower_as_given) copies.wait_for_reads();
          copy(v + stages);
        }
        if (copies.first()) {
          // Release: what the computing warp wrote comes before, by its barrier.
          if ((v + 1) % told_every == 0 || v + 1 == all_steps) cuda::publish(progress, v + 1);
          if constexpr (Layout::is_part) {
            if (m_layout.is_last_of_part(row.k) && ((v + 1) % steps_to_device == 0 || v + 1 == all_steps)) {
              cuda::publish_between_devices(m_layout.m_outside.progress_above + row.slab,
                                            cuda_part_progress(m_layout.m_outside.factorization, v + 1));
            }
          }
        }
        if constexpr (keeps_lower_short) {
          Layout::wait(s.given_there, stages, row.count + v);
          CudaSlabFactorShortLower(m_layout).keep(s, row, v);
          // The next copy comes where these blocks are.
          __syncwarp();
          if (v + stages < all_steps) copy(v + stages);
        }
      }
      if constexpr (keeps_lower_as_given) copies.wait_for_reads();
    }
    __syncwarp();
  }

 private:
  const Layout& m_layout;
  const Matrix& m_a;
};

/// The warp that copies the blocks that the rows below and to the south have computed.
template <class Layout>
class CudaSlabFactorGatherer {
  using Storage = typename Layout::Storage;
  using Shared = typename Layout::Shared;
  using Row = typename Layout::Row;
  static constexpr int W = Layout::W;
  static constexpr int block = Layout::block;
  static constexpr std::size_t neighbour_bytes = Layout::neighbour_bytes;
  static constexpr int neighbour_stages = Layout::neighbour_stages;
  static constexpr int window = Layout::window;

 public:
  __device__ explicit CudaSlabFactorGatherer(const Layout& layout) : m_layout(layout) {}

  __device__ void run(const Shared& s, const Row& row) const {
    cuda::WarpCopies const copies;
    if (copies.take_part()) {
      auto const policy = cuda::evict_normal_policy();
      int const all_steps = m_layout.steps();
      int const own = row.k * m_layout.map().slabs() + row.slab;
      int seen_below = 0;
      int seen_south = 0;
      std::int64_t const south_pack = row.first_pack - m_layout.map().steps() + m_layout.map().south_step(0);
      for (int v = 0; v < all_steps; ++v) {
        if (v >= neighbour_stages) Layout::wait(s.done, window, row.count + v - neighbour_stages);
        unsigned const slot = (row.count + v) % neighbour_stages;
        bool const below = m_layout.has_below(row.k);
        // Lane W - 1 of the slab before is as many steps behind.
        bool const south = row.slab > 0 && v < m_layout.map().grid().ni();
        auto& there = s.neighbours_there[slot];
        copies.begin(there, static_cast<std::uint32_t>((below + south) * neighbour_bytes));
        if (row.from_block) s.above_free[slot].arrive_at(cuda::cluster_rank() - 1);
        // Acquire: copies read what the other row wrote before it published.
        while (below && !row.from_block && seen_below <= v) {
          seen_below = m_layout.is_first_of_part(row.k)
                           ? steps_of_device(row)
                           : cuda::observe(m_layout.m_progress + own - m_layout.map().slabs());
        }
        while (south && seen_south <= v + W - 1) seen_south = cuda::observe(m_layout.m_progress + own - 1);
        cuda::fence_before_copies_of_results();
        Storage* const to = s.neighbours + slot * (2 * block);
        if (below && !row.from_block) {
          copies.copy(there, to, top_blocks_below(row, v), neighbour_bytes, policy);
        }
        if (south) {
          copies.copy(there, to + block, m_layout.m_factors.upper(south_pack + v, UpperBlock::north), neighbour_bytes,
                      policy);
        }
        copies.end(there);
      }
    }
    __syncwarp();
  }

 private:
  /// How many steps the layer below has done, which another device has.
  __device__ int steps_of_device([[maybe_unused]] const Row& row) const {
    if constexpr (Layout::is_part) {
      return cuda_part_steps(cuda::observe_between_devices(m_layout.m_outside.progress + row.slab),
                             m_layout.m_outside.factorization);
    }
    return 0;
  }
  __device__ const Storage* top_blocks_below(const Row& row, int v) const {
    if constexpr (Layout::is_part) {
      if (m_layout.is_first_of_part(row.k)) return m_layout.m_outside.received + m_layout.outside_begin(row.slab, v);
    }
    return m_layout.m_factors.upper(row.first_pack + v - m_layout.map().pitch(), UpperBlock::top);
  }

  const Layout& m_layout;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
