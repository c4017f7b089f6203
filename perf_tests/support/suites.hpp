// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness.hpp"

#include <Kokkos_Core.hpp>

#include <memory>
#include <tuple>

namespace hyperplane::perf {

/// Makes each Suite(settings), and lets it register its benchmarks by register_all().
template <class... Suites>
std::shared_ptr<void> register_suites(const Settings& settings) {
  auto suites = std::make_shared<std::tuple<std::shared_ptr<Suites>...>>(std::make_shared<Suites>(settings)...);
  std::apply([](auto&... suite) { (suite->register_all(), ...); }, *suites);
  return suites;
}

/// The main function of a benchmark of these suites.
template <class... Suites>
int run_suites(int argc, char** argv) {
  return run_benchmarks(argc, argv, register_suites<Suites...>);
}

/// The main function of a benchmark that runs on the host and, where there is CUDA, on the device.
template <template <class> class Suite>
int run_on_all_spaces(int argc, char** argv) {
#if defined(KOKKOS_ENABLE_CUDA)
  return run_suites<Suite<Kokkos::DefaultHostExecutionSpace>, Suite<Kokkos::Cuda>>(argc, argv);
#else
  return run_suites<Suite<Kokkos::DefaultHostExecutionSpace>>(argc, argv);
#endif
}

}  // namespace hyperplane::perf
