// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/csr/lines_along_couplings.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "c/c_columns.hpp"
#include "c/c_csr_in_cpp.hpp"
#include "support/matchers.hpp"
#include "support/views.hpp"

// The line-implicit iteration of general matrices, beside the class that it is.
namespace hyperplane::test {
namespace {

using Iteration = LineImplicitCsr<double, 2, Host>;
using Lists = std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>;

// Of neighbours and of others, against the numbers too; points 1, 10 and others are on no line.
const Lists some_lines{{0, 4, 5, 10}, {0, 3, 24, 25, 7, 22, 21, 20, 19, 18}};
const Lists no_lines{{0}, {}};

hyperplane_csr_preconditioner_options with_lines(const Lists& lists) {
  hyperplane_csr_preconditioner_options options;
  EXPECT_EQ(hyperplane_csr_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.kind = HYPERPLANE_CSR_LINES;
  options.line_offsets = lists.first.data();
  options.line_count = static_cast<std::int64_t>(lists.first.size()) - 1;
  options.line_points = lists.second.data();
  options.line_point_count = static_cast<std::int64_t>(lists.second.size());
  return options;
}

/// Without lists the lines are found along couplings that are so strong.
std::vector<double> in_cpp(const CMesh& mesh, const Lists* lists, double strong, const LineImplicitOptions& options,
                           const std::vector<double>& b, bool transposed) {
  Host const exec;
  auto const a = in_cpp(exec, mesh);
  auto const found = lists == nullptr ? lines_along_couplings(exec, a, {.strong = strong})
                                      : CouplingLines{lists->first, lists->second};
  Iteration plan(exec, a, LineSet::lists(a.rows(), found.offsets, found.points), options);
  plan.factor(exec, a);
  auto const x = to_view<double>(exec, b);
  transposed ? plan.solve_transposed(exec, x, x) : plan.solve(exec, x, x);
  return to_host(x);
}

TEST_P(CRows, lines_are_those_of_cpp) {
  auto const b = random_vector(CRows::rows);
  set(m_b, b);
  // Lines are cut for the number of threads, which is that of the backend.
  auto const compare = [&](auto options, const Lists* lists) {
    options.transposed = 1;
    auto* const m = make(&options);
    hyperplane_preconditioner mt = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    factor(m);
    EXPECT_EQ(hyperplane_preconditioner_solve(mt, m_b, m_x), HYPERPLANE_SUCCESS);
    auto const expected = [&](bool transposed) {
      LineImplicitOptions const in_class{
          .sweeps = options.line_sweeps, .relaxation = options.relaxation, .transposed = true};
      return in_cpp(mesh, lists, options.strong_coupling, in_class, b, transposed);
    };
    EXPECT_TRUE(near(get(m_x), expected(true), 1e-13)) << options.line_sweeps;
    hyperplane_free(mt);
    EXPECT_TRUE(near(solved(m), expected(false), 1e-13)) << options.line_sweeps;
  };
  for (int const sweeps : {1, 3}) {
    for (auto const* lists : {&some_lines, &no_lines}) {
      auto options = with_lines(*lists);
      options.line_sweeps = sweeps;
      options.relaxation = sweeps == 1 ? 1.0 : 0.75;
      compare(options, lists);
    }
    auto options = standard_options();
    options.kind = HYPERPLANE_CSR_LINES;
    options.line_sweeps = sweeps;
    options.strong_coupling = sweeps == 1 ? 2.0 : 1.0;
    compare(options, nullptr);
  }
}

TEST_P(CRows, lines_of_the_struct_are_those_by_name) {
  set(m_b, random_vector(CRows::rows));
  auto options = standard_options();
  options.kind = HYPERPLANE_CSR_LINES;
  auto const standard = solved(make(&options));
  EXPECT_TRUE(bitwise_equal(solved(make("lines", "")), standard));
  EXPECT_TRUE(bitwise_equal(solved(make("lines", "line_sweeps=1,relaxation=1,strong_coupling=2")), standard));
  options.strong_coupling = 1.0;
  options.line_sweeps = 2;
  options.relaxation = 0.875;
  auto const other = solved(make(&options));
  EXPECT_TRUE(bitwise_equal(solved(make("lines", "strong_coupling=1,line_sweeps=2,relaxation=0.875")), other));
  EXPECT_FALSE(bitwise_equal(solved(make("lines", "line_sweeps=2,relaxation=0.875")), other));
  // Where nothing is as strong, and where no line is given, points are lines of their own.
  EXPECT_TRUE(near(solved(make("lines", "strong_coupling=1e9")), solved(make("jacobi", "")), 1e-14));
  options = with_lines(no_lines);
  EXPECT_TRUE(near(solved(make(&options)), solved(make("jacobi", "")), 1e-14));
}

// Lists may be given up when the preconditioner is there, and what it solves with lives as long as it does.
TEST_P(CRows, lines_keep_lists_and_the_matrix) {
  set(m_b, random_vector(CRows::rows));
  auto lists = some_lines;
  auto options = with_lines(lists);
  options.line_sweeps = 2;
  auto const expected = solved(make(&options));
  auto* const m = make(&options);
  std::ranges::fill(lists.first, -1);
  std::ranges::fill(lists.second, -1);
  auto const csr = mesh.csr();
  hyperplane_matrix other = nullptr;
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &other), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, other), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_free(other), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve(m, m_b, m_x), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(get(m_x), expected));
  hyperplane_free(m);
}

