// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csr_suite.hpp"

#include <hyperplane/core/dispatch.hpp>

#include <iterator>
#include <utility>

namespace hyperplane::perf {

/// Of the mesh, and of seven-point systems with about as many bytes for every n.
template <class Exec>
void register_products(CsrSuite<Exec>& suite) {
  suite.template register_product<MeshSystem::n>("mesh/double", suite.mesh());
  if (suite.has_file()) return;
  constexpr int points[] = {160, 128, 96, 80, 64, 64, 56, 48, 48, 44, 40, 40, 36, 36, 32, 32};
  static_assert(std::size(points) == max_block_size);
  [&]<int... n_minus_1>(std::integer_sequence<int, n_minus_1...>) {
    (suite.template register_product<n_minus_1 + 1>("stencil/double", suite.stencil(n_minus_1 + 1, points[n_minus_1])),
     ...);
  }(std::make_integer_sequence<int, max_block_size>());
}
HYPERPLANE_PERF_ON_ALL_SPACES(register_products);

}  // namespace hyperplane::perf
