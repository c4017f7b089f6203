// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/reduce_cuda_kernel.hpp>
#include <hyperplane/array/detail/reduce_fast_path.hpp>
#include <hyperplane/array/detail/reduce_portable.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <CudaExecutionSpace Exec>
struct ReduceFastPath<Exec> {
  static constexpr bool exists = true;
  static constexpr std::size_t memory_bytes() { return reduce_cuda_bytes<reduce_max_values>(); }

  static void check(const Exec& exec) {
    require(cuda::current_device() == exec.cuda_device(),
            "Reductions: the current CUDA device is not that of the execution space instance");
  }

  template <class Join, class Nest, class Op, class Finish>
  static void run(const Exec& exec, const std::string& label, const Nest& nest, const Op& op, const Finish& finish,
                  std::byte* memory) {
    cuda::labelled(exec, label,
                   [&] { reduce_cuda<Join, reduce_max_values>(exec.cuda_stream(), nest, op, finish, memory); });
  }

  /// body(e) joined over 0 <= e < size.
  template <class Join, class Body, class Finish>
  static void run_indices(const Exec& exec, const std::string& label, std::int64_t size, const Body& body,
                          const Finish& finish, std::byte* memory) {
    cuda::labelled(exec, label, [&] {
      reduce_cuda_indices<Join, reduce_max_values>(exec.cuda_stream(), size, body, finish, memory);
    });
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
