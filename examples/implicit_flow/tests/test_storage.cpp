// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "flow_difference.hpp"
#include "solver/flow_solver.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <string>
#include <type_traits>

namespace implicit_flow::storage {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using hyperplane::Coupling;
using hyperplane::StorageKind;

template <class Storage>
Solution solve(const CaseOptions& options, const LinearOptions& linear) {
  Exec const exec;
  auto const flow = make_case(options);
  OneProcess<Exec, Storage> const processes(flow.blocks.cells);
  FlowSolver solver(exec, processes, flow.blocks, flow.gas, flow.boundary, {.linear = linear});
  EXPECT_TRUE(solver.run(exec, [](const StepReport&) {}).converged);
  return *whole_solution(flow.blocks, solver.solutions(exec));
}

TEST(Storage, OfFewerBytesHasTheFlowOfDouble) {
  constexpr std::array quarters{2, 2, 1};
  for (auto const kind : {CaseKind::wedge, CaseKind::plate}) {
    CaseOptions const whole{.kind = kind, .cells = hyperplane::Grid(16, 10, 1)};
    auto cut = whole;
    cut.parts = quarters;
    auto const expected = solve<double>(whole, {});
    auto const expect_same = [&](const Solution& found, const char* what) {
      EXPECT_LT(largest_difference({found}, {expected}), 1e-8) << what;
    };
    expect_same(solve<float>(whole, {}), "one grid block");
    expect_same(solve<float>(whole, {.factor_storage = StorageKind::half}), "factors as half");
    expect_same(solve<float>(cut, {.factor_storage = StorageKind::half}), "grid blocks, factors as half");
    expect_same(solve<float>(cut, {.coupling = Coupling::coloured, .factor_storage = StorageKind::bfloat16}),
                "factors as bfloat16");
    expect_same(solve<float>(cut, {.factor_storage = StorageKind::quarter}), "grid blocks, factors as quarter");
    for (auto const storage : {StorageKind::half, StorageKind::bfloat16, StorageKind::quarter}) {
      expect_same(solve<float>(cut, {.preconditioner = Preconditioner::ssor, .factor_storage = storage}), "SSOR");
    }
    expect_same(solve<float>(whole, {.coupling = Coupling::coloured, .parts = quarters}), "parts");
    expect_same(solve<float>(cut, {.coupling = Coupling::coloured}), "grid blocks");
    expect_same(solve<float>(whole, {.preconditioner = Preconditioner::lines}), "lines");
  }
}

TEST(Storage, OfFactorsThatThereIsNotBesideTheMatrixIsRefused) {
  Exec const exec;
  auto const flow = make_case({.kind = CaseKind::wedge, .cells = hyperplane::Grid(4, 4, 1)});
  auto const refusal = [&]<class Matrix>(std::type_identity<Matrix>, StorageKind storage) -> std::string {
    OneProcess<Exec, Matrix> const processes(flow.blocks.cells);
    try {
      FlowSolver const solver(exec, processes, flow.blocks, flow.gas, flow.boundary,
                              {.linear = {.factor_storage = storage}});
    } catch (const hyperplane::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(std::type_identity<double>{}, StorageKind::half),
            "LinearOptions::factor_storage is half: here factors of BILU(0) and SSOR are double alone");
  EXPECT_EQ(
      refusal(std::type_identity<float>{}, StorageKind::double_precision),
      "LinearOptions::factor_storage is double: here factors of BILU(0) and SSOR are float, half, bfloat16 or quarter");
}

}  // namespace
}  // namespace implicit_flow::storage
