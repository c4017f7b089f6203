// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace backward_facing_step {

/// Calls f(std::type_identity<Exec>{}, name) for every execution space of this Kokkos, the fastest last.
template <class F>
void for_each_backend(const F& f) {
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

inline std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for_each_backend([&](auto, const std::string& name) { names.push_back(name); });
  return names;
}

}  // namespace backward_facing_step
