// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/path.hpp>
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
#ifdef KOKKOS_ENABLE_CUDA
using WithCuda = Append<WithOpenMp, Kokkos::Cuda>::type;
#else
using WithCuda = WithOpenMp;
#endif

/// Every enabled execution space, for TYPED_TEST_SUITE.
using ExecutionSpaces = WithCuda::Types;

struct SpaceNames {
  template <class Exec>
  static std::string GetName(int) {
    return Exec::name();
  }
};

/// The paths of BlockIlu0 that the execution space can run, the portable one first.
template <class Exec>
std::vector<Path> paths_of() {
  if constexpr (HostExecutionSpace<Exec>) {
    return {Path::portable, Path::pencil};
  } else if constexpr (CudaExecutionSpace<Exec>) {
    return {Path::portable,         Path::pencil,      Path::cuda_graph,
            Path::thread_recycling, Path::cooperative, Path::self_scheduled};
  } else {
    return {Path::portable};
  }
}

/// The same for BlockTridiagonal.
template <class Exec>
std::vector<Path> line_paths_of() {
  if constexpr (CudaExecutionSpace<Exec>) {
    return {Path::portable, Path::staged};
  } else {
    return {Path::portable};
  }
}

}  // namespace hyperplane::test
