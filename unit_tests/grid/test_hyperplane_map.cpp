// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/grid/hyperplane_map.hpp>
#include <vector>

#include "support/execution_spaces.hpp"

namespace hyperplane::test {
namespace {

std::vector<Grid> grids() {
  return {Grid(1, 1, 1), Grid(1, 7, 1),  Grid(6, 1, 1),  Grid(1, 1, 5), Grid(5, 4, 3),
          Grid(3, 4, 5), Grid(17, 2, 9), Grid(2, 17, 9), Grid(8, 8, 8), Grid(4, 1, 9)};
}

/// The planes by a triple loop, as in the paper's Algorithm 1.
std::vector<std::vector<Point>> enumerate(const Grid& grid) {
  std::vector<std::vector<Point>> planes(grid.ni() + grid.nj() + grid.nk() - 2);
  for (int k = 0; k < grid.nk(); ++k) {
    for (int j = 0; j < grid.nj(); ++j) {
      for (int i = 0; i < grid.ni(); ++i) planes[i + j + k].push_back({i, j, k});
    }
  }
  return planes;
}

TEST(HyperplaneMap, agrees_with_enumeration) {
  for (auto const& grid : grids()) {
    auto const planes = enumerate(grid);
    HyperplaneMap const map(grid);
    ASSERT_EQ(map.plane_count(), static_cast<int>(planes.size())) << to_string(grid);
    std::int64_t offset = 0;
    for (int p = 0; p < map.plane_count(); ++p) {
      EXPECT_EQ(map.plane_offset(p), offset) << to_string(grid) << " plane " << p;
      ASSERT_EQ(map.plane_size(p), static_cast<std::int64_t>(planes[p].size())) << to_string(grid) << " plane " << p;
      for (std::size_t q = 0; q < planes[p].size(); ++q) {
        EXPECT_EQ(map.point(p, q), planes[p][q]) << to_string(grid) << " plane " << p << " q " << q;
        EXPECT_EQ(map.q(planes[p][q]), static_cast<std::int64_t>(q));
        EXPECT_EQ(map.plane(planes[p][q]), p);
      }
      offset += map.plane_size(p);
    }
    EXPECT_EQ(map.plane_offset(map.plane_count()), grid.size());
  }
}

TEST(HyperplaneMap, stays_exact_on_large_grids) {
  Grid const grid(2000, 1500, 1800);
  HyperplaneMap const map(grid);
  EXPECT_EQ(map.plane_offset(map.plane_count()), grid.size());
  for (int p : {0, 1, 777, 2500, map.plane_count() - 1}) {
    for (std::int64_t q : {std::int64_t{0}, map.plane_size(p) / 3, map.plane_size(p) - 1}) {
      Point const point = map.point(p, q);
      EXPECT_TRUE(grid.contains(point));
      EXPECT_EQ(map.q(point), q);
    }
  }
}

template <class Exec>
class HyperplaneMapOnDevice : public ::testing::Test {};
TYPED_TEST_SUITE(HyperplaneMapOnDevice, ExecutionSpaces, SpaceNames);

template <class Exec>
int count_mismatches(const Grid& grid) {
  HyperplaneMap const map(grid);
  int mismatches = 0;
  for (int p = 0; p < map.plane_count(); ++p) {
    int plane_mismatches = 0;
    Kokkos::parallel_reduce(
        Kokkos::RangePolicy<Exec>(0, map.plane_size(p)),
        KOKKOS_LAMBDA(std::int64_t q, int& count) {
          Point const point = map.point(p, q);
          if (map.plane(point) != p || map.q(point) != q || !map.grid().contains(point)) ++count;
        },
        plane_mismatches);
    mismatches += plane_mismatches;
  }
  return mismatches;
}

TYPED_TEST(HyperplaneMapOnDevice, inverts_itself) { EXPECT_EQ(count_mismatches<TypeParam>(Grid(17, 2, 9)), 0); }

}  // namespace
}  // namespace hyperplane::test
