// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "cgns_files.hpp"
#include "file_boundaries.hpp"
#include "mesh/cgns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace implicit_flow::cgns_files {
namespace {

using cgns_writer::Condition;
using ::testing::HasSubstr;

class CgnsBoundaries : public CgnsTest {};

/// Ranges of vertices of the sides of a mesh.
std::vector<std::vector<int>> sides_of(const Mesh& mesh) {
  auto const& v = mesh.vertices;
  int const i = v.ni(), j = v.nj(), k = v.nk();
  return {{1, 1, 1, 1, j, k}, {i, 1, 1, i, j, k}, {1, 1, 1, i, 1, k},
          {1, j, 1, i, j, k}, {1, 1, 1, i, j, 1}, {1, 1, k, i, j, k}};
}

/// One zone with a condition for each side.
File boxed(const Mesh& mesh, const std::vector<std::string>& types) {
  File result{.zones = {"box"}, .meshes = {mesh}};
  auto const ranges = sides_of(mesh);
  for (std::size_t s = 0; s < types.size(); ++s) {
    result.conditions.push_back({.zone = 0, .name = name(static_cast<Side>(s)), .type = types[s], .range = ranges[s]});
  }
  return result;
}

void expect_same(const BoundaryConditions& found, const BoundaryConditions& expected, int cells) {
  for (int s = 0; s < sides; ++s) {
    for (int i = 0; i < cells; ++i) {
      EXPECT_EQ(name(found.side[s].at(i)), name(expected.side[s].at(i))) << name(static_cast<Side>(s)) << ' ' << i;
    }
  }
}

std::vector<std::string> const wedge_types{"BCInflowSupersonic", "BCOutflow",       "BCWallInviscid",
                                           "BCFarfield",         "BCSymmetryPlane", "BCSymmetryPlane"};

TEST_F(CgnsBoundaries, AreThoseOfTheFile) {
  auto const expected = make_case({.cells = hyperplane::Grid(6, 4, 2)});
  auto const file = boxed(expected.blocks.meshes[0], wedge_types);
  // That of the box is far_field everywhere.
  expect_same(case_of(file, {.kind = CaseKind::box}).boundary[0], expected.boundary[0], 6);
  auto const given = case_of(file, {.kind = CaseKind::box, .boundaries = {"jmin=no_slip_wall"}}).boundary[0];
  EXPECT_EQ(given[Side::jmin].at(0), Boundary::no_slip_wall);
  EXPECT_EQ(given[Side::imin].at(0), Boundary::supersonic_inflow);
  // What the file does not say, the case does.
  auto part = file;
  part.conditions = {file.conditions[3]};
  part.conditions[0].type = "BCWall";
  auto const rest = case_of(part).boundary[0];
  EXPECT_EQ(rest[Side::jmax].at(0), Boundary::no_slip_wall);
  EXPECT_EQ(rest[Side::imin].at(0), Boundary::supersonic_inflow);
}

TEST_F(CgnsBoundaries, AreInFamilies) {
  auto const expected = make_case({.cells = hyperplane::Grid(6, 4, 2)});
  auto file = boxed(expected.blocks.meshes[0], wedge_types);
  for (std::size_t s = 0; s < 6; ++s) {
    file.families.push_back({"family " + std::to_string(s), file.conditions[s].type});
    file.conditions[s].type = "FamilySpecified";
    file.conditions[s].family = "family " + std::to_string(s);
  }
  expect_same(case_of(file, {.kind = CaseKind::box}).boundary[0], expected.boundary[0], 6);
  file.conditions[2].family = "walls";
  EXPECT_THAT(error_of(file), HasSubstr("zone 'box' (grid block 0), BC_t 'jmin', jmin: there is no condition "
                                        "here for family 'walls', which the file does not have"));
}

TEST_F(CgnsBoundaries, AreOfFacesToo) {
  auto const expected = make_case({.cells = hyperplane::Grid(6, 4, 2)});
  auto file = boxed(expected.blocks.meshes[0], wedge_types);
  for (std::size_t s = 0; s < 6; ++s) {
    auto& condition = file.conditions[s];
    condition.location = s < 4 ? "FaceCenter" : "KFaceCenter";
    for (std::size_t d = 0; d < 3; ++d) {
      if (condition.range[d] != condition.range[d + 3]) --condition.range[d + 3];
    }
  }
  expect_same(case_of(file, {.kind = CaseKind::box}).boundary[0], expected.boundary[0], 6);
  file.conditions[0].location = "CellCenter";
  EXPECT_THAT(error_of(file), HasSubstr("BC_t 'imin': GridLocation CellCenter is not of faces"));
  file = boxed(make_wedge({6, 4, 1}, 0.1), wedge_types);
  file.conditions[2].location = "FaceCenter";
  file.conditions[2].range = {1, 1, 1, 6, 1, 1};
  EXPECT_THAT(error_of(file), HasSubstr("BC_t 'jmin': which way its faces lie is not clear"));
}

TEST_F(CgnsBoundaries, AreOfEdgesInTwoDimensions) {
  auto const expected = make_case({.cells = hyperplane::Grid(6, 4, 1)});
  auto file = boxed(expected.blocks.meshes[0], wedge_types);
  file.dimensions = 2;
  file.conditions.resize(4);
  for (auto& condition : file.conditions) {
    auto const& r = condition.range;
    condition.range = {r[0], r[1], r[3], r[4]};
  }
  auto faces = file;
  faces.conditions[0] = {
      .zone = 0, .name = "imin", .type = "BCInflow", .range = {1, 1, 1, 4}, .location = "EdgeCenter"};
  // kmin and kmax are those of the case.
  expect_same(case_of(file).boundary[0], expected.boundary[0], 6);
  expect_same(case_of(faces).boundary[0], expected.boundary[0], 6);
}

TEST_F(CgnsBoundaries, MayChangeAlongI) {
  CaseOptions const options{.kind = CaseKind::plate, .parts = {3, 1, 1}, .cells = hyperplane::Grid(10, 6, 2)};
  auto const plate = make_case(options);
  auto file = boxed(*plate.blocks.whole, {"BCInflow", "BCOutflow", "BCWallViscous", "BCFarfield"});
  file.conditions[2].range[0] = 3;
  file.conditions.push_back({.zone = 0, .name = "front", .type = "BCSymmetryPlane", .range = {1, 1, 1, 3, 1, 3}});
  auto const whole = case_of(file, {.kind = CaseKind::plate, .boundaries = {}});
  EXPECT_EQ(whole.boundary[0][Side::jmin].leading_cells, 2);
  for (auto const kind : {CaseKind::plate, CaseKind::wedge}) {
    auto const flow = case_of(file, {.kind = kind, .parts = {3, 1, 1}});
    ASSERT_EQ(flow.boundary.size(), 3U);
    for (std::size_t b = 0; b < 3; ++b) expect_same(flow.boundary[b], plate.boundary[b], 3);
  }
}

TEST_F(CgnsBoundaries, DoNotCountAtInterfaces) {
  auto file = two_zones();
  file.conditions = {{.zone = 0, .name = "seam", .type = "UserDefined", .range = {3, 1, 1, 3, 4, 3}},
                     {.zone = 1, .name = "seam", .type = "BCWall", .range = {1, 1, 1, 1, 4, 3}}};
  EXPECT_EQ(case_of(file).blocks.cells, joined(file.meshes).cells);
}

TEST_F(CgnsBoundaries, KnowWallsWithoutThickness) {
  // A C-grid around a plate from x = -1 to 1 that is as thin as its wake, from x = 1 to 3: both sides of the line j = 0
  // are at the same places, which find_interfaces would join.
  Mesh mesh({7, 3, 2});
  for (int i = 0; i < 7; ++i) {
    for (int k = 0; k < 2; ++k) {
      double const x = std::abs(i - 3) - (i == 3 ? 1 : 0);
      for (int j = 0; j < 3; ++j) mesh.at(i, j, k) = {i == 3 ? x - j : x, i < 3 ? -j : i > 3 ? j : 0.0, 0.0 + k};
    }
  }
  File file{.zones = {"c"},
            .meshes = {mesh},
            .connections = {{.zone = 0,
                             .name = "wake",
                             .donor = "c",
                             .range = {1, 1, 1, 3, 1, 2},
                             .donor_range = {7, 1, 1, 5, 1, 2},
                             .transform = {-1, -2, 3}}},
            .conditions = {{.zone = 0, .name = "plate", .type = "BCWall", .range = {3, 1, 1, 5, 1, 2}}}};
  auto const flow = case_of(file, {.kind = CaseKind::box});
  ASSERT_EQ(flow.blocks.cells.interfaces().size(), 2U);
  for (auto const& interface : flow.blocks.cells.interfaces()) EXPECT_EQ(interface.points.size(), 2);
  for (int const i : {2, 3}) EXPECT_EQ(flow.boundary[0][Side::jmin].at(i), Boundary::no_slip_wall);
  EXPECT_THAT(error_of(file, {.parts = {2, 1, 1}}), HasSubstr("--parts goes by vertices that are the same"));
}

TEST_F(CgnsBoundaries, ThatCannotBeAreErrorsUnlessTheyAreGiven) {
  auto const mesh = make_wedge({6, 4, 2}, 0.1);
  auto file = boxed(mesh, wedge_types);
  file.conditions[2].type = "BCWallViscousIsothermal";
  EXPECT_EQ(error_of(file), m_file.string() +
                                ": zone 'box' (grid block 0), BC_t 'jmin', jmin: there is no condition here for "
                                "BCWallViscousIsothermal (--boundary 0:jmin=... gives one)");
  EXPECT_EQ(error_of(file, {.boundaries = {"0:jmin=slip_wall"}}), "");
  EXPECT_EQ(error_of(file, {.boundaries = {"box:jmin=slip_wall"}}), "");

  file = boxed(mesh, wedge_types);
  file.conditions[3].range[3] = 4;
  EXPECT_THAT(error_of(file), HasSubstr("BC_t 'jmax', jmax: the file says nothing about cell (3, 3, 0), and has a "
                                        "condition elsewhere on this side"));
  file.conditions.push_back({.zone = 0, .name = "more", .type = "BCWall", .range = {4, 5, 1, 7, 5, 2}});
  EXPECT_THAT(error_of(file), HasSubstr("the file says nothing about cell (3, 3, 1)"));
  file.conditions.push_back({.zone = 0, .name = "last", .type = "BCFarfield", .range = {4, 5, 2, 7, 5, 3}});
  EXPECT_THAT(error_of(file), HasSubstr("the file has no_slip_wall and other conditions on this side, as at cell (3, "
                                        "3, 1); here a side has one, or one for the first cells along i"));
  file.conditions.push_back({.zone = 0, .name = "twice", .type = "BCWall", .range = {1, 5, 1, 7, 5, 3}});
  EXPECT_THAT(error_of(file), HasSubstr("BC_t 'twice', jmax: cell (0, 3, 0) has another condition, too"));
  EXPECT_EQ(error_of(file, {.boundaries = {"jmax=far_field"}}), "");
}

TEST_F(CgnsBoundaries, ThatAreOnNoFaceAreErrors) {
  auto const mesh = make_wedge({6, 4, 2}, 0.1);
  auto file = boxed(mesh, wedge_types);
  file.conditions[1].range = {6, 1, 1, 6, 5, 3};
  EXPECT_THAT(error_of(file), HasSubstr("zone 'box' (grid block 0), BC_t 'imax': PointRange 6..6 x 1..5 x 1..3 is no "
                                        "part of a face of a zone of 7x5x3 vertices"));
  file.conditions[1].range = {7, 1, 1, 7, 6, 3};
  EXPECT_THAT(error_of(file), HasSubstr("PointRange 7..7 x 1..6 x 1..3 is no part"));
  file.conditions[1].range = {7, 1, 1, 7, 1, 3};
  EXPECT_THAT(error_of(file), HasSubstr("PointRange 7..7 x 1..1 x 1..3 is no part"));
  file.conditions[1].range = {1, 1, 1, 7, 1, 3};
  file.conditions[1].is_list = true;
  EXPECT_THAT(error_of(file), HasSubstr("BC_t 'imax': its points are a PointList, there must be a PointRange"));
}

TEST_F(CgnsBoundaries, OfStreamsDependOnTheirSpeed) {
  EXPECT_EQ(boundary_of_cgns("BCInflow", true), Boundary::supersonic_inflow);
  EXPECT_EQ(boundary_of_cgns("BCInflow", false), Boundary::far_field);
  EXPECT_EQ(boundary_of_cgns("BCOutflow", true), Boundary::outflow);
  EXPECT_EQ(boundary_of_cgns("BCOutflow", false), Boundary::pressure_outflow);
  EXPECT_EQ(boundary_of_cgns("BCGeneral", true), std::nullopt);
}

}  // namespace
}  // namespace implicit_flow::cgns_files
