// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/ilu/block_ilut_csr.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "c/c_csr_fixture.hpp"
#include "support/matchers.hpp"

// What functions of compressed rows refuse, and what they say of themselves.
namespace hyperplane::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Backends, CRows, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

constexpr auto invalid = HYPERPLANE_INVALID_ARGUMENT;

TEST_P(CRows, structures_that_cannot_be_are_named) {
  auto const refused = [&](auto change, hyperplane_status status, const std::string& message) {
    auto copy = mesh;
    auto csr = copy.csr();
    change(copy, csr);
    hyperplane_matrix a = nullptr;
    expect_failure(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &a), status, message);
    EXPECT_EQ(a, nullptr);
  };
  auto const null = HYPERPLANE_NULL_POINTER;
  refused([](CMesh&, hyperplane_csr& c) { c.struct_size = 0; }, invalid, "hyperplane_csr_init");
  refused([](CMesh&, hyperplane_csr& c) { c.row_offsets = nullptr; }, null, "row_offsets is NULL");
  refused([](CMesh&, hyperplane_csr& c) { c.columns = nullptr; }, null, "columns is NULL");
  refused([](CMesh&, hyperplane_csr& c) { c.rows = 0; }, invalid, "rows is 0, expected 1 to 2147483647");
  refused([](CMesh&, hyperplane_csr& c) { c.rows = std::int64_t{1} << 31; }, invalid, "rows is 2147483648");
  refused([](CMesh&, hyperplane_csr& c) { c.entries = -1; }, invalid, "entries is -1");
  refused([](CMesh&, hyperplane_csr& c) { c.block_size = 17; }, HYPERPLANE_NOT_AVAILABLE,
          "block size: 17 is not in this build");
  refused([](CMesh&, hyperplane_csr& c) { c.block_size = 0; }, HYPERPLANE_SIZE_MISMATCH, "block_size is 0, expected 1");
  auto const entries = mesh.columns.size();
  auto const last = "row_offsets[30] is " + std::to_string(entries) + ", expected entries, ";
  refused([](CMesh&, hyperplane_csr& c) { c.entries -= 1; }, invalid, last + std::to_string(entries - 1));
  // So many columns nobody may read.
  refused([](CMesh&, hyperplane_csr& c) { c.entries = std::int64_t{1} << 60; }, invalid, last + "1152921504606846976");
  refused([](CMesh& m, hyperplane_csr&) { m.offsets[0] = 1; }, invalid, "row_offsets[0] is 1, expected 0");
  refused([](CMesh& m, hyperplane_csr&) { m.offsets[7] = -1; }, invalid, "and row_offsets[7] is -1, expected rising");
  refused([](CMesh& m, hyperplane_csr&) { m.columns[2] = 30; }, invalid,
          "columns[2], of row 0, is 30, expected 0 to 29");
  auto const csr = mesh.csr();
  hyperplane_matrix a = nullptr;
  expect_failure(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_DEVICE, &a), invalid, "device memory");
  expect_failure(hyperplane_csr_matrix_create(context, nullptr, HYPERPLANE_HOST, &a), null, "csr is NULL");
  expect_failure(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, nullptr), null, "matrix is NULL");
}

TEST_P(CRows, other_structures_than_before_are_named) {
  auto copy = mesh;
  auto csr = copy.csr();
  std::swap(copy.columns[static_cast<std::size_t>(copy.offsets[5])],
            copy.columns[static_cast<std::size_t>(copy.offsets[5]) + 1]);
  expect_failure(hyperplane_matrix_set_csr(m_a, &csr, HYPERPLANE_HOST), invalid,
                 "row 5 has other columns, or in another order, than the matrix was created with");
  csr.rows = 29;
  expect_failure(hyperplane_matrix_set_csr(m_a, &csr, HYPERPLANE_HOST), HYPERPLANE_SIZE_MISMATCH,
                 "there are 29 rows of blocks of 2, expected 30 of blocks of 2");
  // A preconditioner is of the structure that it was made for.
  csr.rows = 30;
  hyperplane_matrix other = nullptr;
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &other), HYPERPLANE_SUCCESS);
  auto* const m = make("iluk", "");
  expect_failure(hyperplane_preconditioner_factor(m, other), invalid, "row 5 of A has other columns");
  hyperplane_free(m);
  hyperplane_free(other);
}

