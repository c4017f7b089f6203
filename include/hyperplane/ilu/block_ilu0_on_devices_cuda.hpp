// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0_part_cuda.hpp>
#include <hyperplane/sweep/plan_on_devices_cuda.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// BILU(0) of a GridOnDevices, by BlockIlu0Part: M and its bits are those of BlockIlu0 on the whole box. Matrices and
/// vectors are BlockStencil7OnDevices and BlockVectorOnDevices, or are given in parts, each on its device.
///
/// A plan: see BlockIlu0Part. Calls launch the kernels of all parts, one device after the other, and wait for none.
/// Where parts share a device, `multiprocessors` has to leave some for each of them. Where a launch fails, as on a
/// device that is lost, others may wait for it for good: end the program.
///
/// Transposed solves have the bits of SweepPath::slab on one device; with n = 1, where its kernels are others, they
/// agree to rounding. Factors in Half have the units of the whole box, and a factorization begins with a launch for
/// each part that reads a sample of A, and three more.
template <Real Scalar, int n, CudaExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class BlockIlu0OnDevices : public detail::PlanOnDevices<BlockIlu0Part<Scalar, n, Exec, StorageScalar>> {
 public:
  using detail::PlanOnDevices<BlockIlu0Part<Scalar, n, Exec, StorageScalar>>::PlanOnDevices;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
