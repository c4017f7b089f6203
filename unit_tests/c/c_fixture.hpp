// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "c/c_names.hpp"
#include "support/serial_reference.hpp"

namespace hyperplane::test {

/// One small system with every object of the C interface, on one backend.
struct CSystem {
  static constexpr int n = 2;
  Grid const grid{5, 4, 3};
  hyperplane_grid const c_grid{5, 4, 3};
  ReferenceStencil const reference = random_stencil(grid, n);
  std::vector<double> const solution = random_vector(grid.size() * n);
  std::vector<double> const rhs = reference.apply(solution);

  hyperplane_context context = nullptr;
  hyperplane_matrix a = nullptr;
  hyperplane_vector b = nullptr, x = nullptr;
  hyperplane_preconditioner m = nullptr;
  hyperplane_krylov krylov = nullptr;

  explicit CSystem(const std::string& backend) {
    EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_context_create(backend.c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_matrix_create(context, c_grid, n, HYPERPLANE_STORAGE_DOUBLE, &a), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_create(context, c_grid, n, &b), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_create(context, c_grid, n, &x), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_create(context, c_grid, n, nullptr, &m), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_krylov_create(context, c_grid, n, nullptr, &krylov), HYPERPLANE_SUCCESS);
    set(a, values(HYPERPLANE_ROW_MAJOR), HYPERPLANE_ROW_MAJOR);
    EXPECT_EQ(hyperplane_vector_set(b, rhs.data(), size(), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  }
  ~CSystem() {
    for (void* handle : {static_cast<void*>(krylov), static_cast<void*>(m), static_cast<void*>(x),
                         static_cast<void*>(b), static_cast<void*>(a), static_cast<void*>(context)}) {
      hyperplane_free(handle);
    }
    EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
  }
  CSystem(const CSystem&) = delete;
  CSystem& operator=(const CSystem&) = delete;

  std::int64_t size() const { return grid.size() * n; }

  static std::vector<double> values_of(const ReferenceStencil& stencil, hyperplane_block_order order) {
    int const size = stencil.n;
    std::vector<double> result;
    for (auto const& blocks : stencil.blocks) {
      for (auto const& block : blocks) {
        for (int e = 0; e < size * size; ++e) {
          result.push_back(order == HYPERPLANE_ROW_MAJOR ? block(e / size, e % size) : block(e % size, e / size));
        }
      }
    }
    return result;
  }
  std::vector<double> values(hyperplane_block_order order) const { return values_of(reference, order); }

  static void set(hyperplane_matrix matrix, const std::vector<double>& values, hyperplane_block_order order) {
    EXPECT_EQ(
        hyperplane_matrix_set(matrix, values.data(), static_cast<std::int64_t>(values.size()), order, HYPERPLANE_HOST),
        HYPERPLANE_SUCCESS);
  }

  /// A matrix of other blocks, random as the system's.
  hyperplane_matrix make_matrix(int block_size) const {
    hyperplane_matrix made = nullptr;
    EXPECT_EQ(hyperplane_matrix_create(context, c_grid, block_size, HYPERPLANE_STORAGE_DOUBLE, &made),
              HYPERPLANE_SUCCESS);
    set(made, values_of(random_stencil(grid, block_size), HYPERPLANE_ROW_MAJOR), HYPERPLANE_ROW_MAJOR);
    return made;
  }

  std::vector<double> get(hyperplane_vector vector) const {
    std::vector<double> result(size());
    EXPECT_EQ(hyperplane_vector_get(vector, result.data(), size(), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    return result;
  }

  hyperplane_preconditioner named(const std::string& name, const std::string& options) const {
    hyperplane_preconditioner made = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_create_named(context, c_grid, n, name.c_str(), options.c_str(), &made),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return made;
  }
  /// M^-1 b with A's factors; the preconditioner is freed.
  std::vector<double> applied(hyperplane_preconditioner given) const {
    EXPECT_EQ(hyperplane_preconditioner_factor(given, a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_check(given), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_solve(given, b, x), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(given), HYPERPLANE_SUCCESS);
    return get(x);
  }
};

/// A system on each backend. The suites are in several files, of which test_c_solvers.cpp and test_c_arrays.cpp
/// instantiate them.
class CInterface : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};
};
class CArrays : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};
};

inline hyperplane_matrix make_narrowed(hyperplane_matrix a, hyperplane_storage storage = HYPERPLANE_STORAGE_FLOAT) {
  hyperplane_matrix narrowed = nullptr;
  EXPECT_EQ(hyperplane_matrix_create_narrowed(a, storage, &narrowed), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  return narrowed;
}

inline hyperplane_matrix transpose_of(hyperplane_matrix a) {
  hyperplane_matrix transpose = nullptr;
  EXPECT_EQ(hyperplane_matrix_transpose(a, &transpose), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  return transpose;
}

/// Whose message begins with the name of the C function, and has none of C++.
inline void expect_failure(hyperplane_status status, hyperplane_status expected, const std::string& message) {
  EXPECT_EQ(status, expected) << hyperplane_status_name(status) << ", expected " << message;
  std::string const words = hyperplane_last_error_message();
  EXPECT_THAT(words, ::testing::HasSubstr(message));
  EXPECT_THAT(words, ::testing::MatchesRegex("hyperplane_[a-z0-9_]+: .+"));
  EXPECT_THAT(words, ::testing::Not(::testing::ContainsRegex("[A-Z][a-z]+[A-Z0-9][A-Za-z0-9]*:|::")));
}

}  // namespace hyperplane::test
