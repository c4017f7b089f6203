// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"
#include "support/transposed_reference.hpp"

// Transposes of matrices and preconditioners on grids.
namespace hyperplane::test {
namespace {

/// Those of the library.
std::vector<int> some_block_sizes() {
  std::vector<int> sizes;
  for (int const n : {1, 2, 5}) {
    if (hyperplane_has_block_size(n) != 0) sizes.push_back(n);
  }
  return sizes;
}

/// A matrix of values that a float has, on one backend, with n unknowns per point, of one storage.
class CTransposes : public ::testing::TestWithParam<std::tuple<std::string, int, hyperplane_storage>> {
 protected:
  static constexpr auto invalid = HYPERPLANE_INVALID_ARGUMENT;
  int const n = std::get<1>(GetParam());
  hyperplane_storage const storage = std::get<2>(GetParam());
  Grid const grid{9, 5, 3};
  hyperplane_grid const c_grid{9, 5, 3};
  ReferenceStencil const reference = of_floats(random_stencil(grid, n));
  ReferenceStencil const adjoint = transposed_reference(reference);
  std::int64_t const rows = reference.rows();

  hyperplane_context context = nullptr;
  hyperplane_matrix a = nullptr, at = nullptr;
  hyperplane_vector b = nullptr, x = nullptr, y = nullptr;

