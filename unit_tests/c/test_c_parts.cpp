// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// Preconditioners of parts of the grid in C, by name and by the struct.
namespace hyperplane::test {
namespace {

class CParts : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};

  hyperplane_preconditioner make(const std::string& options, const std::string& name = "bilu0") const {
    return system.named(name, options);
  }
  hyperplane_preconditioner make(const std::array<int, 3>& parts, hyperplane_coupling coupling,
                                 hyperplane_preconditioner_kind kind = HYPERPLANE_BILU0) const {
    hyperplane_preconditioner_options options;
    EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    for (int d = 0; d < 3; ++d) options.parts[d] = parts[d];
    options.kind = kind;
    options.coupling = coupling;
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return m;
  }
  int iterations(hyperplane_preconditioner m) const {
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result;
    EXPECT_EQ(hyperplane_krylov_solve(system.krylov, system.a, m, system.b, system.x, &result), HYPERPLANE_SUCCESS);
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED);
    EXPECT_TRUE(near(system.get(system.x), system.solution, 1e-6));
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    return result.iterations;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, CParts, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CParts, natural_is_that_of_the_whole_grid) {
  auto const whole = system.applied(make(""));
  EXPECT_TRUE(bitwise_equal(system.applied(make("parts=1x1x1,coupling=natural")), whole));
  for (std::string const parts : {"1x1x3", "2x3x1", "5x4x3"}) {
    EXPECT_TRUE(bitwise_equal(system.applied(make("parts=" + parts + ",coupling=natural")), whole)) << parts;
  }
  EXPECT_EQ(iterations(make("parts=2x2x2,coupling=natural")), iterations(make("")));
}

TEST_P(CParts, by_name_and_by_the_struct) {
  auto const none = system.applied(make("parts=1x2x3"));
  auto const coloured = system.applied(make("coupling=coloured,parts=1X2X3,path=portable"));
  EXPECT_FALSE(near(none, coloured, 1e-6));
  EXPECT_TRUE(bitwise_equal(system.applied(make({1, 2, 3}, HYPERPLANE_COUPLING_NONE)), none));
  EXPECT_TRUE(near(system.applied(make({1, 2, 3}, HYPERPLANE_COUPLING_COLOURED)), coloured, 1e-13));
  EXPECT_TRUE(bitwise_equal(system.applied(make({1, 2, 3}, HYPERPLANE_COUPLING_NATURAL)), system.applied(make(""))));
}

TEST_P(CParts, of_ssor_have_all_couplings) {
  auto const ssor = [&](const std::string& options) { return make(options, "ssor"); };
  auto const whole = system.applied(ssor(""));
  EXPECT_TRUE(bitwise_equal(system.applied(ssor("parts=2x3x1,coupling=natural")), whole));
  EXPECT_TRUE(bitwise_equal(system.applied(make({2, 3, 1}, HYPERPLANE_COUPLING_NATURAL, HYPERPLANE_SSOR)), whole));
  auto const none = system.applied(ssor("parts=1x2x3")),
             coloured = system.applied(ssor("parts=1x2x3,coupling=coloured"));
  EXPECT_FALSE(near(none, whole, 1e-6));
  EXPECT_FALSE(near(coloured, whole, 1e-6));
  EXPECT_FALSE(near(none, coloured, 1e-6));
  EXPECT_TRUE(bitwise_equal(system.applied(make({1, 2, 3}, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_SSOR)), coloured));
  EXPECT_FALSE(near(system.applied(ssor("relaxation=1.3,parts=1x2x3")), none, 1e-6)) << "options of a part";
  EXPECT_GT(iterations(ssor("parts=5x4x3")), iterations(ssor("")));
}

TEST_P(CParts, may_be_stored_as_float) {
  hyperplane_matrix a = nullptr;
  EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, CSystem::n, HYPERPLANE_STORAGE_FLOAT, &a),
            HYPERPLANE_SUCCESS);
  CSystem::set(a, system.values(HYPERPLANE_ROW_MAJOR), HYPERPLANE_ROW_MAJOR);
  for (std::string const name : {"bilu0", "ssor"}) {
    auto const of_float = [&](const std::string& parts) {
      auto* const m = make("storage=float" + parts, name);
      EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
      return system.get(system.x);
    };
    auto const whole = of_float("");
    EXPECT_TRUE(bitwise_equal(of_float(",parts=1x2x3,coupling=natural"), whole)) << name;
    for (std::string const coupling : {"none", "coloured"}) {
      auto const parts = "parts=1x2x3,coupling=" + coupling;
      auto const found = of_float("," + parts);
      EXPECT_TRUE(near(found, system.applied(make(parts, name)), 1e-5)) << name << ' ' << coupling;
      EXPECT_FALSE(bitwise_equal(found, system.applied(make(parts, name))));
    }
  }
  EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
}

// There is nothing to couple: M of parts is that of the whole.
TEST_P(CParts, of_block_jacobi_are_the_whole) {
  EXPECT_TRUE(bitwise_equal(system.applied(make("parts=2x2x3", "jacobi")), system.applied(make("", "jacobi"))));
}

