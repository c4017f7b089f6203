// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

namespace hyperplane::test {

/// A host vector in the memory of the instance's device, converted to T.
template <class T, class Exec, class From = double>
Kokkos::View<T*, typename Exec::memory_space> to_view(const Exec& exec, const std::vector<From>& values) {
  Kokkos::View<T*, typename Exec::memory_space> const view(Kokkos::view_alloc(exec, "values"), values.size());
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t e = 0; e < values.size(); ++e) host(e) = static_cast<T>(values[e]);
  Kokkos::deep_copy(exec, view, host);
  exec.fence();
  return view;
}

/// What is in a view when all work has ended.
template <class T, class... Properties>
std::vector<double> to_host(const Kokkos::View<T*, Properties...>& view) {
  Kokkos::fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  return {host.data(), host.data() + host.size()};
}

}  // namespace hyperplane::test
