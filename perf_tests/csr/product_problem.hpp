// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/cost_model.hpp"
#include "../support/relative_difference.hpp"
#include "csr_system.hpp"

#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace hyperplane::perf {

/// A matrix in block CSR, and products with it and its transpose. Verified by products of one entry after the other.
template <class Exec, int n>
class ProductProblem {
 public:
  ProductProblem(const Exec& exec, const CsrSystem& system)
      : m_a(exec, system.offsets, system.columns), m_x(detail::to_space(exec, "x", system.rhs)), m_y("y", m_x.size()) {
    Kokkos::deep_copy(exec, m_a.values(), detail::to_space(exec, "a", system.values));
    m_transposed = std::make_unique<TransposedBlockCsr<double, n, Exec>>(exec, m_a);
    apply(exec);
    verify(exec, "product", system, false);
    apply_transposed(exec);
    verify(exec, "product with the transpose", system, true);
  }

  std::int64_t points() const { return m_a.rows(); }

  void apply(const Exec& exec) const { hyperplane::apply(exec, m_a, m_x, m_y); }
  void apply_transposed(const Exec& exec) const { hyperplane::apply(exec, *m_transposed, m_x, m_y); }

  /// Blocks and their columns; x read, y written. The same for the transpose, whose lists are longer.
  Cost cost() const {
    double const blocks = static_cast<double>(m_a.blocks()) / static_cast<double>(points());
    return {blocks * (n * n * 8.0 + 4.0) + 2.0 * n * 8.0, 2.0 * n * n * blocks};
  }

 private:
  void verify(const Exec& exec, const char* what, const CsrSystem& system, bool transposed) const {
    std::vector<double> expected(system.rhs.size(), 0.0);
    for (std::size_t row = 0; row < system.points(); ++row) {
      for (auto e = system.first(row); e < system.first(row + 1); ++e) {
        for (std::size_t entry = 0; entry < std::size_t{n * n}; ++entry) {
          auto const r = row * n + entry / n, c = static_cast<std::size_t>(system.columns[e]) * n + entry % n;
          expected[transposed ? c : r] += system.values[e * n * n + entry] * system.rhs[transposed ? r : c];
        }
      }
    }
    check_reference(what, n, std::numeric_limits<double>::epsilon(), detail::to_vector(exec, m_y), expected);
  }

  BlockCsr<double, n, Exec> m_a;
  typename BlockCsr<double, n, Exec>::Vector m_x, m_y;
  std::unique_ptr<TransposedBlockCsr<double, n, Exec>> m_transposed;
};

}  // namespace hyperplane::perf
