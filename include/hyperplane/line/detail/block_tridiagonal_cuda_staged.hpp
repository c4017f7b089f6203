// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_factor.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_solve.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// LinePath::staged of BlockTridiagonal on CUDA for n > 1: launches one kernel for a solve, one for a factorization,
/// two where the blocks have to be gathered first. Allocates nothing and waits for nothing.
template <class Scalar, int n, class Storage, int vector_length>
class BlockTridiagonalCudaStaged {
  using Loads = CudaLineLoads<Scalar>;
  using Factors = LineFactors<Storage, n, vector_length>;
  template <class Places, int lanes, bool transposed = false>
  using Solve = CudaLineSolve<Scalar, n, Storage, Places, vector_length, lanes, transposed>;
  template <class Source, int lanes>
  using Factor = CudaLineFactor<Scalar, n, Storage, Source, vector_length, lanes>;

 public:
  /// What the current device and the kernels as they were compiled lack; empty where they run.
  static std::string lacking() {
    constexpr int bulk_copies = 90;
    constexpr int wide = Loads::wide;
    using WideSolve = Solve<GatheredPlaces, wide>;
    using WideFactor = Factor<CudaLineStridedSource<Scalar, vector_length / 2>, wide>;
    return cuda::lacking({bulk_copies, std::max(WideSolve::memory.total(2), WideFactor::memory.total(2))},
                         cuda::support_of(cuda_line_solve_kernel<WideSolve>));
  }

  BlockTridiagonalCudaStaged(std::int64_t packs, std::optional<int> load_bits)
      : m_packs(packs),
        m_load_bits(load_bits),
        m_multiprocessors(cuda::multiprocessor_count()),
        m_multiprocessor_bytes(
            static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor))),
        m_block_bytes(cuda::max_shared_bytes()) {}

  template <class MatrixStorage, class Places>
  void factor(cudaStream_t stream, const LineMatrix<MatrixStorage, Places>& a, const Factors& factors,
              unsigned long long* singular) const {
    auto const source = prepare_cuda_line_source(stream, m_packs, a, factors);
    // With half as many lanes a thread holds columns of half as many lines, and has registers for more of them: what is
    // read by all threads of a line is read less often.
    Loads::with_lanes(m_load_bits.value_or(64), [&]<int lanes>() {
      using Kernel = Factor<std::remove_const_t<decltype(source)>, lanes>;
      int const entries = this->entries(Kernel::memory, 1);
      launch<Kernel>(stream, cuda_line_factor_kernel<Kernel>, 1, Kernel{source, factors, singular, entries}, entries);
    });
  }

  template <bool transposed, class Places>
  void solve(cudaStream_t stream, const Factors& factors, const LineUnknowns<const Scalar, Places>& rhs,
             const LineUnknowns<Scalar, Places>& x, int columns) const {
    // Of 16 bits a step has few bytes, and takes as long as its conversions: twice as many threads share them.
    Loads::with_lanes(m_load_bits.value_or(ShortReal<Storage> ? 64 : 128), [&]<int lanes>() {
      using Kernel = Solve<Places, lanes, transposed>;
      int const entries = this->entries(Kernel::memory, columns);
      launch<Kernel>(stream, cuda_line_solve_kernel<Kernel>, columns, Kernel{factors, rhs, x, columns, entries},
                     entries);
    });
  }

 private:
  int entries(const CudaLineMemory& memory, int columns) const {
    return choose_line_entries(m_packs * columns, memory, m_multiprocessors, m_multiprocessor_bytes, m_block_bytes);
  }

  template <class Kernel>
  void launch(cudaStream_t stream, void (*kernel)(Kernel), int columns, const Kernel& parameters, int entries) const {
    cuda::allow_shared_memory(kernel);
    cuda::launch(stream, kernel, static_cast<int>(m_packs * columns), Kernel::threads, Kernel::memory.total(entries),
                 cuda::Dependency::complete, parameters);
  }

  std::int64_t m_packs;
  std::optional<int> m_load_bits;
  int m_multiprocessors;
  std::size_t m_multiprocessor_bytes;
  std::size_t m_block_bytes;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