TEST_P(CRows, lines_solve_adjoint_systems_and_columns) {
  hyperplane_matrix at = nullptr;
  EXPECT_EQ(hyperplane_matrix_transpose(m_a, &at), HYPERPLANE_SUCCESS);
  auto options = with_lines(some_lines);
  options.line_sweeps = 2;
  options.transposed = 1;
  auto* const m = make(&options);
  hyperplane_preconditioner mt = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  expect_failure(hyperplane_preconditioner_solve(mt, m_b, m_x), HYPERPLANE_INVALID_ARGUMENT, "called before factor");
  factor(m);
  expect_solved(m, HYPERPLANE_RICHARDSON, false);
  expect_solved(mt, HYPERPLANE_FGMRES, true, at);
  auto* const krylov = make_krylov(HYPERPLANE_BICGSTAB);
  auto const columns = [](unsigned seed) { return random_vector(std::int64_t{3} * CRows::rows, seed); };
  for (bool const transposed : {false, true}) {
    expect_columns_as_alone(krylov, transposed ? at : m_a, transposed ? mt : m, columns(3), columns(30), 3, 4, 1e-8,
                            [&](const std::vector<double>& x) { return mesh.apply(x, transposed); });
  }
  hyperplane_free(krylov);
  hyperplane_free(m);
  hyperplane_free(mt);
  hyperplane_free(at);
  auto* const plain = make("lines", "");
  expect_failure(hyperplane_preconditioner_transpose(plain, &mt), HYPERPLANE_INVALID_ARGUMENT,
                 "made without the option transposed");
  hyperplane_free(plain);
}

TEST_P(CRows, lines_that_fail_name_line_and_point) {
  auto const options = with_lines(some_lines);
  auto* const m = make(&options);
  // Point 24 is the third of the first line; 29 is on none, and comes as a line of its own.
  auto const expect_message = [&](int row, double value, hyperplane_status status, const std::string& message) {
    auto values = mesh.values;
    for (auto block = mesh.offsets[row]; block < mesh.offsets[row + 1]; ++block) {
      std::fill_n(values.begin() + std::int64_t{block} * 4, 2, value);
    }
    EXPECT_EQ(hyperplane_matrix_set(m_a, values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, m_a), HYPERPLANE_SUCCESS);
    expect_failure(hyperplane_preconditioner_check(m), status, message);
  };
  expect_message(24, 0.0, HYPERPLANE_SINGULAR_PIVOT, "on line 0 at position 2, point 24, equation 0");
  expect_message(29, 0.0, HYPERPLANE_SINGULAR_PIVOT, "on line 22 at position 0, point 29, equation 0");
  expect_message(24, std::numeric_limits<double>::infinity(), HYPERPLANE_NOT_FINITE,
                 "on line 0 at position 2, point 24");
  EXPECT_EQ(hyperplane_matrix_set(m_a, mesh.values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  factor(m);
  // Of another structure than the preconditioner was made for.
  CMesh other(CRows::points);
  std::swap(other.columns[4], other.columns[5]);
  auto const csr = other.csr();
  hyperplane_matrix b = nullptr;
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &b), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_factor(m, b), HYPERPLANE_INVALID_ARGUMENT, "row 1");
  hyperplane_free(b);
  hyperplane_free(m);
}

