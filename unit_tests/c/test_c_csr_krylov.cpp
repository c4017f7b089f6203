// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/identity.hpp>

#include <cstdint>
#include <vector>

#include "c/c_csr_in_cpp.hpp"
#include "support/matchers.hpp"
#include "support/views.hpp"

// FGCRO-DR of general matrices, which keeps a subspace from one solve of an object to the next.
namespace hyperplane::test {
namespace {

using HostPoints = PointVector<double, 2, Host>;

KrylovOptions const recycling{.tolerance = 1e-10, .restart = 6, .recycled = 3};
// So many systems, each with a right-hand side of its own; no preconditioner, so that a solve takes several cycles.
constexpr int systems = 3;

struct Solved {
  int iterations;
  std::vector<double> x;
};

/// By the class itself, on a host.
std::vector<Solved> recycle_in_cpp(const CMesh& mesh, std::int64_t points) {
  Host const exec;
  auto const a = in_cpp(exec, mesh);
  Fgcrodr<HostPoints> const method(exec, points, recycling);
  std::vector<Solved> all;
  for (int number = 0; number < systems; ++number) {
    HostPoints const b(to_view<double>(exec, random_vector(2 * points, number))), x(exec, points);
    auto const result = method.solve(exec, a, IdentityPreconditioner(), b, x);
    all.push_back({result.iterations, to_host(x.flat())});
  }
  return all;
}

TEST_P(CRows, fgcrodr_is_that_of_cpp) {
  hyperplane_krylov_options options;
  EXPECT_EQ(hyperplane_krylov_options_init(&options), HYPERPLANE_SUCCESS);
  EXPECT_EQ(options.recycled, KrylovOptions().recycled);
  options.method = HYPERPLANE_FGCRODR;
  options.tolerance = recycling.tolerance;
  options.restart = recycling.restart;
  options.recycled = recycling.recycled;
  hyperplane_krylov krylov = nullptr;
  EXPECT_EQ(hyperplane_csr_krylov_create(context, points, n, &options, &krylov), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  auto const solve = [&](int number) {
    set(m_b, random_vector(CRows::rows, number));
    EXPECT_EQ(hyperplane_vector_fill(m_x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result;
    EXPECT_EQ(hyperplane_krylov_solve(krylov, m_a, nullptr, m_b, m_x, &result), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
    EXPECT_TRUE(near(mesh.apply(get(m_x)), get(m_b), 1e-8));
    return Solved{result.iterations, get(m_x)};
  };
  auto const expected = recycle_in_cpp(mesh, points);
  for (int number = 0; number < systems; ++number) {
    auto const found = solve(number);
    EXPECT_EQ(found.iterations, expected[number].iterations) << number;
    // Small dense problems are solved on the host, whose last bits are those of how a file is compiled.
    EXPECT_TRUE(near(found.x, expected[number].x, 1e-9)) << number;
  }
  // The first system is solved otherwise with a subspace, and without it as at first.
  EXPECT_FALSE(bitwise_equal(solve(0).x, expected[0].x));
  EXPECT_EQ(hyperplane_krylov_forget(krylov), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(near(solve(0).x, expected[0].x, 1e-9));
  EXPECT_EQ(hyperplane_free(krylov), HYPERPLANE_SUCCESS);
}

TEST_P(CRows, a_subspace_is_forgotten_between_solves_alone) {
  hyperplane_krylov_options options;
  EXPECT_EQ(hyperplane_krylov_options_init(&options), HYPERPLANE_SUCCESS);
  struct Inner {
    hyperplane_krylov m_krylov = nullptr;
    hyperplane_status m_status = HYPERPLANE_SUCCESS;
  } inner;
  options.monitor_data = &inner;
  options.monitor = [](int, double, void* data) {
    auto& [krylov, status] = *static_cast<Inner*>(data);
    status = hyperplane_krylov_forget(krylov);
    return 0;
  };
  // Other methods have none, and nothing to forget.
  for (auto const method : {HYPERPLANE_FGCRODR, HYPERPLANE_BICGSTAB}) {
    options.method = method;
    EXPECT_EQ(hyperplane_csr_krylov_create(context, points, n, &options, &inner.m_krylov), HYPERPLANE_SUCCESS);
    set(m_b, random_vector(CRows::rows));
    set(m_x, std::vector<double>(CRows::rows));
    hyperplane_krylov_result result;
    EXPECT_EQ(hyperplane_krylov_solve(inner.m_krylov, m_a, nullptr, m_b, m_x, &result), HYPERPLANE_SUCCESS);
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
    EXPECT_EQ(inner.m_status, method == HYPERPLANE_FGCRODR ? HYPERPLANE_INVALID_ARGUMENT : HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_krylov_forget(inner.m_krylov), HYPERPLANE_SUCCESS);
    hyperplane_free(inner.m_krylov);
  }
  expect_failure(hyperplane_krylov_forget(nullptr), HYPERPLANE_NULL_POINTER, "krylov is NULL");
  options.recycled = -1;
  expect_failure(hyperplane_csr_krylov_create(context, points, n, &options, &inner.m_krylov),
                 HYPERPLANE_INVALID_ARGUMENT, "recycled is -1, expected 0 to 1000");
}

}  // namespace
}  // namespace hyperplane::test
