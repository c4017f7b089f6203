// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/detail/apply_transposed_portable.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// ApplyTransposedPortable in full vectors, with its bits: one index for each range of steps of some slabs. Products
/// are computed where the blocks are, in the lanes of the neighbours, and then shifted to the lanes of the points.
/// Lanes at the ends of a slab have theirs from the slab beside, one by one; slabs take turns in short ranges, so that
/// these blocks are still in a cache. Host only.
template <bool subtract, class Scalar, int n, class Storage, int vector_length, class Terms>
struct ApplyTransposedSlab {
  using PackType = Pack<Scalar, vector_length>;
  using Vector = block::Vector<PackType, n>;
  using Given = block::PackMatrix<PackType, Storage, n>;
  static constexpr int block_values = n * n * vector_length;
  static constexpr int pack_bytes = stencil7_size * block_values * static_cast<int>(sizeof(Storage));
  static constexpr std::int64_t range = std::clamp((256 << 10) / pack_bytes, 8, 256);
  static constexpr int slabs_together = 8;
  /// So that at least about 64 vectors lie between, for small blocks.
  static constexpr int steps_ahead = 1 + 63 / (stencil7_size * n * n);

  BlockStencil7Ref<Storage, n, vector_length> m_a;
  BlockVectorRef<Scalar, n, vector_length> m_b;
  BlockVectorRef<Scalar, n, vector_length> m_x;
  BlockVectorRef<Scalar, n, vector_length> m_y;
  Terms m_terms;

  std::int64_t ranges() const { return (m_a.map().steps() + range - 1) / range; }
  std::int64_t indices() const { return (m_a.map().slabs() + slabs_together - 1) / slabs_together * ranges(); }

  void operator()(std::int64_t index) const {
    auto const& map = m_a.map();
    int const first = static_cast<int>(index / ranges()) * slabs_together;
    int const last = std::min(first + slabs_together, map.slabs());
    std::int64_t const begin = index % ranges() * range;
    std::int64_t const end = std::min(begin + range, map.steps());
    for (int slab = first; slab < last; ++slab) {
      PackPlace place{slab, begin, begin % map.pitch()};
      for (; place.step < end; ++place.step) {
        compute(place);
        if (++place.remainder == map.pitch()) place.remainder = 0;
      }
    }
  }

 private:
  void compute(const PackPlace& place) const {
    auto const& map = m_a.map();
    auto const pack = map.first_pack(place.slab) + place.step;
    prefetch_blocks(pack);
    Vector sum;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) {
      sum[c] = subtract ? PackType::load(m_b.packs().pack_data(pack, c)) : PackType(0);
    }
    for_neighbour(Direction::bottom, place, -map.pitch(), sum);
    if (m_terms.has(Direction::south)) take(from_south(place), sum);
    for_neighbour(Direction::west, place, -1, sum);
    for_neighbour(Direction::center, place, 0, sum);
    for_neighbour(Direction::east, place, 1, sum);
    if (m_terms.has(Direction::north)) take(from_north(place), sum);
    for_neighbour(Direction::top, place, map.pitch(), sum);
    if (!is_full(map, place)) {
      // Blocks that point out of the grid point to padding.
      auto const padding = padding_lanes<PackType>(map, place);
      for (auto& value : sum.m_entries) value = select(padding, PackType(0), value);
    }
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) sum[c].store(m_y.packs().pack_data(pack, c));
  }

  HYPERPLANE_FORCEINLINE_FUNCTION static void take(const Vector& product, Vector& sum) {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) sum[c] = subtract ? sum[c] - product[c] : sum[c] + product[c];
  }

  /// The product of the block in a direction of the pack at a step, or zero where there is none.
  HYPERPLANE_FORCEINLINE_FUNCTION Vector product(int slab, std::int64_t step, Direction direction) const {
    auto const& map = m_a.map();
    Vector result;
    if (step < 0 || step >= map.steps()) {
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) result[c] = PackType(0);
      return result;
    }
    auto const pack = map.first_pack(slab) + step;
    Vector x;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) x[c] = PackType::load(m_x.packs().pack_data(pack, c));
    block::gemv<n>(block::TransposedMatrix<Given>{{m_a.pack_block(pack, direction)}}, x, result);
    return result;
  }

  /// What the neighbour in a direction, so many packs away in the same lanes, contributes.
  HYPERPLANE_FORCEINLINE_FUNCTION void for_neighbour(Direction direction, const PackPlace& place, std::int64_t distance,
                                                     Vector& sum) const {
    if (!m_terms.has(direction)) return;
    take(product(place.slab, place.step + distance, opposite(direction)), sum);
  }

  /// Lane l takes the product of lane l - 1, and lane 0 that of the last lane of the slab before.
  HYPERPLANE_FORCEINLINE_FUNCTION Vector from_south(const PackPlace& place) const {
    auto const& map = m_a.map();
    Vector result = product(place.slab, place.step - 1, Direction::north);
    auto const other = map.south_step(place.step);
    block::Vector<Scalar, n> first{};
    if (place.slab > 0 && other < map.steps()) {
      first = transposed_product<Scalar, n>(m_a, m_x, map.first_pack(place.slab - 1) + other, vector_length - 1,
                                            Direction::north);
    }
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) result[c] = shift_from_lower_lane(result[c], first[c]);
    return result;
  }

  /// Lane l takes the product of lane l + 1, and the last lane that of lane 0 of the slab after.
  HYPERPLANE_FORCEINLINE_FUNCTION Vector from_north(const PackPlace& place) const {
    auto const& map = m_a.map();
    Vector result = product(place.slab, place.step + 1, Direction::south);
    auto const other = map.north_step(place.step);
    block::Vector<Scalar, n> last{};
    if (place.slab + 1 < map.slabs() && other >= 0) {
      auto const pack = map.first_pack(place.slab + 1) + other;
      host::prefetch_values(m_a.pack_block(pack + steps_ahead, Direction::south), block_values);
      last = transposed_product<Scalar, n>(m_a, m_x, pack, 0, Direction::south);
    }
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) result[c] = shift_from_upper_lane(result[c], last[c]);
    return result;
  }

  /// What a few steps later is read of a pack: in three places, so that hardware does not see what comes next.
  HYPERPLANE_FORCEINLINE_FUNCTION void prefetch_blocks(std::int64_t pack) const {
    auto const ahead = pack + steps_ahead;
    host::prefetch_values(m_a.pack_block(ahead - m_a.map().pitch(), Direction::top), block_values);
    host::prefetch_values(m_a.pack_block(ahead + 1, Direction::south), 5 * block_values);
    host::prefetch_values(m_a.pack_block(ahead + m_a.map().pitch(), Direction::bottom), block_values);
  }
};

template <bool subtract, class Scalar, int n, class Exec, class Storage, int vector_length, class Terms = AllTerms>
void apply_transposed_slab(const char* label, const Exec& exec, const BlockStencil7Ref<Storage, n, vector_length>& a,
                           const BlockVectorRef<Scalar, n, vector_length>& b,
                           const BlockVectorRef<Scalar, n, vector_length>& x,
                           const BlockVectorRef<Scalar, n, vector_length>& y, const Terms& terms = {}) {
  ApplyTransposedSlab<subtract, Scalar, n, Storage, vector_length, Terms> const body{a, b, x, y, terms};
  auto const slabs = std::min(body.slabs_together, a.map().slabs());
  launch(label, IndexRange<Exec>(exec, 0, body.indices()),
         static_cast<double>(std::min(body.range, a.map().steps()) * slabs) * vector_length *
             apply_bytes<Scalar, Storage, n>,
         body);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