  CTransposes() {
    EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_context_create(std::get<0>(GetParam()).c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_matrix_create(context, c_grid, n, storage, &a), HYPERPLANE_SUCCESS);
    for (auto* const vector : {&b, &x, &y}) {
      EXPECT_EQ(hyperplane_vector_create(context, c_grid, n, vector), HYPERPLANE_SUCCESS);
    }
    CSystem::set(a, values(), HYPERPLANE_ROW_MAJOR);
    EXPECT_EQ(hyperplane_matrix_transpose(a, &at), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  }
  ~CTransposes() override {
    for (void* handle : {static_cast<void*>(y), static_cast<void*>(x), static_cast<void*>(b), static_cast<void*>(at),
                         static_cast<void*>(a), static_cast<void*>(context)}) {
      hyperplane_free(handle);
    }
    EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
  }

  static ReferenceStencil of_floats(ReferenceStencil a) {
    for (auto& blocks : a.blocks) {
      for (auto& block : blocks) {
        for (int e = 0; e < a.n * a.n; ++e) {
          block(e / a.n, e % a.n) = static_cast<double>(static_cast<float>(block(e / a.n, e % a.n)));
        }
      }
    }
    return a;
  }
  std::vector<double> values() const {
    std::vector<double> result;
    for (auto const& blocks : reference.blocks) {
      for (auto const& block : blocks) {
        for (int e = 0; e < n * n; ++e) result.push_back(block(e / n, e % n));
      }
    }
    return result;
  }
  std::int64_t value_count() const { return rows * n * 7; }
  void set(hyperplane_vector vector, const std::vector<double>& from) const {
    EXPECT_EQ(hyperplane_vector_set(vector, from.data(), rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  }
  std::vector<double> get(hyperplane_vector vector) const {
    std::vector<double> result(static_cast<std::size_t>(rows));
    EXPECT_EQ(hyperplane_vector_get(vector, result.data(), rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    return result;
  }
  std::vector<double> product(hyperplane_matrix matrix, const std::vector<double>& from) const {
    set(x, from);
    EXPECT_EQ(hyperplane_matrix_apply(matrix, x, y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    return get(y);
  }

  hyperplane_preconditioner make(const std::string& name, std::string options) const {
    if (storage == HYPERPLANE_STORAGE_FLOAT) options += options.empty() ? "storage=float" : ",storage=float";
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_create_named(context, c_grid, n, name.c_str(), options.c_str(), &m),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return m;
  }
  static hyperplane_preconditioner transpose(hyperplane_preconditioner m) {
    hyperplane_preconditioner mt = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    return mt;
  }
  std::vector<double> solve(hyperplane_preconditioner m, const std::vector<double>& rhs) const {
    set(b, rhs);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, b, x), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    return get(x);
  }

  /// Calls use(name, options) for each preconditioner of Hyperplane that this block size has, in several ways.
  template <class Use>
  void for_each_preconditioner(const Use& use) const {
    for (auto const& each : c_preconditioners()) {
      if (each.kind > HYPERPLANE_BILU0 || n > each.description.largest_block_size) continue;
      std::vector<std::string> all{""};
      if (each.has_option("relaxation")) all.emplace_back("relaxation=1.2");
      if (each.has_option("alpha")) all.emplace_back("alpha=0.5");
      if (each.has_option("path")) all.emplace_back("path=portable");
      if (each.has_option("line_sweeps")) all.emplace_back("line_sweeps=2,line_directions=ikj");
      if (each.has_option("parts")) all.emplace_back("parts=2x2x1");
      if (each.name() == "ssor" || each.name() == "bilu0") all.emplace_back("parts=2x1x3,coupling=natural");
      if (each.has_option("parts") && each.name() != "jacobi") all.emplace_back("parts=1x2x2,coupling=coloured");
      for (auto const& options : all) use(each.name(), options);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, CTransposes,
                         ::testing::Combine(::testing::ValuesIn(c_backends()), ::testing::ValuesIn(some_block_sizes()),
                                            ::testing::Values(HYPERPLANE_STORAGE_DOUBLE, HYPERPLANE_STORAGE_FLOAT)),
                         [](const auto& made) {
                           return std::get<0>(made.param) + '_' + std::to_string(std::get<1>(made.param)) +
                                  (std::get<2>(made.param) == HYPERPLANE_STORAGE_FLOAT ? "_float" : "_double");
                         });

TEST_P(CTransposes, products_are_those_of_the_transposed_blocks) {
  auto const from = random_vector(rows, 3), rhs = random_vector(rows, 4);
  auto const expected = adjoint.apply(from);
  EXPECT_TRUE(near(product(at, from), expected, 1e-14));
  set(b, rhs);
  EXPECT_EQ(hyperplane_matrix_residual(at, b, x, y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  auto residual = rhs;
  for (std::size_t r = 0; r < rhs.size(); ++r) residual[r] -= expected[r];
  EXPECT_TRUE(near(get(y), residual, 1e-14));
  hyperplane_matrix back = nullptr;
  EXPECT_EQ(hyperplane_matrix_transpose(at, &back), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(product(back, from), product(a, from)));
  // The transpose follows the values, which stay while one of both does.
  CSystem::set(a, std::vector<double>(static_cast<std::size_t>(value_count()), 0.0), HYPERPLANE_ROW_MAJOR);
  EXPECT_TRUE(near(product(at, from), std::vector<double>(from.size(), 0.0), 0.0));
  CSystem::set(back, values(), HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_free(back), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
  a = nullptr;
  EXPECT_TRUE(near(product(at, from), expected, 1e-14));
}

TEST_P(CTransposes, a_transpose_has_no_blocks_of_its_own) {
  std::string const why = "the matrix is a transpose, which has no blocks of its own";
  std::vector<double> from(static_cast<std::size_t>(value_count()), 1.0);
  expect_failure(hyperplane_matrix_set(at, from.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST), invalid,
                 why);
  expect_failure(hyperplane_matrix_get(at, from.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST), invalid,
                 why);
  std::vector<std::int8_t> const mask(static_cast<std::size_t>(grid.size()), 1);
  expect_failure(hyperplane_matrix_mask(at, mask.data(), grid.size(), HYPERPLANE_HOST), invalid, why);
  int parts[3];
  expect_failure(hyperplane_matrix_choose_parts(at, 2, parts), invalid, why);
  auto* const m = make("bilu0", "");
  expect_failure(hyperplane_preconditioner_factor(m, at), invalid, why);
  EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
  hyperplane_matrix none = nullptr;
  expect_failure(hyperplane_matrix_transpose(a, nullptr), HYPERPLANE_NULL_POINTER, "transpose is NULL");
  expect_failure(hyperplane_matrix_transpose(nullptr, &none), HYPERPLANE_NULL_POINTER, "a is NULL");
}

TEST_P(CTransposes, every_preconditioner_has_its_transpose) {
  auto const u = random_vector(rows, 6), v = random_vector(rows, 7);
  for_each_preconditioner([&](const std::string& name, const std::string& options) {
    SCOPED_TRACE(name + ' ' + options);
    auto *const m = make(name, options), *const mt = transpose(m), *const back = transpose(mt);
    if (name != "identity") {
      expect_failure(hyperplane_preconditioner_solve(mt, b, x), invalid, "called before factor");
      expect_failure(hyperplane_preconditioner_check(mt), invalid, "called before factor");
      expect_failure(hyperplane_preconditioner_factor(mt, a), invalid,
                     "the preconditioner is a transpose: factor the one that it was made of");
    }
    EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_check(mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    auto const solved = solve(m, u);
    EXPECT_TRUE(bitwise_equal(solve(back, u), solved));
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(back), HYPERPLANE_SUCCESS);
    // Factors stay while one of both does.
    auto const adjoint_solved = solve(mt, v);
    // Of lines in several directions to the rounding of factors: the argument wants those of A.
    bool const is_rounded = storage == HYPERPLANE_STORAGE_FLOAT && name == "lines";
    EXPECT_TRUE(same_products(solved, v, u, adjoint_solved, is_rounded ? 1e-7 : 1e-13));
    // Two of them, in arrays and in vectors.
    auto two = v;
    two.insert(two.end(), v.begin(), v.end());
    EXPECT_EQ(hyperplane_preconditioner_solve_array(mt, 2, two.data(), two.data(), 2 * rows, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(std::vector<double>(two.begin() + rows, two.end()), adjoint_solved));
    hyperplane_vector const rhs[] = {b, b}, to[] = {x, y};
    EXPECT_EQ(hyperplane_preconditioner_solve_many(mt, 2, rhs, to), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(get(y), adjoint_solved));
    EXPECT_EQ(hyperplane_free(mt), HYPERPLANE_SUCCESS);
  });
}

TEST_P(CTransposes, every_method_solves_adjoint_systems) {
  auto const solution = random_vector(rows, 8);
  set(b, adjoint.apply(solution));
  for_each_preconditioner([&](const std::string& name, const std::string& options) {
    SCOPED_TRACE(name + ' ' + options);
    auto *const m = make(name, options), *const mt = transpose(m);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_measure(mt), HYPERPLANE_SUCCESS);
    for (int method = name == "identity" ? 1 : 0; method <= HYPERPLANE_FGCRODR; ++method) {
      hyperplane_krylov_options krylov_options;
      EXPECT_EQ(hyperplane_krylov_options_init(&krylov_options), HYPERPLANE_SUCCESS);
      krylov_options.method = static_cast<hyperplane_method>(method);
      krylov_options.tolerance = 1e-11;
      hyperplane_krylov krylov = nullptr;
      EXPECT_EQ(hyperplane_krylov_create(context, c_grid, n, &krylov_options, &krylov), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_vector_fill(x, 0.0), HYPERPLANE_SUCCESS);
      hyperplane_krylov_result result;
      EXPECT_EQ(hyperplane_krylov_solve(krylov, at, mt, b, x, &result), HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED) << method;
      EXPECT_TRUE(near(get(x), solution, 1e-8)) << method;
      EXPECT_EQ(hyperplane_free(krylov), HYPERPLANE_SUCCESS);
    }
    std::int64_t count = 0;
    EXPECT_EQ(hyperplane_preconditioner_seconds(mt, nullptr, 0, &count), HYPERPLANE_SUCCESS);
    EXPECT_GT(count, 0);
    EXPECT_EQ(hyperplane_preconditioner_seconds(m, nullptr, 0, &count), HYPERPLANE_SUCCESS);
    EXPECT_EQ(count, 0) << "times are of each by itself";
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(mt), HYPERPLANE_SUCCESS);
  });
}

TEST_P(CTransposes, masked_points_of_sip) {
  if (n > 1) GTEST_SKIP() << "SIP is for one unknown per point";
  std::vector<std::int8_t> mask(static_cast<std::size_t>(rows), 1);
  auto u = random_vector(rows, 9), v = random_vector(rows, 10);
  for (std::size_t const point : {0, 11, 47}) mask[point] = 0, u[point] = v[point] = 0.0;
  auto *const m = make("sip", ""), *const mt = transpose(m);
  EXPECT_EQ(hyperplane_preconditioner_factor_masked(m, a, mask.data(), rows, HYPERPLANE_HOST), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  expect_failure(hyperplane_preconditioner_factor_masked(mt, a, mask.data(), rows, HYPERPLANE_HOST), invalid,
                 "the preconditioner is a transpose");
  auto const solved = solve(mt, v);
  EXPECT_TRUE(same_products(solve(m, u), v, u, solved, 1e-13));
  EXPECT_EQ(solved[11], 0.0);
  EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(mt), HYPERPLANE_SUCCESS);
}

TEST_P(CTransposes, preconditioners_without_one_say_so) {
  auto const refused = [&](const std::string& name, const std::string& options, const std::string& why) {
    auto* const m = make(name, options);
    hyperplane_preconditioner mt = nullptr;
    expect_failure(hyperplane_preconditioner_transpose(m, &mt), invalid, why);
    EXPECT_EQ(mt, nullptr);
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
  };
  for (auto const& each : c_preconditioners()) {
    if (each.kind > HYPERPLANE_BILU0) refused(each.name(), "", "the preconditioner has no solve with its transpose");
  }
}

TEST_P(CTransposes, factorizations_that_fail_are_known_to_the_transpose) {
  auto zero_row = values();
  auto const point = grid.index(3, 2, 1);
  for (int d = 0; d < 7; ++d) {
    for (int c = 0; c < n; ++c) zero_row[static_cast<std::size_t>((point * 7 + d) * n * n + c)] = 0.0;
  }
  CSystem::set(a, zero_row, HYPERPLANE_ROW_MAJOR);
  auto *const m = make("bilu0", ""), *const mt = transpose(m);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_check(mt), HYPERPLANE_SINGULAR_PIVOT,
                 "singular pivot at point (3, 2, 1), equation 0");
  EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(mt), HYPERPLANE_SUCCESS);
}

}  // namespace
}  // namespace hyperplane::test
