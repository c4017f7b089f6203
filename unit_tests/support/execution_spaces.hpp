// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <string>
#include <vector>

namespace hyperplane::test {

template <class... Spaces>
struct SpaceList {
  using Types = ::testing::Types<Spaces...>;
};

template <class List, class... Spaces>
struct Append;
template <class... Present, class... Spaces>
struct Append<SpaceList<Present...>, Spaces...> {
  using type = SpaceList<Present..., Spaces...>;
};

#ifdef KOKKOS_ENABLE_SERIAL
using WithSerial = SpaceList<Kokkos::Serial>;
#else
using WithSerial = SpaceList<>;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
using WithOpenMp = Append<WithSerial, Kokkos::OpenMP>::type;
#else
using WithOpenMp = WithSerial;
#endif
#ifdef KOKKOS_ENABLE_THREADS
using WithThreads = Append<WithOpenMp, Kokkos::Threads>::type;
#else
using WithThreads = WithOpenMp;
#endif
#ifdef KOKKOS_ENABLE_CUDA
using WithCuda = Append<WithThreads, Kokkos::Cuda>::type;
#else
using WithCuda = WithThreads;
#endif
#ifdef KOKKOS_ENABLE_HIP
using WithHip = Append<WithCuda, Kokkos::HIP>::type;
#else
using WithHip = WithCuda;
#endif

/// Every enabled execution space, for TYPED_TEST_SUITE.
using ExecutionSpaces = WithHip::Types;

struct SpaceNames {
  template <class Exec>
  static std::string GetName(int) {
    return Exec::name();
  }
};

/// Whether the device, and the one architecture that Kokkos was configured for, have what came with compute capability
/// 9.0: clusters, bulk copies, accesses of 128 bits.
template <class Exec>
bool has_capability_90() {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (CudaExecutionSpace<Exec>) {
    constexpr int compiled[] = {__CUDA_ARCH_LIST__};
    return compiled[0] >= 900 && Exec().cuda_device_prop().major >= 9;
  }
#endif
  return false;
}

/// The paths of sweeps that the execution space can run, the portable one first.
template <class Exec>
std::vector<SweepPath> paths_of() {
  if constexpr (HostExecutionSpace<Exec>) {
    return {SweepPath::portable, SweepPath::slab};
  } else if constexpr (CudaExecutionSpace<Exec>) {
    return {SweepPath::portable, SweepPath::slab, SweepPath::cuda_graph};
  } else {
    return {SweepPath::portable};
  }
}

/// The same where directions are folded, the one that `automatic` takes last.
template <class Exec>
std::vector<SweepPath> folded_paths_of() {
  if constexpr (HostExecutionSpace<Exec>) {
    return {SweepPath::portable, SweepPath::slab};
  } else if constexpr (CudaExecutionSpace<Exec>) {
    return {SweepPath::portable, SweepPath::cuda_graph};
  } else {
    return {SweepPath::portable};
  }
}

/// The paths of BlockTridiagonal with blocks of n unknowns, or of all sizes: those of scalars need no bulk copies.
template <class Exec>
std::vector<LinePath> line_paths_of(int n = max_block_size) {
  if (CudaExecutionSpace<Exec> && (n == 1 || has_capability_90<Exec>())) return {LinePath::portable, LinePath::staged};
  return {LinePath::portable};
}

}  // namespace hyperplane::test