TEST_P(CRows, preconditioners_name_rows_that_cannot_be_factored) {
  auto const refused = [&](auto change, const std::string& message) {
    auto copy = mesh;
    change(copy.columns);
    auto const csr = copy.csr();
    hyperplane_matrix a = nullptr;
    EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &a), HYPERPLANE_SUCCESS);
    hyperplane_preconditioner m = nullptr;
    expect_failure(hyperplane_csr_preconditioner_create(a, nullptr, &m), invalid, message);
    EXPECT_EQ(m, nullptr);
    hyperplane_free(a);
  };
  refused([&](auto& columns) { columns[1] = columns[0]; }, "row 0 has column 0 twice");
  auto const first = mesh.columns.begin() + mesh.offsets[4];
  auto const at = std::find(first, mesh.columns.end(), 4) - mesh.columns.begin();
  refused([&](auto& columns) { columns[static_cast<std::size_t>(at)] = 29; }, "row 4 has no diagonal block");
  hyperplane_matrix transposed = nullptr;
  EXPECT_EQ(hyperplane_matrix_transpose(m_a, &transposed), HYPERPLANE_SUCCESS);
  hyperplane_preconditioner m = nullptr;
  expect_failure(hyperplane_csr_preconditioner_create(transposed, nullptr, &m), invalid, "the matrix is a transpose");
  hyperplane_free(transposed);
}

TEST_P(CRows, options_that_cannot_be_are_named) {
  auto const refused = [&](auto change, hyperplane_status status, const std::string& message) {
    auto options = standard_options();
    options.kind = HYPERPLANE_CSR_ILUK;
    change(options);
    hyperplane_preconditioner m = nullptr;
    expect_failure(hyperplane_csr_preconditioner_create(m_a, &options, &m), status, message);
    EXPECT_EQ(m, nullptr);
  };
  using Options = hyperplane_csr_preconditioner_options;
  refused([](Options& o) { o.struct_size = 0; }, invalid, "hyperplane_csr_preconditioner_options_init");
  refused([](Options& o) { o.kind = static_cast<hyperplane_csr_preconditioner_kind>(8); }, invalid,
          "kind is 8, expected 0 to 7");
  refused([](Options& o) { o.fill = -1; }, invalid, "fill is -1, expected 0 or more");
  refused([](Options& o) { o.order = static_cast<hyperplane_row_order>(5); }, invalid, "order is 5, expected 0 to 4");
  refused([](Options& o) { o.order = HYPERPLANE_ORDER_GIVEN; }, HYPERPLANE_NULL_POINTER, "given_order is NULL");
  refused([](Options& o) { o.transposed = 2; }, invalid, "transposed is 2, expected 0 to 1");
  std::vector<int> const same(points, 3);
  refused(
      [&](Options& o) {
        o.order = HYPERPLANE_ORDER_GIVEN;
        o.given_order = same.data();
        o.given_count = points;
      },
      invalid, "given_order[1] is 3, which comes twice");
  refused(
      [&](Options& o) {
        o.order = HYPERPLANE_ORDER_GIVEN;
        o.given_order = same.data();
        o.given_count = points - 1;
      },
      HYPERPLANE_SIZE_MISMATCH, "given_count is 29, expected 30");
  refused([&](Options& o) { o.given_order = same.data(); }, invalid, "given_order is set, but order is 0");
  auto const refused_by_name = [&](const char* name, const char* options, const std::string& message) {
    hyperplane_preconditioner m = nullptr;
    expect_failure(hyperplane_csr_preconditioner_create_named(m_a, name, options, &m), invalid, message);
  };
  refused_by_name("sip", "", "there is no preconditioner 'sip', but: identity, jacobi, ssor, dilu, bilu0, iluk, ilut");
  refused_by_name("bilu0", "fill=1", "bilu0 has no option 'fill'");
  refused_by_name("iluk", "fill=-2", "fill is -2, expected 0 or more");
  refused_by_name("iluk", "fill=much", "fill is 'much', expected a whole number");
  refused_by_name("iluk", "order=given", "order is 'given', expected one of natural|rcm|colours|lines");
  refused_by_name("iluk", "transposed=2", "transposed is 2, expected 0 or 1");
  refused_by_name("iluk", "rcm", "'rcm' is not of the form option=value");
}

