// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/simd/pack.hpp>

#include <concepts>

/// Which lanes of packs a kernel of a host has: it neither reads nor writes memory of the others, so that another
/// thread may have them.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

struct EveryLane {
  template <class PackType, class Storage>
  static PackType load(const Storage* values) {
    return PackType::load(values);
  }
  template <class PackType, class Storage>
  KOKKOS_FUNCTION static void store(const PackType& pack, Storage* values) {
    pack.store(values);
  }
  /// Past the caches; see Pack::stream().
  template <class PackType, class Storage>
  static void stream(const PackType& pack, Storage* values) {
    pack.stream(values);
  }
  /// Zero in the other lanes.
  template <class PackType>
  static PackType only(const PackType& pack) {
    return pack;
  }
  KOKKOS_FUNCTION static constexpr bool has(int) { return true; }
};

#if defined(HYPERPLANE_X86_INTRINSICS) && defined(__AVX512F__) && defined(__AVX512VL__)
#define HYPERPLANE_MASKED_LANES
/// Whether some lanes take no longer than all of them.
inline constexpr bool masked_lanes = true;
#else
inline constexpr bool masked_lanes = false;
#endif

/// Lanes m_begin to m_end - 1.
struct SomeLanes {
  int m_begin;
  int m_end;

  /// Zero in the other lanes.
  template <class PackType, class Storage>
  PackType load(const Storage* values) const {
    alignas(sizeof(Storage) * PackType::lanes) Storage mine[PackType::lanes];
    read<PackType::lanes>(values, mine);
    return PackType::load(mine);
  }
  template <class PackType, class Storage>
  KOKKOS_FUNCTION void store(const PackType& pack, Storage* values) const {
    alignas(sizeof(Storage) * PackType::lanes) Storage mine[PackType::lanes];
    pack.store(mine);
    write<PackType::lanes>(mine, values);
  }
  template <class PackType, class Storage>
  void stream(const PackType& pack, Storage* values) const {
    store(pack, values);
  }
  template <class PackType>
  PackType only(const PackType& pack) const {
    using T = typename PackType::value_type;
    PackType lane;
    for (int l = 0; l < PackType::lanes; ++l) lane.set(l, static_cast<T>(l));
    auto const mine = (lane > PackType(static_cast<T>(m_begin - 1))) & (lane < PackType(static_cast<T>(m_end)));
    return select(mine, pack, PackType(0));
  }
  KOKKOS_FUNCTION bool has(int lane) const { return lane >= m_begin && lane < m_end; }

 private:
  // Compilers keep `mine` in a register where lanes are read and written by one instruction.
  template <int lanes, class Storage>
  void read(const Storage* values, Storage* mine) const {
#if defined(HYPERPLANE_MASKED_LANES)
    if constexpr (masked<lanes, Storage, double, 64>) {
      return _mm512_store_pd(mine, _mm512_maskz_load_pd(static_cast<__mmask8>(bits()), values));
    } else if constexpr (masked<lanes, Storage, float, 64>) {
      return _mm512_store_ps(mine, _mm512_maskz_load_ps(static_cast<__mmask16>(bits()), values));
    } else if constexpr (masked<lanes, Storage, float, 32>) {
      return _mm256_store_ps(mine, _mm256_maskz_load_ps(static_cast<__mmask8>(bits()), values));
    }
#endif
    for (int lane = 0; lane < lanes; ++lane) mine[lane] = has(lane) ? values[lane] : Storage{};
  }
  template <int lanes, class Storage>
  KOKKOS_FUNCTION void write(const Storage* mine, Storage* values) const {
#if defined(HYPERPLANE_MASKED_LANES)
    if constexpr (masked<lanes, Storage, double, 64>) {
      return _mm512_mask_store_pd(values, static_cast<__mmask8>(bits()), _mm512_load_pd(mine));
    } else if constexpr (masked<lanes, Storage, float, 64>) {
      return _mm512_mask_store_ps(values, static_cast<__mmask16>(bits()), _mm512_load_ps(mine));
    } else if constexpr (masked<lanes, Storage, float, 32>) {
      return _mm256_mask_store_ps(values, static_cast<__mmask8>(bits()), _mm256_load_ps(mine));
    }
#endif
    for (int lane = m_begin; lane < m_end; ++lane) values[lane] = mine[lane];
  }
#if defined(HYPERPLANE_MASKED_LANES)
  /// Whether so many values of a type have so many bytes.
  template <int lanes, class Storage, class Wanted, int bytes>
  static constexpr bool masked = std::same_as<Storage, Wanted> && lanes * int{sizeof(Storage)} == bytes;

  unsigned bits() const { return m_begin < m_end ? (1U << m_end) - (1U << m_begin) : 0U; }
#endif
};

/// A mask, false in other lanes.
template <class Mask, class Lanes>
struct MaskOfLanes {
  const Mask& m_mask;
  Lanes m_lanes;

  KOKKOS_FUNCTION bool operator[](int lane) const { return m_lanes.has(lane) && m_mask[lane]; }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
