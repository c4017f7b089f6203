// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "unit_tests/support/cuda_devices.hpp"

#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/cuda/peer_access.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

namespace hyperplane::perf {

using PacketWord = cuda::Packet<double>;

/// Each thread hands a packet to its partner on the other device, which answers, `steps` times. Stamps count on from
/// `begin`. After so many looks without news it gives up, so that a mistake ends the run.
template <bool begins>
__global__ void exchange_packets(PacketWord* own, PacketWord* other, int begin, int steps, int* wrong) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  int const t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  constexpr int patience = 1 << 24;
  for (int s = begin + 1; s <= begin + steps; ++s) {
    auto const stamp = static_cast<PacketWord::Stamp>(s);
    if (begins) PacketWord::store_between_devices(other + t, 0.5 * s, stamp);
    PacketWord seen{};
    int looks = 0;
    do {
      seen = PacketWord::load_between_devices(own + t);
      // Whatever is seen is whole: zeros at first.
      if (seen.m_value != 0.5 * static_cast<double>(seen.m_stamp)) atomicAdd(wrong, 1);
    } while (seen.m_stamp != stamp && ++looks < patience);
    if (seen.m_stamp != stamp) {
      atomicAdd(wrong, 1);
      return;
    }
    if (!begins) PacketWord::store_between_devices(other + t, 0.5 * s, stamp);
  }
#endif
}

/// Packets to and fro between the first two devices.
class PacketsBetweenDevices {
 public:
  PacketsBetweenDevices(int blocks, int threads) : m_instances(2), m_blocks(blocks), m_threads(threads) {
    for (std::size_t d = 0; d < 2; ++d) {
      auto const& exec = m_instances.all()[d];
      cuda::CurrentDevice const current(exec.cuda_device());
      m_words.emplace_back(exec.cuda_stream(), static_cast<std::size_t>(blocks) * static_cast<std::size_t>(threads));
      m_wrong.emplace_back(exec.cuda_stream(), 1);
      cuda::enable_peer_access(exec.cuda_device(), m_instances.all()[1 - d].cuda_device());
      exec.fence();
    }
  }

  /// Seconds.
  double run(int steps) const {
    auto const start = std::chrono::steady_clock::now();
    launch<false>(1, steps);
    launch<true>(0, steps);
    for (auto const& exec : m_instances.all()) exec.fence();
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
    m_begin += steps;
    for (auto const& wrong : m_wrong) {
      int count = 0;
      cuda::check(cudaMemcpy(&count, wrong.data(), sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
      if (count != 0) throw std::runtime_error("packets between devices: one was seen in part, or did not come");
    }
    return taken.count();
  }

 private:
  template <bool begins>
  void launch(std::size_t d, int steps) const {
    auto const& exec = m_instances.all()[d];
    cuda::CurrentDevice const current(exec.cuda_device());
    exchange_packets<begins><<<m_blocks, m_threads, 0, exec.cuda_stream()>>>(m_words[d].data(), m_words[1 - d].data(),
                                                                             m_begin, steps, m_wrong[d].data());
    cuda::check(cudaGetLastError(), "exchange_packets");
  }

  test::DeviceInstances m_instances;
  int m_blocks, m_threads;
  mutable int m_begin = 0;
  std::vector<cuda::DeviceArray<PacketWord>> m_words;
  std::vector<cuda::DeviceArray<int>> m_wrong;
};

}  // namespace hyperplane::perf
