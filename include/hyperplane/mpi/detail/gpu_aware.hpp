// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/mpi_call.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Whether Open MPI 4 has been told not to look for memory of CUDA devices, or has not found CUDA at its start. Then it
/// reads that memory as the host's, and its query still says that it was built for CUDA.
inline bool open_mpi_leaves_cuda() {
  bool leaves = false;
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
  int provided = 0, index = 0, count = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return false;
  if (MPI_T_cvar_get_index("opal_cuda_support", &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    // A bool, with room for what other versions may have.
    std::uint64_t value = 0;
    leaves = MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value == 0;
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
#endif
  return leaves;
}

/// Whether the MPI says that it sends memory of CUDA devices.
inline bool mpi_claims_cuda() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1 && !open_mpi_leaves_cuda();
#else
  return false;
#endif
}

/// Sends memory of the device round all ranks, and throws Error, on all of them, where what the rank before has sent
/// does not arrive on one. Collective.
template <class Exec>
void try_device_message(const Exec& exec, const Communicator& communicator) {
  // More than messages have that are sent at once.
  constexpr int size = 1 << 17;
  using Values = Kokkos::View<double*, typename Exec::memory_space>;
  Values sent, received;
  int const rank = communicator.rank(), ranks = communicator.size(), before = (rank + ranks - 1) % ranks;
  // Ranks that cannot do their part are found before others wait for them.
  communicator.agree([&] {
    sent = Values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::Transport::sent"), size);
    received = Values(Kokkos::view_alloc(exec, "Hyperplane::Transport::received"), size);
    auto const values = Kokkos::create_mirror_view(sent);
    for (int v = 0; v < size; ++v) values(v) = rank + v + 1.0;
    Kokkos::deep_copy(exec, sent, values);
    exec.fence("Hyperplane: a message of the device");
  });
  communicator.agree([&] {
    mpi_call("MPI_Sendrecv", MPI_Sendrecv(sent.data(), size, MPI_DOUBLE, (rank + 1) % ranks, 0, received.data(), size,
                                          MPI_DOUBLE, before, 0, communicator.get(), MPI_STATUS_IGNORE));
    auto const values = Kokkos::create_mirror_view(received);
    Kokkos::deep_copy(exec, values, received);
    exec.fence("Hyperplane: a message of the device");
    for (int v = 0; v < size; ++v) {
      if (values(v) != before + v + 1.0) {
        fail("a message of device memory from rank " + std::to_string(before) + " does not arrive");
      }
    }
  });
}

/// Why MPI cannot be given memory of devices; empty where it can, and the same text on all ranks. A library that says
/// that it can is not believed before it has done so. Collective; waits for the instance.
template <class Exec>
std::string describe_gpu_unaware(const Exec& exec, const Communicator& communicator) {
  if (communicator.any(!mpi_claims_cuda())) return "this MPI does not say that it sends memory of CUDA devices";
  try {
    try_device_message(exec, communicator);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
