// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>

#include <cuda_runtime.h>

/// What CUDA graphs over hyperplanes share. A kernel for each hyperplane is captured once, and starts while the one
/// before still runs (programmatic dependent launch), so that its coefficients are under way when it comes to wait.
/// Before compute capability 9.0 each starts when the one before is complete.
///
/// Order: a kernel lets the next one start as soon as all its blocks run, and waits for the one before to be complete
/// before it reads or writes anything that planes share. Every thread of every block executes that wait, so no kernel
/// completes before the one before it has, and "the one before is complete" says it of all planes before. Nothing is
/// resident in vain: a block that waits does so for kernels whose blocks all run.
///
/// The pointers of a call reach the kernels through device memory: the first kernel gets them as parameters, which the
/// host exchanges in the instantiated graph, and stores them; the second waits for it in full, so all others start
/// after the pointers have been stored.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

/// The packs that one block of a kernel works on.
struct PlaneGroup {
  const PlanePack* m_packs;
  int m_size;  ///< of the plane
  int m_plane;

  __device__ PlanePack pack(int number) const { return number < m_size ? m_packs[number] : no_pack(); }
};

/// The pointers of this call. Read past the first-level cache, which may hold those of the call before.
template <class Arguments>
__device__ Arguments load_arguments(const Arguments* stored) {
  static_assert(sizeof(Arguments) % sizeof(ulonglong2) == 0 && alignof(Arguments) == alignof(ulonglong2));
  Arguments arguments;
  auto const* const from = reinterpret_cast<const ulonglong2*>(stored);
  auto* const to = reinterpret_cast<ulonglong2*>(&arguments);
#pragma unroll
  for (unsigned w = 0; w < sizeof(Arguments) / sizeof(ulonglong2); ++w) to[w] = __ldcg(from + w);
  return arguments;
}

/// Packs by planes, on the device.
class PlaneGroups {
 public:
  template <class Map>
  PlaneGroups(cudaStream_t stream, const Map& map) : m_planes(map), m_packs(stream, m_planes.packs()) {}

  int planes() const { return m_planes.planes(); }
  int size(int plane) const { return m_planes.size(plane); }
  PlaneGroup group(int plane) const { return {m_packs.data() + m_planes.first(plane), m_planes.size(plane), plane}; }

 private:
  PlanePacks m_planes;
  cuda::DeviceArray<PlanePack> m_packs;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
