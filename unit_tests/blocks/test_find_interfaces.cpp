// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/find_interfaces.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/error.hpp>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "multi_block_grids.hpp"
#include "placed_blocks.hpp"
#include "support/message_of.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// What is found is what brute force finds, and MultiBlockGrid takes it. Returns it.
template <class PositionOf>
std::vector<Interface> expect_found(const std::string& what, const std::vector<Grid>& grids, const PositionOf& position,
                                    const FindInterfacesOptions& options = {}) {
  auto const found = find_interfaces(grids, position, options);
  auto const translation = options.translations.empty() ? std::array<double, 3>{} : options.translations[0];
  EXPECT_EQ(neighbours_of(MultiBlockGrid(grids, found)), neighbours_by_brute_force(grids, position, translation))
      << what;
  return found;
}

std::vector<Interface> expect_found(const std::string& what, const std::vector<PlacedBlock>& blocks) {
  auto const position = [&](int b, const Point& v) { return curved_position(blocks[b].lattice_vertex(v)); };
  auto const found = expect_found(what, grids_of(blocks), position, {.tolerance = 1e-9});
  // Cells that meet are neighbours in the lattice: twice their middles are two apart.
  for (auto const& interface : found) {
    auto const middle = [&](int b, const Point& p) {
      Point const low = blocks[b].lattice_vertex(p), high = blocks[b].lattice_vertex({p.i + 1, p.j + 1, p.k + 1});
      return Point{low.i + high.i, low.j + high.j, low.k + high.k};
    };
    Point const last{interface.points.end.i - 1, interface.points.end.j - 1, interface.points.end.k - 1};
    for (Point const& p : {interface.points.begin, last}) {
      Point const a = middle(interface.block, p), b = middle(interface.donor, interface.donor_point(p));
      EXPECT_EQ(std::abs(a.i - b.i) + std::abs(a.j - b.j) + std::abs(a.k - b.k), 2) << what;
    }
  }
  return found;
}

TEST(FindInterfaces, whatever_the_axes_of_both) {
  // Each of 48 meets seven of them.
  auto const transforms = all_transforms();
  for (std::size_t f = 0; f < transforms.size(); ++f) {
    for (std::size_t s = f % 7; s < transforms.size(); s += 7) {
      auto const& first = transforms[f];
      auto const& second = transforms[s];
      auto const what = to_string(first) + " " + to_string(second);
      auto const found = expect_found(what, {{{{0, 0, 0}, {2, 3, 2}}, first}, {{{2, 0, 0}, {3, 3, 2}}, second}});
      ASSERT_THAT(found, SizeIs(1)) << what;
      EXPECT_EQ(found[0].points.size(), 6) << what;
    }
  }
}

TEST(FindInterfaces, of_a_grid_that_is_cut) {
  auto const cut = cut_grid(Grid(7, 6, 5), {2, 3, 2});
  std::vector<PlacedBlock> blocks;
  for (auto const& box : cut.boxes) blocks.push_back({box});
  EXPECT_TRUE(MultiBlockGrid(grids_of(blocks), expect_found("cut", blocks)) == cut.grid);
}

TEST(FindInterfaces, parts_of_faces) {
  // The first meets three others on its east face, one of them beyond it, and a part of the face is a boundary.
  auto const found = expect_found("parts", {{{{0, 0, 0}, {3, 6, 4}}},
                                            {{{3, 0, 0}, {5, 3, 2}}, {{2, -1, 3}}},
                                            {{{3, 0, 2}, {4, 6, 4}}, {{-3, 2, 1}}},
                                            {{{3, 4, -1}, {5, 8, 2}}, {{-1, -2, 3}}}});
  EXPECT_THAT(found, SizeIs(5));
  // What is left around a hole is no rectangle: the third meets the ring.
  auto const ring = expect_found(
      "ring", {{{{0, 0, 0}, {1, 5, 5}}}, {{{1, 1, 1}, {2, 3, 4}}}, {{{1, 3, 0}, {2, 5, 5}}}, {{{1, 0, 4}, {2, 3, 5}}}});
  EXPECT_THAT(ring, Not(IsEmpty()));
}

TEST(FindInterfaces, nothing_meets) {
  EXPECT_THAT(expect_found("one", {{{{0, 0, 0}, {3, 2, 2}}}}), IsEmpty());
  // They touch along an edge.
  EXPECT_THAT(expect_found("edge", {{{{0, 0, 0}, {1, 2, 2}}}, {{{1, 2, 0}, {2, 4, 2}}}}), IsEmpty());
  // One cell meets four: not one to one.
  auto const position = [](int b, const Point& v) {
    return std::array<double, 3>{v.i + 1.0 * b, v.j * (b == 0 ? 1.0 : 0.5), v.k * (b == 0 ? 1.0 : 0.5)};
  };
  EXPECT_THAT(find_interfaces(std::vector{Grid(1, 2, 2), Grid(1, 4, 4)}, position), IsEmpty());
}

