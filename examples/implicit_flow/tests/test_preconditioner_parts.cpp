// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "flow_difference.hpp"
#include "solver/flow_solver.hpp"

#include <hyperplane/blocks/detail/parts_that_pay.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace implicit_flow::preconditioner_parts {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using hyperplane::Coupling;

constexpr std::array quarters{2, 2, 1};

/// The flow on the whole grid, and whether it is steady.
struct Outcome {
  bool converged;
  Solution flow;
};

Outcome solve(const CaseOptions& options, const SteadyOptions& steady) {
  Exec const exec;
  auto const flow = make_case(options);
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary, steady);
  bool const converged = solver.run(exec, [](const StepReport&) {}).converged;
  return {converged, *whole_solution(flow.blocks, solver.solutions(exec))};
}

TEST(PreconditionerParts, LeadToTheFlowOfTheWhole) {
  for (auto const kind : {CaseKind::wedge, CaseKind::plate}) {
    CaseOptions const options{.kind = kind, .cells = hyperplane::Grid(16, 10, 1)};
    auto const whole = solve(options, {});
    for (auto const preconditioner : {Preconditioner::bilu0, Preconditioner::ssor}) {
      for (auto const& parts : {Parts{quarters}, Parts{4}}) {
        auto const found = solve(
            options, {.linear = {.preconditioner = preconditioner, .coupling = Coupling::coloured, .parts = parts}});
        EXPECT_TRUE(found.converged);
        EXPECT_LT(largest_difference({found.flow}, {whole.flow}), 1e-8) << name(preconditioner) << to_string(parts);
      }
    }
  }
}

/// The flow after so few iterations that it shows what the preconditioner is.
std::vector<Solution> after_three_steps(const CaseOptions& options, const LinearOptions& linear) {
  SteadyOptions steady{.max_steps = 3, .linear = linear};
  steady.linear.method = Method::correction;
  steady.linear.max_iterations = 2;
  return {solve(options, steady).flow};
}

TEST(PreconditionerParts, AreTheGridBlocksOfAGridThatIsCut) {
  CaseOptions const whole{.kind = CaseKind::plate, .cells = hyperplane::Grid(16, 10, 2)};
  auto cut = whole;
  cut.parts = quarters;
  auto const uncut = after_three_steps(whole, {});
  for (auto const preconditioner : {Preconditioner::bilu0, Preconditioner::ssor}) {
    for (auto const coupling : {Coupling::none, Coupling::coloured}) {
      LinearOptions const linear{.preconditioner = preconditioner, .coupling = coupling};
      auto of_parts = linear;
      of_parts.parts = quarters;
      auto const found = after_three_steps(whole, of_parts);
      EXPECT_LT(largest_difference(found, after_three_steps(cut, linear)), 1e-12);
      EXPECT_GT(largest_difference(found, uncut), 1e-9);
    }
  }
}

// Of so few cells there is one part, and of more as many as the rule says, where there are threads for them.
TEST(PreconditionerParts, AreAsManyAsPay) {
  hyperplane::detail::PartsMachine const machine{hyperplane::HostExecutionSpace<Exec>, Exec{}.concurrency(),
                                                 hyperplane::vector_length_v<double, Exec>};
  for (auto const& cells : {hyperplane::Grid(12, 8, 1), hyperplane::Grid(32, 4, 32)}) {
    CaseOptions const whole{.cells = cells};
    auto const flow_of = [&](const std::optional<Parts>& parts) {
      return after_three_steps(whole, {.coupling = Coupling::coloured, .parts = parts});
    };
    auto const parts = hyperplane::detail::PartsThatPay(cells, equations, {1, 1, 1}, machine).choose();
    auto const found = flow_of(Parts{AutomaticParts{}});
    EXPECT_EQ(largest_difference(found, flow_of(Parts{parts})), 0.0) << to_string(Parts{parts});
    bool const is_cut = parts != std::array{1, 1, 1};
    EXPECT_EQ(largest_difference(found, flow_of(std::nullopt)) > 0.0, is_cut) << to_string(Parts{parts});
  }
  EXPECT_EQ(to_string(Parts{AutomaticParts{}}), "automatic");
}

/// The error of a flow with these options.
std::string refusal(const CaseOptions& options, const LinearOptions& linear) {
  try {
    solve(options, {.max_steps = 0, .linear = linear});
  } catch (const hyperplane::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PreconditionerParts, AreRefusedWhereThereCanBeNone) {
  using ::testing::HasSubstr;
  CaseOptions const whole{.cells = hyperplane::Grid(8, 4, 1)};
  auto cut = whole;
  cut.parts = quarters;
  EXPECT_THAT(refusal(cut, {.parts = quarters}), HasSubstr("2x2x1: it is for one grid block, and there are 4"));
  EXPECT_THAT(refusal(whole, {.coupling = Coupling::natural, .parts = quarters}), HasSubstr("leave parts out"));
  EXPECT_THAT(refusal(whole, {.preconditioner = Preconditioner::lines, .parts = quarters}),
              HasSubstr("bilu0 and ssor have parts, lines not"));
  EXPECT_THAT(refusal(whole, {.preconditioner = Preconditioner::jacobi, .parts = Parts{2}}),
              HasSubstr("--preconditioner-parts 2: "));
  EXPECT_THAT(refusal(whole, {.parts = std::array{1, 5, 1}}), HasSubstr("5 parts of 4 points along j"));
  EXPECT_THAT(refusal(whole, {.parts = Parts{11}}), HasSubstr("cannot be cut into 11 parts"));
}

}  // namespace
}  // namespace implicit_flow::preconditioner_parts
