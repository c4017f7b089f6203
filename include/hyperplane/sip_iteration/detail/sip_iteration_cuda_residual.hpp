// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/cuda/progress.hpp>
#include <hyperplane/cuda/vector.hpp>
#include <hyperplane/cuda/warp_min.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sip_iteration/detail/sip_iteration_cuda_sweep.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

/// What goes between two sweeps of a pipelined iteration: the residual of a tile, by warps of their own, a chunk of
/// steps at a time just ahead of the sweep that needs it, and just behind the sweep before.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// r = from - A d, x += d at the points of a tile.
template <class Scalar>
struct SipResidual {
  const Scalar* m_a;
  const Scalar* m_from;
  const Scalar* m_correction;
  Scalar* m_r;
  Scalar* m_x;  ///< none where x is not updated
};

/// How far an upper sweep is. A word for each beam: the stamp of the sweep, and the steps whose results are stored.
struct SipSweepProgress {
  std::uint64_t* m_words;
  std::uint32_t m_stamp;

  __device__ std::uint64_t word(int steps) const {
    return (std::uint64_t{m_stamp} << 32) | static_cast<std::uint32_t>(steps);
  }
  /// Waits until the steps of a beam are stored, and acquires them. Returns how many are.
  __device__ int await(const std::uint64_t* beam, int steps) const {
    while (true) {
      auto const seen = cuda::observe(beam);
      int const stored = static_cast<int>(static_cast<std::uint32_t>(seen));
      if (static_cast<std::uint32_t>(seen >> 32) == m_stamp && stored >= steps) return stored;
    }
  }
};

/// Passes the progress of the beams of a tile on to other blocks, by lanes of one warp, until the tile is complete.
template <class Block>
__device__ void sip_publish_progress(const typename Block::Recursion& r, const typename Block::Tile& t, int lane,
                                     const SipSweepProgress& progress, const SipTileProgress& tile) {
  int const beam = t.index_k * r.m_beams + lane;
  if (lane >= r.m_beams || beam >= r.beams_k(r.grid())) return;
  auto* const word = progress.m_words + std::int64_t{t.slab} * r.beams_k(r.grid()) + beam;
  int last = 0;
  while (last < r.steps()) {
    int const now = cuda::observe_in_block(&tile.m_stored[lane]);
    if (now > last) {
      // Release: what the warp that computes stored comes before, since it was acquired from it.
      cuda::publish(word, progress.word(now));
      last = now;
    }
  }
}

/// The residual of a tile for the lower sweep that follows, by warps of their own, which take the rows of a chunk of
/// steps in turn, some steps at a time. Warps have little time for that: what does not change within a tile is computed
/// once, and places are distances in packs from the first step of the first row.
///
/// Threads have neighbouring lanes of a pack, so that the neighbours to the south and to the north are those to the
/// west and to the east of the next lane.
template <class Block, bool forward, class Scalar>
class SipTileResidual {
  using Recursion = typename Block::Recursion;
  static constexpr int W = Block::W;
  static constexpr int chunk = Block::chunk;
  static constexpr int values = 16 / static_cast<int>(sizeof(Scalar));  // of a thread
  static constexpr int threads = W / values;                            // of a pack
  static constexpr int steps = 32 / threads;                            // of a unit: what a warp computes at a time
  static constexpr int parts = chunk / steps;
  static_assert(chunk % steps == 0);
  static constexpr unsigned all_lanes = 0xffffffffu;
  using Values = cuda::Vector<Scalar, values>;

 public:
  /// `before`: the upper sweep of which the correction is the result, in the same direction as the sweep that follows,
  /// or none where the correction is complete.
  __device__ SipTileResidual(const Recursion& r, const typename Block::Tile& t, int warp, int lane,
                             const SipResidual<Scalar>& residual, const SipSweepProgress* before)
      : m_residual(residual), m_warp(warp), m_lane(lane), m_before(before) {
    auto const& map = r.m_map;
    auto const& grid = r.grid();
    int const layer = t.index_k * r.m_beams * Block::layers;
    int const slab = r.template stored_slab<forward>(t.slab);
    m_ni = grid.ni();
    m_row_steps = r.row_steps();
    m_sweep_steps = r.steps();
    m_rows = min(r.m_beams * Block::layers, grid.nk() - layer);
    m_layers_before = layer;
    m_layers_after = grid.nk() - 1 - layer;
    m_pitch = static_cast<int>(map.pitch());
    m_step = lane / threads;
    m_l0 = lane % threads * values;
    for (int v = 0; v < values; ++v) {
      int const j = slab * W + m_l0 + v;
      m_in_j |= (j < grid.nj() ? 1u : 0u) << v;
      m_has_south |= (j > 0 ? 1u : 0u) << v;
      m_has_north |= (j + 1 < grid.nj() ? 1u : 0u) << v;
    }
    m_first_pack = r.template first_pack<forward>(t.slab, layer);
    m_to_next_slab = map.distance(Direction::north, W - 1, 1);
    if (before != nullptr) find_words(r, t);
  }

