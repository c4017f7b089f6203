// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/line/detail/line_partitions.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The label of the kernels of a solve, or of one with M^T.
constexpr const char* line_solve_label(bool transposed) {
  return transposed ? "Hyperplane::BlockTridiagonal::solve_transposed" : "Hyperplane::BlockTridiagonal::solve";
}

/// The paths of BlockTridiagonal beside the portable one, for an execution space: a specialization says which there
/// are, holds what they need, and runs them, or throws Error. Without one there are none.
template <class Scalar, int n, class Exec, class Storage>
class BlockTridiagonalFastPath {
 public:
  /// What LinePath::automatic stands for.
  static LinePath choose(const Exec&) { return LinePath::portable; }
  static constexpr std::array<LinePath, 0> paths{};
  static LineCutting cutting(const Exec& exec) {
    return host_line_cutting(std::int64_t{concurrency_of(exec)} * internal_vector_length_v<Scalar, Exec>);
  }

  template <class Layout>
  BlockTridiagonalFastPath(const Exec&, const Layout&, LinePath, std::optional<int> /*load_bits*/) {}

  template <class... Arguments>
  void factor(const Arguments&...) const {
    fail("BlockTridiagonal: the execution space has the portable path alone");
  }
  template <bool transposed, class... Arguments>
  void solve(const Arguments&...) const {
    fail("BlockTridiagonal: the execution space has the portable path alone");
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
