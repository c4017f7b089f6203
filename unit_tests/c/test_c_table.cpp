// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// The table of preconditioners as C has it, and that everything else which names them agrees with it.
namespace hyperplane::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class CTable : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};

  hyperplane_status make(const std::string& name, const std::string& options, hyperplane_preconditioner* m,
                         int n = 1) const {
    return hyperplane_preconditioner_create_named(system.context, system.c_grid, n, name.c_str(), options.c_str(), m);
  }
  hyperplane_status status_of(const std::string& name, const std::string& options) const {
    hyperplane_preconditioner m = nullptr;
    auto const status = make(name, options, &m);
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    return status;
  }
  /// M^-1 b of the system's matrix.
  std::vector<double> apply(hyperplane_preconditioner m) const {
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    return system.get(system.x);
  }
  std::vector<double> apply(const std::string& name, const std::string& options) const {
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(make(name, options, &m, CSystem::n), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    return apply(m);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, CTable, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

std::string text_of(const std::string& file) {
  std::ifstream stream(std::string(HYPERPLANE_SOURCE_DIR "/") + file);
  EXPECT_TRUE(stream) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<CPreconditioner> with_constants() {
  auto all = c_preconditioners();
  all.resize(HYPERPLANE_BILU0 + 1);
  return all;
}

TEST(CTableOfNames, constants_of_c_and_fortran_are_the_places) {
  auto const c = text_of("include/hyperplane_solvers.h");
  auto const fortran = text_of("src/fortran/hyperplane_preconditioners.f90");
  for (auto const& [kind, description] : with_constants()) {
    std::string name = description.name;
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::toupper(letter); });
    auto const constant = "HYPERPLANE_" + name + " = " + std::to_string(kind);
    EXPECT_THAT(c, HasSubstr(constant));
    EXPECT_THAT(fortran, HasSubstr(constant));
  }
}

TEST(CTableOfNames, every_option_is_in_the_struct_of_c_and_an_argument_of_fortran) {
  auto const c = text_of("include/hyperplane_solvers.h");
  auto const create = text_of("src/fortran/hyperplane_preconditioners.f90");
  auto const fortran = create + text_of("src/fortran/hyperplane_c_solvers.f90");
  for (auto const& [kind, description] : with_constants()) {
    for (int o = 0; o < description.option_count; ++o) {
      std::string const name = description.options[o].name;
      EXPECT_THAT(c, ContainsRegex("  [a-z_]+ " + name + "(;|\\[)")) << description.name;
      EXPECT_THAT(fortran, HasSubstr("if (present(" + name + "))")) << description.name;
      EXPECT_THAT(create, ContainsRegex(", " + name + "[,) ]")) << description.name;
    }
  }
}

TEST(CTableOfNames, documents_name_every_preconditioner) {
  for (auto const& preconditioner : with_constants()) {
    auto const name = preconditioner.kind == HYPERPLANE_IDENTITY ? "none" : preconditioner.name();
    EXPECT_THAT(text_of("docs/command-line.md"), HasSubstr("`" + name + "`"));
  }
  auto const petsc = text_of("examples/petsc/hyperplane_petsc.c");
  std::string kinds;
  for (auto const& preconditioner : with_constants())
    kinds += (kinds.empty() ? "{\"" : ", \"") + preconditioner.name() + "\"";
  EXPECT_THAT(petsc, HasSubstr("kinds[] = " + kinds + "}"));
}

TEST(CTableOfNames, descriptions_are_whole) {
  for (auto const& [kind, description] : c_preconditioners()) {
    EXPECT_STRNE(description.summary, "");
    EXPECT_GE(description.largest_block_size, 1);
    for (int o = 0; o < description.option_count; ++o) {
      auto const& option = description.options[o];
      SCOPED_TRACE(std::string(description.name) + " " + option.name);
      EXPECT_STRNE(option.summary, "");
      EXPECT_STRNE(option.standard, "");
      bool const has_choices = option.type == HYPERPLANE_OPTION_CHOICE || option.type == HYPERPLANE_OPTION_CHOICES;
      EXPECT_EQ(std::string(option.choices).empty(), !has_choices);
      EXPECT_LT(option.least, option.most);
    }
  }
  hyperplane_preconditioner_description unused;
  expect_failure(hyperplane_preconditioner_describe(static_cast<hyperplane_preconditioner_kind>(99), &unused),
                 HYPERPLANE_INVALID_ARGUMENT, "kind is 99");
  expect_failure(hyperplane_preconditioner_describe(HYPERPLANE_SIP, nullptr), HYPERPLANE_NULL_POINTER,
                 "description is NULL");
}

TEST_P(CTable, defaults_are_those_of_the_struct) {
  for (auto const& preconditioner : with_constants()) {
    int const n = CSystem::n;
    if (preconditioner.description.largest_block_size < n) continue;
    hyperplane_preconditioner_options options;
    EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    options.kind = preconditioner.kind;
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, n, &options, &m), HYPERPLANE_SUCCESS);
    auto const expected = apply(m);
    EXPECT_TRUE(bitwise_equal(apply(preconditioner.name(), ""), expected)) << preconditioner.name();
    std::string all;
    for (int o = 0; o < preconditioner.description.option_count; ++o) {
      auto const& option = preconditioner.description.options[o];
      all += (all.empty() ? "" : ",") + std::string(option.name) + "=" + option.standard;
    }
    EXPECT_TRUE(bitwise_equal(apply(preconditioner.name(), all), expected)) << all;
  }
}

