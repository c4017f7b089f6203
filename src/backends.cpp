// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "errors.hpp"

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace hyperplane::run_time {

namespace {

/// Empty where it is not set.
std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string check_backend(const std::string& wanted, const std::string& source) {
  for (auto const& name : backend_names()) {
    if (name == wanted) return name;
  }
  throw NotAvailable(source + ": '" + wanted + "' is not in this build, which has: " + backend_list());
}

#ifdef KOKKOS_ENABLE_CUDA
/// Kokkos initializes all of its backends, and aborts where there is no device.
int device_count() {
  int count = 0;
  auto const status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  throw NotAvailable(std::string("this build has the backend cuda, and there is no CUDA device") +
                     (status == cudaSuccess ? "" : std::string(": ") + cudaGetErrorString(status)));
}
#endif

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for_each_backend([&](auto, const std::string& name) { names.push_back(name); });
  return names;
}

std::string backend_list() {
  std::string list;
  for (auto const& name : backend_names()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string choose_backend(const std::string& wanted, const std::string& source) {
  if (!wanted.empty() && wanted != "auto") return check_backend(wanted, source);
  auto const from_environment = environment("HYPERPLANE_BACKEND");
  if (!from_environment.empty() && from_environment != "auto") {
    return check_backend(from_environment, "HYPERPLANE_BACKEND");
  }
  return backend_names().back();
}

Kokkos::InitializationSettings kokkos_settings() {
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  auto const text = environment("HYPERPLANE_DEVICE");
  int device = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), device);
  if (!text.empty() && (error != std::errc{} || end != text.data() + text.size() || device < 0)) {
    throw Error("HYPERPLANE_DEVICE: '" + text + "' is not the number of a device, 0 or more");
  }
#ifdef KOKKOS_ENABLE_CUDA
  int const devices = device_count();
  if (device >= devices) {
    throw NotAvailable("HYPERPLANE_DEVICE: there is no device " + text + ", the number of devices is " +
                       std::to_string(devices));
  }
  if (!text.empty()) settings.set_device_id(device);
#endif
  return settings;
}

bool in_parallel_region() {
#ifdef KOKKOS_ENABLE_OPENMP
  return omp_get_level() > 0;
#else
  return false;
#endif
}

EnvironmentTimers::EnvironmentTimers() : m_where(environment("HYPERPLANE_TIMERS")) {
  if (m_where.empty() || m_where == "stderr") return;
  if (auto const at = m_where.find("%p"); at != std::string::npos) m_where.replace(at, 2, std::to_string(::getpid()));
  m_file = TimerReport::open(m_where);
}

EnvironmentTimers::~EnvironmentTimers() = default;

void EnvironmentTimers::start() {
  if (m_where.empty()) return;
  m_report =
      m_where == "stderr" ? std::make_unique<TimerReport>() : std::make_unique<TimerReport>(m_where, std::move(m_file));
}

}  // namespace hyperplane::run_time
