// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "field.hpp"

#include <cstddef>
#include <span>

namespace implicit_flow {

/// A number of each grid block, which launches leave in the memory of the execution space. One wait brings all of them
/// to the host.
template <hyperplane::ExecutionSpace Exec>
class BlockValues {
 public:
  using Value = Kokkos::View<double, typename Exec::memory_space>;

  BlockValues(const Exec& exec, std::size_t blocks)
      : m_values(Kokkos::view_alloc(exec, "values of grid blocks"), blocks),
        m_host(Kokkos::create_mirror_view(m_values)) {}

  /// What the reduction over grid block b ends in.
  Value at(std::size_t b) const { return Kokkos::subview(m_values, b); }

  /// Waits for the instance.
  std::span<const double> read(const Exec& exec) const {
    Kokkos::deep_copy(exec, m_host, m_values);
    exec.fence("implicit_flow: values of grid blocks");
    return {m_host.data(), m_host.size()};
  }

 private:
  Kokkos::View<double*, typename Exec::memory_space> m_values;
  decltype(Kokkos::create_mirror_view(m_values)) m_host;
};

}  // namespace implicit_flow
