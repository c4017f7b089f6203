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

namespace detail {

/// What access to a matrix on a grid has, whose rows may have a unit each behind the blocks of a SIMD group.
template <class Storage, int n, int vector_length, bool units>
class Stencil7Ref {
 public:
  static constexpr int block_entries = stencil7_size * n * n;
  /// Values of a point.
  static constexpr int entries = block_entries + (units ? n : 0);
  static constexpr bool has_units = units;
  using Map = SlabMap<vector_length>;
  using Packs = InterleavedRef<Storage, vector_length, entries>;

  HYPERPLANE_FUNCTION Stencil7Ref(const Map& map, const Packs& packs) : m_map(map), m_packs(packs) {}

  HYPERPLANE_FUNCTION const Grid& grid() const { return m_map.grid(); }
  HYPERPLANE_FUNCTION const Map& map() const { return m_map; }

  /// All values.
  HYPERPLANE_FUNCTION const Packs& packs() const { return m_packs; }

  /// Blocks of one direction in all lanes of a SIMD group, without units: entry (r, c) of lane l is at
  /// [(c * n + r) * vector_length + l].
  HYPERPLANE_FUNCTION Storage* pack_block(std::int64_t pack, Direction direction) const {
    return m_packs.pack_data(pack, static_cast<int>(direction) * n * n);
  }

 private:
  Map m_map;
  Packs m_packs;
};

}  // namespace detail

/// Trivially copyable access to a BlockStencil7, for kernels that assemble or read it.
template <class Storage, int n, int vector_length>
class BlockStencil7Ref : public detail::Stencil7Ref<Storage, n, vector_length, false> {
  using Base = detail::Stencil7Ref<Storage, n, vector_length, false>;

 public:
  using Base::Base;

  /// Entry (r, c) of the block of point (i, j, k) that multiplies its neighbour in `direction`.
  HYPERPLANE_FUNCTION Storage& operator()(int i, int j, int k, Direction direction, int r, int c) const {
    int const entry = (static_cast<int>(direction) * n + c) * n + r;
    return this->packs()(this->map().pack(i, j, k), entry, this->map().lane(j));
  }
  HYPERPLANE_FUNCTION Storage& operator()(const Point& p, Direction direction, int r, int c) const {
    return (*this)(p.i, p.j, p.k, direction, r, c);
  }
};

/// The same of a ScaledStencil7, whose entries are to be multiplied by the unit of their row. The units are BFloat16s
/// by their bits.
template <ShortReal Storage, int n, int vector_length>
class BlockStencil7Ref<Storage, n, vector_length> : public detail::Stencil7Ref<Storage, n, vector_length, true> {
  using Base = detail::Stencil7Ref<Storage, n, vector_length, true>;

 public:
  using Base::Base;

  /// The units of a SIMD group, lanes fastest, and what such a value is.
  HYPERPLANE_FUNCTION Storage* pack_units(std::int64_t pack, int r = 0) const {
    return this->packs().pack_data(pack, Base::block_entries + r);
  }
  template <class Scalar>
  HYPERPLANE_FUNCTION static Scalar unit(const Storage& kept) {
    BFloat16 value;
    value.m_bits = kept.m_bits;
    return static_cast<Scalar>(value);
  }
  /// That of row r of the point in a slot.
  template <class Scalar>
  HYPERPLANE_FUNCTION Scalar unit(std::int64_t pack, int r, int lane) const {
    return unit<Scalar>(pack_units(pack, r)[lane]);
  }
  HYPERPLANE_FUNCTION void set_unit(std::int64_t pack, int r, int lane, BFloat16 value) const {
    pack_units(pack, r)[lane].m_bits = value.m_bits;
  }
  /// Those of row r of the points in all lanes of a SIMD group.
  template <class PackType>
  HYPERPLANE_FUNCTION PackType units(std::int64_t pack, int r) const {
    return PackType::template load_bits<BFloat16>(pack_units(pack, r));
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
