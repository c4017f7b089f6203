// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace hyperplane::test {

/// Keeps threads busy for some time that depends on nothing but the clock of the multiprocessor.
struct Occupy {
  long long m_cycles;
  KOKKOS_FUNCTION void operator()(int) const {
    KOKKOS_IF_ON_DEVICE((long long const start = clock64(); while (clock64() - start < m_cycles){}))
  }
};

/// Starts a kernel on the instance that has all threads that 120 multiprocessors hold, for about a tenth of a second.
inline void occupy_most_of_the_device(const Kokkos::Cuda& exec) {
  Kokkos::parallel_for("Occupy", Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, 120 * 2048), Occupy{200'000'000});
}

}  // namespace hyperplane::test
