// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "cgns_files.hpp"
#include "flow_difference.hpp"
#include "mesh/cgns.hpp"
#include "mesh/plot3d.hpp"
#include "solver/flow_solver.hpp"
#include "turned_mesh.hpp"

#include <hyperplane/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace implicit_flow::cgns_files {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Exec = Kokkos::DefaultExecutionSpace;

class CgnsGrids : public CgnsTest {};
class CgnsErrors : public CgnsTest {};

/// A wedge in parts, two of which have turned axes.
MeshBlocks turned_wedge() {
  auto meshes = cut(make_wedge({12, 8, 2}, 0.17), {2, 2, 1}).meshes;
  auto const rotations = turned_meshes::rotations();
  meshes[1] = turned_meshes::turned(meshes[1], rotations[5]);
  meshes[3] = turned_meshes::turned(meshes[3], rotations[17]);
  return joined(std::move(meshes));
}

std::vector<Solution> flow_of(const Case& flow, double linear_tolerance = 1e-2) {
  Exec const exec;
  FlowSolver solver(exec, flow.blocks, flow.gas, flow.boundary,
                    {.max_steps = 4, .linear = {.tolerance = linear_tolerance, .max_iterations = 200}});
  solver.run(exec, [](const StepReport&) {});
  return solver.solutions(exec);
}

double largest_distance(const Mesh& a, const Mesh& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  double result = 0;
  for (std::size_t p = 0; p < a.position.size(); ++p) result = std::max(result, norm(a.position[p] - b.position[p]));
  return result;
}

TEST_F(CgnsGrids, HaveTheFlowOfPlot3d) {
  auto const blocks = turned_wedge();
  auto file = file_of(blocks);
  for (bool const is_adf : {false, true}) {
    file.is_adf = is_adf;
    auto const found = read(file);
    EXPECT_EQ(found.blocks.cells, blocks.cells);
    ASSERT_EQ(found.blocks.meshes.size(), 4U);
    for (std::size_t b = 0; b < 4; ++b) EXPECT_EQ(largest_distance(found.blocks.meshes[b], blocks.meshes[b]), 0);
  }
  write_plot3d(other_file(), blocks.meshes, Plot3dFormat::stream);
  EXPECT_EQ(largest_difference(flow_of(case_of(file)), flow_of(make_case({.grid_file = other_file()}))), 0);
}

TEST_F(CgnsGrids, AreKnownByTheirFirstBytes) {
  for (bool const is_adf : {false, true}) {
    auto file = two_zones();
    file.is_adf = is_adf;
    write(other_file(), file);
    EXPECT_TRUE(is_cgns(other_file()));
    EXPECT_EQ(make_case({.grid_file = other_file()}).blocks.cells, joined(file.meshes).cells);
  }
  write_plot3d(other_file(), turned_wedge().meshes, Plot3dFormat::stream);
  EXPECT_FALSE(is_cgns(other_file()));
}

