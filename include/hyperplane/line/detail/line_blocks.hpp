// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/line/detail/line_cursor.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// What factorizations do with the blocks of lanes that have no point at a step, or none before or after it.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The lanes l for which condition(l) is true.
template <class PackType, class Condition>
KOKKOS_FUNCTION typename PackType::Mask lanes_where(const Condition& condition) {
  typename PackType::Mask mask;
  for (int l = 0; l < PackType::lanes; ++l) mask.m_native[l] = condition(l) ? -1 : 0;
  return mask;
}

/// Zero in the lanes l for which condition(l) is true.
template <class Block, class Condition>
KOKKOS_FUNCTION void clear_lanes(Block& block, const Condition& condition) {
  using PackType = typename Block::value_type;
  auto const cleared = lanes_where<PackType>(condition);
  for (auto& entry : block.m_entries) entry = select(cleared, PackType(0), entry);
}

/// Zero in the lanes without a point before that of the step, what a lower block couples to.
template <class PackType, int n, class Lanes>
KOKKOS_FUNCTION void clear_lower(block::Matrix<PackType, n>& block, const Lanes& lanes, int step) {
  clear_lanes(block, [&](int l) { return step <= lanes.m_begins[l] || step >= lanes.m_ends[l]; });
}

/// The same after that of the step, for upper blocks.
template <class PackType, int n, class Lanes>
KOKKOS_FUNCTION void clear_upper(block::Matrix<PackType, n>& block, const Lanes& lanes, int step) {
  clear_lanes(block, [&](int l) { return step < lanes.m_begins[l] || step + 1 >= lanes.m_ends[l]; });
}

/// A unit diagonal where there is no point keeps the lane finite and out of the status.
template <class PackType, int n, class Lanes>
KOKKOS_FUNCTION void make_regular(block::Matrix<PackType, n>& block, const Lanes& lanes, int step) {
  auto const missing = lanes_where<PackType>([&](int l) { return !lanes.exists(l, step); });
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) block(r, c) = select(missing, PackType(r == c ? 1 : 0), block(r, c));
  }
}

/// Records a singular pivot of a step in the lanes of `mask` that have a point.
template <int internal_length, int vector_length, class Mask, class Record>
HYPERPLANE_APART_FUNCTION void record_singular(const LineLayoutRef<vector_length>& layout,
                                               const LineLanes<internal_length, vector_length>& lanes, int step,
                                               const Mask& mask, int equation, const Record& singular) {
  for (int l = 0; l < internal_length; ++l) {
    if (!mask[l] || !lanes.exists(l, step)) continue;
    auto const first = layout.ordinal(lanes.m_pack, lanes.m_first_lane + l);
    singular.record(first + (step - lanes.m_begins[l]), equation);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
