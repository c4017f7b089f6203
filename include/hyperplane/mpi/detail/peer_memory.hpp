// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/mpi_call.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/current_device.hpp>

#include <cuda_runtime_api.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// One value of each rank, on all ranks. Collective.
template <class T>
std::vector<T> gathered(const Communicator& communicator, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(as_size(communicator.size()));
  mpi_call("MPI_Allgather",
           MPI_Allgather(&mine, sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, communicator.get()));
  return all;
}

/// Device memory of this rank that some other ranks read and write too, and theirs, which this rank does: by
/// interprocess handles of CUDA. Kernels store to an address of another device as to one of their own.
///
/// Constructor and destructor are collective, on all ranks of the communicator. The destructor waits for the device and
/// then for the other ranks, so that nobody loses memory that he still has open. It waits for no rank where it is
/// called for an exception: a rank that throws alone has to come to where it ends the program. Then, and after
/// MPI_Finalize, memory stays until the process ends.
class PeerMemory {
 public:
  /// `bytes` of zeros on this rank, as many as it likes, also none, which the given ranks open, as this rank opens
  /// theirs: where a names b, b names a. Waits for the instance. Throws Error, on all ranks, where something fails on
  /// one of them.
  PeerMemory(const Kokkos::Cuda& exec, const Communicator& communicator, std::size_t bytes, std::span<const int> ranks)
      : PeerMemory(exec.cuda_device(), communicator) {
    try {
      Share mine{bytes, {}};
      communicator.agree([&] { allocate(exec, mine); });
      m_shares = gathered(communicator, mine);
      communicator.agree([&] { open(ranks); });
    } catch (const Error&) {
      // Which all ranks throw.
      release(true);
      throw;
    }
  }
  ~PeerMemory() { release(std::uncaught_exceptions() == m_exceptions && mpi_runs()); }
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  /// Of this rank, aligned as cudaMalloc does.
  std::byte* own() const { return m_own; }
  /// Of a given rank, at the address that it has on this one; of this rank, own(). Null where it was not opened.
  std::byte* of(int rank) const {
    return rank == m_communicator.rank() ? m_own : static_cast<std::byte*>(m_opened[as_size(rank)]);
  }
  /// Of any rank.
  std::size_t size_of(int rank) const { return m_shares[as_size(rank)].bytes; }

 private:
  struct Share {
    std::size_t bytes;
    cudaIpcMemHandle_t handle;
  };

  /// Handles are of whole pieces of device memory, of this size: nothing else that the process allocates is to lie in
  /// one that others open.
  static constexpr std::size_t piece = std::size_t{1} << 21;

  PeerMemory(int device, const Communicator& communicator)
      : m_communicator(communicator), m_device(device), m_opened(as_size(communicator.size()), nullptr) {}

  void allocate(const Kokkos::Cuda& exec, Share& mine) {
    cuda::CurrentDevice const current(m_device);
    if (mine.bytes == 0) return;
    auto const size = (mine.bytes + piece - 1) / piece * piece;
    void* memory = nullptr;
    cuda::check(cudaMalloc(&memory, size), "cudaMalloc");
    m_own = static_cast<std::byte*>(memory);
    cuda::check(cudaMemsetAsync(memory, 0, size, exec.cuda_stream()), "cudaMemsetAsync");
    // Others may write as soon as they have the handle.
    cuda::check(cudaStreamSynchronize(exec.cuda_stream()), "cudaStreamSynchronize");
    cuda::check(cudaIpcGetMemHandle(&mine.handle, memory), "cudaIpcGetMemHandle");
  }

  /// What is open here is closed, and memory of this rank is freed when all ranks have come to here.
  void release(bool with_others) {
    int before = m_device;
    cudaGetDevice(&before);
    cudaSetDevice(m_device);
    // Kernels of this rank may still write into the memory of others.
    cudaDeviceSynchronize();
    for (auto*& memory : m_opened) {
      if (memory != nullptr) cudaIpcCloseMemHandle(std::exchange(memory, nullptr));
    }
    if (with_others) {
      MPI_Barrier(m_communicator.get());
      if (m_own != nullptr) cudaFree(std::exchange(m_own, nullptr));
    }
    cudaSetDevice(before);
  }

  void open(std::span<const int> ranks) {
    for (int const rank : ranks) {
      if (rank < 0 || rank >= m_communicator.size()) {
        fail("PeerMemory: there is no rank " + std::to_string(rank) + " of " + std::to_string(m_communicator.size()));
      }
      void*& memory = m_opened[as_size(rank)];
      if (rank == m_communicator.rank() || size_of(rank) == 0 || memory != nullptr) continue;
      cuda::check(cudaIpcOpenMemHandle(&memory, m_shares[as_size(rank)].handle, cudaIpcMemLazyEnablePeerAccess),
                  "cudaIpcOpenMemHandle of the memory of rank " + std::to_string(rank));
    }
  }