/// A C-grid around a plate from x = 0 to 2 in 12 x 3 x 2 cells: the first and the last 4 along i are behind it.
std::array<double, 3> c_grid_position(const Point& v, bool thick) {
  double const around = std::clamp((v.i - 4) / 4.0, 0.0, 1.0), wake = std::max({4.0 - v.i, v.i - 8.0, 0.0});
  double const side = v.i <= 6 ? -1 : 1, pi = std::numbers::pi;
  if (v.j == 0) {
    if (wake > 0) return {2 + wake, 0.0, 1.0 * v.k};
    double const x = 2 * std::abs(2 * around - 1);
    return {x, thick ? side * 0.1 * x * (2 - x) : 0.0, 1.0 * v.k};
  }
  if (wake > 0) return {2 + wake, side * v.j, 1.0 * v.k};
  return {2 - (2 + v.j) * std::sin(pi * around), -v.j * std::cos(pi * around), 1.0 * v.k};
}

TEST(FindInterfaces, the_cut_of_a_c_grid) {
  std::vector<Grid> const grids{Grid(12, 3, 2)};
  auto const position = [](int, const Point& v) { return c_grid_position(v, true); };
  auto const found = expect_found("C-grid", grids, position, {.tolerance = 1e-10});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0], (Interface{.block = 0,
                                 .face = Direction::south,
                                 .points = {{0, 0, 0}, {4, 1, 2}},
                                 .donor = 0,
                                 .donor_begin = {11, 0, 0},
                                 .transform = {{-1, -2, 3}}}));
  // A plate without thickness is a part of the cut.
  auto const thin = [](int, const Point& v) { return c_grid_position(v, false); };
  auto const folded = expect_found("thin", grids, thin, {.tolerance = 1e-10});
  ASSERT_THAT(folded, SizeIs(1));
  EXPECT_EQ(folded[0].points, (Box{{0, 0, 0}, {6, 1, 2}}));
}

TEST(FindInterfaces, faces_that_are_folded_onto_themselves) {
  // The bottom is folded by half a turn around its middle, or along its diagonal.
  for (bool const diagonal : {false, true}) {
    std::vector<Grid> const grids{diagonal ? Grid(5, 5, 2) : Grid(4, 3, 2)};
    auto const position = [&](int, const Point& v) {
      Point p = v;
      int const last = grids[0].ni(), other = grids[0].nj();
      bool const second = diagonal ? v.j > v.i : 2 * v.j > other || (2 * v.j == other && 2 * v.i > last);
      if (v.k == 0 && second) p = diagonal ? Point{v.j, v.i, 0} : Point{last - v.i, other - v.j, 0};
      return curved_position(p);
    };
    auto const found = find_interfaces(grids, position);
    // Cells across the fold share two vertices with themselves; they are looked at by hand below.
    auto const grid = MultiBlockGrid(grids, found);
    for (auto const& [here, there] : neighbours_of(grid)) {
      auto const& [block, face, i, j, k] = here;
      EXPECT_EQ(there, diagonal ? CellFaceKey(block, face, j, i, k) : CellFaceKey(block, face, 3 - i, 2 - j, k));
    }
    EXPECT_THAT(neighbours_of(grid), Not(IsEmpty()));
  }
}

TEST(FindInterfaces, an_o_grid_and_its_axis) {
  // Around the axis, from it or from a cylinder: i around, j outwards, k along the axis.
  for (double const radius : {0.0, 1e-14, 0.5}) {
    std::vector<Grid> const grids{Grid(8, 3, 2)};
    auto const position = [&](int, const Point& v) {
      double const angle = 2 * std::numbers::pi * v.i / 8, r = radius + v.j;
      return std::array<double, 3>{r * std::cos(angle), r * std::sin(angle), 1.0 * v.k};
    };
    auto const found = find_interfaces(grids, position, {.tolerance = 1e-10});
    ASSERT_THAT(found, SizeIs(1)) << radius;
    EXPECT_EQ(found[0], (Interface{.block = 0,
                                   .face = Direction::west,
                                   .points = {{0, 0, 0}, {1, 3, 2}},
                                   .donor = 0,
                                   .donor_begin = {7, 0, 0}}));
  }
  // Two parts of it along the axis: where they meet there are triangles.
  std::vector<Grid> const two{Grid(8, 3, 2), Grid(8, 3, 1)};
  auto const position = [&](int b, const Point& v) {
    double const angle = 2 * std::numbers::pi * v.i / 8;
    return std::array<double, 3>{v.j * std::cos(angle), v.j * std::sin(angle), v.k + 2.0 * b};
  };
  auto const found = find_interfaces(two, position, {.tolerance = 1e-10});
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[1].face, Direction::top);
  EXPECT_EQ(found[1].points, (Box{{0, 0, 1}, {8, 3, 2}}));
}

