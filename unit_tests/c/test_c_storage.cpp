// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// What factors are stored in.
namespace hyperplane::test {
namespace {

class CStorage : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};
};

std::map<hyperplane_storage, std::string> const storage_names{{HYPERPLANE_STORAGE_DOUBLE, "double"},
                                                              {HYPERPLANE_STORAGE_FLOAT, "float"},
                                                              {HYPERPLANE_STORAGE_HALF, "half"},
                                                              {HYPERPLANE_STORAGE_BFLOAT16, "bfloat16"},
                                                              {HYPERPLANE_STORAGE_QUARTER, "quarter"}};

INSTANTIATE_TEST_SUITE_P(Backends, CStorage, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CStorage, of_16_bits_has_the_values_of_double_to_rounding) {
  for (auto const& each : c_preconditioners()) {
    if (std::string(each.description.storages) == "double|float") continue;
    bool const has_quarter = each.name() == "bilu0" || each.name() == "ssor";
    EXPECT_STREQ(each.description.storages,
                 has_quarter ? "double|float|half|bfloat16|quarter|automatic" : "double|float|half|bfloat16|automatic")
        << each.name();
    if (each.description.largest_block_size < CSystem::n) continue;
    auto const expected = system.applied(system.named(each.name(), ""));
    for (auto const& [storage, rounding] : {std::pair{HYPERPLANE_STORAGE_HALF, 0x1p-11},  //
                                            {HYPERPLANE_STORAGE_BFLOAT16, 0x1p-8}}) {
      auto const option = std::string("storage=") + (storage == HYPERPLANE_STORAGE_HALF ? "half" : "bfloat16");
      SCOPED_TRACE(each.name() + ' ' + option);
      double const tolerance = 10 * CSystem::n * rounding;
      auto const found = system.applied(system.named(each.name(), option));
      EXPECT_TRUE(near(found, expected, tolerance));
      EXPECT_FALSE(near(found, expected, 1e-6));
      if (each.name() != "jacobi") {
        EXPECT_TRUE(near(system.applied(system.named(each.name(), option + ",path=portable,folded=ijk")),
                         system.applied(system.named(each.name(), "folded=ijk")), tolerance));
      }
      auto const parts = std::string("parts=1x2x3");
      EXPECT_TRUE(near(system.applied(system.named(each.name(), option + ',' + parts)),
                       system.applied(system.named(each.name(), parts)), tolerance));
      hyperplane_preconditioner_options options;
      EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
      options.kind = each.kind;
      options.storage = storage;
      hyperplane_preconditioner m = nullptr;
      EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
                HYPERPLANE_SUCCESS);
      EXPECT_TRUE(bitwise_equal(system.applied(m), found));
    }
  }
}

TEST_P(CStorage, of_8_bits_is_that_of_bilu0_and_ssor) {
  for (std::string const name : {"bilu0", "ssor"}) {
    for (std::string const parts : {"", ",parts=1x2x3"}) {
      SCOPED_TRACE(name + parts);
      auto const expected = system.applied(system.named(name, "storage=double" + parts));
      auto const found = system.applied(system.named(name, "storage=quarter" + parts));
      EXPECT_TRUE(near(found, expected, 10 * CSystem::n / 254.0));
      EXPECT_FALSE(near(found, system.applied(system.named(name, "storage=half" + parts)), 1e-4));
    }
  }
  hyperplane_preconditioner m = nullptr;
  auto const refused = [&](const std::string& name, const std::string& options, const std::string& message) {
    expect_failure(hyperplane_preconditioner_create_named(system.context, system.c_grid, CSystem::n, name.c_str(),
                                                          options.c_str(), &m),
                   HYPERPLANE_INVALID_ARGUMENT, message);
  };
  refused("jacobi", "storage=quarter", "storage is 'quarter', which jacobi has not, but ssor and bilu0");
  for (std::string const name : {"bilu0", "ssor"}) {
    refused(name, "storage=quarter,folded=i", "folded directions have no factors of 8 bits");
    refused(name, "storage=quarter,parts=1x2x1,coupling=coloured",
            name + " has no coupling coloured with storage quarter");
  }
}