TEST_F(CgnsGrids, HaveTheirZonesByName) {
  auto file = two_zones();
  file.zones = {"b", "a"};
  file.connections[0].donor = "a";
  auto const found = read(file);
  EXPECT_EQ(found.zones, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(largest_distance(found.blocks.meshes[1], file.meshes[0]), 0);
  EXPECT_EQ(found.blocks.cells.interfaces()[0].face, hyperplane::Direction::west);
  auto const flow = case_of(file, {.boundaries = {"jmin=far_field", "b:jmin=outflow"}});
  EXPECT_EQ(flow.boundary[0][Side::jmin].at(0), Boundary::far_field);
  EXPECT_EQ(flow.boundary[1][Side::jmin].at(0), Boundary::outflow);
  EXPECT_THAT(error_of(file, {.boundaries = {"c:jmin=outflow"}}),
              HasSubstr("'c' is no grid block: there are 2, counted from 0, or by name: a, b"));
}

TEST_F(CgnsGrids, MayBeOfSinglePrecision) {
  auto file = file_of(turned_wedge());
  file.is_single = true;
  auto const found = read(file);
  EXPECT_EQ(found.blocks.cells, turned_wedge().cells);
  auto const &p = found.blocks.meshes[2].at(3, 2, 1), &exact = file.meshes[2].at(3, 2, 1);
  EXPECT_EQ(p.x, static_cast<double>(static_cast<float>(exact.x)));
  EXPECT_EQ(p.y, static_cast<double>(static_cast<float>(exact.y)));
}

TEST_F(CgnsGrids, HaveTwoDimensionsToo) {
  auto meshes = cut(make_wedge({12, 8, 1}, 0.17), {2, 1, 1}).meshes;
  // The same vertices with i and j exchanged and j turned round, so that it stays right-handed.
  meshes[1] = turned_meshes::turned(meshes[1], {{2, -1, 3}});
  for (auto& mesh : meshes) {
    for (int j = 0; j < mesh.vertices.nj(); ++j) {
      for (int i = 0; i < mesh.vertices.ni(); ++i) mesh.at(i, j, 1) = mesh.at(i, j, 0) + Vec3{0, 0, 1};
    }
  }
  auto const blocks = joined(std::move(meshes));
  auto file = file_of(blocks);
  file.dimensions = 2;
  for (auto& connection : file.connections) {
    auto const flat = [](const std::vector<int>& r) { return std::vector<int>{r[0], r[1], r[3], r[4]}; };
    connection.range = flat(connection.range);
    connection.donor_range = flat(connection.donor_range);
    connection.transform.pop_back();
  }
  auto const found = read(file);
  EXPECT_EQ(found.blocks.cells, blocks.cells);
  for (std::size_t b = 0; b < 2; ++b) EXPECT_EQ(largest_distance(found.blocks.meshes[b], blocks.meshes[b]), 0);
}

/// A wedge whose last layer along k meets its first one.
File periodic_wedge(const hyperplane::Grid& cells) {
  auto const mesh = make_case({.cells = cells}).blocks.meshes[0];
  auto const& [ni, nj, nk] = std::array{cells.ni() + 1, cells.nj() + 1, cells.nk() + 1};
  auto const depth = static_cast<float>(mesh.at(0, 0, 0).z - mesh.at(0, 0, cells.nk()).z);
  return {.zones = {"wedge"},
          .meshes = {mesh},
          .connections = {{.zone = 0,
                           .name = "period",
                           .donor = "wedge",
                           .range = {1, 1, nk, ni, nj, nk},
                           .donor_range = {1, 1, 1, ni, nj, 1},
                           .transform = {1, 2, 3},
                           .translation = std::array{0.0F, 0.0F, depth}}}};
}

TEST_F(CgnsGrids, MeetAcrossPeriods) {
  for (int const nk : {1, 2, 3}) {
    // Nothing flows along k, so that walls of symmetry make no difference. The depth is no number of single precision.
    auto const file = periodic_wedge({12, 8, nk});
    auto const flow = case_of(file);
    EXPECT_EQ(flow.blocks.cells.interfaces().size(), 2U);
    auto const between_walls = make_case({.cells = hyperplane::Grid(12, 8, nk)});
    EXPECT_LT(largest_difference(flow_of(flow, 1e-13), flow_of(between_walls, 1e-13)), 1e-10) << nk;
    EXPECT_THAT(error_of(file, {.parts = {2, 1, 1}}), HasSubstr("--parts goes by vertices that are the same"));
  }
}

TEST_F(CgnsGrids, OfOneZoneCanBeCut) {
  auto const whole = make_case({.kind = CaseKind::airfoil, .cells = hyperplane::Grid(16, 6, 1)});
  auto const flow = case_of(file_of(whole.blocks), {.kind = CaseKind::airfoil, .parts = {2, 2, 1}});
  auto const expected = make_case({.kind = CaseKind::airfoil, .parts = {2, 2, 1}, .cells = hyperplane::Grid(16, 6, 1)});
  EXPECT_EQ(flow.blocks.cells, expected.blocks.cells);
  EXPECT_THAT(error_of(two_zones(), {.parts = {2, 1, 1}}), HasSubstr("2 blocks: --parts cuts one"));
}

TEST_F(CgnsErrors, OfFilesThatAreCutShort) {
  auto const expect_errors = [&](const File& file) {
    auto const cells = read(file).blocks.cells;
    int whole = 0, named = 0;
    for (std::uintmax_t part = 0; part < 64; ++part) {
      write(m_file, file);
      std::filesystem::resize_file(m_file, std::filesystem::file_size(m_file) * part / 64);
      try {
        // What is missing at the end may be a part of the file that has nothing.
        EXPECT_EQ(read_cgns(m_file).blocks.cells, cells);
        ++whole;
      } catch (const hyperplane::Error& error) {
        // libcgns reads all but arrays when it opens a file, and a file of HDF5 has its length in it.
        std::string const text = error.what(), not_opened = m_file.string() + ": no CGNS file, or not a whole one: ";
        EXPECT_THAT(text,
                    AnyOf(StartsWith(not_opened),
                          ContainsRegex(": zone 'zone [0-3]' .grid block [0-3].(, |: there is no )Coordinate[XYZ]")));
        named += text.starts_with(not_opened) ? 0 : 1;
      }
    }
    EXPECT_LE(whole, file.is_adf ? 8 : 0);
    // Where arrays come last.
    EXPECT_EQ(named > 0, file.is_adf && file.connections.empty());
  };
  auto file = file_of(turned_wedge());
  expect_errors(file);
  file.is_adf = true;
  expect_errors(file);
  file.connections.clear();
  expect_errors(file);
}

TEST_F(CgnsErrors, OfFilesThatAreNone) {
  std::ofstream(m_file) << "2 2 2\n0 1 0 1 0 1 0 1\n0 0 1 1 0 0 1 1\n0 0 0 0 1 1 1 1\n";
  for (std::string const why : {"no CGNS file, or not a whole one: ", "cannot be read"}) {
    try {
      make_case({.grid_file = m_file});
      ADD_FAILURE() << "no error";
    } catch (const hyperplane::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(m_file.string() + ": " + why));
    }
    std::filesystem::remove(m_file);
  }
}

