// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <executables/execution_spaces.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/version.hpp>

#include "commands.hpp"
#include "library.hpp"
#include "spelling.hpp"
#include "versions.hpp"

namespace hyperplane::tools {

int run_info() {
  auto const automatic = choose_backend("auto");
  fmt::print("Hyperplane {}\n", HYPERPLANE_VERSION_STRING);
  fmt::print("Kokkos     {}\n", kokkos_version());
  fmt::print("compiler   {}\n", compiler_version());
  fmt::print(
      "blocks     of {} unknowns per point; double, float, half, bfloat16 or quarter storage, double arithmetic\n",
      fmt::join(block_sizes(), ", "));
  auto const mpi = mpi_version();
  fmt::print("MPI        {}\n", mpi.empty() ? "none" : mpi);
  executables::for_each_execution_space([&]<class Exec>(std::type_identity<Exec>, const std::string& name) {
    Exec const exec{};
    fmt::print("backend    {}: concurrency {}, vector length {} (double), {} (float){}\n", name, exec.concurrency(),
               vector_length_v<double, Exec>, vector_length_v<float, Exec>, name == automatic ? ", taken by auto" : "");
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
