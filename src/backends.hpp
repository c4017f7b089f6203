// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/timers.hpp>

#include <Kokkos_Core.hpp>

#include <fstream>
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
std::vector<std::string> backend_names();

/// "serial, openmp"
std::string backend_list();

/// The backend of that name. Empty or "auto": what the environment's HYPERPLANE_BACKEND says, and without that the
/// last. Throws Error, which says what is there and who asked (`source` or HYPERPLANE_BACKEND), for any other name.
std::string choose_backend(const std::string& wanted, const std::string& source);

/// How Kokkos is to be initialized: on the device that the environment's HYPERPLANE_DEVICE says, if it does, and
/// without advice on thread placement. Throws Error where that is not the number of a device, and NotAvailable where
/// Kokkos would find no device that it needs, and end the program.
Kokkos::InitializationSettings kokkos_settings();

/// Whether the calling thread is in a parallel region of OpenMP, also one of a single thread. Kokkos begins no other
/// there: it aborts.
HYPERPLANE_FOR_RANKS bool in_parallel_region();

/// Timers of all kernels, with a report, where the environment's HYPERPLANE_TIMERS says so: "stderr", or the name of a
/// file for JSON, in which "%p" is the number of the process.
class EnvironmentTimers {
 public:
  /// Opens the file; Kokkos need not be initialized. Throws Error where it cannot be written.
  EnvironmentTimers();
  /// Reports what this library has counted; a program that had this function of its own would report its own.
  ~EnvironmentTimers();
  EnvironmentTimers(const EnvironmentTimers&) = delete;
  EnvironmentTimers& operator=(const EnvironmentTimers&) = delete;
  /// From here to the end of the object; Kokkos is initialized.
  void start();

 private:
  std::string m_where;
  std::ofstream m_file;
  std::unique_ptr<TimerReport> m_report;
};

}  // namespace hyperplane::run_time
