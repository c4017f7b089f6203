// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Trivially copyable access to a BlockStencil7, for kernels that assemble or read it.
template <class Storage, int n, int vector_length>
class BlockStencil7Ref {
 public:
  using Map = SlabMap<vector_length>;
  using Packs = InterleavedRef<Storage, vector_length, stencil7_size * n * n>;

  HYPERPLANE_FUNCTION BlockStencil7Ref(const Map& map, const Packs& packs) : m_map(map), m_packs(packs) {}

  HYPERPLANE_FUNCTION const Grid& grid() const { return m_map.grid(); }
  HYPERPLANE_FUNCTION const Map& map() const { return m_map; }

  /// All values.
  HYPERPLANE_FUNCTION const Packs& packs() const { return m_packs; }

  /// Entry (r, c) of the block of point (i, j, k) that multiplies its neighbour in `direction`.
  HYPERPLANE_FUNCTION Storage& operator()(int i, int j, int k, Direction direction, int r, int c) const {
    return m_packs(m_map.pack(i, j, k), entry(direction, r, c), m_map.lane(j));
  }
  HYPERPLANE_FUNCTION Storage& operator()(const Point& p, Direction direction, int r, int c) const {
    return (*this)(p.i, p.j, p.k, direction, r, c);
  }

  /// Blocks of one direction in all lanes of a SIMD group: entry (r, c) of lane l is at
  /// [(c * n + r) * vector_length + l].
  HYPERPLANE_FUNCTION Storage* pack_block(std::int64_t pack, Direction direction) const {
    return m_packs.pack_data(pack, entry(direction, 0, 0));
  }

 private:
  HYPERPLANE_FUNCTION static constexpr int entry(Direction direction, int r, int c) {
    return (static_cast<int>(direction) * n + c) * n + r;
  }

  Map m_map;
  Packs m_packs;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
