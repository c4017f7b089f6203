// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/version.hpp>

#include "backends.hpp"
#include "commands.hpp"
#include "versions.hpp"

namespace hyperplane::tools {

int run_info() {
  fmt::print("Hyperplane {}\n", HYPERPLANE_VERSION_STRING);
  fmt::print("Kokkos     {}\n", kokkos_version());
  fmt::print("compiler   {}\n", compiler_version());
  fmt::print("blocks     of {} unknowns a point; double or float storage, double arithmetic\n",
             fmt::join(run_time::block_sizes(), ", "));
  run_time::for_each_backend([]<class Exec>(std::type_identity<Exec>, const std::string& name) {
    Exec const exec{};
    fmt::print("backend    {}: concurrency {}, vector length {} (double), {} (float){}\n", name, exec.concurrency(),
               vector_length_v<double, Exec>, vector_length_v<float, Exec>,
               name == run_time::backend_names().back() ? ", taken by auto" : "");
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
      auto const& device = exec.cuda_device_prop();
      fmt::print("device     {}: compute capability {}.{}, {} multiprocessors, {} MiB\n", device.name, device.major,
                 device.minor, device.multiProcessorCount, device.totalGlobalMem >> 20);
    }
#endif
  });
  return exit_converged;
}

}  // namespace hyperplane::tools
