// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "matrix_market.hpp"

namespace hyperplane::tools {

/// Calls `f(std::type_identity<Exec>{}, name)` for every execution space of this Kokkos, the fastest last.
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

/// The backend that is wanted by name, the last one for auto. Throws InputError.
inline std::string choose_backend(const std::string& wanted) {
  auto const names = backend_names();
  if (wanted == "auto") return names.back();
  for (auto const& name : names) {
    if (name == wanted) return name;
  }
  throw InputError(fmt::format("--backend: '{}' is not in this build, which has: {}", wanted, fmt::join(names, ", ")));
}

/// "5.2.2" of Kokkos' version number.
inline std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         std::to_string(KOKKOS_VERSION % 100);
}

inline std::string compiler_version() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace hyperplane::tools
