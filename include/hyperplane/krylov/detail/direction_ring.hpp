// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/multi_dot.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The newest directions of several right-hand sides, numbered from 0 on: direction i takes the memory of i - size. So
/// each right-hand side begins a cycle when it has ended one, whatever the others do.
template <class Vectors>
class DirectionRing {
 public:
  using Exec = typename Vectors::execution_space;
  using Scalar = typename Vectors::scalar_type;

  DirectionRing(const Exec& exec, const VectorDomain<Vectors>& domain, int size, const std::string& label)
      : m_addresses(Kokkos::view_alloc(exec, label + "::addresses"), as_size(2 * size)) {
    auto const host = Kokkos::create_mirror_view(m_addresses);
    for (int i = 0; i < size; ++i) {
      m_vectors.emplace_back(exec, domain, label);
      // Twice, so that consecutive directions have consecutive addresses where they begin anew, too.
      host(i).m_data = host(size + i).m_data = m_vectors.back().flat().data();
    }
    Kokkos::deep_copy(exec, m_addresses, host);
    exec.fence("Hyperplane: addresses of directions are on the device");
  }

  const Vectors& operator[](std::int64_t direction) const { return m_vectors[place(direction)]; }
  const std::vector<Vectors>& all() const { return m_vectors; }
  /// Of this one and those behind it, for kernels.
  const Address<Scalar>* addresses(std::int64_t direction) const { return m_addresses.data() + place(direction); }

 private:
  std::size_t place(std::int64_t direction) const { return as_size(direction) % m_vectors.size(); }

  Kokkos::View<Address<Scalar>*, typename Exec::memory_space> m_addresses;
  std::vector<Vectors> m_vectors;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
