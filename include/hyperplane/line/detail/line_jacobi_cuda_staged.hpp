// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/line/detail/line_jacobi_cuda_kernel.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// LinePath::staged of LineJacobi on CUDA: one kernel for a solve. Allocates nothing and waits for nothing.
template <class Scalar, int n, class Storage, int vector_length, int internal_length>
class LineJacobiCudaStaged {
  using Shape = CudaLineJacobiShape<Scalar, n, vector_length>;
  template <class Places>
  using Kernel = CudaLineJacobi<Scalar, n, Storage, Places, vector_length, internal_length>;

 public:
  /// What the current device and the kernels as they were compiled lack; empty where they run.
  static std::string lacking() {
    constexpr int bulk_copies = 90;
    using Any = Kernel<GatheredPlaces>;
    return cuda::lacking({bulk_copies, bytes<Any>(Shape::most_iterations, least_entries)},
                         cuda::support_of(cuda_line_jacobi_kernel<Any>));
  }

  explicit LineJacobiCudaStaged(std::int64_t packs)
      : m_packs(packs),
        m_multiprocessors(cuda::multiprocessor_count()),
        m_multiprocessor_bytes(
            static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor))),
        m_block_bytes(cuda::max_shared_bytes()) {}

  template <class Places, class Blocks, class Vectors>
  void solve(cudaStream_t stream, const LineLayoutRef<vector_length>& layout, const Blocks& blocks,
             const Vectors& vectors, const LineUnknowns<const Scalar, Places>& rhs,
             const LineUnknowns<Scalar, Places>& x, const LineJacobiLimits<Scalar>& limits) const {
    int const iterations = std::clamp(limits.next(1) - 1, 1, Shape::most_iterations);
    int const count = entries<Kernel<Places>>(iterations);
    auto const kernel = cuda_line_jacobi_kernel<Kernel<Places>>;
    cuda::allow_shared_memory(kernel);
    cuda::launch(stream, kernel, static_cast<int>(m_packs), Shape::threads(iterations),
                 bytes<Kernel<Places>>(iterations, count), cuda::Dependency::complete,
                 Kernel<Places>{layout, blocks, vectors, rhs, x, limits, iterations, count});
  }

 private:
  static constexpr int least_entries = 2, wanted_entries = 4, most_entries = 16;

  template <class KernelType>
  static constexpr std::size_t bytes(int iterations, int entries) {
    return KernelType::Memory::fixed_bytes(iterations) +
           static_cast<std::size_t>(entries) * KernelType::Memory::ring_bytes;
  }

  /// Of the ring: as many as fit beside those of the other blocks of threads that registers have room for.
  template <class KernelType>
  int entries(int iterations) const {
    constexpr std::size_t reserved = 1024;  // by the system, for each block
    auto const packs = static_cast<int>((m_packs + m_multiprocessors - 1) / m_multiprocessors);
    int blocks = std::clamp(packs, 1, Shape::register_threads / Shape::threads(iterations));
    auto const available = [&] {
      return std::min(m_block_bytes, m_multiprocessor_bytes / static_cast<std::size_t>(blocks) - reserved);
    };
    while (blocks > 1 && available() < bytes<KernelType>(iterations, wanted_entries)) --blocks;
    auto const fit = (available() - KernelType::Memory::fixed_bytes(iterations)) / KernelType::Memory::ring_bytes;
    return static_cast<int>(std::min<std::size_t>(fit, most_entries));
  }

  std::int64_t m_packs;
  int m_multiprocessors;
  std::size_t m_multiprocessor_bytes;
  std::size_t m_block_bytes;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