  Communicator m_communicator;
  int m_device;
  int m_exceptions = std::uncaught_exceptions();
  std::byte* m_own = nullptr;
  /// By rank; null where it is not open here.
  std::vector<void*> m_opened;
  std::vector<Share> m_shares;
};

/// Where a rank computes: which host, by the lowest rank on it, and which device.
struct RankDevice {
  int host;
  std::array<char, sizeof(cudaUUID_t)> uuid;
};

inline std::array<char, sizeof(cudaUUID_t)> device_uuid(int device) {
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return std::to_array(properties.uuid.bytes);
}

/// The lowest rank of those that share memory with this one. Collective.
inline int lowest_rank_of_host(const Communicator& communicator) {
  MPI_Comm host = MPI_COMM_NULL;
  mpi_call("MPI_Comm_split_type",
           MPI_Comm_split_type(communicator.get(), MPI_COMM_TYPE_SHARED, communicator.rank(), MPI_INFO_NULL, &host));
  int lowest = communicator.rank();
  int const code = MPI_Bcast(&lowest, 1, MPI_INT, 0, host);
  MPI_Comm_free(&host);
  mpi_call("MPI_Bcast", code);
  return lowest;
}

/// Why this rank cannot have the memory of one of the given ranks, from what is known without trying; empty where it
/// can. Two ranks on one device are refused, whether they meet or not: kernels of one that wait for other ranks could
/// keep those of the other from running. Devices that this process does not see, as CUDA_VISIBLE_DEVICES may have it,
/// are found out by trying.
inline std::string describe_unreachable(int device, const std::vector<RankDevice>& all, int rank,
                                        std::span<const int> ranks) {
  auto const& mine = all[as_size(rank)];
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (other == as_size(rank) || all[other].host != mine.host || all[other].uuid != mine.uuid) continue;
    return "rank " + std::to_string(other) + " has the same device";
  }
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  for (int const other : ranks) {
    if (other == rank) continue;
    auto const& its = all[as_size(other)];
    std::string const name = "rank " + std::to_string(other);
    if (its.host != mine.host) return name + " is on another host";
    for (int visible = 0; visible < count; ++visible) {
      if (visible == device || device_uuid(visible) != its.uuid) continue;
      int can_access = 0;
      cuda::check(cudaDeviceCanAccessPeer(&can_access, device, visible), "cudaDeviceCanAccessPeer");
      if (can_access == 0) return "the device has no access to that of " + name;
    }
  }
  return {};
}

/// Opens memory of the given ranks, stores a number there, and looks for theirs. Throws Error, on all ranks, where one
/// does not arrive. Collective.
inline void try_peers(const Kokkos::Cuda& exec, const Communicator& communicator, std::span<const int> ranks) {
  std::vector<int> found(as_size(communicator.size()));
  PeerMemory const memory(exec, communicator, found.size() * sizeof(int), ranks);
  int const mark = communicator.rank() + 1;
  communicator.agree([&] {
    for (int const rank : ranks) {
      auto* const to = memory.of(rank) + as_size(communicator.rank()) * sizeof(int);
      cuda::check(cudaMemcpyAsync(to, &mark, sizeof(int), cudaMemcpyHostToDevice, exec.cuda_stream()),
                  "cudaMemcpyAsync to rank " + std::to_string(rank));
    }
    cuda::check(cudaStreamSynchronize(exec.cuda_stream()), "cudaStreamSynchronize");
  });
  // All marks are there, because all ranks have agreed that theirs are.
  communicator.agree([&] {
    cuda::check(cudaMemcpy(found.data(), memory.own(), found.size() * sizeof(int), cudaMemcpyDeviceToHost),
                "cudaMemcpy");
    for (int const rank : ranks) {
      if (found[as_size(rank)] != rank + 1) fail("what rank " + std::to_string(rank) + " stores does not arrive");
    }
  });
}

/// Why ranks cannot have PeerMemory with the ranks that each of them gives; empty where all of them can, and the same
/// text on all ranks. Where a names b, b names a. Collective; waits for the instance.
inline std::string describe_unreachable_peers(const Kokkos::Cuda& exec, const Communicator& communicator,
                                              std::span<const int> ranks) {
  int const device = exec.cuda_device();
  auto const mine = communicator.agree([&] { return RankDevice{0, device_uuid(device)}; });
  auto const all = gathered(communicator, RankDevice{lowest_rank_of_host(communicator), mine.uuid});
  auto const text = communicator.agree([&] { return describe_unreachable(device, all, communicator.rank(), ranks); });
  int const first = communicator.lowest(!text.empty());
  if (first < communicator.size()) return "rank " + std::to_string(first) + ": " + communicator.from(first, text);
  try {
    try_peers(exec, communicator, ranks);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Whether there is no reason against PeerMemory with these ranks.
inline bool peers_are_reachable(const Kokkos::Cuda& exec, const Communicator& communicator,
                                std::span<const int> ranks) {
  return describe_unreachable_peers(exec, communicator, ranks).empty();
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail

#endif