  /// All of the tile. Tells in `prepared` how many chunks of steps this warp has its share of ready.
  __device__ void run(int& prepared) const {
    int const units = m_rows * parts;  // of a chunk
    int c = 0;
    int unit = m_warp;
    int told = 0;
    int released = m_before == nullptr ? INT32_MAX : 0;  // chunks for which the sweep before is far enough
    auto const tell = [&](int chunks) {
      // Copies read it next.
      cuda::fence_before_copies_of_results();
      __syncwarp();
      if (m_lane == 0) cuda::publish_in_block(&prepared, chunks);
    };
    while (true) {
      for (; unit >= units; unit -= units) ++c;
      if (c * chunk >= m_row_steps) break;
      if (c > told) {
        tell(c);
        told = c;
      }
      int const needed = min((c + 1) * chunk + m_beyond, m_sweep_steps);
      if (released < c + 1) {
        int const seen = m_word != nullptr ? m_before->await(m_word, needed) : m_sweep_steps;
        __syncwarp();
        // Chunks that need no other look.
        int const enough = seen >= m_sweep_steps ? INT32_MAX : (seen - m_beyond) / chunk;
        released = cuda::warp_min(enough);
      }
      int const row = unit / parts;
      int const first = c * chunk + unit % parts * steps;
      compute(row, first + m_step);
      unit += sip_residual_warps;
    }
    tell(INT32_MAX);
  }

 private:
  /// Distance from the first step of the first row, in packs.
  __device__ int distance(int row, int step) const { return forward ? row * m_pitch + step : -row * m_pitch - step; }

  /// The words of the beams of the tile and of those next to it, a lane each.
  __device__ void find_words(const Recursion& r, const typename Block::Tile& t) {
    int const beams_k = r.beams_k(r.grid());
    int const across = r.m_beams + 2;
    if (m_lane >= 3 * across) return;
    int const slab = t.slab + m_lane / across - 1;
    int const offset = m_lane % across - 1;
    int const beam = t.index_k * r.m_beams + offset;
    if (slab != t.slab && (offset < 0 || offset >= r.m_beams)) return;
    if (slab < 0 || slab >= r.m_map.slabs() || beam < 0 || beam >= beams_k) return;
    m_word = m_before->m_words + std::int64_t{slab} * beams_k + beam;
    // Of what a step needs the last is a step later in its own rows, W - 1 steps later in the slab before, as many
    // earlier in the next one, and the same step in other layers; layer b of a beam is b steps late.
    if (slab != t.slab) {
      m_beyond = Block::layers + (slab < t.slab ? W - 2 : -W);
    } else {
      m_beyond = offset < 0 ? Block::layers - 1 : offset < r.m_beams ? Block::layers : 0;
    }
  }

  /// What is read once: it does not replace in the cache of the multiprocessor what is read again.
  __device__ static Values load_once(const Scalar* from) {
    auto const bits = __ldcs(reinterpret_cast<const int4*>(from));
    Values result;
    memcpy(&result, &bits, sizeof(Values));
    return result;
  }
  __device__ static Values load(const Scalar* from) { return *reinterpret_cast<const Values*>(from); }