TEST_P(CTable, options_by_name_are_those_of_the_struct) {
  hyperplane_preconditioner_options options;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.kind = HYPERPLANE_LINES;
  options.relaxation = 0.7;
  options.line_sweeps = 2;
  options.line_direction_count = 2;
  options.line_directions[0] = 2;
  options.line_directions[1] = 0;
  hyperplane_preconditioner m = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
            HYPERPLANE_SUCCESS);
  auto const expected = apply(m);
  EXPECT_TRUE(bitwise_equal(apply("lines", "relaxation=0.7,line_sweeps=2,line_directions=ki"), expected));
  EXPECT_FALSE(bitwise_equal(apply("lines", "relaxation=0.7,line_sweeps=2"), expected));
  EXPECT_TRUE(near(apply("ssor", "path=portable"), apply("ssor", ""), 1e-13));
}

TEST_P(CTable, ranges_are_those_of_the_preconditioners) {
  for (auto const& [kind, description] : c_preconditioners()) {
    for (int o = 0; o < description.option_count; ++o) {
      auto const& option = description.options[o];
      bool const is_real = option.type == HYPERPLANE_OPTION_REAL;
      if (!is_real && option.type != HYPERPLANE_OPTION_INTEGER) continue;
      double const step = is_real ? 1e-3 : 1;
      auto const expect = [&](double value, bool accepted) {
        std::ostringstream text;
        text << option.name << '=' << value;
        EXPECT_EQ(status_of(description.name, text.str()), accepted ? HYPERPLANE_SUCCESS : HYPERPLANE_INVALID_ARGUMENT)
            << description.name << ' ' << text.str() << ": " << hyperplane_last_error_message();
      };
      if (std::isfinite(option.least)) {
        expect(option.least - step, false);
        expect(option.least, option.above_least == 0);
        expect(option.least + step, true);
      }
      if (std::isfinite(option.most)) {
        expect(option.most + step, false);
        expect(option.most, option.below_most == 0);
        expect(option.most - step, true);
      }
    }
  }
}

TEST_P(CTable, an_option_that_needs_another_says_so) {
  std::string needing;
  for (auto const& listed : c_preconditioners()) {
    for (int o = 0; o < listed.description.option_count; ++o) {
      auto const& option = listed.description.options[o];
      if (*option.needs != 0) needing += listed.name() + ' ' + option.name + " of " + option.needs + '\n';
    }
  }
  EXPECT_EQ(needing,
            "jacobi coupling of parts\nssor coupling of parts\nsip coupling of parts\nbilu0 coupling of parts\n");
}

TEST_P(CTable, refuses_what_is_not_in_it) {
  hyperplane_preconditioner m = nullptr;
  auto const refused = [&](const std::string& name, const std::string& options, const std::string& message) {
    expect_failure(make(name, options, &m), HYPERPLANE_INVALID_ARGUMENT, message);
    EXPECT_EQ(m, nullptr);
  };
  refused("ilu", "", "there is no preconditioner 'ilu', but: identity, jacobi, ssor, sip, lines, bilu0");
  refused("sip", "relaxation=1", "sip has no option 'relaxation'");
  refused("sip", "alpha", "'alpha' is not of the form option=value");
  refused("sip", "alpha=", "alpha is '', expected a number");
  refused("sip", "alpha=0.5x", "alpha is '0.5x', expected a number");
  refused("lines", "line_sweeps=1.5", "line_sweeps is '1.5', expected a whole number");
  refused("lines", "line_directions=ix", "line_directions is 'x', expected one of i|j|k");
  refused("lines", "line_directions=", "there is no direction");
  refused("bilu0", "folded=ki", "folded is 'ki', expected one of none|i|j|k|ij|ik|jk|ijk");
  refused("ssor", "path=fast", "path is 'fast', expected one of automatic|portable|slab");
  refused("ssor", "storage=quad", "storage is 'quad', expected one of double|float|half|bfloat16|quarter|automatic");
  for (std::string const name : {"identity", "lines"}) {
    for (std::string const storage : {"half", "bfloat16"}) {
      refused(name, "storage=" + storage,
              "storage is '" + storage + "', which " + name + " has not, but jacobi and ssor and sip and bilu0");
    }
  }
  for (std::string const coupling : {"coloured", "natural"}) {
    refused("bilu0", "storage=half,parts=1x1x2,coupling=" + coupling,
            "bilu0 has no coupling " + coupling + " with storage half; its couplings: none");
  }
  expect_failure(make("sip", "", &m, 2), HYPERPLANE_INVALID_ARGUMENT, "one unknown");
  expect_failure(hyperplane_preconditioner_create_named(system.context, system.c_grid, 1, nullptr, nullptr, &m),
                 HYPERPLANE_NULL_POINTER, "name is NULL");
  EXPECT_EQ(status_of("sip", "storage=float,alpha=0.5"), HYPERPLANE_SUCCESS);
}

