// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/grid/pencil_map.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/pack.hpp>

#include <cstdint>

namespace hyperplane::detail {

/// The neighbours of a pack in the skewed pencil layout, for data of `entries` values a point (PencilMap says where
/// they are). Positions outside a pencil hold no points and read as zero. Host only.
template <class Scalar, class Storage, int vector_length, int entries>
class PencilNeighbours {
 public:
  using PackType = Pack<Scalar, vector_length>;
  using Map = PencilMap<vector_length>;
  using Ref = InterleavedRef<Storage, vector_length, entries>;

  PencilNeighbours(const Map& map, const Ref& packs, int pencil)
      : m_map(map), m_packs(packs), m_first_pack(pencil * map.steps()), m_pencil(pencil) {}

  /// `count` values of the pack at `step`, from entry `first`.
  template <int count, int first>
  void load(std::int64_t step, PackType* values) const {
    if (step < 0 || step >= m_map.steps()) {
      for (int e = 0; e < count; ++e) values[e] = PackType(0);
      return;
    }
    const Storage* const data = m_packs.pack_data(m_first_pack + step, first);
    for (int e = 0; e < count; ++e) values[e] = PackType::load(data + e * vector_length);
  }

  /// South neighbours of the pack at `step`, given the pack before it: lane l takes lane l - 1, and lane 0 the last
  /// lane of the pencil before.
  template <int count, int first>
  void south(std::int64_t step, const PackType* pack_before, PackType* values) const {
    std::int64_t const other = step + vector_length - 1;
    bool const exists = m_pencil > 0 && other < m_map.steps();
    const Storage* const data =
        exists ? m_packs.pack_data(m_first_pack - m_map.steps() + other, first) + vector_length - 1 : nullptr;
    for (int e = 0; e < count; ++e) {
      Scalar const entering = exists ? static_cast<Scalar>(data[e * vector_length]) : Scalar(0);
      values[e] = shift_from_lower_lane(pack_before[e], entering);
    }
  }

  /// North neighbours of the pack at `step`, given the pack after it: lane l takes lane l + 1, and the last lane takes
  /// lane 0 of the pencil after.
  template <int count, int first>
  void north(std::int64_t step, const PackType* pack_after, PackType* values) const {
    std::int64_t const other = step - (vector_length - 1);
    bool const exists = m_pencil + 1 < m_map.pencils() && other >= 0;
    const Storage* const data = exists ? m_packs.pack_data(m_first_pack + m_map.steps() + other, first) : nullptr;
    for (int e = 0; e < count; ++e) {
      Scalar const entering = exists ? static_cast<Scalar>(data[e * vector_length]) : Scalar(0);
      values[e] = shift_from_upper_lane(pack_after[e], entering);
    }
  }

 private:
  Map m_map;
  Ref m_packs;
  std::int64_t m_first_pack;
  int m_pencil;
};

}  // namespace hyperplane::detail
