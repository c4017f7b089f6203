// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/detail/apply_transposed_portable.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// ApplyTransposedPortable in full vectors, in its order of sums: one index for a range of steps of some slabs. Packs
/// are read in the order of memory, all blocks of one after the other: sums are begun with the product from the layer
/// below and kept in y, and get that from the layer above a layer later. Products are computed in the lanes of the
/// neighbours, where the blocks are, and then shifted to the lanes of the points. Slabs take turns in short pieces:
/// what the last lane gives to the slab after is kept for it, and what lane 0 gives to the slab before is computed
/// twice, while it is in a cache. Host only.
template <bool subtract, class Scalar, int n, class Storage, int vector_length, class Terms>
struct ApplyTransposedSlab {
  using PackType = Pack<Scalar, vector_length>;
  using Vector = block::Vector<PackType, n>;
  using ProductType = Pack<ProductScalar<Scalar, Storage>, vector_length>;
  using Given = block::PackMatrix<ProductType, Storage, n>;
  static constexpr int block_values = n * n * vector_length;
  static constexpr int pack_bytes = stencil7_size * block_values * static_cast<int>(sizeof(Storage));
  static constexpr std::int64_t piece = std::clamp((256 << 10) / pack_bytes, 8, 256);
  static constexpr int slabs_together = 8;
  /// Blocks are asked for so many steps before, one by one between the products.
  static constexpr int steps_ahead = 2 + 63 / (stencil7_size * n * n);

  BlockStencil7Ref<Storage, n, vector_length> m_a;
  BlockVectorRef<Scalar, n, vector_length> m_b;
  BlockVectorRef<Scalar, n, vector_length> m_x;
  BlockVectorRef<Scalar, n, vector_length> m_y;
  Terms m_terms;
  std::int64_t m_ranges;  ///< of a slab

  static std::int64_t groups(const SlabMap<vector_length>& map) {
    return (map.slabs() + slabs_together - 1) / slabs_together;
  }

  void operator()(std::int64_t index) const { run_together<1>(this, index); }

  /// `count` products with one matrix, which take turns while its blocks are in a cache.
  template <int count>
  HYPERPLANE_FORCEINLINE_FUNCTION static void run_together(const ApplyTransposedSlab* products, std::int64_t index) {
    auto const& map = products->m_a.map();
    auto const ranges = products->m_ranges;
    int const first = static_cast<int>(index / ranges) * slabs_together;
    int const last = std::min(first + slabs_together, map.slabs());
    std::int64_t const begin = index % ranges * map.steps() / ranges;
    std::int64_t const end = (index % ranges + 1) * map.steps() / ranges;
    for (int slab = first; slab < last; ++slab) {
      for (auto step = begin; step < std::min(begin + map.pitch(), end); ++step) {
        for (int v = 0; v < count; ++v) products[v].start(slab, step);
      }
    }
    // A slab lags behind the one before it by so many steps that their lanes meet.
    constexpr std::int64_t lag = SlabMap<vector_length>::south_step(0);
    LastLanes lanes[std::size_t{count}];
    for (auto from = begin; from < end + lag * (last - first); from += piece) {
      for (int slab = first; slab < last; ++slab) {
        Piece const at{slab, slab > first, from - lag * (slab - first), begin, end};
        for (int v = 0; v < count; ++v) products[v].run(at, lanes[v]);
      }
    }
    for (int slab = first; slab < last; ++slab) {
      for (auto step = std::max(begin, end - map.pitch()); step < end; ++step) {
        for (int v = 0; v < count; ++v) products[v].finish({slab, step, step % map.pitch()});
      }
    }
  }

 private:
  /// The products of the last lane, which the slab after takes: of each step of a piece.
  using LastLanes = std::array<block::Vector<Scalar, n>, static_cast<std::size_t>(piece)>;

  /// A piece of a slab, of whose steps those from `begin` to `end` - 1 are worked on.
  struct Piece {
    int slab;
    bool follows;  ///< the slab before has just been worked on, so many steps ahead that lanes meet
    std::int64_t first;
    std::int64_t begin;
    std::int64_t end;
  };

