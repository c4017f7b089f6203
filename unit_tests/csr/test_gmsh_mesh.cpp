// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perf_tests/csr/dual_mesh.hpp"
#include "perf_tests/csr/gmsh_mesh.hpp"
#include "perf_tests/csr/mesh_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

std::string const format = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
std::string const nodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
std::string const one_cell = "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n";

Tetrahedra read(const std::string& text) {
  auto const path = ::testing::TempDir() + "hyperplane_mesh.msh";
  std::ofstream(path) << text;
  return GmshReader(path).read();
}

void expect_refused(const std::string& text, const std::string& message) {
  try {
    read(text);
    ADD_FAILURE() << "no error, expected " << message;
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("hyperplane_mesh.msh, line " + message));
  }
}

/// n^3 cubes of six tetrahedra each, every second of which is oriented the other way.
Tetrahedra cubes(int n) {
  Tetrahedra mesh;
  auto const number = [&](int i, int j, int k) { return i + (n + 1) * (j + (n + 1) * k); };
  for (int k = 0; k <= n; ++k) {
    for (int j = 0; j <= n; ++j) {
      for (int i = 0; i <= n; ++i) mesh.points.push_back({0.5 * i, 1.0 * j, 2.0 * k + 0.1 * i});
    }
  }
  for (int cell = 0; cell < n * n * n; ++cell) {
    int const i = cell % n, j = cell / n % n, k = cell / (n * n);
    for (auto const& [a, b] : {std::array{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}}) {
      std::array<int, 3> at{i, j, k};
      std::array<int, 4> corners{number(i, j, k), 0, 0, number(i + 1, j + 1, k + 1)};
      ++at[static_cast<std::size_t>(a)];
      corners[1] = number(at[0], at[1], at[2]);
      ++at[static_cast<std::size_t>(b)];
      corners[2] = number(at[0], at[1], at[2]);
      mesh.cells.push_back(corners);
    }
  }
  return mesh;
}

double volume(const Tetrahedra& mesh) {
  double sum = 0.0;
  for (auto const& cell : mesh.cells) {
    auto const side = [&](int c) { return difference(mesh.points[cell[c]], mesh.points[cell[0]]); };
    sum += std::abs(dot(cross(side(1), side(2)), side(3))) / 6.0;
  }
  return sum;
}

void expect_dual_of(const Tetrahedra& mesh) {
  DualMesh const dual(mesh);
  double parts = 0.0;
  Vector3 boundary{};
  for (std::size_t p = 0; p < dual.points.size(); ++p) {
    add(1.0, dual.boundary(p), boundary);
    for (auto e = dual.first(p); e < dual.first(p + 1); ++e) {
      auto const q = static_cast<std::size_t>(dual.neighbours[e]);
      auto const height = dot(dual.faces[e], difference(dual.points[q], dual.points[p]));
      EXPECT_GT(height, 0.0) << "from " << p << " to " << q;
      // A pyramid from the point to the face, which is in the middle.
      parts += height / 6.0;
    }
  }
  double const whole = volume(mesh);
  double const tolerance = static_cast<double>(dual.faces.size()) * std::numeric_limits<double>::epsilon() * whole;
  EXPECT_NEAR(parts, whole, tolerance);
  for (double const component : boundary) EXPECT_NEAR(component, 0.0, tolerance);
}

TEST(GmshMesh, reads_points_in_their_order_and_tetrahedra) {
  auto const mesh =
      read(format + "$Comments\n$Nodes\n\n$EndComments\n" + nodes +
           "$Elements\r\n4\n1 15 2 0 1 1\n2 1 2 0 1 1 2\n3 2 2 0 1 1 2 3\n4 4 3 1 1 7 4 2 3 1\n$EndElements");
  ASSERT_EQ(mesh.points.size(), 4U);
  EXPECT_EQ(mesh.points[3], (Vector3{0, 0, 1}));
  ASSERT_EQ(mesh.cells.size(), 1U);
  EXPECT_EQ(mesh.cells[0], (std::array{3, 1, 2, 0}));
}

