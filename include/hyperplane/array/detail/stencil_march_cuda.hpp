// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/run_stencil.hpp>
#include <hyperplane/array/detail/stencil_march_cuda_kernel.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/cuda/labelled.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <CudaExecutionSpace Exec>
struct StencilLaunch<Exec> {
  template <class T, class Coefficients, class Value>
  static void run(const Exec& exec, const std::string& label, const StencilLoop<T, Coefficients>& loop,
                  double /*bytes*/, const Value& value) {
    if constexpr (std::same_as<Coefficients, ConstantCoefficients<T>> && std::same_as<Value, Product<T>>) {
      StencilMarch const march(loop);
      if (march.suits(loop)) {
        return cuda::labelled(exec, label, [&] { run_stencil_march(exec.cuda_stream(), loop, march); });
      }
    }
    StencilTile<T, Coefficients, Value> const kernel(loop, value);
    run_range(exec, label, kernel.count(), 0.0, kernel);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
