// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "objects.hpp"

namespace hyperplane::run_time {

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

/// The names of all of them.
HYPERPLANE_EXPORT std::vector<std::string> backend_names();

/// "serial, openmp"
HYPERPLANE_EXPORT std::string backend_list();

/// The backend of that name. Empty or "auto": what the environment's HYPERPLANE_BACKEND says, and without that the
/// last. Throws Error, which says what is there and who asked (`source` or HYPERPLANE_BACKEND), for any other name.
HYPERPLANE_EXPORT std::string choose_backend(const std::string& wanted, const std::string& source);

/// How Kokkos is to be initialized: on the device that the environment's HYPERPLANE_DEVICE says, if it does, and
/// without advice on thread placement. Throws Error where that is not the number of a device.
HYPERPLANE_EXPORT Kokkos::InitializationSettings kokkos_settings();

/// Timers of all kernels from here to the end of the scope, with a report, where the environment's HYPERPLANE_TIMERS
/// says so: "stderr", or the name of a file for JSON. Throws Error where that cannot be written.
HYPERPLANE_EXPORT std::shared_ptr<void> start_timers_of_environment();

}  // namespace hyperplane::run_time