TEST(GmshMesh, refuses_what_it_cannot_read_with_file_and_line) {
  EXPECT_THROW(GmshReader("/no/such/file.msh"), std::runtime_error);
  expect_refused("", "0: not a file of gmsh");
  expect_refused("hello\n", "1: not a file of gmsh");
  expect_refused("$MeshFormat\n4.1 0 8\n", "2: expected the text format 2.2");
  expect_refused("$MeshFormat\n2.2 1 8\n", "2: expected the text format 2.2");
  expect_refused(format, "3: the file has no nodes");
  expect_refused(format + "nodes\n", "4: expected a section, which begins with $, not 'nodes'");
  expect_refused(format + "$Nodes\n0\n", "5: the number of nodes is 0");
  expect_refused(format + "$Nodes\n4\n1 0 0 0\n", "6: the file ends before node 2 of 4");
  expect_refused(format + "$Nodes\n4\n3 0 0 0\n", "6: expected node 1, not 3");
  expect_refused(format + "$Nodes\n4\n1 0 0\n", "6: a coordinate is missing");
  expect_refused(format + "$Nodes\n4\n1 0 0 nan\n", "6: a coordinate cannot be 'nan'");
  expect_refused(format + "$Nodes\n4\n1 0 0 \x1b" + std::string(99, 'z') + "\n",
                 "6: a coordinate cannot be '?" + std::string(39, 'z') + "...'");
  expect_refused(format + "$Nodes\n1\n1 0 0 0\n2 0 0 0\n", "7: expected $EndNodes, not '2 0 0 0'");
  expect_refused(format + "$Names\nwing\n", "5: the file ends before $EndNames");
  expect_refused(format + nodes + nodes, "11: $Nodes is there twice");
  expect_refused(format + nodes, "10: the file has no tetrahedra");
  expect_refused(format + one_cell, "6: node 1 is not in 1..0");
  expect_refused(format + nodes + "$Elements\n1\n1 4 2 1 1 1 2 3 5\n", "13: node 5 is not in 1..4");
  expect_refused(format + nodes + "$Elements\n1\n1 4 2 1 1 1 2 3 0\n", "13: node 0 is not in 1..4");
  expect_refused(format + nodes + "$Elements\n1\n1 4 2 1 1 1 2 3\n", "13: a node is missing");
  expect_refused(format + nodes + "$Elements\n1\n1 4 2 1 1 1 2 3 3\n", "13: the tetrahedron has no volume");
  expect_refused(format + nodes + "$Elements\n1\n1 6 2 1 1 1 2 3 4 1 2\n", "13: element of kind 6");
  expect_refused(format + nodes + "$Elements\n2\n1 4 2 1 1 1 2 3 4\n", "13: the file ends before element 2 of 2");
  expect_refused(format + "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 9 9 9\n$EndNodes\n" + one_cell,
                 "15: node 5 is part of no tetrahedron");
}

TEST(GmshMesh, faces_of_the_dual_mesh_fill_the_mesh_and_close) {
  expect_dual_of(read(format + nodes + one_cell));
  for (int const n : {1, 2, 5}) expect_dual_of(cubes(n));
  expect_dual_of(GmshReader(HYPERPLANE_WING).read());
}

TEST(GmshMesh, inside_nothing_is_left_for_the_boundary) {
  DualMesh const dual(cubes(2));
  std::size_t const middle = 13;
  EXPECT_EQ(dual.first(middle + 1) - dual.first(middle), 14U);
  for (double const component : dual.boundary(middle)) EXPECT_NEAR(component, 0.0, 1e-14);
  for (double const component : dual.boundary(0)) EXPECT_NE(component, 0.0);
}

TEST(GmshMesh, equations_of_density_have_half_of_each_face) {
  DualMesh const dual(GmshReader(HYPERPLANE_WING).read());
  MeshSystem const system(dual);
  ASSERT_EQ(system.points(), dual.points.size());
  EXPECT_EQ(system.rhs.size(), 5 * system.points());
  for (std::size_t p = 0; p < system.points(); ++p) {
    auto const entry = [&](std::size_t block, int c) {
      return system.values[block * 25 + static_cast<std::size_t>(c)];
    };
    auto block = system.first(p);
    double dissipation = 0.0;
    for (auto e = dual.first(p); e < dual.first(p + 1); ++e, ++block) {
      EXPECT_EQ(system.columns[block], dual.neighbours[e]);
      EXPECT_LE(entry(block, 0), -0.5 * std::sqrt(dot(dual.faces[e], dual.faces[e])));
      for (int c = 0; c < 3; ++c) EXPECT_EQ(entry(block, 1 + c), 0.5 * dual.faces[e][c]);
      dissipation -= entry(block, 0);
    }
    ASSERT_EQ(block + 1, system.first(p + 1));
    EXPECT_EQ(system.columns[block], static_cast<int>(p));
    EXPECT_GT(entry(block, 0), dissipation);
    // The part of the point is closed.
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(entry(block, 1 + c), 0.0, 1e-12 * dissipation);
  }
}

}  // namespace
}  // namespace hyperplane::perf