TEST_P(CRows, thresholds_that_cannot_be_are_named) {
  auto const refused = [&](double drop_tolerance, int row_entries, const std::string& message) {
    auto options = standard_options();
    options.kind = HYPERPLANE_CSR_ILUT;
    options.drop_tolerance = drop_tolerance;
    options.row_entries = row_entries;
    hyperplane_preconditioner m = nullptr;
    expect_failure(hyperplane_csr_preconditioner_create(m_a, &options, &m), invalid, message);
    EXPECT_EQ(m, nullptr);
  };
  using Limits = std::numeric_limits<double>;
  refused(-0.5, 20, "drop_tolerance is -0.5, expected a finite number, 0 or more");
  refused(Limits::infinity(), 20, "drop_tolerance is inf, expected a finite number, 0 or more");
  refused(Limits::quiet_NaN(), 20, "drop_tolerance is nan, expected a finite number, 0 or more");
  refused(0.0, -1, "row_entries is -1, expected 0 or more");
  auto const refused_by_name = [&](const char* name, const char* options, const std::string& message) {
    hyperplane_preconditioner m = nullptr;
    expect_failure(hyperplane_csr_preconditioner_create_named(m_a, name, options, &m), invalid, message);
    EXPECT_EQ(m, nullptr);
  };
  refused_by_name("ilut", "drop_tolerance=-1", "drop_tolerance is -1, expected a finite number, 0 or more");
  refused_by_name("ilut", "drop_tolerance=inf", "drop_tolerance is inf, expected a finite number, 0 or more");
  refused_by_name("ilut", "drop_tolerance=little", "drop_tolerance is 'little', expected a number");
  refused_by_name("ilut", "row_entries=-3", "row_entries is -3, expected 0 or more");
  refused_by_name("ilut", "row_entries=2.5", "row_entries is '2.5', expected a whole number");
  refused_by_name("ilut", "order=given", "order is 'given', expected one of natural|rcm|colours|lines");
  refused_by_name("ilut", "transposed=2", "transposed is 2, expected 0 or 1");
  refused_by_name("ilut", "fill=1", "ilut has no option 'fill'");
  refused_by_name("iluk", "drop_tolerance=0.1", "iluk has no option 'drop_tolerance'");
  refused_by_name("bilu0", "row_entries=5", "bilu0 has no option 'row_entries'");
}

TEST_P(CRows, grids_and_rows_do_not_meet) {
  CSystem const system(GetParam());
  auto const other = "of other points (of a grid or of compressed rows)";
  expect_failure(hyperplane_matrix_apply(m_a, system.b, m_x), invalid, other);
  expect_failure(hyperplane_matrix_apply(system.a, system.b, m_x), invalid, other);
  auto* const m = make("bilu0", "");
  expect_failure(hyperplane_preconditioner_factor(m, system.a), invalid, other);
  expect_failure(hyperplane_preconditioner_factor(system.m, m_a), invalid, other);
  hyperplane_krylov_result result;
  expect_failure(hyperplane_krylov_solve(system.krylov, m_a, nullptr, system.b, system.x, &result), invalid, other);
  auto* const krylov = make_krylov(HYPERPLANE_BICGSTAB);
  expect_failure(hyperplane_krylov_solve(krylov, m_a, m, m_b, m_x, &result), invalid, "called before factor");
  factor(m);
  expect_failure(hyperplane_krylov_solve(krylov, system.a, m, m_b, m_x, &result), invalid, other);
  hyperplane_matrix at = nullptr;
  EXPECT_EQ(hyperplane_matrix_transpose(system.a, &at), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_matrix_apply(at, m_b, m_x), invalid, other);
  hyperplane_preconditioner none = nullptr;
  expect_failure(hyperplane_csr_preconditioner_create(at, nullptr, &none), invalid, other);
  hyperplane_free(at);

  std::vector<std::int8_t> const mask(points, 1);
  auto const of_grids = "of vectors and matrices on grids";
  expect_failure(hyperplane_vector_mask(m_b, mask.data(), points, HYPERPLANE_HOST), invalid, of_grids);
  expect_failure(hyperplane_matrix_mask(m_a, mask.data(), points, HYPERPLANE_HOST), invalid, of_grids);
  expect_failure(hyperplane_preconditioner_factor_masked(m, m_a, mask.data(), points, HYPERPLANE_HOST), invalid,
                 of_grids);
  int parts[3];
  expect_failure(hyperplane_matrix_choose_parts(m_a, 2, parts), invalid, of_grids);
  hyperplane_free(krylov);
  hyperplane_free(m);
}

TEST_P(CRows, sizes_that_differ_are_named) {
  hyperplane_vector shorter = nullptr;
  EXPECT_EQ(hyperplane_csr_vector_create(context, points - 1, n, &shorter), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_matrix_apply(m_a, shorter, m_x), HYPERPLANE_SIZE_MISMATCH,
                 "x is 29 points x 2, expected 30 points x 2");
  expect_failure(hyperplane_vector_set(shorter, mesh.values.data(), rows, HYPERPLANE_HOST), HYPERPLANE_SIZE_MISMATCH,
                 "count is 60, expected 58");
  expect_failure(hyperplane_matrix_apply(m_a, m_x, m_x), invalid, "the result must not be x");
  hyperplane_vector vector = nullptr;
  expect_failure(hyperplane_csr_vector_create(context, 0, n, &vector), invalid, "points is 0, expected 1 to");
  expect_failure(hyperplane_csr_vector_create(context, 1, 17, &vector), HYPERPLANE_NOT_AVAILABLE, "block size: 17");
  hyperplane_krylov krylov = nullptr;
  expect_failure(hyperplane_csr_krylov_create(context, -1, n, nullptr, &krylov), invalid, "points is -1");
  EXPECT_EQ(hyperplane_csr_krylov_create(context, points, 1, nullptr, &krylov), HYPERPLANE_SUCCESS);
  hyperplane_krylov_result result;
  expect_failure(hyperplane_krylov_solve(krylov, m_a, nullptr, m_b, m_x, &result), HYPERPLANE_SIZE_MISMATCH,
                 "A is 30 points x 2, expected 30 points x 1");
  hyperplane_free(krylov);
  hyperplane_free(shorter);
}

