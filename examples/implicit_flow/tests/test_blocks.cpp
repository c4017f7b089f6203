// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "mesh/blocks.hpp"
#include "solver/flow_solver.hpp"
#include "solver/interfaces.hpp"
#include "solver/kernels.hpp"
#include "turned_mesh.hpp"

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/stencil/convert.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace implicit_flow::several_blocks {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using hyperplane::AxisTransform;
using hyperplane::Point;
using turned_meshes::rotations;
using turned_meshes::turned;

/// Something different in each cell of the whole grid.
double noise(std::int64_t cell, int unknown) {
  std::mt19937_64 generator(static_cast<std::uint64_t>(equations * cell + unknown + 1));
  return std::uniform_real_distribution<double>(-0.1, 0.1)(generator);
}

/// A mesh and where its cells are in the whole one.
struct Part {
  Mesh mesh;
  std::function<std::int64_t(const Point&)> whole_cell;
};

/// Second-order residual and the product of the first-order Jacobian with a vector, for the cells of the whole grid.
struct Result {
  std::vector<double> residual;
  std::vector<double> product;
};

/// Copies a vector to the cells of the whole grid.
void gather(const Exec& exec, const std::vector<Part>& parts,
            const hyperplane::MultiBlockVector<double, equations, Exec>& from, std::vector<double>& to) {
  for (std::size_t b = 0; b < parts.size(); ++b) {
    auto const cells = parts[b].mesh.cells();
    Field<Exec> const values("values", cells.ni(), cells.nj(), cells.nk(), equations);
    unpack(exec, from.block(static_cast<int>(b)), values, {.axes = hyperplane::AxisOrder::ijk});
    exec.fence();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    for (std::int64_t number = 0; number < cells.size(); ++number) {
      auto const p = cells.point(number);
      auto const cell = static_cast<std::size_t>(parts[b].whole_cell(p));
      for (int c = 0; c < equations; ++c) to[equations * cell + static_cast<std::size_t>(c)] = host(p.i, p.j, p.k, c);
    }
  }
}

Result discretize(const std::vector<Part>& parts, std::size_t whole_size) {
  Exec const exec;
  std::vector<Mesh> meshes;
  for (auto const& part : parts) meshes.push_back(part.mesh);
  auto const blocks = joined(std::move(meshes));
  Gas gas;
  gas.viscosity = 0.02;
  BoundaryConditions boundary{};
  for (auto& side : boundary.side) side.type = Boundary::slip_wall;
  boundary.free_stream = gas.free_stream(0.7, 0.2);

  hyperplane::MultiBlockStencil7<double, equations, Exec> const a(exec, blocks.cells);
  hyperplane::MultiBlockVector<double, equations, Exec> const x(exec, blocks.cells), y(exec, blocks.cells);
  std::vector<Problem<Exec>> problems;
  for (auto const& mesh : blocks.meshes) problems.push_back({gas, boundary, compute_metrics(exec, mesh)});
  OneProcess<Exec> const process(blocks.cells);
  fill_volumes(exec, process, problems);
  std::vector<Residual<Exec>> residuals;
  std::vector<Field<Exec>> conserved;
  for (std::size_t b = 0; b < parts.size(); ++b) {
    auto const cells = problems[b].metrics.cells;
    residuals.emplace_back(exec, problems[b]);
    conserved.push_back(make_field(exec, "conserved", cells));
    Field<Exec> const values("values", cells.ni(), cells.nj(), cells.nk(), equations);
    auto const host = Kokkos::create_mirror_view(conserved[b]);
    auto const host_values = Kokkos::create_mirror_view(values);
    for (std::int64_t number = 0; number < cells.size(); ++number) {
      auto const p = cells.point(number);
      auto w = boundary.free_stream;
      for (int c = 0; c < equations; ++c) {
        w[c] += noise(parts[b].whole_cell(p), c);
        host_values(p.i, p.j, p.k, c) = noise(parts[b].whole_cell(p), c);
      }
      store(host, p, gas.conserved(w));
    }
    Kokkos::deep_copy(conserved[b], host);
    Kokkos::deep_copy(values, host_values);
    pack(exec, values, x.block(static_cast<int>(b)), {.axes = hyperplane::AxisOrder::ijk});
    exec.fence();
  }
  Result result{std::vector<double>(whole_size * equations), std::vector<double>(whole_size * equations)};
  for (std::size_t b = 0; b < parts.size(); ++b) residuals[b].compute_primitive(exec, conserved[b]);
  ghosts_of_primitive(exec, process, residuals).fill(exec);
  for (std::size_t b = 0; b < parts.size(); ++b) {
    residuals[b].sum_fluxes(exec, Order::second, y.block(static_cast<int>(b)));
    assemble_jacobian(exec, problems[b], conserved[b], 5.0, a.block(static_cast<int>(b)));
  }
  gather(exec, parts, y, result.residual);
  ghosts_of_conserved(exec, process, conserved).fill(exec);
  for (int b = 0; b < blocks.cells.block_count(); ++b) {
    auto const number = static_cast<std::size_t>(b);
    assemble_interfaces(exec, blocks.cells.interfaces(b), problems[number], conserved[number], a.block(b));
  }
  apply(exec, a, x, y);
  gather(exec, parts, y, result.product);
  return result;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, const std::string& what) {
  double largest = 0;
  double difference = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    largest = std::max(largest, std::abs(b[v]));
    difference = std::max(difference, std::abs(a[v] - b[v]));
  }
  EXPECT_GT(largest, 0.01) << what;
  EXPECT_LT(difference, 1e-13 * largest) << what;
}

