// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/stencil/mask_points.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Whether the donor of a coupling is masked, where one process has all grid blocks.
template <int vector_length>
struct MaskOfBlocks {
  const SlotNumbers<vector_length>* m_numbers;  ///< of each grid block
  const std::int8_t* m_mask;

  KOKKOS_FUNCTION bool operator()(const FaceCoupling& coupling) const {
    return m_mask[m_numbers[coupling.donor_block].number(coupling.donor.pack, coupling.donor.lane)] == 0;
  }
};

/// Couplings to masked points are zero.
template <class Storage, int n, int vector_length, class IsMasked>
struct MaskCouplings {
  FacePart m_faces;
  IsMasked m_is_masked;
  InterleavedRef<Storage, vector_length, stencil7_size * n * n> m_a;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    FacePoint const point = m_faces.points[index];
    for (int number = point.begin; number < point.end; ++number) {
      FaceCoupling const coupling = m_faces.couplings[number];
      if (!m_is_masked(coupling)) continue;
      Storage* const entries =
          m_a.pack_data(point.slot.pack, static_cast<int>(coupling.direction) * n * n) + point.slot.lane;
      for (int e = 0; e < n * n; ++e) entries[e * vector_length] = Storage(0);
    }
  }
};

template <int n, int vector_length, ExecutionSpace Exec, class Storage, class IsMasked>
void mask_couplings(const Exec& exec, const FacePart& faces, const IsMasked& is_masked, Storage* a) {
  if (faces.size == 0) return;
  using Packs = InterleavedRef<Storage, vector_length, stencil7_size * n * n>;
  launch("Hyperplane::MultiBlockStencil7::mask_points", LongIndexRange<Exec>(exec, 0, faces.size), mask_bytes,
         MaskCouplings<Storage, n, vector_length, IsMasked>{faces, is_masked, Packs(a)});
}

/// Of each grid block for itself, without couplings across interfaces.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void mask_blocks(const Exec& exec, const PointMask<Exec>& mask, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a) {
  auto const& grid = a.grid();
  check_mask_size(mask.extent(0), grid.size());
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const block = a.block(b);
    mask_stencil(exec, mask.data() + grid.first_point(b), block.map(), n, {false, false, false}, block.flat().data());
  }
}

}  // namespace detail

/// Leaves the masked points out of A, as mask_points() of a BlockStencil7 says, and couplings across interfaces to them
/// too: the mask has the points of one grid block after the other, as MultiBlockGrid numbers them. So periodic
/// directions, which are interfaces, are taken care of.
///
/// A launch for each grid block and one for all points on interfaces. No allocation, no fence; asynchronous on the
/// given instance. Throws Error where the mask has not a value for each point.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void mask_points(const Exec& exec, const PointMask<Exec>& mask, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a) {
  constexpr int W = MultiBlockStencil7<Scalar, n, Exec, Storage>::vector_length;
  detail::mask_blocks(exec, mask, a);
  detail::mask_couplings<n, W>(exec, a.couplings().all(), detail::MaskOfBlocks<W>{a.numbers().data(), mask.data()},
                               a.flat().data());
}

/// Sets a vector to zero at the masked points, whatever is there: a launch for each grid block.
template <class Scalar, int n, ExecutionSpace Exec>
void mask_points(const Exec& exec, const PointMask<Exec>& mask, const MultiBlockVector<Scalar, n, Exec>& vector) {
  auto const& grid = vector.grid();
  detail::check_mask_size(mask.extent(0), grid.size());
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const block = vector.block(b);
    detail::mask_vector(exec, mask.data() + grid.first_point(b), block.map(), n, block.flat().data());
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
