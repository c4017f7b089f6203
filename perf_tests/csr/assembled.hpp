// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "csr_system.hpp"

#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace hyperplane::perf {

/// With values, which an order, or lines, may follow.
template <int n, class Exec>
BlockCsr<double, n, Exec> assembled(const Exec& exec, const CsrSystem& system) {
  BlockCsr<double, n, Exec> const a(exec, system.offsets, system.columns);
  Kokkos::deep_copy(exec, a.values(), detail::to_space(exec, "a", system.values));
  return a;
}

/// Throws where b^T M^-1 b is not b^T M^-T b: solve(false) is M^-1 b, solve(true) M^-T b.
template <class Solve>
void check_adjoint(const std::vector<double>& b, const Solve& solve) {
  double products[2], size = 0.0;
  for (bool const transposed : {false, true}) {
    std::vector<double> const found = solve(transposed);
    products[transposed] = std::inner_product(b.begin(), b.end(), found.begin(), 0.0);
    for (std::size_t e = 0; e < b.size(); ++e) size += std::abs(b[e] * found[e]);
  }
  if (!(std::abs(products[0] - products[1]) <= 1e-12 * size)) {
    throw std::runtime_error("the solve with the transpose is not the adjoint of the plain one");
  }
}

}  // namespace hyperplane::perf
