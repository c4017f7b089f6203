// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_scanned.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_staged.hpp>
#include <hyperplane/line/detail/block_tridiagonal_fast_path.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
class BlockTridiagonalFastPath<Scalar, n, Exec, Storage> {
  static constexpr int vector_length = line_vector_length_v<Scalar, Exec>;
  static constexpr bool scanned = n == 1;
  using Staged = std::conditional_t<scanned, BlockTridiagonalCudaScanned<Scalar, Storage, vector_length>,
                                    BlockTridiagonalCudaStaged<Scalar, n, Storage, vector_length>>;
  using Factors = LineFactors<Storage, n, vector_length>;

 public:
  static LinePath choose(const Exec&) { return Staged::lacking().empty() ? LinePath::staged : LinePath::portable; }
  static constexpr std::array<LinePath, 1> paths{LinePath::staged};
  static LineCutting cutting(const Exec&) {
    return cuda_line_cutting(cuda::multiprocessor_count(), vector_length, scanned);
  }

  template <class Layout>
  BlockTridiagonalFastPath(const Exec& exec, const Layout& layout, LinePath path, std::optional<int> load_bits) {
    if (path == LinePath::portable) return;
    require(cuda::current_device() == exec.cuda_device(),
            "BlockTridiagonal: the current CUDA device is not that of the execution space instance");
    if (auto const missing = Staged::lacking(); !missing.empty()) fail("BlockTridiagonal: path staged " + missing);
    if constexpr (scanned) {
      auto const lengths = layout.tables().lengths();
      m_staged.emplace(layout.packs(), *std::max_element(lengths.begin(), lengths.end()), load_bits);
    } else {
      m_staged.emplace(layout.packs(), load_bits);
    }
  }

  template <class MatrixStorage, class Places>
  void factor(const Exec& exec, const LineMatrix<MatrixStorage, Places>& a, const Factors& factors,
              const SingularPivotRecord<Exec>& singular) const {
    static_assert(sizeof(unsigned long long) == sizeof(*singular.word()));
    require(m_staged.has_value(), "BlockTridiagonal::factor: there is no plan for path staged");
    cuda::labelled(exec, "Hyperplane::BlockTridiagonal::factor", [&] {
      m_staged->factor(exec.cuda_stream(), a, factors, reinterpret_cast<unsigned long long*>(singular.word()));
    });
  }

  template <bool transposed, class Places>
  void solve(const Exec& exec, const Factors& factors, const LineUnknowns<const Scalar, Places>& rhs,
             const LineUnknowns<Scalar, Places>& x, int columns) const {
    require(m_staged.has_value(), "BlockTridiagonal::solve: there is no plan for path staged");
    cuda::labelled(exec, line_solve_label(transposed),
                   [&] { m_staged->template solve<transposed>(exec.cuda_stream(), factors, rhs, x, columns); });
  }

 private:
  std::optional<Staged> m_staged;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
