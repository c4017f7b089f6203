// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/detail/make_stencil_loop.hpp>
#include <hyperplane/array/detail/stencil_lines.hpp>
#include <hyperplane/array/detail/stencil_tile.hpp>
#include <hyperplane/array/run_range.hpp>
#include <hyperplane/array/stencil_loop.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/timer_callbacks.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The value of y at a point, of which the product, the coefficient of the point itself and x there are known.
template <class T>
struct Product {
  HYPERPLANE_FUNCTION T operator()(std::int64_t /*y_offset*/, T product, T /*center*/, T /*x*/) const {
    return product;
  }
};

/// How an execution space runs a stencil.
template <ExecutionSpace Exec>
struct StencilLaunch {
  template <class T, class Coefficients, class Value>
  static void run(const Exec& exec, const std::string& label, const StencilLoop<T, Coefficients>& loop, double bytes,
                  const Value& value) {
    using Kernel = std::conditional_t<HostExecutionSpace<Exec>, StencilLines<T, Coefficients, Value>,
                                      StencilTile<T, Coefficients, Value>>;
    Kernel const kernel(loop, value);
    run_range(exec, label, kernel.count(), bytes, kernel);
  }
};

/// y = value(product) at every point of the box. `moved` values per point and component are read or written.
template <ExecutionSpace Exec, class A, class X, class T, class Value>
void run_stencil(const Exec& exec, const char* function, const char* label, const Box& box, const A& a,
                 const ArrayRef<X>& x, const ArrayRef<T>& y, int moved, const Value& value) {
  auto const loop = make_stencil_loop(function, box, a, x, y);
  if (box.empty()) return;
  if (loop.m_x == loop.m_y) fail(std::string(function) + ": the result must not be x");
  double const bytes = static_cast<double>(sizeof(T)) * moved * static_cast<double>(box.size()) * loop.m_components;
  count_bytes(label, bytes);
  StencilLaunch<Exec>::run(exec, label, loop, bytes, value);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