TEST_P(CStorage, of_16_bits_of_sip_has_the_values_of_double_to_rounding) {
  auto const rhs = random_vector(system.grid.size());
  auto const count = static_cast<std::int64_t>(rhs.size());
  hyperplane_matrix const a = system.make_matrix(1);
  auto const solve = [&](const std::string& options, hyperplane_storage expected) {
    hyperplane_preconditioner m = nullptr;
    hyperplane_storage storage{};
    EXPECT_EQ(hyperplane_preconditioner_create_named(system.context, system.c_grid, 1, "sip", options.c_str(), &m),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_storage(m, &storage), HYPERPLANE_SUCCESS);
    EXPECT_EQ(storage, expected) << options;
    auto x = rhs;
    EXPECT_EQ(hyperplane_preconditioner_solve_array(m, 1, rhs.data(), x.data(), count, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
    return x;
  };
  for (std::string const more : {"", ",parts=2x2x1"}) {
    auto const expected = solve("storage=double" + more, HYPERPLANE_STORAGE_DOUBLE);
    auto const half = solve("storage=half" + more, HYPERPLANE_STORAGE_HALF);
    auto const bfloat16 = solve("storage=bfloat16" + more, HYPERPLANE_STORAGE_BFLOAT16);
    EXPECT_TRUE(near(half, expected, 10 * 0x1p-11)) << more;
    EXPECT_FALSE(near(half, expected, 1e-6)) << more;
    EXPECT_TRUE(near(bfloat16, expected, 10 * 0x1p-8)) << more;
    EXPECT_FALSE(near(bfloat16, half, 1e-6)) << more;
    EXPECT_TRUE(bitwise_equal(solve("storage=automatic" + more, HYPERPLANE_STORAGE_HALF), half)) << more;
  }
  EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
}

TEST_P(CStorage, of_16_bits_is_of_a_matrix_of_doubles) {
  hyperplane_matrix narrow = nullptr;
  EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, CSystem::n, HYPERPLANE_STORAGE_FLOAT, &narrow),
            HYPERPLANE_SUCCESS);
  for (std::string const storage : {"half", "automatic"}) {
    auto* const m = system.named("bilu0", "storage=" + storage);
    expect_failure(hyperplane_preconditioner_factor(m, narrow), HYPERPLANE_INVALID_ARGUMENT,
                   "A is stored in another type than the preconditioner's factors, which are of a matrix of double");
    EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
  }
  EXPECT_EQ(hyperplane_free(narrow), HYPERPLANE_SUCCESS);
}

TEST_P(CStorage, automatic_is_the_narrowest_that_is_near_enough) {
  for (std::string const name : {"bilu0", "ssor"}) {
    for (auto const& [options, expected] : {std::pair{"storage=automatic", "half"},
                                            {"storage=automatic,folded=i", "half"},
                                            {"storage=automatic,storage_fraction=1e-5", "float"},
                                            {"storage=automatic,storage_fraction=0", "double"},
                                            {"storage=automatic,parts=1x2x1", "half"},
                                            {"storage=automatic,parts=1x2x1,coupling=coloured", "bfloat16"}}) {
      SCOPED_TRACE(name + ' ' + options);
      auto* const m = system.named(name, options);
      expect_failure(hyperplane_preconditioner_storage(m, nullptr), HYPERPLANE_NULL_POINTER, "storage is NULL");
      hyperplane_storage storage{};
      expect_failure(hyperplane_preconditioner_storage(m, &storage), HYPERPLANE_INVALID_ARGUMENT,
                     "called before factor");
      EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_EQ(hyperplane_preconditioner_storage(m, &storage), HYPERPLANE_SUCCESS);
      EXPECT_EQ(storage_names.at(storage), expected);
      // The same bits as where it is asked for, and with a second factor.
      EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
      auto const found = system.get(system.x);
      EXPECT_TRUE(bitwise_equal(system.applied(m), found));
      std::string named = options;
      named.replace(named.find("automatic"), 9, expected);
      if (auto const fraction = named.find(",storage_fraction"); fraction != std::string::npos) named.resize(fraction);
      // Factors of float alone are those of a matrix of floats where they are asked for.
      if (storage == HYPERPLANE_STORAGE_FLOAT) continue;
      EXPECT_TRUE(bitwise_equal(system.applied(system.named(name, named)), found)) << named;
    }
  }
}

