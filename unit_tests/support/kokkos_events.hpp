// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hyperplane::test {

/// Records what Kokkos Tools sees while an object of this class lives: kernels, allocations, fences and copies.
class KokkosEvents {
 public:
  struct Kernel {
    std::string label;
    std::uint32_t device_and_instance;
  };

  KokkosEvents() {
    s_current = this;
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback([](const char* label, std::uint32_t device, std::uint64_t*) {
      s_current->m_kernels.push_back({label, device});
    });
    tools::set_begin_parallel_reduce_callback([](const char* label, std::uint32_t device, std::uint64_t*) {
      s_current->m_kernels.push_back({label, device});
    });
    tools::set_begin_parallel_scan_callback([](const char* label, std::uint32_t device, std::uint64_t*) {
      s_current->m_kernels.push_back({label, device});
    });
    tools::set_allocate_data_callback(
        [](const Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          // A team policy on CUDA allocates its scratch memory also where that has no bytes.
          if (bytes > 0) s_current->m_allocations.emplace_back(label);
          s_current->m_allocated_bytes += bytes;
        });
    tools::set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t*) {
      // Kokkos fences around callbacks by itself, and its Threads at the end of every kernel.
      std::string_view const text = label;
      if (text.starts_with("Kokkos::Tools") || text.starts_with("Kokkos::ThreadsInternal")) return;
      s_current->m_fences.emplace_back(text);
    });
    tools::set_begin_deep_copy_callback([](Kokkos_Profiling_SpaceHandle, const char* target, const void*,
                                           Kokkos_Profiling_SpaceHandle, const char*, const void*,
                                           std::uint64_t) { s_current->m_copies.emplace_back(target); });
  }
  ~KokkosEvents() {
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(nullptr);
    tools::set_begin_parallel_reduce_callback(nullptr);
    tools::set_begin_parallel_scan_callback(nullptr);
    tools::set_allocate_data_callback(nullptr);
    tools::set_begin_fence_callback(nullptr);
    tools::set_begin_deep_copy_callback(nullptr);
    s_current = nullptr;
  }
  KokkosEvents(const KokkosEvents&) = delete;
  KokkosEvents& operator=(const KokkosEvents&) = delete;

  const std::vector<Kernel>& kernels() const { return m_kernels; }
  const std::vector<std::string>& allocations() const { return m_allocations; }
  std::uint64_t allocated_bytes() const { return m_allocated_bytes; }
  const std::vector<std::string>& fences() const { return m_fences; }
  /// Labels of what was copied to.
  const std::vector<std::string>& copies() const { return m_copies; }

 private:
  inline static KokkosEvents* s_current = nullptr;
  std::vector<Kernel> m_kernels;
  std::vector<std::string> m_allocations;
  std::uint64_t m_allocated_bytes = 0;
  std::vector<std::string> m_fences;
  std::vector<std::string> m_copies;
};

}  // namespace hyperplane::test
