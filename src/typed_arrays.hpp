// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/stencil7.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <string>

#include "memory.hpp"
#include "primitives.hpp"

/// From arrays whose scalar type is known at run time to those of the primitives.
namespace hyperplane::run_time {

template <class... Arrays>
void require_same_scalar(const Array& x, const Arrays&... others) {
  if (((others.scalar != x.scalar) || ...)) throw Error("arrays have different scalar types");
}

/// Calls `f.operator()<T>()` for a scalar type.
template <class F>
decltype(auto) with_scalar(const F& f, ScalarKind scalar) {
  switch (scalar) {
    case ScalarKind::integer: return f.template operator()<int>();
    case ScalarKind::single_precision: return f.template operator()<float>();
    case ScalarKind::double_precision: break;
  }
  return f.template operator()<double>();
}

/// The same for the types of what has no integers; throws Error, which names it, where there are.
template <class F>
decltype(auto) with_real(const char* function, const F& f, ScalarKind scalar) {
  switch (scalar) {
    case ScalarKind::integer: throw Error(std::string(function) + " is of float and double arrays");
    case ScalarKind::single_precision: return f.template operator()<float>();
    case ScalarKind::double_precision: break;
  }
  return f.template operator()<double>();
}

/// Throws Error where kernels of Exec do not reach an array. One of which nothing is used may be nowhere.
template <class Exec>
void check_memory(const Exec& exec, const Box& box, const Array& array) {
  if (array.space == MemorySpace::host) {
    if constexpr (HostExecutionSpace<Exec>) return;
    throw Error(std::string("primitives on ") + Exec::name() + " take arrays in device memory");
  }
  if (HostExecutionSpace<Exec> || !box.empty()) check_device_memory(exec, array.data);
}

/// The array, of which a box is used.
template <class T, class Exec>
ArrayRef<T> typed_array(const Exec& exec, const Box& box, const Array& array) {
  check_memory(exec, box, array);
  return ArrayRef<T>(static_cast<T*>(array.data), array.extents, array.strides, array.components,
                     array.component_stride);
}

template <class T>
ConstantStencil7<T> constant_stencil(const Stencil& a) {
  auto const value = [&](Direction d) { return static_cast<T>(a.values[static_cast<int>(d)]); };
  return {.bottom = value(Direction::bottom),
          .south = value(Direction::south),
          .west = value(Direction::west),
          .center = value(Direction::center),
          .east = value(Direction::east),
          .north = value(Direction::north),
          .top = value(Direction::top)};
}

template <class T, class Exec>
VariableStencil7<T> variable_stencil(const Exec& exec, const Box& box, const Stencil& a) {
  for (auto const& array : a.arrays) require_same_scalar(a.arrays.front(), array);
  auto const array = [&](Direction d) {
    return ArrayRef<const T>(typed_array<T>(exec, box, a.arrays[static_cast<int>(d)]));
  };
  return VariableStencil7<T>({array(Direction::bottom), array(Direction::south), array(Direction::west),
                              array(Direction::center), array(Direction::east), array(Direction::north),
                              array(Direction::top)});
}

/// What is in host memory is ready when a call returns.
template <class Exec>
void finish(const Exec& exec) {
  if constexpr (HostExecutionSpace<Exec>) exec.fence("Hyperplane: host memory");
}

}  // namespace hyperplane::run_time
