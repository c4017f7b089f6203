// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// BILU(0) of parts of the grid in C, by name and by the struct.
namespace hyperplane::test {
namespace {

class CParts : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};

  hyperplane_preconditioner make(const std::string& options) const {
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(
        hyperplane_preconditioner_create_named(system.context, system.c_grid, CSystem::n, "bilu0", options.c_str(), &m),
        HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return m;
  }
  hyperplane_preconditioner make(const std::array<int, 3>& parts, hyperplane_coupling coupling) const {
    hyperplane_preconditioner_options options;
    EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    for (int d = 0; d < 3; ++d) options.parts[d] = parts[d];
    options.coupling = coupling;
    hyperplane_preconditioner m = nullptr;
    EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    return m;
  }
  /// M^-1 b.
  std::vector<double> apply(hyperplane_preconditioner m) const {
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    return system.get(system.x);
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
  auto const whole = apply(make(""));
  EXPECT_TRUE(bitwise_equal(apply(make("parts=1x1x1,coupling=natural")), whole));
  for (std::string const parts : {"1x1x3", "2x3x1", "5x4x3"}) {
    EXPECT_TRUE(bitwise_equal(apply(make("parts=" + parts + ",coupling=natural")), whole)) << parts;
  }
  EXPECT_EQ(iterations(make("parts=2x2x2,coupling=natural")), iterations(make("")));
}

TEST_P(CParts, by_name_and_by_the_struct) {
  auto const none = apply(make("parts=1x2x3"));
  auto const coloured = apply(make("coupling=coloured,parts=1X2X3,path=portable"));
  EXPECT_FALSE(near(none, coloured, 1e-6));
  EXPECT_TRUE(bitwise_equal(apply(make({1, 2, 3}, HYPERPLANE_COUPLING_NONE)), none));
  EXPECT_TRUE(near(apply(make({1, 2, 3}, HYPERPLANE_COUPLING_COLOURED)), coloured, 1e-13));
  EXPECT_TRUE(bitwise_equal(apply(make({1, 2, 3}, HYPERPLANE_COUPLING_NATURAL)), apply(make(""))));
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
  expect_failure(hyperplane_matrix_choose_parts(system.a, 0, parts.data()), HYPERPLANE_INVALID_ARGUMENT,
                 "0 parts, expected at least 1");
  expect_failure(hyperplane_matrix_choose_parts(system.a, 7, parts.data()), HYPERPLANE_INVALID_ARGUMENT,
                 "a grid of 5x4x3 points cannot be cut into 7 parts");
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
  auto const refused = [&](const std::string& name, const std::string& options, const std::string& message) {
    hyperplane_preconditioner m = nullptr;
    expect_failure(
        hyperplane_preconditioner_create_named(system.context, system.c_grid, 2, name.c_str(), options.c_str(), &m),
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
  refused("bilu0", "parts=1x1x2,storage=float", "parts is '1x1x2', which is for storage double");
  refused("ssor", "parts=1x1x2", "ssor has no option 'parts'");

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
  struct_refused([](Options& o) { o.kind = HYPERPLANE_SSOR, o.parts[2] = 2; }, "parts is 1x1x2, and ssor has no parts");
  // Of one part there is that of the whole grid, in any storage.
  hyperplane_preconditioner m = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_create_named(system.context, system.c_grid, 2, "bilu0",
                                                   "parts=1x1x1,coupling=natural,storage=float", &m),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
}

}  // namespace
}  // namespace hyperplane::test
