// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads.hpp"

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#ifdef __linux__
#include <unistd.h>
#endif

namespace hyperplane::executables {

void let_waiting_threads_sleep([[maybe_unused]] char** argv) {
#if defined(__linux__) && defined(KOKKOS_ENABLE_OPENMP)
  for (auto const* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}) {
    if (std::getenv(name) != nullptr) return;
  }
  if (argv[0] == nullptr) return;
  constexpr auto* self = "/proc/self/exe";
  // A loader that was called with the program is not the program.
  std::string_view const called = argv[0];
  std::error_code error;
  if (called.find('/') != called.npos && (!std::filesystem::equivalent(called, self, error) || error)) return;
  // By its own name, or the process would be called "exe". The file may have been replaced since it was started.
  auto const program = std::filesystem::read_symlink(self, error);
  if (error || !std::filesystem::equivalent(program, self, error) || error) return;
  // GCC's runtime looks so often before it sleeps, some tenths of a millisecond; LLVM's takes milliseconds.
  setenv("GOMP_SPINCOUNT", "30000", 1);
  setenv("KMP_BLOCKTIME", "1", 1);
  execv(program.c_str(), argv);
#endif
}

int threads_for(std::int64_t points, std::int64_t least) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr || std::getenv("KOKKOS_NUM_THREADS") != nullptr) return 0;
  auto const cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  auto const threads = std::max<std::int64_t>(points / least, 1);
  return threads < cores ? static_cast<int>(threads) : 0;
}

}  // namespace hyperplane::executables
