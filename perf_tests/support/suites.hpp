// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness.hpp"

#include <Kokkos_Core.hpp>

#include <memory>
#include <tuple>

namespace hyperplane::perf {

/// Makes each Suite(settings, more...), and lets it register its benchmarks by register_all().
template <class... Suites, class... More>
std::shared_ptr<void> register_suites(const Settings& settings, const More&... more) {
  auto suites =
      std::make_shared<std::tuple<std::shared_ptr<Suites>...>>(std::make_shared<Suites>(settings, more...)...);
  std::apply([](auto&... suite) { (suite->register_all(), ...); }, *suites);
  return suites;
}

/// The main function of a benchmark of these suites, which are made with `more` behind the settings.
template <class... Suites, class... More>
int run_suites(int argc, char** argv, const More&... more) {
  return run_benchmarks(argc, argv,
                        [&](const Settings& settings) { return register_suites<Suites...>(settings, more...); });
}

/// The main function of a benchmark that runs on the host and, where there is CUDA, on the device.
template <template <class> class Suite, class... More>
int run_on_all_spaces(int argc, char** argv, const More&... more) {
#if defined(KOKKOS_ENABLE_CUDA)
  return run_suites<Suite<Kokkos::DefaultHostExecutionSpace>, Suite<Kokkos::Cuda>>(argc, argv, more...);
#else
  return run_suites<Suite<Kokkos::DefaultHostExecutionSpace>>(argc, argv, more...);
#endif
}

}  // namespace hyperplane::perf