TEST_F(CgnsErrors, OfZones) {
  EXPECT_THAT(error_after([](File& f) {
                f.is_unstructured = true;
                f.connections.clear();
              }),
              HasSubstr(m_file.string() + ": zone 'left' (grid block 0): not structured"));
  EXPECT_THAT(error_after([](File& f) { f.last_coordinate = "CoordinateR"; }),
              HasSubstr("zone 'left' (grid block 0): there is no CoordinateZ"));
  EXPECT_THAT(error_after([](File& f) { f.meshes[1].at(2, 0, 1).x = std::numeric_limits<double>::quiet_NaN(); }),
              HasSubstr("zone 'right' (grid block 1): CoordinateX of vertex (3, 1, 2) is not a finite number"));
  EXPECT_THAT(error_after([](File& f) { f.meshes[1] = Mesh({4, 3, 1}); }),
              HasSubstr("zone 'right' (grid block 1): 4 x 3 x 1 vertices: there must be from 2 to 100000"));
  EXPECT_THAT(error_of({}), HasSubstr("base 'base': there is no zone"));
}

TEST_F(CgnsErrors, OfInterfaces) {
  auto const seam = m_file.string() + ": zone 'left' (grid block 0), GridConnectivity1to1 'seam': ";
  EXPECT_EQ(error_of(two_zones()), "");
  EXPECT_THAT(error_after([](File& f) { f.connections[0].donor = "rihgt"; }),
              HasSubstr(seam + "there is no zone 'rihgt', the donor"));
  EXPECT_THAT(
      error_after([](File& f) { f.connections[0].transform = {1, -2, 3}; }),
      HasSubstr(seam + "interface_from_cgns: grid block 0, PointRange [3, 1, 1; 3, 4, 3], donor 1, "
                       "PointRangeDonor [1, 1, 1; 1, 4, 3]: by Transform (+1, -2, +3) vertices 1 to 4 along j do "
                       "not meet vertices 1 to 4 along j of the donor"));
  EXPECT_THAT(error_after([](File& f) { f.connections[0].range = {2, 1, 1, 2, 4, 3}; }),
              HasSubstr("PointRange is on no face: i is 1 or 3 there"));
  EXPECT_THAT(error_after([](File& f) { f.connections[0].transform = {-1, 2, 3}; }), HasSubstr("Transform (-1, +2"));
  EXPECT_THAT(error_after([](File& f) { f.meshes[1].at(0, 2, 1).y += 0.25; }),
              HasSubstr(seam + "vertex (3, 3, 2) and vertex (1, 3, 2) of zone 'right' (grid block 1) are 0.25 apart: "
                               "where zones meet they are the same, to "));
  EXPECT_THAT(error_after([](File& f) {
                f.meshes = cut(make_wavy_box({4, 3, 2}, 0), {2, 1, 1}).meshes;
                for (std::string const donor : {"left", "right"}) {
                  f.connections.push_back({.zone = 0,
                                           .name = "below is " + donor,
                                           .donor = donor,
                                           .range = {1, 1, 1, 3, 4, 1},
                                           .donor_range = {1, 1, 3, 3, 4, 3},
                                           .transform = {1, 2, 3},
                                           .translation = std::array{donor == "left" ? 0.0F : 0.5F, 0.0F, 1.0F}});
                }
              }),
              AllOf(HasSubstr(m_file.string() + ": MultiBlockGrid: interface at the bottom face of grid block 0"),
                    HasSubstr("; grid blocks are zones: 0 is 'left', 1 is 'right'")));
  EXPECT_THAT(error_after([](File& f) { f.connections[0].is_general = true; }),
              HasSubstr("zone 'left' (grid block 0): GridConnectivity 'seam' (Abutting1to1): zones have to meet one to "
                        "one, as GridConnectivity1to1"));
  EXPECT_THAT(error_after([](File& f) { f.connectivities = 1; }),
              HasSubstr("zone 'left' (grid block 0): 2 ZoneGridConnectivity_t, there must be one"));
}