TEST_P(CTable, a_preconditioner_of_ones_own_is_one_of_the_library) {
  auto const all = c_preconditioners();
  auto const extra = std::ranges::find(all, "diagonal", &CPreconditioner::name);
  if (extra == all.end()) GTEST_SKIP() << "this library is built without it";
  EXPECT_EQ(extra->kind, HYPERPLANE_BILU0 + 1);
  EXPECT_TRUE(extra->has_option("damping"));
  auto expected = system.rhs;
  for (std::int64_t point = 0; point < system.grid.size(); ++point) {
    for (int c = 0; c < CSystem::n; ++c) {
      expected[point * CSystem::n + c] *= 0.5 / system.reference.block(point, Direction::center)(c, c);
    }
  }
  EXPECT_TRUE(near(apply("diagonal", "damping=0.5"), expected, 1e-15));
  // By its number, as the others.
  hyperplane_preconditioner_options options;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.kind = extra->kind;
  hyperplane_preconditioner m = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
            HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(apply(m), apply("diagonal", "")));
}

TEST_P(CTable, solves_of_a_krylov_method_are_measured_when_asked) {
  hyperplane_krylov_result result;
  std::int64_t count = -1;
  EXPECT_EQ(hyperplane_preconditioner_factor(system.m, system.a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_seconds(system.m, nullptr, 0, &count), HYPERPLANE_SUCCESS);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(hyperplane_preconditioner_measure(system.m), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, system.m, system.b, system.x, &result),
            HYPERPLANE_SUCCESS);
  std::vector<double> seconds(1000, -1.0);
  EXPECT_EQ(hyperplane_preconditioner_seconds(system.m, seconds.data(), 1000, &count), HYPERPLANE_SUCCESS);
  EXPECT_GE(count, result.iterations);
  for (std::int64_t s = 0; s < count; ++s) EXPECT_GE(seconds[s], 0.0);
  expect_failure(hyperplane_preconditioner_seconds(system.m, nullptr, 1, &count), HYPERPLANE_NULL_POINTER,
                 "seconds is NULL");
  expect_failure(hyperplane_preconditioner_measure(nullptr), HYPERPLANE_NULL_POINTER, "preconditioner is NULL");
}

TEST_P(CTable, a_breakdown_has_its_cause) {
  const char* cause = nullptr;
  EXPECT_EQ(hyperplane_krylov_cause(system.krylov, &cause), HYPERPLANE_SUCCESS);
  EXPECT_STREQ(cause, "");
  auto values = system.values(HYPERPLANE_ROW_MAJOR);
  auto const point = system.grid.index(2, 1, 1);
  values[(point * 7 + HYPERPLANE_WEST) * CSystem::n * CSystem::n] = std::numeric_limits<double>::quiet_NaN();
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  hyperplane_krylov_result result;
  EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, nullptr, system.b, system.x, &result), HYPERPLANE_SUCCESS);
  EXPECT_EQ(result.outcome, HYPERPLANE_BREAKDOWN);
  EXPECT_EQ(hyperplane_krylov_cause(system.krylov, &cause), HYPERPLANE_SUCCESS);
  EXPECT_STREQ(cause, "block west of point (2, 1, 1) is not finite");
  CSystem::set(system.a, system.values(HYPERPLANE_ROW_MAJOR), HYPERPLANE_ROW_MAJOR);
  EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, nullptr, system.b, system.x, &result), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_krylov_cause(system.krylov, &cause), HYPERPLANE_SUCCESS);
  EXPECT_STREQ(cause, "") << "of the solve before";
  expect_failure(hyperplane_krylov_cause(system.krylov, nullptr), HYPERPLANE_NULL_POINTER, "cause is NULL");
}

}  // namespace
}  // namespace hyperplane::test
