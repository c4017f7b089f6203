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

/// Couplings to masked points are zero.
template <class Storage, int n, int vector_length>
struct MaskCouplings {
  FacePart m_faces;
  const SlotNumbers<vector_length>* m_numbers;  ///< of each grid block
  const std::int8_t* m_mask;
  InterleavedRef<Storage, vector_length, stencil7_size * n * n> m_a;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    FacePoint const point = m_faces.points[index];
    for (int number = point.begin; number < point.end; ++number) {
      FaceCoupling const coupling = m_faces.couplings[number];
      if (m_mask[m_numbers[coupling.donor_block].number(coupling.donor.pack, coupling.donor.lane)] != 0) continue;
      Storage* const entries =
          m_a.pack_data(point.slot.pack, static_cast<int>(coupling.direction) * n * n) + point.slot.lane;
      for (int e = 0; e < n * n; ++e) entries[e * vector_length] = Storage(0);
    }
  }
};

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
  auto const& grid = a.grid();
  detail::check_mask_size(mask.extent(0), grid.size());
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const block = a.block(b);
    detail::mask_stencil(exec, mask.data() + grid.first_point(b), block.map(), n, {false, false, false},
                         block.flat().data());
  }
  auto const faces = a.couplings().all();
  if (faces.size == 0) return;
  using Packs = InterleavedRef<Storage, W, stencil7_size * n * n>;
  detail::launch("Hyperplane::MultiBlockStencil7::mask_points", detail::LongIndexRange<Exec>(exec, 0, faces.size),
                 detail::mask_bytes,
                 detail::MaskCouplings<Storage, n, W>{faces, a.numbers().data(), mask.data(), Packs(a.flat().data())});
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
