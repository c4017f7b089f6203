// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>

#include <string>
#include <utility>
#include <vector>

#include "c/c_csr_in_cpp.hpp"
#include "support/matchers.hpp"
#include "support/views.hpp"

// DILU, SSOR and block Jacobi of general matrices, beside the classes that they are.
namespace hyperplane::test {
namespace {

TEST_P(CRows, relaxations_are_those_of_cpp) {
  using Dilu = DiluCsr<double, 2, Host>;
  using Ssor = SsorCsr<double, 2, Host>;
  using Jacobi = BlockJacobiCsr<double, 2, Host>;
  auto const b = random_vector(CRows::rows);
  set(m_b, b);
  auto const expect_same = [&](const std::vector<double>& found, const std::vector<double>& expected) {
    EXPECT_TRUE(are_same(GetParam(), found, expected, 1e-13));
  };
  auto const compare = [&](const std::string& name, const std::string& options, const auto& expected) {
    auto* const m = make(name, options + (options.empty() ? "" : ",") + "transposed=1");
    hyperplane_preconditioner mt = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_transpose(m, &mt), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    factor(m);
    EXPECT_EQ(hyperplane_preconditioner_solve(mt, m_b, m_x), HYPERPLANE_SUCCESS);
    expect_same(get(m_x), expected(true));
    hyperplane_free(mt);
    expect_same(solved(m), expected(false));
  };
  std::vector<std::pair<std::string, RowOrder>> const orders{{"", RowOrder::natural},
                                                             {"order=rcm", RowOrder::rcm},
                                                             {"order=colours", RowOrder::colours},
                                                             {"order=lines", RowOrder::lines}};
  for (auto const& [text, order] : orders) {
    DiluCsrOptions dilu{.order = order, .transposed = true};
    compare("dilu", text, [&](bool transposed) { return solve_in_cpp<Dilu>(mesh, dilu, b, transposed); });
    SsorCsrOptions ssor{.relaxation = 1.25, .order = order, .transposed = true};
    compare("ssor", (text.empty() ? "" : text + ",") + "relaxation=1.25",
            [&](bool transposed) { return solve_in_cpp<Ssor>(mesh, ssor, b, transposed); });
  }
  for (auto const& [text, relaxation] :
       std::vector<std::pair<std::string, double>>{{"", 1}, {"relaxation=0.75", 0.75}}) {
    compare("jacobi", text,
            [&](bool transposed) { return solve_in_cpp<Jacobi>(mesh, {.relaxation = relaxation}, b, transposed); });
  }
}

TEST_P(CRows, relaxations_of_the_struct_are_those_by_name) {
  set(m_b, random_vector(CRows::rows));
  auto options = standard_options();
  options.kind = HYPERPLANE_CSR_SSOR;
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), solved(make("ssor", ""))));
  options.relaxation = 0.5;
  auto const under = solved(make(&options));
  EXPECT_TRUE(bitwise_equal(under, solved(make("ssor", "relaxation=0.5"))));
  EXPECT_FALSE(bitwise_equal(under, solved(make("ssor", "relaxation=1"))));
  options.order = HYPERPLANE_ORDER_RCM;
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), solved(make("ssor", "relaxation=0.5,order=rcm"))));
  options = standard_options();
  options.kind = HYPERPLANE_CSR_JACOBI;
  options.relaxation = 1.5;
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), solved(make("jacobi", "relaxation=1.5"))));
  options = standard_options();
  options.kind = HYPERPLANE_CSR_DILU;
  options.order = HYPERPLANE_ORDER_COLOURS;
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), solved(make("dilu", "order=colours"))));
  options.order = HYPERPLANE_ORDER_LINES;
  EXPECT_TRUE(bitwise_equal(solved(make(&options)), solved(make("dilu", "order=lines"))));
}

// What they solve with is the matrix that they were factored with, as long as they live.
TEST_P(CRows, relaxations_keep_the_matrix_that_they_read) {
  auto const b = random_vector(CRows::rows);
  set(m_b, b);
  for (std::string const name : {"dilu", "ssor"}) {
    auto const expected = solved(make(name, ""));
    auto const csr = mesh.csr();
    hyperplane_matrix other = nullptr;
    EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &other), HYPERPLANE_SUCCESS);
    auto* const m = make(name, "");
    EXPECT_EQ(hyperplane_preconditioner_factor(m, other), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_free(other), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, m_b, m_x), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(get(m_x), expected)) << name;
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
  }
}

TEST_P(CRows, options_that_a_kind_does_not_have_are_refused) {
  auto const refused = [&](hyperplane_csr_preconditioner_kind kind, auto change, const std::string& message) {
    auto options = standard_options();
    options.kind = kind;
    change(options);
    hyperplane_preconditioner m = nullptr;
    expect_failure(hyperplane_csr_preconditioner_create(m_a, &options, &m), HYPERPLANE_INVALID_ARGUMENT, message);
    EXPECT_EQ(m, nullptr);
  };
  using Options = hyperplane_csr_preconditioner_options;
  refused(HYPERPLANE_CSR_BILU0, [](Options& o) { o.fill = 2; }, "bilu0 has no option 'fill'");
  refused(HYPERPLANE_CSR_ILUT, [](Options& o) { o.fill = 0; }, "ilut has no option 'fill'");
  refused(HYPERPLANE_CSR_ILUK, [](Options& o) { o.drop_tolerance = 0.5; }, "iluk has no option 'drop_tolerance'");
  refused(HYPERPLANE_CSR_DILU, [](Options& o) { o.row_entries = 5; }, "dilu has no option 'row_entries'");
  refused(HYPERPLANE_CSR_DILU, [](Options& o) { o.relaxation = 1.5; }, "dilu has no option 'relaxation'");
  refused(HYPERPLANE_CSR_JACOBI, [](Options& o) { o.order = HYPERPLANE_ORDER_RCM; }, "jacobi has no option 'order'");
  refused(HYPERPLANE_CSR_IDENTITY, [](Options& o) { o.transposed = 1; }, "identity has no option 'transposed'");
  refused(
      HYPERPLANE_CSR_SSOR, [](Options& o) { o.relaxation = 2.0; },
      "relaxation is 2, expected more than 0 and less than 2");
  refused(
      HYPERPLANE_CSR_JACOBI, [](Options& o) { o.relaxation = 0.0; },
      "relaxation is 0, expected more than 0 and less than 2");
}

}  // namespace
}  // namespace hyperplane::test