  void run(const Piece& at, LastLanes& lanes) const {
    auto const from = std::max(at.first, at.begin), to = std::min(at.first + piece, at.end);
    if (from >= to) return;
    auto const pitch = m_a.map().pitch();
    int const slab = at.slab;
    Vector to_east{}, to_north{}, sum{};
    if (m_terms.has(Direction::west)) to_east = product(slab, from - 1, Direction::east);
    if (m_terms.has(Direction::south)) to_north = product(slab, from - 1, Direction::north);
    std::int64_t remainder = from % pitch;
    for (auto step = from; step < to; ++step) {
      if (step - pitch >= at.begin) finish({slab, step - pitch, remainder});
      if (step > from) leave(slab, step - 1, sum);
      load(slab, step, sum);
      auto& lane = lanes[static_cast<std::size_t>(step - at.first)];
      if (m_terms.has(Direction::south)) {
        if (!at.follows || m_a.map().south_step(step) >= at.end) lane = of_slab_before(slab, step);
        take(shifted_north(to_north, lane), sum);
      }
      if (m_terms.has(Direction::west)) take(to_east, sum);
      if (m_terms.has(Direction::center)) take(product(slab, step, Direction::center), sum);
      if (m_terms.has(Direction::west)) to_east = product(slab, step, Direction::east);
      if (m_terms.has(Direction::south)) {
        to_north = product(slab, step, Direction::north);
        lane = last_lane(to_north);
      }
      if (step + pitch < at.end) start(slab, step + pitch);
      if (++remainder == pitch) remainder = 0;
    }
    leave(slab, to - 1, sum);
  }

  /// The first product of a sum.
  HYPERPLANE_FORCEINLINE_FUNCTION void start(int slab, std::int64_t step) const {
    Vector sum;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) sum[c] = subtract ? PackType::load(values(m_b, slab, step, c)) : PackType(0);
    if (m_terms.has(Direction::bottom)) take(product(slab, step - m_a.map().pitch(), Direction::top), sum);
    store(slab, step, sum);
  }

  /// The products of the step after.
  HYPERPLANE_FORCEINLINE_FUNCTION void leave(int slab, std::int64_t step, Vector& sum) const {
    if (m_terms.has(Direction::north)) {
      auto const south = product(slab, step + 1, Direction::south);
      if (m_terms.has(Direction::east)) take(product(slab, step + 1, Direction::west), sum);
      take(from_north(slab, step, south), sum);
    } else if (m_terms.has(Direction::east)) {
      take(product(slab, step + 1, Direction::west), sum);
    }
    store(slab, step, sum);
  }

  /// The last product. Blocks that point out of the grid point to padding.
  HYPERPLANE_FORCEINLINE_FUNCTION void finish(const PackPlace& place) const {
    Vector sum;
    load(place.slab, place.step, sum);
    if (m_terms.has(Direction::top)) {
      take(product(place.slab, place.step + m_a.map().pitch(), Direction::bottom), sum);
    }
    if (!is_full(m_a.map(), place)) {
      auto const padding = padding_lanes<PackType>(m_a.map(), place);
      for (auto& value : sum.m_entries) value = select(padding, PackType(0), value);
    }
    store(place.slab, place.step, sum);
  }

  HYPERPLANE_FORCEINLINE_FUNCTION Scalar* values(const BlockVectorRef<Scalar, n, vector_length>& of, int slab,
                                                 std::int64_t step, int c) const {
    return of.packs().pack_data(m_a.map().first_pack(slab) + step, c);
  }
  HYPERPLANE_FORCEINLINE_FUNCTION void load(int slab, std::int64_t step, Vector& sum) const {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) sum[c] = PackType::load(values(m_y, slab, step, c));
  }
  HYPERPLANE_FORCEINLINE_FUNCTION void store(int slab, std::int64_t step, const Vector& sum) const {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) sum[c].store(values(m_y, slab, step, c));
  }

  HYPERPLANE_FORCEINLINE_FUNCTION static void take(const Vector& product, Vector& sum) {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) sum[c] = subtract ? sum[c] - product[c] : sum[c] + product[c];
  }

  /// The product of the block in a direction of the pack at a step, or zero where there is none.
  HYPERPLANE_FORCEINLINE_FUNCTION Vector product(int slab, std::int64_t step, Direction direction) const {
    Vector result;
    if (step < 0 || step >= m_a.map().steps()) {
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) result[c] = PackType(0);
      return result;
    }
    auto const pack = m_a.map().first_pack(slab) + step;
    block::Vector<ProductType, n> x, terms;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) {
      auto value = PackType::load(values(m_x, slab, step, c));
      if constexpr (BlockStencil7Ref<Storage, n, vector_length>::has_units) {
        value = value * m_a.template units<PackType>(pack, c);
      }
      x[c] = ProductType::from(value);
    }
    Given const a{m_a.pack_block(pack, direction)};
    KOKKOS_IF_ON_HOST((host::prefetch_values(m_a.pack_block(pack + steps_ahead, direction), block_values);))
    block::gemv<n>(block::TransposedBlock<Given>{a}, x, terms);
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) result[c] = PackType::from(terms[c]);
    return result;
  }

  /// Lane l takes the product of lane l - 1, and lane 0 that of the last lane of the slab before.
  HYPERPLANE_FORCEINLINE_FUNCTION static Vector shifted_north(Vector before, const block::Vector<Scalar, n>& first) {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) before[c] = shift_from_lower_lane(before[c], first[c]);
    return before;
  }

  HYPERPLANE_FORCEINLINE_FUNCTION static block::Vector<Scalar, n> last_lane(const Vector& packs) {
    block::Vector<Scalar, n> lane;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) lane[c] = packs[c][vector_length - 1];
    return lane;
  }

  /// What the last lane of the slab before gives, where it is not kept: of a whole pack, as run() computes it.
  /// Compilers choose for packs and for single lanes which products they fuse, and where a range ends depends on the
  /// threads.
  block::Vector<Scalar, n> of_slab_before(int slab, std::int64_t step) const {
    auto const other = m_a.map().south_step(step);
    if (slab == 0 || other >= m_a.map().steps()) return {};
    return last_lane(product(slab - 1, other, Direction::north));
  }

  /// Lane l takes the product of lane l + 1 at the step after, and the last lane that of lane 0 of the slab after.
  HYPERPLANE_FORCEINLINE_FUNCTION Vector from_north(int slab, std::int64_t step, Vector after) const {
    auto const& map = m_a.map();
    auto const other = map.north_step(step);
    block::Vector<Scalar, n> last{};
    if (slab + 1 < map.slabs() && other >= 0) {
      auto const pack = map.first_pack(slab + 1) + other;
      KOKKOS_IF_ON_HOST((host::prefetch_values(m_a.pack_block(pack + steps_ahead, Direction::south), block_values);))
      last = transposed_product<Scalar, n>(m_a, m_x, pack, 0, Direction::south);
    }
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) after[c] = shift_from_upper_lane(after[c], last[c]);
    return after;
  }
};

