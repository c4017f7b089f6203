// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/csr/block_csr.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "c/c_csr_fixture.hpp"
#include "support/matchers.hpp"
#include "support/views.hpp"

/// What tests compare general matrices of C with: the same on a host by the classes themselves.
namespace hyperplane::test {

using Host = Kokkos::DefaultHostExecutionSpace;
using HostCsr = BlockCsr<double, 2, Host>;

inline HostCsr in_cpp(const Host& exec, const CMesh& mesh) {
  std::vector<std::int64_t> const offsets(mesh.offsets.begin(), mesh.offsets.end());
  HostCsr const a(exec, offsets, mesh.columns);
  Kokkos::deep_copy(exec, a.values(), to_view<double>(exec, mesh.values));
  return a;
}

/// M^-1 b, or M^-T b, by the class itself.
template <class Plan>
std::vector<double> solve_in_cpp(const CMesh& mesh, const typename Plan::Options& options, const std::vector<double>& b,
                                 bool transposed = false) {
  Host const exec;
  auto const a = in_cpp(exec, mesh);
  Plan plan(exec, a, options);
  plan.factor(exec, a);
  auto const x = to_view<double>(exec, b);
  if (transposed) {
    plan.solve_transposed(exec, x, x);
  } else {
    plan.solve(exec, x, x);
  }
  return to_host(x);
}

/// They have the same bits where the backend is one of hosts; devices round the products of sums otherwise.
inline ::testing::AssertionResult are_same(const std::string& backend, const std::vector<double>& found,
                                           const std::vector<double>& expected, double tolerance) {
  return backend != "cuda" ? bitwise_equal(found, expected) : near(found, expected, tolerance);
}

}  // namespace hyperplane::test
