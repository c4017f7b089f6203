// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness.hpp"

#include <Kokkos_Core.hpp>

#include <memory>
#include <tuple>

namespace hyperplane::perf {

/// Makes Suite<Exec>(settings) for each space, and lets it register its benchmarks by register_all().
template <template <class> class Suite, class... Exec>
std::shared_ptr<void> register_suites(const Settings& settings) {
  auto suites = std::make_shared<std::tuple<Suite<Exec>...>>(Suite<Exec>(settings)...);
  std::apply([](auto&... suite) { (suite.register_all(), ...); }, *suites);
  return suites;
}

/// The main function of a benchmark that runs on the host and, where there is CUDA, on the device.
template <template <class> class Suite>
int run_suites(int argc, char** argv) {
#if defined(KOKKOS_ENABLE_CUDA)
  return run_benchmarks(argc, argv, register_suites<Suite, Kokkos::DefaultHostExecutionSpace, Kokkos::Cuda>);
#else
  return run_benchmarks(argc, argv, register_suites<Suite, Kokkos::DefaultHostExecutionSpace>);
#endif
}

}  // namespace hyperplane::perf