TEST_P(CStorage, automatic_is_of_8_bits_where_they_pay) {
  for (int const n : c_block_sizes()) {
    hyperplane_matrix const a = system.make_matrix(n);
    auto const rhs = random_vector(system.grid.size() * n);
    auto const count = static_cast<std::int64_t>(rhs.size());
    auto const solve = [&](const std::string& name, const std::string& options, const std::string& expected) {
      SCOPED_TRACE(name + ' ' + options + ", n = " + std::to_string(n));
      hyperplane_preconditioner m = nullptr;
      hyperplane_storage storage{};
      EXPECT_EQ(
          hyperplane_preconditioner_create_named(system.context, system.c_grid, n, name.c_str(), options.c_str(), &m),
          HYPERPLANE_SUCCESS)
          << hyperplane_last_error_message();
      EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
      EXPECT_EQ(hyperplane_preconditioner_storage(m, &storage), HYPERPLANE_SUCCESS);
      EXPECT_EQ(storage_names.at(storage), expected);
      auto x = rhs;
      EXPECT_EQ(hyperplane_preconditioner_solve_array(m, 1, rhs.data(), x.data(), count, HYPERPLANE_HOST),
                HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_free(m), HYPERPLANE_SUCCESS);
      return x;
    };
    std::string const narrowest = n >= 4 && GetParam() != "cuda" ? "quarter" : "half";
    for (std::string const name : {"bilu0", "ssor"}) {
      EXPECT_TRUE(
          bitwise_equal(solve(name, "storage=automatic", narrowest), solve(name, "storage=" + narrowest, narrowest)));
      solve(name, "storage=automatic,parts=1x1x1", narrowest);
      solve(name, "storage=automatic,parts=1x2x1", "half");
      solve(name, "storage=automatic,path=portable", "half");
      solve(name, "storage=automatic,folded=i", "half");
    }
    EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
  }
}

TEST_P(CStorage, automatic_has_transposes_and_says_where_there_are_no_factors) {
  hyperplane_preconditioner_options options;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  EXPECT_EQ(options.storage_fraction, 0.05);
  options.storage = HYPERPLANE_STORAGE_AUTOMATIC;
  hyperplane_preconditioner m = nullptr, transpose = nullptr, of_chosen = nullptr;
  EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
            HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_transpose(m, &transpose), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve(transpose, system.b, system.x), HYPERPLANE_SUCCESS);
  auto const found = system.get(system.x);
  auto* const chosen = system.named("bilu0", "storage=half");
  EXPECT_EQ(hyperplane_preconditioner_factor(chosen, system.a), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_transpose(chosen, &of_chosen), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_solve(of_chosen, system.b, system.x), HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(system.get(system.x), found));
  for (auto* const each : {m, transpose, chosen, of_chosen}) EXPECT_EQ(hyperplane_free(each), HYPERPLANE_SUCCESS);

  hyperplane_matrix zero = nullptr;
  EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, CSystem::n, HYPERPLANE_STORAGE_DOUBLE, &zero),
            HYPERPLANE_SUCCESS);
  auto* const singular = system.named("ssor", "storage=automatic");
  hyperplane_storage storage = HYPERPLANE_STORAGE_HALF;
  EXPECT_EQ(hyperplane_preconditioner_factor(singular, zero), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_preconditioner_check(singular), HYPERPLANE_SINGULAR_PIVOT, "at point (0, 0, 0)");
  EXPECT_EQ(hyperplane_preconditioner_storage(singular, &storage), HYPERPLANE_SUCCESS);
  EXPECT_EQ(storage, HYPERPLANE_STORAGE_DOUBLE);
  EXPECT_EQ(hyperplane_free(singular), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_free(zero), HYPERPLANE_SUCCESS);
}

TEST_P(CStorage, refuses_fractions_that_say_nothing) {
  hyperplane_preconditioner m = nullptr;
  auto const refused = [&](const std::string& name, const std::string& options, const std::string& message) {
    expect_failure(hyperplane_preconditioner_create_named(system.context, system.c_grid, CSystem::n, name.c_str(),
                                                          options.c_str(), &m),
                   HYPERPLANE_INVALID_ARGUMENT, message);
    EXPECT_EQ(m, nullptr);
  };
  refused("bilu0", "storage_fraction=0.1", "storage_fraction is '0.1', and storage is not automatic");
  refused("bilu0", "storage=half,storage_fraction=0.1", "storage_fraction is '0.1', and storage is not automatic");
  refused("bilu0", "storage=automatic,storage_fraction=-1", "storage_fraction is -1, expected at least 0");
  refused("bilu0", "storage=automatic,storage_fraction=nan", "storage_fraction is nan, expected at least 0");
  refused("bilu0", "storage=automatic,storage_fraction=x", "storage_fraction is 'x', expected a number");
  refused("lines", "storage=automatic",
          "storage is 'automatic', which lines has not, but jacobi and ssor and sip and bilu0");
  hyperplane_preconditioner_options options;
  EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
  options.storage = static_cast<hyperplane_storage>(6);
  expect_failure(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
                 HYPERPLANE_INVALID_ARGUMENT, "storage is 6, expected 0 to 5");
  options.storage = HYPERPLANE_STORAGE_AUTOMATIC;
  options.storage_fraction = -1;
  expect_failure(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
                 HYPERPLANE_INVALID_ARGUMENT, "storage_fraction is -1, expected at least 0");
}

}  // namespace
}  // namespace hyperplane::test