class Discretization : public ::testing::Test {
 protected:
  Part part(int begin, int end, const AxisTransform& transform = {}) const {
    Mesh mesh({end - begin + 1, m_cells.nj() + 1, m_cells.nk() + 1});
    for (std::int64_t number = 0; number < mesh.vertices.size(); ++number) {
      auto const p = mesh.vertices.point(number);
      mesh.at(p.i, p.j, p.k) = m_mesh.at(begin + p.i, p.j, p.k);
    }
    auto const own = mesh.cells();
    auto result = turned(mesh, transform);
    // Cells of the part by their place after turning.
    auto const turned_cells = result.cells();
    std::vector<std::int64_t> cells(static_cast<std::size_t>(own.size()));
    for (std::int64_t number = 0; number < own.size(); ++number) {
      auto const p = own.point(number);
      cells[static_cast<std::size_t>(turned_cells.index(turned(p, own, transform)))] =
          m_cells.index(begin + p.i, p.j, p.k);
    }
    return {std::move(result),
            [cells, turned_cells](const Point& p) { return cells[static_cast<std::size_t>(turned_cells.index(p))]; }};
  }
  std::size_t size() const { return static_cast<std::size_t>(m_cells.size()); }

  hyperplane::Grid m_cells{5, 4, 3};
  Mesh m_mesh = make_wavy_box(m_cells, 0.04);
};

TEST_F(Discretization, OfPartsIsThatOfTheWhole) {
  auto const whole = discretize({part(0, 5)}, size());
  // Where a part is one cell thick, what is behind it is in the part after the next, or is a boundary.
  for (auto const& ends : {std::vector{0, 3, 5}, {0, 2, 3, 5}, {0, 1, 2, 3, 4, 5}}) {
    std::vector<Part> parts;
    for (std::size_t b = 0; b + 1 < ends.size(); ++b) parts.push_back(part(ends[b], ends[b + 1]));
    auto const found = discretize(parts, size());
    expect_near(found.residual, whole.residual, "residual");
    expect_near(found.product, whole.product, "product");
  }
}

TEST_F(Discretization, OfPartsIsThatOfTheWholeWhateverTheirAxes) {
  auto const whole = discretize({part(0, 5)}, size());
  auto const all = rotations();
  ASSERT_EQ(all.size(), 24U);
  for (std::size_t r = 0; r < all.size(); ++r) {
    auto const& other = all[(7 * r + 5) % all.size()];
    auto const found = discretize({part(0, 2, all[r]), part(2, 3, other), part(3, 5)}, size());
    expect_near(found.residual, whole.residual, to_string(all[r]) + to_string(other));
    expect_near(found.product, whole.product, to_string(all[r]) + to_string(other));
  }
}

Solution solve(const CaseOptions& options, hyperplane::Coupling coupling) {
  Exec const exec;
  auto const flow = make_case(options);
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary, {.linear = {.coupling = coupling}});
  EXPECT_TRUE(solver.run(exec, [](const StepReport&) {}).converged);
  return *whole_solution(flow.blocks, solver.solutions(exec));
}

TEST(Parts, HaveTheFlowOfTheWhole) {
  using hyperplane::Coupling;
  for (auto const kind : {CaseKind::wedge, CaseKind::plate}) {
    auto const whole = solve({.kind = kind, .cells = hyperplane::Grid(16, 10, 1)}, Coupling::none);
    for (auto const coupling : {Coupling::none, Coupling::coloured, Coupling::natural}) {
      auto const parts = solve({.kind = kind, .parts = {2, 2, 1}, .cells = hyperplane::Grid(16, 10, 1)}, coupling);
      ASSERT_EQ(parts.cells.size(), whole.cells.size());
      double difference = 0;
      for (std::size_t p = 0; p < whole.cells.size(); ++p) {
        for (int c = 0; c < equations; ++c) {
          difference = std::max(difference, std::abs(parts.cells[p][c] - whole.cells[p][c]));
        }
      }
      EXPECT_LT(difference, 1e-8) << name(coupling);
    }
  }
}

TEST(Parts, BoundaryConditionsAreThoseOfTheWhole) {
  auto const flow = make_case({.kind = CaseKind::plate,
                               .parts = {3, 1, 1},
                               .cells = hyperplane::Grid(30, 4, 1),
                               .boundaries = {"2:jmax=slip_wall"}});
  // 6 cells are in front of the plate, all in the first part.
  EXPECT_EQ(flow.boundary[0][Side::jmin].at(5), Boundary::slip_wall);
  EXPECT_EQ(flow.boundary[0][Side::jmin].at(6), Boundary::no_slip_wall);
  EXPECT_EQ(flow.boundary[1][Side::jmin].at(0), Boundary::no_slip_wall);
  EXPECT_EQ(flow.boundary[1][Side::jmax].at(0), Boundary::far_field);
  EXPECT_EQ(flow.boundary[2][Side::jmax].at(0), Boundary::slip_wall);
  EXPECT_THROW(make_case({.parts = {2, 1, 1}, .cells = hyperplane::Grid(8, 4, 1), .boundaries = {"2:jmin=outflow"}}),
               hyperplane::Error);
}

TEST(Parts, NameTheGridBlockThatIsFolded) {
  Exec const exec;
  auto blocks = cut(make_wavy_box({4, 3, 3}, 0), {2, 1, 1});
  for (int j = 0; j <= 3; ++j) {
    for (int k = 0; k <= 3; ++k) std::swap(blocks.meshes[1].at(0, j, k), blocks.meshes[1].at(1, j, k));
  }
  Gas const gas;
  try {
    FlowSolver<Exec> const solver(exec, blocks, gas, std::vector<BoundaryConditions>(2), {});
    FAIL() << "no error";
  } catch (const hyperplane::Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("grid block 1: the volume of cell (0, 0, 0)"));
  }
}

}  // namespace
}  // namespace implicit_flow::several_blocks
