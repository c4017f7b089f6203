// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

/// Lists of the host in the memory of an execution space, and back. They wait for the instance: lists may be temporary.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// For lists of all types: compiled once.
template <ExecutionSpace Exec>
void copy_bytes_to_space(const Exec& exec, void* to, const void* from, std::size_t bytes) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(exec, Kokkos::View<char*, typename Exec::memory_space, Unmanaged>(static_cast<char*>(to), bytes),
                    Kokkos::View<const char*, Kokkos::HostSpace, Unmanaged>(static_cast<const char*>(from), bytes));
  exec.fence("Hyperplane: a list from the host");
}

template <class T, ExecutionSpace Exec>
Kokkos::View<T*, typename Exec::memory_space> to_space(const Exec& exec, const std::string& label,
                                                       const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  Kokkos::View<T*, typename Exec::memory_space> const result(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), values.size());
  copy_bytes_to_space(exec, result.data(), values.data(), values.size() * sizeof(T));
  return result;
}

template <ExecutionSpace Exec, class T, class... Properties>
std::vector<std::remove_const_t<T>> to_vector(const Exec& exec, const Kokkos::View<T*, Properties...>& values) {
  std::vector<std::remove_const_t<T>> result(values.extent(0));
  Kokkos::deep_copy(exec,
                    Kokkos::View<std::remove_const_t<T>*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        result.data(), result.size()),
                    values);
  exec.fence("Hyperplane: a list to the host");
  return result;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
