// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "c/c_columns.hpp"
#include "c/c_fixture.hpp"
#include "support/transposed_reference.hpp"

/// What tests of several right-hand sides on grids share.
namespace hyperplane::test::grid_columns {

inline constexpr double tolerance = 1e-10;

inline std::vector<double> values_of(const ReferenceStencil& a) {
  std::vector<double> values;
  for (auto const& blocks : a.blocks) {
    for (auto const& block : blocks) {
      for (int e = 0; e < a.n * a.n; ++e) values.push_back(block(e / a.n, e % a.n));
    }
  }
  return values;
}

/// A matrix on one backend, its transpose, and arrays of columns.
struct Grids {
  ReferenceStencil const reference;
  int const n = reference.n;
  Grid const grid = reference.grid;
  hyperplane_grid const c_grid{grid.ni(), grid.nj(), grid.nk()};
  ReferenceStencil const adjoint = transposed_reference(reference);
  std::int64_t const rows = reference.rows();
  hyperplane_context context = nullptr;
  hyperplane_matrix a = nullptr, at = nullptr;

  Grids(const std::string& backend, int block_size, const Grid& points)
      : Grids(backend, random_stencil(points, block_size)) {}
  Grids(const std::string& backend, ReferenceStencil all) : reference(std::move(all)) {
    EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_context_create(backend.c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_matrix_create(context, c_grid, n, HYPERPLANE_STORAGE_DOUBLE, &a), HYPERPLANE_SUCCESS);
    CSystem::set(a, values_of(reference), HYPERPLANE_ROW_MAJOR);
    at = transpose_of(a);
  }
  ~Grids() {
    for (void* handle : {static_cast<void*>(at), static_cast<void*>(a), static_cast<void*>(context)}) {
      hyperplane_free(handle);
    }
    EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
  }
  Grids(const Grids&) = delete;
  Grids& operator=(const Grids&) = delete;

  hyperplane_krylov make_krylov(hyperplane_method method, hyperplane_monitor monitor = nullptr) const {
    hyperplane_krylov_options options;
    EXPECT_EQ(hyperplane_krylov_options_init(&options), HYPERPLANE_SUCCESS);
    options.method = method;
    options.tolerance = tolerance;
    if (method == HYPERPLANE_FGMRES) options.restart = 4;
    options.monitor = monitor;
    hyperplane_krylov krylov = nullptr;
    EXPECT_EQ(hyperplane_krylov_create(context, c_grid, n, &options, &krylov), HYPERPLANE_SUCCESS);
    return krylov;
  }
  hyperplane_preconditioner make(const std::string& name, const std::string& options, hyperplane_matrix of) const {
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_create_named(context, c_grid, n, name.c_str(), options.c_str(), &m),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    if (of != nullptr) {
      EXPECT_EQ(hyperplane_preconditioner_factor(m, of), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    }
    return m;
  }
  std::vector<double> column(const std::vector<double>& all, int v) const { return column_of(all, rows, v); }
  hyperplane_status solve(hyperplane_krylov krylov, hyperplane_matrix matrix, hyperplane_preconditioner m,
                          const std::vector<double>& b, std::vector<double>& x,
                          std::vector<hyperplane_krylov_result>& results) const {
    return hyperplane_krylov_solve_columns(krylov, matrix, m, static_cast<int>(results.size()), b.data(), x.data(),
                                           static_cast<std::int64_t>(x.size()), HYPERPLANE_HOST, results.data());
  }

  /// Each column has the solution and the iterations that it has alone, and solves its system.
  void compare(hyperplane_krylov krylov, hyperplane_matrix matrix, hyperplane_preconditioner m, int columns) const {
    auto b = random_vector(columns * rows, 3);
    // One ends at once, and one before the others.
    if (columns > 2) std::fill_n(b.begin() + 2 * rows, rows, 0.0);
    auto x = random_vector(columns * rows, 30);
    auto const& expected = matrix == at ? adjoint : reference;
    auto const product = expected.apply(column(b, 0));
    if (columns > 1) {
      std::copy_n(product.begin(), rows, b.begin() + rows);
      std::copy_n(b.begin(), rows, x.begin() + rows);
      x[static_cast<std::size_t>(rows)] += 1e-6;
    }
    expect_columns_as_alone(krylov, matrix, m, b, x, columns, 3, 1e-7,
                            [&](const std::vector<double>& of) { return expected.apply(of); });
  }
};

/// The suite is in two files, of which test_c_columns.cpp instantiates it.
class CColumns : public ::testing::TestWithParam<std::string> {};

}  // namespace hyperplane::test::grid_columns
