// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Trivially copyable access to a BlockVector, for kernels.
template <class Scalar, int n, int vector_length_>
class BlockVectorRef {
 public:
  using scalar_type = Scalar;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_;
  using Map = SlabMap<vector_length>;

  HYPERPLANE_FUNCTION BlockVectorRef(const Map& map, const InterleavedRef<Scalar, vector_length, n>& packs)
      : m_map(map), m_packs(packs) {}

  HYPERPLANE_FUNCTION const Grid& grid() const { return m_map.grid(); }
  HYPERPLANE_FUNCTION const Map& map() const { return m_map; }
  HYPERPLANE_FUNCTION const InterleavedRef<Scalar, vector_length, n>& packs() const { return m_packs; }

  /// Unknown c of point (i, j, k).
  HYPERPLANE_FUNCTION Scalar& operator()(int i, int j, int k, int c) const {
    return m_packs(m_map.pack(i, j, k), c, m_map.lane(j));
  }
  HYPERPLANE_FUNCTION Scalar& operator()(const Point& p, int c) const { return (*this)(p.i, p.j, p.k, c); }

 private:
  Map m_map;
  InterleavedRef<Scalar, vector_length, n> m_packs;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
