// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/stencil/slab_neighbours.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Some steps of a slab.
struct SlabRange {
  int m_slab;
  std::int64_t m_begin;
  std::int64_t m_end;
};

/// y = A x, or y = b - A x, of the terms that are asked for, in full vectors: one index for each range of steps of a
/// slab. Where there are neighbours outside of the grid, they come at their place in the sum. Host only.
template <bool subtract, class Scalar, int n, class Storage, int vector_length, class Terms, class Outside = NoOutside>
struct ApplySlab {
  using Matrix = BlockStencil7Ref<Storage, n, vector_length>;
  static_assert(!(subtract && Matrix::has_units), "a copy of 16 bits has products alone");
  static constexpr std::int64_t range = 64;

  Matrix m_a;
  BlockVectorRef<Scalar, n, vector_length> m_b;
  BlockVectorRef<Scalar, n, vector_length> m_x;
  BlockVectorRef<Scalar, n, vector_length> m_y;
  Terms m_terms;
  Outside m_outside{};

  std::int64_t ranges() const { return (m_a.map().steps() + range - 1) / range; }

  void operator()(std::int64_t index) const { run(steps_of(index)); }

  SlabRange steps_of(std::int64_t index) const {
    std::int64_t const begin = index % ranges() * range;
    return {static_cast<int>(index / ranges()), begin, std::min(begin + range, m_a.map().steps())};
  }

  void run(const SlabRange& steps) const {
    auto const& map = m_a.map();
    int const slab = steps.m_slab;
    std::int64_t const begin = steps.m_begin;
    std::int64_t const end = steps.m_end;
    using Product = ProductScalar<Scalar, Storage>;
    auto const neighbours = vector_neighbours<BlockVectorRef<Scalar, n, vector_length>, Product>(m_x, slab);
    using PackType = Pack<Product, vector_length>;
    block::Vector<PackType, n> before, here, after, other;
    neighbours.load(begin - 1, before.m_entries);
    neighbours.load(begin, here.m_entries);
    PackPlace place{slab, begin, Outside::exists ? begin % map.pitch() : 0};
    [[maybe_unused]] auto const outside = m_outside.in(slab, begin, end);
    for (std::int64_t step = begin; step < end; ++step) {
      std::int64_t const pack = map.first_pack(slab) + step;
      neighbours.load(step + 1, after.m_entries);
      block::Vector<PackType, n> sum;
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) {
        sum[c] = subtract ? PackType::load(m_b.packs().pack_data(pack, c)) : PackType(0);
      }
      auto const accumulate = [&](Direction direction, block::Vector<PackType, n>& x) {
        if (!m_terms.has(direction)) return;
        if constexpr (Outside::exists) outside.template enter<n>(place, direction, x.m_entries);
        block::PackMatrix<PackType, Storage, n> const a{m_a.pack_block(pack, direction)};
        if (host::asks_for_narrow<Scalar, Storage>(n * n * vector_length)) {
          host::prefetch_behind(a.m_data, n * n * vector_length);
        }
        if constexpr (subtract) {
          block::gemv_subtract<n>(a, x, sum);
        } else {
          block::gemv_add<n>(a, x, sum);
        }
      };
      // In storage order.
      if (m_terms.has(Direction::bottom)) neighbours.load(step - map.pitch(), other.m_entries);
      accumulate(Direction::bottom, other);
      if (m_terms.has(Direction::south)) neighbours.south(step, before.m_entries, other.m_entries);
      accumulate(Direction::south, other);
      accumulate(Direction::west, before);
      accumulate(Direction::center, here);
      if constexpr (Outside::exists) {
        // What comes to the east is no neighbour of the points to the south.
        other = after;
        accumulate(Direction::east, other);
      } else {
        accumulate(Direction::east, after);
      }
      if (m_terms.has(Direction::north)) neighbours.north(step, after.m_entries, other.m_entries);
      accumulate(Direction::north, other);
      if (m_terms.has(Direction::top)) neighbours.load(step + map.pitch(), other.m_entries);
      accumulate(Direction::top, other);
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) result(pack, c, sum[c]).store(m_y.packs().pack_data(pack, c));
      before = here;
      here = after;
      if constexpr (Outside::exists) place.advance(map);
    }
  }

 private:
  template <class PackType>
  auto result(std::int64_t pack, int row, const PackType& sum) const {
    if constexpr (Matrix::has_units) {
      using ResultType = Pack<Scalar, vector_length>;
      return m_a.template units<ResultType>(pack, row) * ResultType::from(sum);
    } else {
      return sum;
    }
  }
};

template <bool subtract, class Scalar, int n, class Exec, class Storage, int vector_length, class Terms = AllTerms,
          class Outside = NoOutside>
void apply_slab(const char* label, const Exec& exec, const BlockStencil7Ref<Storage, n, vector_length>& a,
                const BlockVectorRef<Scalar, n, vector_length>& b, const BlockVectorRef<Scalar, n, vector_length>& x,
                const BlockVectorRef<Scalar, n, vector_length>& y, const Terms& terms = {},
                const Outside& outside = {}) {
  ApplySlab<subtract, Scalar, n, Storage, vector_length, Terms, Outside> const body{a, b, x, y, terms, outside};
  launch(label, IndexRange<Exec>(exec, 0, a.map().slabs() * body.ranges()),
         static_cast<double>(std::min(body.range, a.map().steps())) * vector_length * apply_bytes<Scalar, Storage, n>,
         body);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
