// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/line/detail/line_jacobi_cuda_staged.hpp>
#include <hyperplane/line/detail/line_jacobi_fast_path.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <optional>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// For blocks of which a thread can hold two, in the units of the matrix.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
  requires(!has_scales<Storage> && CudaLineJacobiShape<Scalar, n, line_vector_length_v<Scalar, Exec>>::fits)
class LineJacobiFastPath<Scalar, n, Exec, Storage> {
  using Staged = LineJacobiCudaStaged<Scalar, n, Storage, line_vector_length_v<Scalar, Exec>,
                                      internal_vector_length_v<Scalar, Exec>>;

 public:
  static LinePath choose() { return Staged::lacking().empty() ? LinePath::staged : LinePath::portable; }
  static constexpr std::array<LinePath, 1> paths{LinePath::staged};

  template <class Layout>
  LineJacobiFastPath(const Exec& exec, const Layout& layout, LinePath path) {
    if (path == LinePath::portable) return;
    require(cuda::current_device() == exec.cuda_device(),
            "LineJacobi: the current CUDA device is not that of the execution space instance");
    if (auto const missing = Staged::lacking(); !missing.empty()) fail("LineJacobi: path staged " + missing);
    m_staged.emplace(layout.packs());
  }

  /// Blocks and vectors of the plan, the right-hand side, x, and the limits.
  template <class... Arguments>
  void solve(const Exec& exec, const Arguments&... arguments) const {
    require(m_staged.has_value(), "LineJacobi::solve: there is no plan for path staged");
    cuda::labelled(exec, "Hyperplane::LineJacobi::solve", [&] { m_staged->solve(exec.cuda_stream(), arguments...); });
  }

 private:
  std::optional<Staged> m_staged;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
