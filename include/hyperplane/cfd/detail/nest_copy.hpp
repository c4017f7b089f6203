// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cfd/detail/for_each.hpp>
#include <hyperplane/cfd/detail/nest.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>

#include <string>

namespace hyperplane::detail {

template <class T>
struct CopyOp {
  static constexpr bool overwrites = true;
  HYPERPLANE_FUNCTION void operator()(const T& x, T& y) const { y = x; }
};

/// How an execution space copies the first array of a nest to the second, which may run fastest in another direction.
template <ExecutionSpace Exec>
struct NestCopy {
  template <class T>
  static void run(const Exec& exec, const std::string& label, const Nest<T, 2>& nest) {
    for_each(exec, label, nest, CopyOp<T>{});
  }
};

}  // namespace hyperplane::detail

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cfd/detail/nest_copy_cuda.hpp>
#endif
