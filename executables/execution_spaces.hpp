// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>

namespace hyperplane::executables {

/// Calls `f(std::type_identity<Exec>{}, name)` for every execution space of this Kokkos, the fastest last. The names
/// are those that the compiled library has for its backends.
template <class F>
void for_each_execution_space(const F& f) {
#ifdef KOKKOS_ENABLE_SERIAL
  f(std::type_identity<Kokkos::Serial>{}, std::string("serial"));
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  f(std::type_identity<Kokkos::OpenMP>{}, std::string("openmp"));
#endif
#ifdef KOKKOS_ENABLE_CUDA
  f(std::type_identity<Kokkos::Cuda>{}, std::string("cuda"));
#endif
}

}  // namespace hyperplane::executables