/// How many ranges of steps each slab has, and launches over them: see ApplyTransposedSlab.
template <class Body, class Map>
std::int64_t transposed_ranges(const Map& map, std::int64_t threads) {
  // At the ends of a range a layer is read in pieces, so that it has several layers; and each thread some ranges.
  constexpr std::int64_t most_layers = 8, ranges_of_thread = 4;
  auto const layers =
      std::clamp<std::int64_t>(map.grid().nk() * Body::groups(map) / (ranges_of_thread * threads), 1, most_layers);
  return std::max<std::int64_t>(map.grid().nk() / layers, 1);
}

template <bool subtract, class Scalar, int n, class Exec, class Storage, int vector_length, class Terms = AllTerms>
void apply_transposed_slab(const char* label, const Exec& exec, const BlockStencil7Ref<Storage, n, vector_length>& a,
                           const BlockVectorRef<Scalar, n, vector_length>& b,
                           const BlockVectorRef<Scalar, n, vector_length>& x,
                           const BlockVectorRef<Scalar, n, vector_length>& y, const Terms& terms = {}) {
  using Body = ApplyTransposedSlab<subtract, Scalar, n, Storage, vector_length, Terms>;
  auto const& map = a.map();
  auto const groups = Body::groups(map);
  auto const ranges = transposed_ranges<Body>(map, concurrency_of(exec));
  launch(label, IndexRange<Exec>(exec, 0, groups * ranges),
         static_cast<double>(map.pack_count()) / static_cast<double>(groups * ranges) * vector_length *
             apply_bytes<Scalar, Storage, n>,
         Body{a, b, x, y, terms, ranges});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
