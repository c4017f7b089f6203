// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hyperplane.h>

#include <cstdint>
#include <string>
#include <vector>

// Calls inside a parallel region of OpenMP, in a process that leaves Kokkos to the library: none of them ends it.
namespace {

/// f in a region of two threads, and in one of a single thread.
template <class F>
void in_regions(const F& f) {
  for (int const threads : {1, 2}) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    f();
  }
}

void expect_refused(hyperplane_status status) {
  EXPECT_EQ(status, HYPERPLANE_NOT_AVAILABLE) << hyperplane_status_name(status);
  EXPECT_NE(std::string(hyperplane_last_error_message()).find("inside a parallel region"), std::string::npos)
      << hyperplane_last_error_message();
}

constexpr hyperplane_grid grid{24, 24, 24};
constexpr std::int64_t points = 24 * 24 * 24;

/// A - 7 on the diagonal, -1 beside it - with a preconditioner and a method.
struct System {
  hyperplane_context context = nullptr;
  hyperplane_matrix a = nullptr;
  hyperplane_vector b = nullptr, x = nullptr;
  hyperplane_preconditioner m = nullptr;
  hyperplane_krylov krylov = nullptr;

  hyperplane_status create(const char* backend) {
    std::vector<double> values(points * 7, -1.0);
    for (std::int64_t point = 0; point < points; ++point) values[point * 7 + HYPERPLANE_CENTER] = 7.0;
    hyperplane_status const statuses[] = {
        hyperplane_context_create(backend, nullptr, &context),
        hyperplane_matrix_create(context, grid, 1, HYPERPLANE_STORAGE_DOUBLE, &a),
        hyperplane_matrix_set(a, values.data(), points * 7, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
        hyperplane_vector_create(context, grid, 1, &b),
        hyperplane_vector_create(context, grid, 1, &x),
        hyperplane_vector_fill(b, 1.0),
        hyperplane_vector_fill(x, 0.5),
        hyperplane_preconditioner_create(context, grid, 1, nullptr, &m),
        hyperplane_preconditioner_factor(m, a),
        hyperplane_krylov_create(context, grid, 1, nullptr, &krylov)};
    for (auto const status : statuses) {
      if (status != HYPERPLANE_SUCCESS) return status;
    }
    return HYPERPLANE_SUCCESS;
  }
  hyperplane_status solve() {
    hyperplane_krylov_result result;
    auto const status = hyperplane_krylov_solve(krylov, a, m, b, x, &result);
    bool const has_result = status == HYPERPLANE_SUCCESS;
    EXPECT_TRUE(!has_result || result.outcome == HYPERPLANE_CONVERGED);
    return status;
  }
  void free() {
    for (void* handle : {static_cast<void*>(krylov), static_cast<void*>(m), static_cast<void*>(x),
                         static_cast<void*>(b), static_cast<void*>(a), static_cast<void*>(context)}) {
      EXPECT_EQ(hyperplane_free(handle), HYPERPLANE_SUCCESS);
    }
  }
};

TEST(CRegions, are_refused_by_contexts_of_openmp_alone) {
  in_regions([] { expect_refused(hyperplane_initialize()); });
  EXPECT_EQ(hyperplane_is_initialized(), 0);
  ASSERT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();

  System system;
  ASSERT_EQ(system.create("openmp"), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  std::vector<double> values(points);
  in_regions([&] {
    hyperplane_context context = nullptr;
    hyperplane_vector vector = nullptr;
    expect_refused(hyperplane_context_create("openmp", nullptr, &context));
    expect_refused(hyperplane_vector_create(system.context, grid, 1, &vector));
    expect_refused(hyperplane_vector_fill(system.x, 2.0));
    expect_refused(hyperplane_vector_get(system.x, values.data(), points, HYPERPLANE_HOST));
    expect_refused(hyperplane_preconditioner_factor(system.m, system.a));
    expect_refused(system.solve());
  });
  // Nothing was done.
  EXPECT_EQ(hyperplane_vector_get(system.x, values.data(), points, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(values.back(), 0.5);
  EXPECT_EQ(system.solve(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  in_regions([&] { expect_refused(hyperplane_finalize()); });
#pragma omp parallel num_threads(2)
#pragma omp single
  system.free();

  if (std::string(hyperplane_backends()).find("serial") != std::string::npos) {
    // Its results are the same bits inside and outside.
    System outside;
    EXPECT_EQ(outside.create("serial"), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(outside.solve(), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_get(outside.x, values.data(), points, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    in_regions([&] {
      System inside;
      std::vector<double> found(points);
      EXPECT_EQ(inside.create("serial"), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_EQ(inside.solve(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_EQ(hyperplane_vector_get(inside.x, found.data(), points, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
      EXPECT_EQ(found, values);
      inside.free();
    });
    outside.free();
  }
  EXPECT_EQ(hyperplane_is_initialized(), 1);
  EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_NOT_INITIALIZED);
  EXPECT_STREQ(hyperplane_last_error_message(), "hyperplane_finalize: the library has been finalized already");
}

}  // namespace