TEST_F(CgnsErrors, OfPeriods) {
  auto file = periodic_wedge({12, 8, 2});
  file.connections[0].rotation = {0, 0, 1};
  EXPECT_THAT(error_of(file), HasSubstr("zone 'wedge' (grid block 0), GridConnectivity1to1 'period': it is periodic "
                                        "with a rotation"));
  file = periodic_wedge({12, 8, 2});
  file.connections[0].translation = {0, 0, 0.5};
  EXPECT_THAT(error_of(file), HasSubstr("vertex (1, 1, 3) and vertex (1, 1, 1) of zone 'wedge' (grid block 0) are 0."));
  file = periodic_wedge({12, 8, 2});
  file.connections[0].translation.reset();
  EXPECT_THAT(error_of(file), HasSubstr("vertex (1, 1, 3) and vertex (1, 1, 1) of zone 'wedge' (grid block 0) are 0."));
  file = periodic_wedge({12, 8, 2});
  file.meshes[0].at(4, 5, 2).z += 0.125;
  EXPECT_THAT(error_of(file), HasSubstr("vertex (5, 6, 3) and vertex (5, 6, 1) of zone 'wedge' (grid block 0) are "
                                        "0.125 apart, Translation taken off"));
}

}  // namespace
}  // namespace implicit_flow::cgns_files
