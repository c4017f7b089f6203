// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>
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
  /// Values of a point.
  static constexpr int entries = stencil7_size * n * n;
  static constexpr bool has_units = false;
  using Map = SlabMap<vector_length>;
  using Packs = InterleavedRef<Storage, vector_length, entries>;

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

/// The same of a ScaledStencil7, whose entries are to be multiplied by the unit of their row. The units, BFloat16s by
/// their bits, follow the blocks of a SIMD group.
template <ShortReal Storage, int n, int vector_length>
class BlockStencil7Ref<Storage, n, vector_length> {
 public:
  static constexpr int block_entries = stencil7_size * n * n, entries = block_entries + n;
  static constexpr bool has_units = true;
  using Map = SlabMap<vector_length>;
  using Packs = InterleavedRef<Storage, vector_length, entries>;

  HYPERPLANE_FUNCTION BlockStencil7Ref(const Map& map, const Packs& packs) : m_map(map), m_packs(packs) {}

  HYPERPLANE_FUNCTION const Grid& grid() const { return m_map.grid(); }
  HYPERPLANE_FUNCTION const Map& map() const { return m_map; }

  /// All values.
  HYPERPLANE_FUNCTION const Packs& packs() const { return m_packs; }

  /// Blocks of one direction in all lanes of a SIMD group, without units, as other matrices have them.
  HYPERPLANE_FUNCTION Storage* pack_block(std::int64_t pack, Direction direction) const {
    return m_packs.pack_data(pack, static_cast<int>(direction) * n * n);
  }

  /// The units of a SIMD group, lanes fastest, and what such a value is.
  HYPERPLANE_FUNCTION Storage* pack_units(std::int64_t pack) const { return m_packs.pack_data(pack, block_entries); }
  template <class Scalar>
  HYPERPLANE_FUNCTION static Scalar unit(const Storage& kept) {
    BFloat16 value;
    value.m_bits = kept.m_bits;
    return static_cast<Scalar>(value);
  }
  /// That of row r of the point in a slot.
  template <class Scalar>
  HYPERPLANE_FUNCTION Scalar unit(std::int64_t pack, int r, int lane) const {
    return unit<Scalar>(m_packs(pack, block_entries + r, lane));
  }
  HYPERPLANE_FUNCTION void set_unit(std::int64_t pack, int r, int lane, BFloat16 value) const {
    m_packs(pack, block_entries + r, lane).m_bits = value.m_bits;
  }
  /// Those of row r of the points in all lanes of a SIMD group.
  template <class PackType>
  HYPERPLANE_FUNCTION PackType units(std::int64_t pack, int r) const {
    return PackType::load(reinterpret_cast<const BFloat16*>(m_packs.pack_data(pack, block_entries + r)));
  }

 private:
  Map m_map;
  Packs m_packs;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
