// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest_copy_cuda_kernel.hpp>
#include <hyperplane/array/detail/nest_copy_portable.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/cuda/labelled.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <CudaExecutionSpace Exec>
struct NestCopy<Exec> {
  template <class T>
  static void run(const Exec& exec, const std::string& label, Nest<T, 2> nest) {
    if (nest.size() == 0) return;
    nest.normalize();
    NestBlocks const blocks(nest);
    if (blocks.m_shape != NestBlocks::Shape::tiles) return for_each(exec, label, nest, CopyOp<T>{});
    cuda::labelled(exec, label, [&] { copy_nest_tiles(exec.cuda_stream(), nest, blocks); });
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
