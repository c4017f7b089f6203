// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/blocks/cgns_interface.hpp>
#include <hyperplane/blocks/find_interfaces.hpp>
#include <hyperplane/core/error.hpp>
#include <string>
#include <vector>

#include "multi_block_grids.hpp"
#include "placed_blocks.hpp"
#include "support/message_of.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

/// What a file has: vertices from 1 on, found by their places in the lattice. `reversed` swaps first and last.
CgnsInterface in_words_of_cgns(const std::vector<PlacedBlock>& blocks, const Interface& interface, bool reversed) {
  auto const vertex_at = [&](int b, const Point& lattice) {
    auto const grid = blocks[b].grid();
    Grid const vertices(grid.ni() + 1, grid.nj() + 1, grid.nk() + 1);
    for (std::int64_t number = 0; number < vertices.size(); ++number) {
      if (blocks[b].lattice_vertex(vertices.point(number)) == lattice) return vertices.point(number);
    }
    ADD_FAILURE() << "no such vertex";
    return Point{};
  };
  auto const axes = detail::face_axes(interface.face);
  Point first = interface.points.begin, last = interface.points.end;
  detail::along(first, axes.across) += axes.upper;
  detail::along(last, axes.across) -= !axes.upper;
  if (reversed) std::swap(first, last);
  Point const donor_first = vertex_at(interface.donor, blocks[interface.block].lattice_vertex(first));
  Point const donor_last = vertex_at(interface.donor, blocks[interface.block].lattice_vertex(last));
  auto const range = [](const Point& a, const Point& b) {
    return std::array<std::int64_t, 6>{a.i + 1, a.j + 1, a.k + 1, b.i + 1, b.j + 1, b.k + 1};
  };
  return {interface.block, range(first, last), interface.donor, range(donor_first, donor_last),
          interface.transform.axes};
}

TEST(InterfaceFromCgns, is_what_vertices_say_whatever_the_axes) {
  for (auto const& first : all_transforms()) {
    for (auto const& second : all_transforms()) {
      // Parts of faces.
      std::vector<PlacedBlock> const blocks{{{{0, 0, 0}, {2, 4, 3}}, first}, {{{2, 1, -1}, {5, 3, 2}}, second}};
      auto const position = [&](int b, const Point& v) { return curved_position(blocks[b].lattice_vertex(v)); };
      auto const found = find_interfaces(grids_of(blocks), position, {.tolerance = 1e-9});
      ASSERT_EQ(found.size(), 1U);
      for (Interface const& expected : {found[0], found[0].reversed()}) {
        for (bool const reversed : {false, true}) {
          EXPECT_EQ(interface_from_cgns(grids_of(blocks), in_words_of_cgns(blocks, expected, reversed)), expected)
              << to_string(first) << to_string(second);
        }
      }
    }
  }
}

TEST(InterfaceFromCgns, what_is_wrong_is_named) {
  std::vector<Grid> const blocks{Grid(4, 3, 2), Grid(3, 5, 2)};
  // The east face of the first meets cells 1 to 3 of the south face of the second, turned round.
  CgnsInterface const good{0, {5, 1, 1, 5, 4, 3}, 1, {4, 1, 1, 1, 1, 3}, {2, -1, 3}};
  auto const made = interface_from_cgns(blocks, good);
  EXPECT_EQ(made.points, (Box{{3, 0, 0}, {4, 3, 2}}));
  EXPECT_EQ(made.donor_begin, (Point{2, 0, 0}));
  auto const message = [&](auto change) -> std::string {
    CgnsInterface wrong = good;
    change(wrong);
    return message_of([&] { interface_from_cgns(blocks, wrong); });
  };
  EXPECT_THAT(
      message([](CgnsInterface& c) { c.block = 2; }),
      HasSubstr("interface_from_cgns: grid block 2, PointRange [5, 1, 1; 5, 4, 3], donor 1, PointRangeDonor [4, "
                "1, 1; 1, 1, 3]: the grid block does not exist, there are 2 grid blocks"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.donor = -1; }), HasSubstr("the donor does not exist"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.transform = {1, 1, 3}; }), HasSubstr("(+1, +1, +3) is not a signed"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.point_range[4] = 5; }),
              HasSubstr("PointRange is not inside the vertices 1 to 4 along j"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.point_range_donor[2] = 0; }),
              HasSubstr("PointRangeDonor is not inside the vertices 1 to 3 along k"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.point_range[0] = c.point_range[3] = 3; }),
              HasSubstr("PointRange is on no face: i is 1 or 5 there"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.point_range[4] = 1; }),
              HasSubstr("PointRange has to have one vertex along one axis, and more along the others"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.point_range[0] = 1; }), HasSubstr("one vertex along one axis"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.transform = {2, 1, 3}; }),
              HasSubstr("vertices 1 to 4 along j do not meet vertices 4 to 1 along i of the donor"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.point_range_donor[5] = 2; }),
              HasSubstr("vertices 1 to 3 along k do not meet vertices 1 to 2 along k of the donor"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.transform = {-2, -1, 3}; }),
              HasSubstr("the east face meets the north face of the donor, not its south face"));
  EXPECT_THAT(message([](CgnsInterface& c) { c.transform = {1, 2, 3}; }),
              HasSubstr("meets the west face of the donor"));
}

}  // namespace
}  // namespace hyperplane::test
