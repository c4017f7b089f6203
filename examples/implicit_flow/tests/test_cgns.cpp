// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "cgns_writer.hpp"
#include "mesh/cgns.hpp"
#include "mesh/plot3d.hpp"
#include "solver/flow_solver.hpp"
#include "turned_mesh.hpp"

#include <hyperplane/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace implicit_flow::cgns {
namespace {

using cgns_writer::connections_of;
using cgns_writer::File;
using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;

/// A file of the test's own, which is removed at its end.
class Cgns : public ::testing::Test {
 protected:
  void SetUp() override {
    auto const* test = ::testing::UnitTest::GetInstance()->current_test_info();
    m_file = std::filesystem::temp_directory_path() / ("implicit_flow_" + std::string(test->name()) + ".cgns");
  }
  void TearDown() override {
    std::filesystem::remove(m_file);
    std::filesystem::remove(plot3d_file());
  }
  std::filesystem::path plot3d_file() const { return m_file.string() + ".p3d"; }

  CgnsGrid read(const File& file) {
    write(m_file, file);
    return read_cgns(m_file);
  }

  /// A case with the grid of a file.
  Case case_of(const File& file, CaseOptions options = {}) {
    write(m_file, file);
    options.grid_file = m_file;
    return make_case(options);
  }

  /// Message of the error that a case gives; empty if there is none.
  std::string error_of(const File& file, const CaseOptions& options = {}) {
    try {
      case_of(file, options);
    } catch (const hyperplane::Error& problem) {
      return problem.what();
    }
    return {};
  }

  std::filesystem::path m_file;
};

File file_of(const MeshBlocks& blocks) {
  File result{.zones = {}, .meshes = blocks.meshes, .connections = connections_of(blocks.cells)};
  for (std::size_t b = 0; b < blocks.meshes.size(); ++b) result.zones.push_back("zone " + std::to_string(b));
  return result;
}

/// A wedge in parts, two of which have turned axes.
MeshBlocks turned_wedge() {
  auto meshes = cut(make_wedge({12, 8, 2}, 0.17), {2, 2, 1}).meshes;
  auto const rotations = turned_meshes::rotations();
  meshes[1] = turned_meshes::turned(meshes[1], rotations[5]);
  meshes[3] = turned_meshes::turned(meshes[3], rotations[17]);
  return joined(std::move(meshes));
}

std::vector<Solution> flow_of(const Case& flow) {
  Exec const exec;
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary, {.max_steps = 4});
  solver.run(exec, [](const StepReport&) {});
  return solver.solutions(exec);
}

void expect_same_flow(const Case& a, const Case& b) {
  auto const first = flow_of(a), second = flow_of(b);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t g = 0; g < first.size(); ++g) {
    ASSERT_EQ(first[g].cells.size(), second[g].cells.size());
    for (std::size_t p = 0; p < first[g].cells.size(); ++p) {
      for (int c = 0; c < equations; ++c) EXPECT_EQ(first[g].cells[p][c], second[g].cells[p][c]);
    }
  }
}

TEST_F(Cgns, HasTheGridAndTheFlowOfPlot3d) {
  auto const blocks = turned_wedge();
  auto file = file_of(blocks);
  for (bool const is_adf : {false, true}) {
    file.is_adf = is_adf;
    auto const found = read(file);
    EXPECT_EQ(found.blocks.cells, blocks.cells);
    ASSERT_EQ(found.blocks.meshes.size(), 4U);
    for (std::size_t b = 0; b < 4; ++b) {
      for (std::size_t p = 0; p < blocks.meshes[b].position.size(); ++p) {
        EXPECT_EQ(norm(found.blocks.meshes[b].position[p] - blocks.meshes[b].position[p]), 0);
      }
    }
  }
  write_plot3d(plot3d_file(), blocks.meshes, Plot3dFormat::stream);
  expect_same_flow(case_of(file), make_case({.grid_file = plot3d_file()}));
}

}  // namespace
}  // namespace implicit_flow::cgns
