// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ssor/ssor_part_cuda.hpp>
#include <hyperplane/sweep/plan_on_devices_cuda.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Block SSOR of a GridOnDevices, by SsorPart: M and its bits are those of Ssor on the whole box. All of it is as in
/// BlockIlu0OnDevices, whose sweeps it has.
template <Real Scalar, int n, CudaExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class SsorOnDevices : public detail::PlanOnDevices<SsorPart<Scalar, n, Exec, StorageScalar>> {
 public:
  using detail::PlanOnDevices<SsorPart<Scalar, n, Exec, StorageScalar>>::PlanOnDevices;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