TEST(FindInterfaces, grids_that_repeat_themselves) {
  for (int const cells : {1, 2, 5}) {
    std::vector<Grid> const grids{Grid(cells, 3, 2), Grid(3, 3, 2)};
    // The second block follows the first, and the first follows the second, a period further and higher.
    auto const position = [&](int b, const Point& v) {
      double const along = v.i + (b == 0 ? 0 : cells);
      return std::array<double, 3>{along, v.j + 0.1 * along, v.k + 0.2 * std::sin(v.j)};
    };
    double const period = cells + 3;
    auto const found =
        expect_found("periodic", grids, position, {.tolerance = 1e-9, .translations = {{period, 0.1 * period, 0}}});
    EXPECT_THAT(found, SizeIs(2));
  }
  // A block that meets itself, one cell thick, along i and along k.
  auto const position = [](int, const Point& v) { return std::array<double, 3>{1.0 * v.i, 1.0 * v.j, 1.0 * v.k}; };
  auto const found = find_interfaces(std::vector{Grid(1, 3, 4)}, position, {.translations = {{1, 0, 0}, {0, 0, -4}}});
  EXPECT_TRUE(MultiBlockGrid({Grid(1, 3, 4)}, found) == cut_grid(Grid(1, 3, 4), {1, 1, 1}, {true, false, true}).grid);
  // One that leads far away finds nothing.
  EXPECT_THAT(find_interfaces(std::vector{Grid(1, 3, 4)}, position, {.translations = {{1e300, 0, 0}}}), IsEmpty());
  // Given from both sides, and again but for rounding.
  EXPECT_EQ(find_interfaces(std::vector{Grid(1, 3, 4)}, position,
                            {.tolerance = 1e-9, .translations = {{1, 0, 0}, {-1, 0, 0}, {0, 0, -4}, {0, 1e-12, 4}}}),
            found);
}

TEST(FindInterfaces, a_row_that_is_thinner_than_the_tolerance_is_named) {
  std::vector<Grid> const grids{Grid(2, 4, 2), Grid(3, 4, 2)};
  for (int const thin : {0, 2, 3}) {
    // Two grid blocks side by side, rows along j 3e-6 high, but for one of the given height.
    auto const message = [&](double height) {
      auto const position = [&](int b, const Point& v) {
        return std::array<double, 3>{v.i + 2.0 * b, 3e-6 * v.j + (v.j > thin ? height - 3e-6 : 0.0), 1.0 * v.k};
      };
      EXPECT_THAT(find_interfaces(grids, position, {.tolerance = 1e-10}), Not(IsEmpty())) << thin << " " << height;
      return message_of([&] { find_interfaces(grids, position, {.tolerance = 1e-6}); });
    };
    auto const row = std::to_string(thin), next = std::to_string(thin > 0 ? thin - 1 : 1);
    EXPECT_THAT(message(1.5e-6),
                HasSubstr("tolerance 1e-06 is too large for the west face of grid block 0: edges of cells (0, " + row +
                          ", 0) to (0, " + row + ", 0) along j are at most twice as long, and that of (0, " + next +
                          ", 0) is not much longer"));
    // Cells that end in a line, but for rounding.
    EXPECT_EQ(message(1e-12), "nothing thrown");
    EXPECT_EQ(message(0), "nothing thrown");
  }
}

TEST(FindInterfaces, what_is_unclear_is_named) {
  std::vector<PlacedBlock> const blocks{{{{0, 0, 0}, {2, 3, 2}}}, {{{2, 0, 0}, {4, 3, 2}}}, {{{2, 1, 0}, {4, 3, 2}}}};
  auto const position = [&](int b, const Point& v) { return curved_position(blocks[b].lattice_vertex(v)); };
  EXPECT_THAT(message_of([&] { find_interfaces(grids_of(blocks), position); }),
              HasSubstr("find_interfaces: east face of grid block 0, points [1, 2) x [1, 3) x [0, 2): more than one "
                        "neighbour: cell (1, 1, 0) meets the west face of grid block 1 at cell (0, 1, 0) and the west "
                        "face of grid block 2 at cell (0, 0, 0)"));
  std::vector<PlacedBlock> const one{{{{0, 0, 0}, {4, 3, 2}}}};
  auto const place = [&](int, const Point& v) { return curved_position(v); };
  EXPECT_THAT(message_of([&] { find_interfaces(grids_of(one), place, {.tolerance = 0.8}); }),
              HasSubstr("tolerance 0.8 is too large for the west face of grid block 0: edges of cells (0, 0, 0) to"));
  EXPECT_THAT(message_of([&] { find_interfaces(grids_of(one), place, {.tolerance = -1}); }),
              HasSubstr("tolerance is -1, expected at least 0"));
  EXPECT_THAT(message_of([&] { find_interfaces(grids_of(one), place, {.translations = {{0, 0, 0}}}); }),
              HasSubstr("translation (0, 0, 0) is not longer than twice the tolerance"));
  auto const bad = [&](int, const Point& v) {
    auto p = curved_position(v);
    if (v == Point{4, 1, 2}) p[1] = std::numeric_limits<double>::quiet_NaN();
    return p;
  };
  EXPECT_THAT(message_of([&] { find_interfaces(grids_of(one), bad); }),
              HasSubstr("the position of vertex (4, 1, 2) of grid block 0 is not finite"));
}

}  // namespace
}  // namespace hyperplane::test
