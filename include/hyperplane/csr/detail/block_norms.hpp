// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The Frobenius norm of each block: the root of the sum of the squares, which neither overflow nor vanish. What is not
/// finite has a norm that is not.
template <class Storage, int n>
struct BlockNorms {
  const Storage* m_values;
  double* m_norms;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const Storage* const values = m_values + block * n * n;
    double largest = 0.0, squares = 0.0;
    for (int e = 0; e < n * n; ++e) largest = Kokkos::fmax(largest, Kokkos::abs(static_cast<double>(values[e])));
    double const scale = largest > 0.0 ? largest : 1.0;
    for (int e = 0; e < n * n; ++e) {
      double const relative = static_cast<double>(values[e]) / scale;
      squares += relative * relative;
    }
    m_norms[block] = scale * Kokkos::sqrt(squares);
  }
};

/// Of all blocks of a BlockCsr. Waits for the instance.
template <class Exec, class Matrix>
std::vector<double> block_norms(const Exec& exec, const Matrix& a) {
  constexpr int n = Matrix::block_size;
  using Storage = typename Matrix::storage_type;
  Kokkos::View<double*, typename Exec::memory_space> const norms(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::BlockCsr::norms"), a.columns().extent(0));
  launch("Hyperplane::BlockCsr::norms", LongIndexRange<Exec>(exec, 0, a.blocks()),
         1.0 * n * n * sizeof(Storage) + sizeof(double), BlockNorms<Storage, n>{a.values().data(), norms.data()});
  return to_vector(exec, norms);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