  /// A step, by each thread of its own.
  __device__ void compute(int row, int step) const {
    // After the row, and where there is no neighbour, something else is read, and not used: so that no load waits for
    // another, and none for a branch.
    auto const pack = m_first_pack + distance(row, min(step, m_row_steps - 1));
    auto const at = pack * W + m_l0;
    bool const below = forward ? row + m_layers_before > 0 : m_layers_after - row > 0;
    bool const above = forward ? m_layers_after - row > 0 : row + m_layers_before > 0;
    // Steps of the rows of this thread.
    auto const position = [&](int v) { return step - (forward ? m_l0 + v : W - 1 - m_l0 - v); };
    auto const exists = [&](int v) {
      return static_cast<unsigned>(position(v)) < static_cast<unsigned>(m_ni) && (m_in_j >> v & 1) != 0;
    };
    auto const* const d = m_residual.m_correction + at;
    auto const* const coefficients = m_residual.m_a + (pack * (stencil7_size * W) + m_l0);
    auto const layer = std::int64_t{m_pitch} * W;
    Values a[stencil7_size];
#pragma unroll
    for (int n = 0; n < stencil7_size; ++n) a[n] = load_once(coefficients + n * W);
    auto const bottom = load(below ? d - layer : d);
    auto const west = load(pack > 0 ? d - W : d);
    auto const center = load(d);
    auto const east = load(d + W);
    auto const top = load(above ? d + layer : d);
    auto sum = load_once(m_residual.m_from + at);
    bool const update = m_residual.m_x != nullptr;
    auto x = load_once((update ? m_residual.m_x : m_residual.m_from) + at);
    // Lane W - 1 of the slab before, lane 0 of the next one.
    bool const at_south = m_l0 == 0 && (m_has_south & 1) != 0;
    bool const at_north = m_l0 == W - values && (m_has_north >> (values - 1) & 1) != 0;
    Scalar south_end = d[at_south && exists(0) ? -m_to_next_slab : 0];
    Scalar north_end = d[values - 1 + (at_north && exists(values - 1) ? m_to_next_slab : 0)];
    Scalar const west_before = __shfl_up_sync(all_lanes, west.m_values[values - 1], 1);
    Scalar const east_after = __shfl_down_sync(all_lanes, east.m_values[0], 1);
    if (!at_south) south_end = west_before;
    if (!at_north) north_end = east_after;
    bool all = true;
#pragma unroll
    for (int v = 0; v < values; ++v) {
      auto const subtract = [&](Direction direction, bool inside, Scalar value) {
        if (inside) sum.m_values[v] -= a[static_cast<int>(direction)].m_values[v] * value;
      };
      bool const not_first = position(v) > 0;
      bool const not_last = position(v) < m_ni - 1;
      subtract(Direction::bottom, below, bottom.m_values[v]);
      subtract(Direction::south, (m_has_south >> v & 1) != 0, v > 0 ? west.m_values[v > 0 ? v - 1 : 0] : south_end);
      subtract(Direction::west, forward ? not_first : not_last, west.m_values[v]);
      subtract(Direction::center, true, center.m_values[v]);
      subtract(Direction::east, forward ? not_last : not_first, east.m_values[v]);
      subtract(Direction::north, (m_has_north >> v & 1) != 0,
               v + 1 < values ? east.m_values[v + 1 < values ? v + 1 : 0] : north_end);
      subtract(Direction::top, above, top.m_values[v]);
      x.m_values[v] += center.m_values[v];
      all = all && exists(v);
    }
    if (all) {
      *reinterpret_cast<Values*>(m_residual.m_r + at) = sum;
      if (update) *reinterpret_cast<Values*>(m_residual.m_x + at) = x;
      return;
    }
    // Other slots of the packs are those of points of the layers next to this one.
#pragma unroll
    for (int v = 0; v < values; ++v) {
      if (!exists(v)) continue;
      m_residual.m_r[at + v] = sum.m_values[v];
      if (update) m_residual.m_x[at + v] = x.m_values[v];
    }
  }

  SipResidual<Scalar> m_residual;
  int m_warp;
  int m_lane;
  const SipSweepProgress* m_before;
  const std::uint64_t* m_word = nullptr;
  int m_beyond = 0;
  int m_ni;
  int m_row_steps;
  int m_sweep_steps;
  int m_rows;
  int m_layers_before;
  int m_layers_after;
  int m_pitch;
  int m_step;
  int m_l0;
  // Bits of the lanes of this thread: that there is such a row, and rows next to it.
  unsigned m_in_j = 0;
  unsigned m_has_south = 0;
  unsigned m_has_north = 0;
  std::int64_t m_first_pack;
  std::int64_t m_to_next_slab;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
