// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <hyperplane.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "c/c_fixture.hpp"

namespace hyperplane::test {

/// Points with neighbours that no grid has, not the same to and fro, in blocks of 2.
struct CMesh {
  std::vector<int> offsets{0}, columns;
  std::vector<double> values;

  explicit CMesh(int points) {
    std::mt19937 engine(11);
    std::uniform_real_distribution<double> value(-0.4, 0.4);
    for (int row = 0; row < points; ++row) {
      for (int const column : std::set<int>{row, (row + 1) % points, (row * 7 + 3) % points, (row * 5 + 11) % points}) {
        columns.push_back(column);
        for (int e = 0; e < 4; ++e) values.push_back(value(engine) + (row == column && e % 3 == 0 ? 3.0 : 0.0));
      }
      offsets.push_back(static_cast<int>(columns.size()));
    }
  }

  hyperplane_csr csr() const {
    hyperplane_csr result;
    EXPECT_EQ(hyperplane_csr_init(&result), HYPERPLANE_SUCCESS);
    result.rows = static_cast<std::int64_t>(offsets.size()) - 1;
    result.entries = static_cast<std::int64_t>(columns.size());
    result.block_size = 2;
    result.row_offsets = offsets.data();
    result.columns = columns.data();
    result.values = values.data();
    return result;
  }

  /// The block of each point for itself.
  std::vector<double> diagonal() const {
    std::vector<double> result;
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      auto const begin = columns.begin() + offsets[row], end = columns.begin() + offsets[row + 1];
      auto const block = values.begin() + (std::find(begin, end, static_cast<int>(row)) - columns.begin()) * 4;
      result.insert(result.end(), block, block + 4);
    }
    return result;
  }
  std::vector<double> apply(const std::vector<double>& x, bool transposed = false) const {
    std::vector<double> y(x.size(), 0.0);
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      for (auto block = offsets[row]; block < offsets[row + 1]; ++block) {
        for (std::size_t e = 0; e < 4; ++e) {
          auto const r = row * 2 + e / 2;
          auto const c = static_cast<std::size_t>(columns[static_cast<std::size_t>(block)]) * 2 + e % 2;
          auto const value = values[static_cast<std::size_t>(block) * 4 + e];
          y[transposed ? c : r] += value * x[transposed ? r : c];
        }
      }
    }
    return y;
  }
};

/// A system on each backend. The suite is in two files, of which test_c_csr_misuse.cpp instantiates it.
class CRows : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int points = 30, n = 2, rows = points * n;
  CMesh const mesh{points};
  hyperplane_context context = nullptr;
  hyperplane_matrix m_a = nullptr;
  hyperplane_vector m_b = nullptr, m_x = nullptr, m_y = nullptr;

  void SetUp() override {
    EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_context_create(GetParam().c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
    auto const csr = mesh.csr();
    EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &m_a), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    for (auto* const vector : {&m_b, &m_x, &m_y}) {
      EXPECT_EQ(hyperplane_csr_vector_create(context, points, n, vector), HYPERPLANE_SUCCESS);
    }
  }
  void TearDown() override {
    for (void* handle : {static_cast<void*>(m_a), static_cast<void*>(m_b), static_cast<void*>(m_x),
                         static_cast<void*>(m_y), static_cast<void*>(context)}) {
      EXPECT_EQ(hyperplane_free(handle), HYPERPLANE_SUCCESS);
    }
    EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
  }

  std::int64_t value_count() const { return static_cast<std::int64_t>(mesh.values.size()); }
  static void set(hyperplane_vector vector, const std::vector<double>& values) {
    EXPECT_EQ(hyperplane_vector_set(vector, values.data(), rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  }
  static std::vector<double> get(hyperplane_vector vector) {
    std::vector<double> values(rows);
    EXPECT_EQ(hyperplane_vector_get(vector, values.data(), rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    return values;
  }
  std::vector<double> values_of(hyperplane_matrix a) const {
    std::vector<double> values(mesh.values.size());
    EXPECT_EQ(hyperplane_matrix_get(a, values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    return values;
  }

  static hyperplane_csr_preconditioner_options standard_options() {
    hyperplane_csr_preconditioner_options options;
    EXPECT_EQ(hyperplane_csr_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    return options;
  }
  hyperplane_preconditioner make(const hyperplane_csr_preconditioner_options* options) const {
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(hyperplane_csr_preconditioner_create(m_a, options, &m), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return m;
  }
  hyperplane_preconditioner make(const std::string& name, const std::string& options) const {
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(hyperplane_csr_preconditioner_create_named(m_a, name.c_str(), options.c_str(), &m), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return m;
  }
  void factor(hyperplane_preconditioner m) const {
    EXPECT_EQ(hyperplane_preconditioner_factor(m, m_a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  }
  /// M^-1 b with new factors of A; frees M.
  std::vector<double> solved(hyperplane_preconditioner m) const {
    factor(m);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, m_b, m_x), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    return get(m_x);
  }
  hyperplane_krylov make_krylov(hyperplane_method method) const {
    hyperplane_krylov_options options;
    EXPECT_EQ(hyperplane_krylov_options_init(&options), HYPERPLANE_SUCCESS);
    options.method = method;
    options.tolerance = 1e-10;
    hyperplane_krylov krylov = nullptr;
    EXPECT_EQ(hyperplane_csr_krylov_create(context, points, n, &options, &krylov), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return krylov;
  }
  /// Of a solve of make_krylov(), computed here.
  void expect_small_residual(const std::vector<double>& rhs, const std::vector<double>& x, bool transposed) const {
    auto const product = mesh.apply(x, transposed);
    double residual = 0.0, norm = 0.0;
    for (std::size_t r = 0; r < rhs.size(); ++r) {
      residual += (rhs[r] - product[r]) * (rhs[r] - product[r]);
      norm += rhs[r] * rhs[r];
    }
    EXPECT_LE(std::sqrt(residual), 1.1e-10 * std::sqrt(norm));
  }
  /// With `at` in the place of the matrix where it is given; by the residual that is computed here.
  void expect_solved(hyperplane_preconditioner m, hyperplane_method method, bool transposed,
                     hyperplane_matrix at = nullptr) const {
    auto const rhs = random_vector(rows);
    set(m_b, rhs);
    EXPECT_EQ(hyperplane_vector_fill(m_x, 0.0), HYPERPLANE_SUCCESS);
    auto* const krylov = make_krylov(method);
    hyperplane_krylov_result result;
    EXPECT_EQ(hyperplane_krylov_solve(krylov, at == nullptr ? m_a : at, m, m_b, m_x, &result), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
    expect_small_residual(rhs, get(m_x), transposed);
    const char* cause = nullptr;
    EXPECT_EQ(hyperplane_krylov_cause(krylov, &cause), HYPERPLANE_SUCCESS);
    EXPECT_STREQ(cause, "");
    hyperplane_free(krylov);
  }
};

}  // namespace hyperplane::test
