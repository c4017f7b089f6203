// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/mask_points.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/mpi/distributed_stencil7.hpp>
#include <hyperplane/mpi/distributed_vector.hpp>
#include <hyperplane/stencil/mask_points.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Whether the donor of a coupling is masked, on whichever rank: its first value is zero, where that of others is one.
template <class Scalar, int n, int vector_length>
struct MaskOfRanks {
  DonorValues<Scalar, n, vector_length> m_visible;

  KOKKOS_FUNCTION bool operator()(const FaceCoupling& coupling) const {
    return m_visible(coupling.donor, 0) == Scalar(0);
  }
};

}  // namespace detail

/// Leaves the masked points out of A, as mask_points() of a MultiBlockStencil7 does: every rank gives the mask of its
/// own points, those of one of its grid blocks after the other, as DistributedGrid::local() numbers them.
///
/// Collective. Allocates a vector, exchanges ghost values once, and waits for the instance. Throws Error on all ranks
/// where a mask has not a value for each point of its rank; A is as it was then.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void mask_points(const Exec& exec, const PointMask<Exec>& mask,
                 const DistributedStencil7<Scalar, n, Exec, Storage>& a) {
  constexpr int W = DistributedStencil7<Scalar, n, Exec, Storage>::vector_length;
  auto const& grid = a.grid();
  grid.communicator().agree([&] { detail::check_mask_size(mask.extent(0), grid.local().size()); });
  DistributedVector<Scalar, n, Exec> const visible(exec, grid, "Hyperplane::mask_points::visible");
  auto const& ghosts = a.ghosts();
  auto* const values = visible.flat().data();
  Kokkos::deep_copy(exec, visible.flat(), Scalar(1));
  mask_points(exec, mask, visible.local());
  detail::mask_blocks(exec, mask, a.local());
  ghosts.start(exec, values);
  ghosts.finish(exec);
  for (auto const& faces : {ghosts.inner(), ghosts.outer()}) {
    detail::mask_couplings<n, W>(exec, faces, detail::MaskOfRanks<Scalar, n, W>{ghosts.donors(values)},
                                 a.flat().data());
  }
  exec.fence("Hyperplane::mask_points");
}

/// Sets a vector to zero at the masked points of this rank, as mask_points() of a MultiBlockVector does. Not
/// collective.
template <class Scalar, int n, ExecutionSpace Exec>
void mask_points(const Exec& exec, const PointMask<Exec>& mask, const DistributedVector<Scalar, n, Exec>& vector) {
  mask_points(exec, mask, vector.local());
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