TEST_P(CParts, of_sip_are_coupled_by_colours_and_take_masks_in_one_piece) {
  auto rhs = random_vector(system.grid.size());
  auto const count = static_cast<std::int64_t>(rhs.size());
  hyperplane_matrix const a = system.make_matrix(1);
  std::vector<std::int8_t> mask(rhs.size(), 1);
  mask[7] = 0;
  rhs[7] = 0;
  auto const solve = [&](const std::string& options, bool masked) {
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_create_named(system.context, system.c_grid, 1, "sip", options.c_str(), &m),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    auto const status = masked ? hyperplane_preconditioner_factor_masked(m, a, mask.data(), count, HYPERPLANE_HOST)
                               : hyperplane_preconditioner_factor(m, a);
    auto x = rhs;
    if (status == HYPERPLANE_SUCCESS) {
      EXPECT_EQ(hyperplane_preconditioner_solve_array(m, 1, rhs.data(), x.data(), count, HYPERPLANE_HOST),
                HYPERPLANE_SUCCESS);
    } else {
      expect_failure(status, HYPERPLANE_INVALID_ARGUMENT, "a grid in parts takes no mask");
      x.clear();
    }
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    return x;
  };
  auto const whole = solve("", false), masked = solve("", true);
  EXPECT_TRUE(bitwise_equal(solve("parts=1x1x1", false), whole));
  EXPECT_TRUE(bitwise_equal(solve("parts=1x1x1,coupling=coloured", true), masked));
  EXPECT_FALSE(near(masked, whole, 1e-6));
  auto const none = solve("parts=2x2x1", false);
  EXPECT_FALSE(near(none, whole, 1e-6));
  EXPECT_FALSE(near(solve("parts=2x2x1,coupling=coloured", false), none, 1e-6));
  EXPECT_TRUE(solve("parts=2x2x1", true).empty());
  EXPECT_EQ(hyperplane_matrix_mask(a, mask.data(), count, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(solve("parts=2x2x1", false)[7], 0.0);
  EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
}

TEST_P(CParts, are_chosen_by_the_strength_of_couplings) {
  constexpr int count = 4;
  auto values = system.values(HYPERPLANE_ROW_MAJOR);
  constexpr std::size_t entries = std::size_t{CSystem::n} * CSystem::n;
  for (std::size_t e = 0; e < values.size(); ++e) {
    auto const direction = static_cast<int>(e / entries % 7);
    if (direction == HYPERPLANE_WEST || direction == HYPERPLANE_EAST) values[e] *= 1e-3;
  }
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  std::array<int, 3> parts{};
  EXPECT_EQ(hyperplane_matrix_choose_parts(system.a, count, parts.data()), HYPERPLANE_SUCCESS);
  EXPECT_EQ(parts, (std::array{count, 1, 1}));
  EXPECT_EQ(hyperplane_matrix_choose_parts(system.a, HYPERPLANE_PARTS_AUTOMATIC, parts.data()), HYPERPLANE_SUCCESS);
  EXPECT_EQ(parts, (std::array{1, 1, 1})) << "so small a grid";
  for (int const none : {0, -2}) {
    expect_failure(hyperplane_matrix_choose_parts(system.a, none, parts.data()), HYPERPLANE_INVALID_ARGUMENT,
                   std::to_string(none) + " parts, expected at least 1");
  }
  expect_failure(hyperplane_matrix_choose_parts(system.a, 7, parts.data()), HYPERPLANE_INVALID_ARGUMENT,
                 "a grid of 5x4x3 points cannot be cut into 7 parts");
}

TEST_P(CParts, as_many_as_pay_where_the_context_runs) {
  hyperplane_matrix slab = nullptr;
  EXPECT_EQ(hyperplane_matrix_create(system.context, {64, 1, 64}, CSystem::n, HYPERPLANE_STORAGE_DOUBLE, &slab),
            HYPERPLANE_SUCCESS);
  int threads = 0;
  EXPECT_EQ(hyperplane_context_concurrency(system.context, &threads), HYPERPLANE_SUCCESS);
  std::array<int, 3> parts{};
  EXPECT_EQ(hyperplane_matrix_choose_parts(slab, HYPERPLANE_PARTS_AUTOMATIC, parts.data()), HYPERPLANE_SUCCESS);
  EXPECT_EQ(parts[0] * parts[2] > 1, GetParam() != "cuda" && threads > 1);
  EXPECT_EQ(parts[1], 1);
  EXPECT_EQ(hyperplane_free(slab), HYPERPLANE_SUCCESS);
}

TEST_P(CParts, several_right_hand_sides_masks_and_factors_of_another_matrix) {
  constexpr int columns = 3;
  auto* const m = make("parts=2x2x1,coupling=coloured,right_hand_sides=2");
  auto* const single = make("parts=2x2x1,coupling=coloured");
  std::vector<std::int8_t> mask(system.grid.size(), 1);
  mask[system.grid.index(2, 1, 0)] = mask[system.grid.index(3, 2, 2)] = 0;
  for (bool const masked : {false, true}) {
    if (masked) {
      EXPECT_EQ(hyperplane_matrix_mask(system.a, mask.data(), static_cast<std::int64_t>(mask.size()), HYPERPLANE_HOST),
                HYPERPLANE_SUCCESS);
    }
    std::vector<double> rhs, x(columns * system.size()), expected(x.size());
    for (int c = 0; c < columns; ++c) rhs.insert(rhs.end(), system.rhs.begin(), system.rhs.end());
    for (auto* const each : {m, single})
      EXPECT_EQ(hyperplane_preconditioner_factor(each, system.a), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_solve_array(m, columns, rhs.data(), x.data(),
                                                    static_cast<std::int64_t>(x.size()), HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    for (int c = 0; c < columns; ++c) {
      auto const offset = static_cast<std::size_t>(c) * system.size();
      EXPECT_EQ(hyperplane_preconditioner_solve_array(single, 1, rhs.data() + offset, expected.data() + offset,
                                                      static_cast<std::int64_t>(system.size()), HYPERPLANE_HOST),
                HYPERPLANE_SUCCESS);
    }
    EXPECT_TRUE(bitwise_equal(x, expected)) << masked;
  }
  expect_failure(hyperplane_preconditioner_factor_masked(m, system.a, mask.data(),
                                                         static_cast<std::int64_t>(mask.size()), HYPERPLANE_HOST),
                 HYPERPLANE_INVALID_ARGUMENT, "masks are for SIP alone");
  for (auto* const each : {m, single}) EXPECT_EQ(hyperplane_free(each), HYPERPLANE_SUCCESS);
}

TEST_P(CParts, a_failure_is_at_a_point_of_the_grid) {
  auto values = system.values(HYPERPLANE_ROW_MAJOR);
  auto const point = system.grid.index(3, 2, 2);
  for (int d = 0; d < 7; ++d) {
    for (int c = 0; c < CSystem::n; ++c) {
      values[((point * 7 + d) * CSystem::n + 1) * CSystem::n + static_cast<std::int64_t>(c)] = 0.0;
    }
  }
  CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
  for (std::string const coupling : {"none", "coloured", "natural"}) {
    auto* const m = make("parts=2x2x3,coupling=" + coupling);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
    expect_failure(hyperplane_preconditioner_check(m), HYPERPLANE_SINGULAR_PIVOT,
                   "singular pivot at point (3, 2, 2), equation 1");
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
  }
}

TEST_P(CParts, refuses_what_cannot_be) {
  auto const refused = [&](const std::string& name, const std::string& options, const std::string& message,
                           int n = CSystem::n) {
    hyperplane_preconditioner m = nullptr;
    expect_failure(
        hyperplane_preconditioner_create_named(system.context, system.c_grid, n, name.c_str(), options.c_str(), &m),
        HYPERPLANE_INVALID_ARGUMENT, message);
    EXPECT_EQ(m, nullptr);
  };
  for (std::string const parts : {"0x1x1", "1x-1x1", "2x2", "2x2x2x2", "4", "", "axbxc", "1x1x99999999999"}) {
    refused("bilu0", "parts=" + parts,
            "parts is '" + parts + "', expected whole numbers of at least 1 along i, j and k, as 1x1x4");
  }
  refused("bilu0", "parts=1x5x1", "5 parts of 4 points along j of a grid of 5x4x3 points");
  refused("bilu0", "coupling=natural", "coupling is 'natural', and parts is not given");
  refused("bilu0", "parts=1x1x2,coupling=both", "coupling is 'both', expected one of none|coloured|natural");
  refused("sip", "parts=1x1x2,coupling=natural", "sip has no coupling natural", 1);
  refused("sip", "parts=1x1x1,coupling=natural,storage=float", "sip has no coupling natural", 1);
  refused("bilu0", "parts=1x5x1,storage=float", "5 parts of 4 points along j of a grid of 5x4x3 points");
  refused("jacobi", "parts=1x1x2,coupling=coloured", "jacobi has no coupling coloured");
  refused("jacobi", "parts=1x1x2,coupling=natural", "jacobi has no coupling natural");
  refused("lines", "parts=1x1x2", "lines has no option 'parts'");

  auto const struct_refused = [&](auto change, const std::string& message) {
    hyperplane_preconditioner_options options;
    EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    change(options);
    hyperplane_preconditioner m = nullptr;
    expect_failure(hyperplane_preconditioner_create(system.context, system.c_grid, 2, &options, &m),
                   HYPERPLANE_INVALID_ARGUMENT, message);
  };
  using Options = hyperplane_preconditioner_options;
  struct_refused([](Options& o) { o.parts[1] = 0; }, "parts is '1x0x1', expected whole numbers of at least 1");
  struct_refused([](Options& o) { o.coupling = static_cast<hyperplane_coupling>(3); },
                 "coupling is 3, expected 0 to 2");
  struct_refused([](Options& o) { o.kind = HYPERPLANE_LINES, o.parts[2] = 2; },
                 "parts is 1x1x2, and lines has no parts");
  struct_refused([](Options& o) { o.kind = HYPERPLANE_JACOBI, o.coupling = HYPERPLANE_COUPLING_COLOURED; },
                 "jacobi has no coupling coloured");
}

}  // namespace
}  // namespace hyperplane::test
