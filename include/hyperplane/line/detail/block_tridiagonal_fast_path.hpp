// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/path.hpp>
#include <hyperplane/line/detail/line_partitions.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <cstdint>
#include <optional>

namespace hyperplane::detail {

/// The paths of BlockTridiagonal beside the portable one, for an execution space: a specialization says which there
/// are, holds what they need, and runs them. Without one there are none.
template <class Scalar, int n, class Exec, class Storage>
class BlockTridiagonalFastPath {
 public:
  /// What Path::automatic stands for.
  static Path choose(const Exec&) { return Path::portable; }
  static bool has(Path) { return false; }
  static LineCutting cutting(const Exec& exec) {
    return host_line_cutting(std::int64_t{exec.concurrency()} * internal_vector_length_v<Scalar, Exec>);
  }

  template <class Layout>
  BlockTridiagonalFastPath(const Exec&, const Layout&, Path, std::optional<int> /*load_bits*/) {}

  template <class... Arguments>
  void factor(const Arguments&...) const {}
  template <class... Arguments>
  void solve(const Arguments&...) const {}
};

}  // namespace hyperplane::detail
