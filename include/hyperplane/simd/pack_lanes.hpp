// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/simd/pack.hpp>

/// Which lanes of packs a kernel of a host has: it neither reads nor writes memory of the others, so that another
/// thread may have them.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

struct EveryLane {
  template <class PackType, class Storage>
  static PackType load(const Storage* values) {
    return PackType::load(values);
  }
  template <class PackType, class Storage>
  static void store(const PackType& pack, Storage* values) {
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
  static constexpr bool has(int) { return true; }
};

/// Lanes m_begin to m_end - 1.
struct SomeLanes {
  int m_begin;
  int m_end;

  /// Zero in the other lanes.
  template <class PackType, class Storage>
  PackType load(const Storage* values) const {
    alignas(sizeof(Storage) * PackType::lanes) Storage mine[PackType::lanes] = {};
    for (int lane = m_begin; lane < m_end; ++lane) mine[lane] = values[lane];
    return PackType::load(mine);
  }
  template <class PackType, class Storage>
  void store(const PackType& pack, Storage* values) const {
    alignas(sizeof(Storage) * PackType::lanes) Storage mine[PackType::lanes];
    pack.store(mine);
    for (int lane = m_begin; lane < m_end; ++lane) values[lane] = mine[lane];
  }
  template <class PackType, class Storage>
  void stream(const PackType& pack, Storage* values) const {
    store(pack, values);
  }
  template <class PackType>
  PackType only(PackType pack) const {
    for (int lane = 0; lane < PackType::lanes; ++lane) {
      if (!has(lane)) pack.set(lane, typename PackType::value_type(0));
    }
    return pack;
  }
  bool has(int lane) const { return lane >= m_begin && lane < m_end; }
};

/// A mask, false in other lanes.
template <class Mask, class Lanes>
struct MaskOfLanes {
  const Mask& m_mask;
  Lanes m_lanes;

  bool operator[](int lane) const { return m_lanes.has(lane) && m_mask[lane]; }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
