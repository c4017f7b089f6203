// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <array>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How values of a rank come to the ranks that need them. All have the same bits.
enum class Transport {
  automatic,  ///< the first of peer, gpu_aware and host that can be had
  host,       ///< messages of MPI from and to memory of the host; on a device, values are copied there and back
  gpu_aware,  ///< messages of MPI from and to memory of CUDA devices, where the library can send it
  /// Kernels store into the memory of the device that needs the values, whose kernels wait for them: between ranks of
  /// one host that have CUDA devices of their own, which have access to one another. The host waits for nothing.
  peer,
};

/// All of them.
inline constexpr std::array<Transport, 4> all_transports{Transport::automatic, Transport::host, Transport::gpu_aware,
                                                         Transport::peer};

constexpr const char* name(Transport transport) {
  switch (transport) {
    case Transport::automatic: return "automatic";
    case Transport::host: return "host";
    case Transport::gpu_aware: return "gpu_aware";
    case Transport::peer: return "peer";
  }
  return "unknown";
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