TEST_P(CRows, lines_that_cannot_be_are_named) {
  auto const invalid = HYPERPLANE_INVALID_ARGUMENT, mismatch = HYPERPLANE_SIZE_MISMATCH;
  using Options = hyperplane_csr_preconditioner_options;
  auto const refused = [&](const Lists& lists, auto change, hyperplane_status status, const std::string& message) {
    auto options = with_lines(lists);
    change(options);
    hyperplane_preconditioner m = nullptr;
    expect_failure(hyperplane_csr_preconditioner_create(m_a, &options, &m), status, message);
    EXPECT_EQ(m, nullptr);
  };
  auto const as_it_is = [](Options&) {};
  refused({{0, 2}, {3, 3}}, as_it_is, invalid, "point 3 is on line 0 and on line 0");
  refused({{0, 2}, {3, 30}}, as_it_is, invalid, "point 30 of line 0 is not between 0 and 29");
  refused({{0, 2, 2}, {3, 4}}, as_it_is, invalid, "line 1 has no point");
  refused({{0, 3}, {3, 4}}, as_it_is, invalid, "the last offset is 3, but 2 points are listed");
  refused(some_lines, [](Options& o) { o.line_count = -1; }, invalid, "line_count is -1");
  refused(
      some_lines, [](Options& o) { o.line_point_count = 31; }, mismatch, "line_point_count is 31, expected 0 to 30");
  // Nothing is read of offsets that cannot be.
  refused(
      some_lines, [](Options& o) { o.line_count = std::numeric_limits<std::int64_t>::max(); }, mismatch,
      "line_count is 9223372036854775807, expected 0 to line_point_count, which is ");
  refused(some_lines, [](Options& o) { o.line_points = nullptr; }, HYPERPLANE_NULL_POINTER, "line_points is NULL");
  refused(some_lines, [](Options& o) { o.line_offsets = nullptr; }, HYPERPLANE_NULL_POINTER, "line_offsets is NULL");
  refused(
      some_lines, [](Options& o) { o.kind = HYPERPLANE_CSR_JACOBI; }, invalid,
      "lines are given, but kind is 1, not HYPERPLANE_CSR_LINES");
  refused(
      some_lines, [](Options& o) { o.strong_coupling = 3.0; }, invalid,
      "strong_coupling is 3, but line_offsets is set, so that no lines are found");
  refused(some_lines, [](Options& o) { o.line_sweeps = 0; }, invalid, "sweeps is 0, expected 1 or more");
  refused(
      some_lines, [](Options& o) { o.relaxation = 2.0; }, invalid,
      "relaxation is 2, expected more than 0 and less than 2");
  refused(some_lines, [](Options& o) { o.order = HYPERPLANE_ORDER_RCM; }, invalid, "lines has no option 'order'");
  refused(some_lines, [](Options& o) { o.pivot_shift = 0.5; }, invalid, "lines has no option 'pivot_shift'");
  refused(
      some_lines, [](Options& o) { o.storage = HYPERPLANE_STORAGE_HALF; }, invalid,
      "storage is 'half', which lines has not, but");
  auto const refused_by_name = [&](const char* name, const char* options, const std::string& message) {
    hyperplane_preconditioner m = nullptr;
    expect_failure(hyperplane_csr_preconditioner_create_named(m_a, name, options, &m), invalid, message);
  };
  for (std::string const value : {"0.5", "inf", "nan"}) {
    refused_by_name("lines", ("strong_coupling=" + value).c_str(),
                    "strong_coupling is " + value + ", expected a finite number, 1 or more");
  }
  refused_by_name("jacobi", "line_sweeps=2", "jacobi has no option 'line_sweeps'");
  std::vector<double> const zeros(mesh.values.size(), 0.0);
  EXPECT_EQ(hyperplane_matrix_set(m_a, zeros.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  refused_by_name("lines", "", "all values of A are 0, and lines follow the largest norms of blocks");
}

}  // namespace
}  // namespace hyperplane::test
