// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_scan_factor.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_scan_solve.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_shape.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// LinePath::staged of BlockTridiagonal on CUDA for n = 1, as BlockTridiagonalCudaStaged is for larger blocks.
template <class Scalar, class Storage, int vector_length>
class BlockTridiagonalCudaScanned {
  using Loads = CudaLineLoads<Scalar>;
  using Factors = LineFactors<Storage, 1, vector_length>;
  /// Steps of a thread: what registers hold.
  template <class Source, int lanes>
  using Factor = CudaLineScanFactor<Scalar, Storage, Source, vector_length, lanes, 8 * Loads::narrow / lanes>;
  template <class Places, int lanes, bool transposed>
  using Solve =
      CudaLineScanSolve<Scalar, Storage, Places, vector_length, lanes, 16 * Loads::narrow / lanes, transposed>;

 public:
  /// Nothing: it runs on every device.
  static std::string lacking() { return {}; }

  /// `longest`: steps of a pack, at most.
  BlockTridiagonalCudaScanned(std::int64_t packs, int longest, std::optional<int> load_bits)
      : m_packs(packs),
        m_longest(longest),
        m_load_bits(load_bits.value_or(ShortReal<Storage> ? 128 : 64)),
        m_multiprocessors(cuda::multiprocessor_count()) {}

  template <class MatrixStorage, class Places>
  void factor(cudaStream_t stream, const LineMatrix<MatrixStorage, Places>& a, const Factors& factors,
              unsigned long long* singular) const {
    auto const source = prepare_cuda_line_source(stream, m_packs, a, factors);
    Loads::with_lanes(m_load_bits, [&]<int lanes>() {
      using Kernel = Factor<std::remove_const_t<decltype(source)>, lanes>;
      launch(stream, cuda_line_scan_kernel<Kernel>, 1, Kernel{source, factors, singular});
    });
  }

  template <bool transposed, class Places>
  void solve(cudaStream_t stream, const Factors& factors, const LineUnknowns<const Scalar, Places>& rhs,
             const LineUnknowns<Scalar, Places>& x, int columns) const {
    Loads::with_lanes(m_load_bits, [&]<int lanes>() {
      using Kernel = Solve<Places, lanes, transposed>;
      launch(stream, cuda_line_scan_kernel<Kernel>, columns, Kernel{factors, rhs, x, columns});
    });
  }

 private:
  template <class Kernel>
  void launch(cudaStream_t stream, void (*kernel)(Kernel), int columns, const Kernel& parameters) const {
    constexpr int groups = Kernel::Thread::groups;
    int const parts = choose_line_scan_parts(m_packs * columns, m_longest, Kernel::Thread::points, groups,
                                             cuda_scan_threads, m_multiprocessors);
    cuda::launch(stream, kernel, static_cast<int>(m_packs * columns), parts * groups, Kernel::Memory::bytes(parts),
                 cuda::Dependency::complete, parameters);
  }

  std::int64_t m_packs;
  int m_longest;
  int m_load_bits;
  int m_multiprocessors;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