std::string words_of(const std::string& file) {
  std::ifstream stream(std::string(HYPERPLANE_SOURCE_DIR "/") + file);
  EXPECT_TRUE(stream) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(CRowsTable, describes_what_c_and_fortran_have) {
  auto const c = words_of("include/hyperplane_csr.h");
  auto const fortran = words_of("src/fortran/hyperplane_preconditioners.f90");
  auto const names = c_names(hyperplane_csr_preconditioners());
  EXPECT_EQ(names, (std::vector<std::string>{"identity", "jacobi", "ssor", "dilu", "bilu0", "iluk", "ilut", "lines"}));
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    auto upper = names[kind];
    std::ranges::transform(upper, upper.begin(), [](unsigned char letter) { return std::toupper(letter); });
    auto const constant = "HYPERPLANE_CSR_" + upper + " = " + std::to_string(kind);
    EXPECT_THAT(c, ::testing::HasSubstr(constant));
    EXPECT_THAT(fortran, ::testing::HasSubstr(constant));
    hyperplane_preconditioner_description description;
    EXPECT_EQ(
        hyperplane_csr_preconditioner_describe(static_cast<hyperplane_csr_preconditioner_kind>(kind), &description),
        HYPERPLANE_SUCCESS);
    EXPECT_EQ(description.name, names[kind]);
    for (int o = 0; o < description.option_count; ++o) {
      std::string const option = description.options[o].name;
      EXPECT_THAT(c, ::testing::ContainsRegex(" " + option + "; +/\\*")) << option;
      EXPECT_THAT(fortran, ::testing::HasSubstr("if (present(" + option + "))"));
    }
  }
  hyperplane_preconditioner_description description;
  expect_failure(
      hyperplane_csr_preconditioner_describe(static_cast<hyperplane_csr_preconditioner_kind>(8), &description), invalid,
      "kind is 8, expected 0 to 7");
  expect_failure(hyperplane_csr_preconditioner_describe(HYPERPLANE_CSR_ILUK, nullptr), HYPERPLANE_NULL_POINTER,
                 "description is NULL");
  EXPECT_EQ(hyperplane_csr_preconditioner_describe(HYPERPLANE_CSR_ILUK, &description), HYPERPLANE_SUCCESS);
  EXPECT_STREQ(description.options[0].name, "fill");
  EXPECT_STREQ(description.options[0].standard, "1");
  EXPECT_EQ(description.options[0].least, 0.0);
  EXPECT_STREQ(description.options[1].choices, "natural|rcm|colours|lines");
}

TEST(CRowsTable, describes_thresholds_with_the_defaults_of_cpp) {
  hyperplane_csr_preconditioner_options options;
  EXPECT_EQ(hyperplane_csr_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  BlockIlutCsrOptions const standard;
  EXPECT_EQ(options.drop_tolerance, standard.drop_tolerance);
  EXPECT_EQ(options.row_entries, standard.row_entries);
  hyperplane_preconditioner_description description;
  EXPECT_EQ(hyperplane_csr_preconditioner_describe(HYPERPLANE_CSR_ILUT, &description), HYPERPLANE_SUCCESS);
  auto const& drop_tolerance = description.options[0];
  EXPECT_STREQ(drop_tolerance.name, "drop_tolerance");
  EXPECT_STREQ(drop_tolerance.standard, "0.01");
  EXPECT_EQ(drop_tolerance.type, HYPERPLANE_OPTION_REAL);
  EXPECT_EQ(drop_tolerance.least, 0.0);
  EXPECT_EQ(drop_tolerance.above_least, 0);
  auto const& row_entries = description.options[1];
  EXPECT_STREQ(row_entries.name, "row_entries");
  EXPECT_STREQ(row_entries.standard, "20");
  EXPECT_EQ(row_entries.type, HYPERPLANE_OPTION_INTEGER);
  EXPECT_EQ(row_entries.least, 0.0);
}

}  // namespace
}  // namespace hyperplane::test
