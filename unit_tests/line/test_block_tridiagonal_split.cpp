// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/line_transfer.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Lines that are cut into parts: periodic ones, and to have more parallelism.
namespace hyperplane::test {
namespace {

using detail::choose_line_partitions;
using detail::LinePartitions;

TEST(LinePartitions, are_chosen_where_most_lanes_would_be_idle) {
  auto const host = detail::host_line_cutting(16);
  EXPECT_EQ(choose_line_partitions(16, 128, host), 1);
  EXPECT_EQ(choose_line_partitions(8, 128, host), 1) << "half of the lanes idle is cheaper than cutting";
  EXPECT_EQ(choose_line_partitions(4, 128, host), 4);
  EXPECT_EQ(choose_line_partitions(1, 128, host), 16);
  EXPECT_EQ(choose_line_partitions(1, 64, host), 8) << "eight points a part";
  EXPECT_EQ(choose_line_partitions(1, 24, detail::host_line_cutting(1000)), 1);
}

TEST(LinePartitions, are_chosen_on_cuda_as_they_were_measured) {
  auto const h200 = detail::cuda_line_cutting(132, 16, false);
  EXPECT_EQ(choose_line_partitions(16384, 128, h200), 1);
  EXPECT_EQ(choose_line_partitions(16, 512, h200), 32);
  EXPECT_EQ(choose_line_partitions(128, 512, h200), 32);
  EXPECT_EQ(choose_line_partitions(512, 512, h200), 16);
  EXPECT_EQ(choose_line_partitions(1024, 4096, h200), 1) << "eight parts of many lines are slower";
  EXPECT_EQ(choose_line_partitions(16, 128, h200), 8);
  EXPECT_EQ(choose_line_partitions(16, 127, h200), 1);
  auto const scanned = detail::cuda_line_cutting(132, 16, true);
  EXPECT_EQ(choose_line_partitions(1, 8191, scanned), 1) << "a line has many threads anyway";
  EXPECT_EQ(choose_line_partitions(1, 8192, scanned), 8);
}

TEST(LinePartitions, cover_each_line) {
  for (auto const ends : {LineEnds::open, LineEnds::periodic}) {
    for (int const count : {1, 2, 3, 8}) {
      if (ends == LineEnds::open && count == 1) continue;
      for (int length = 1; length < 30; ++length) {
        auto const lines = LineSet::uniform(2, length, ends);
        LinePartitions const cut(lines, count);
        std::vector<int> seen(lines.size(), 0);
        for (auto const p : cut.part_points) ++seen[p];
        for (auto const p : cut.separator_points) ++seen[p];
        EXPECT_THAT(seen, ::testing::Each(1));
        for (std::size_t part = 0; part < cut.neighbours.size(); ++part) {
          auto const first = cut.part_points[cut.part_offsets[part]];
          auto const last = cut.part_points[cut.part_offsets[part + 1] - 1];
          EXPECT_EQ(last - first, cut.part_offsets[part + 1] - cut.part_offsets[part] - 1) << "in one piece";
          auto const& beside = cut.neighbours[part];
          auto const line = first / length;
          if (beside.left >= 0) {
            EXPECT_EQ(cut.separator_points[beside.left], first - 1);
          } else {
            EXPECT_EQ(first, line * length);
          }
          if (beside.right >= 0) {
            EXPECT_EQ(cut.separator_points[beside.right], line * length + (last + 1 - line * length) % length);
          } else {
            EXPECT_EQ(last, line * length + length - 1);
          }
        }
      }
    }
  }
}

template <class Exec>
class SplitLines : public ::testing::Test {};
TYPED_TEST_SUITE(SplitLines, ExecutionSpaces, SpaceNames);

template <class Scalar, int n, class Storage, class Exec>
void check(const Exec& exec, const LineSet& lines, const BlockTridiagonalOptions& options) {
  SCOPED_TRACE(std::to_string(lines.count()) + " lines of up to " + std::to_string(lines.longest()) +
               (lines.ends() == LineEnds::periodic ? ", periodic" : "") + ", n = " + std::to_string(n) + ", " +
               std::to_string(options.partitions) + " partitions, path " + name(options.path));
  auto const line_of = [&](std::int64_t line) {
    auto system = random_line(n, lines.length(line), 7 + unsigned(line));
    system.periodic = lines.ends() == LineEnds::periodic;
    return system;
  };
  BlockTridiagonal<Scalar, n, Exec, Storage> solver(exec, lines, options);
  solver.factor(exec, to_lines<Scalar, n, Storage>(exec, solver.layout(), line_of));
  EXPECT_TRUE(solver.status(exec).ok()) << solver.status(exec).message();
  auto const rhs = random_vector(lines.point_count() * n);
  auto const expected = solve_lines(lines, n, rhs, line_of);
  if (!lines.grid()) {
    auto const b = to_view<Scalar>(exec, rhs);
    solver.solve(exec, b, b);
    EXPECT_TRUE(near(to_host(b), expected, rounding<Storage>(20, n)));
  }
  constexpr int columns = 2;
  auto const b = to_lines<Scalar, n>(exec, solver.layout(), columns, in_columns(lines, n, columns, rhs));
  LineVector<Scalar, n, Exec> const x(exec, solver.layout(), columns);
  solver.solve(exec, b, x);
  EXPECT_TRUE(near(to_host(exec, x), in_columns(lines, n, columns, expected), rounding<Storage>(20, n)));
}

TYPED_TEST(SplitLines, ignore_the_outer_blocks_of_open_lines) {
  // What float storage cannot hold: used, it would make a whole part infinite.
  TypeParam const exec;
  auto const lines = LineSet::uniform(5, 40, LineEnds::open);
  auto const line_of = [](std::int64_t line) {
    auto system = random_line(1, 40, 7 + unsigned(line));
    system.lower.front()(0, 0) = system.upper.back()(0, 0) = 1e39;
    return system;
  };
  auto const rhs = random_vector(lines.point_count());
  for (auto const path : line_paths_of<TypeParam>(1)) {
    BlockTridiagonal<double, 1, TypeParam, float> solver(exec, lines, {.path = path, .partitions = 4});
    solver.factor(exec, to_lines<double, 1, double>(exec, solver.layout(), line_of));
    auto const x = to_view<double>(exec, rhs);
    solver.solve(exec, x, x);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x);
    EXPECT_TRUE(
        near({host.data(), host.data() + host.size()}, solve_lines(lines, 1, rhs, line_of), rounding<float>(20, 1)))
        << name(path);
  }
}

TYPED_TEST(SplitLines, are_solved) {
  TypeParam const exec;
  for (auto const path : line_paths_of<TypeParam>()) {
    for (int const partitions : {2, 3, 7}) {
      for (int const length : {1, 2, 3, 4, 17, 40}) {
        check<double, 1, double>(exec, LineSet::uniform(3, length), {.path = path, .partitions = partitions});
      }
      auto const lists = LineSet::lists(60, {0, 1, 21, 24, 60 - 7}, [] {
        std::vector<std::int64_t> points;
        for (std::int64_t p = 0; p < 53; ++p) points.push_back((p * 7 + 3) % 60);
        return points;
      }());
      check<double, 3, double>(exec, lists, {.path = path, .partitions = partitions});
      check<float, 2, float>(exec, lists, {.path = path, .partitions = partitions});
      check<double, 2, float>(exec, lists, {.path = path, .partitions = partitions});
    }
  }
}

TYPED_TEST(SplitLines, are_solved_where_they_are_periodic) {
  TypeParam const exec;
  for (auto const path : line_paths_of<TypeParam>()) {
    for (int const partitions : {0, 1, 2, 5}) {
      for (int const length : {1, 2, 3, 4, 5, 18}) {
        auto const lines = LineSet::uniform(19, length, LineEnds::periodic);
        check<double, 1, double>(exec, lines, {.path = path, .partitions = partitions});
        check<double, 3, double>(exec, lines, {.path = path, .partitions = partitions});
      }
      auto const mixed = LineSet::lists(
          30, {0, 1, 3, 6, 26},
          [] {
            std::vector<std::int64_t> points;
            for (std::int64_t p = 0; p < 26; ++p) points.push_back((p * 7 + 3) % 30);
            return points;
          }(),
          LineEnds::periodic);
      check<double, 2, double>(exec, mixed, {.path = path, .partitions = partitions});
    }
  }
}

TYPED_TEST(SplitLines, of_a_grid_are_solved_in_every_direction) {
  TypeParam const exec;
  constexpr int n = 3;
  Grid const grid(13, 10, 6);
  auto const reference = random_stencil(grid, n);
  auto const a = to_device<double, n, double>(exec, reference);
  auto const rhs = random_vector(grid.size() * n);
  for (auto const path : line_paths_of<TypeParam>()) {
    for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
      for (auto const ends : {LineEnds::open, LineEnds::periodic}) {
        auto const lines = LineSet::along(grid, direction, ends);
        BlockTridiagonal<double, n, TypeParam> solver(exec, lines, {.path = path, .partitions = 2});
        EXPECT_EQ(solver.partitions(), 2);
        solver.factor(exec, a);
        auto const x = to_device<double, n>(exec, grid, rhs);
        solver.solve(exec, x, x);
        auto const expected =
            solve_lines(lines, n, rhs, [&](std::int64_t line) { return line_of_stencil(reference, lines, line); });
        EXPECT_TRUE(near(to_host(exec, x), expected, rounding<double>(20, n))) << name(direction);
      }
    }
  }
}

TYPED_TEST(SplitLines, name_the_singular_pivot) {
  TypeParam const exec;
  for (auto const path : line_paths_of<TypeParam>()) {
    for (auto const ends : {LineEnds::open, LineEnds::periodic}) {
      for (int const position : {0, 6, 17}) {
        auto const lines = LineSet::uniform(5, 18, ends);
        BlockTridiagonal<double, 2, TypeParam> solver(exec, lines, {.path = path, .partitions = 3});
        solver.factor(exec, to_lines<double, 2, double>(exec, solver.layout(), [&](std::int64_t line) {
                        auto system = random_line(2, 18, 3);
                        if (line != 3) return system;
                        for (int c = 0; c < 2; ++c) {
                          system.lower[position](1, c) = system.diagonal[position](1, c) = 0.0;
                          system.upper[position](1, c) = 0.0;
                        }
                        return system;
                      }));
        auto const status = solver.status(exec);
        EXPECT_EQ(status.line, 3) << status.message();
        EXPECT_EQ(status.position, position) << status.message();
        EXPECT_EQ(status.equation, 1) << status.message();
      }
    }
  }
}

TYPED_TEST(SplitLines, name_the_lowest_line) {
  // Position 6 is a separator, 7 the first point of a part.
  TypeParam const exec;
  for (auto const path : line_paths_of<TypeParam>()) {
    for (auto const ends : {LineEnds::open, LineEnds::periodic}) {
      for (int const separator_line : {1, 3}) {
        auto const lines = LineSet::uniform(5, 18, ends);
        BlockTridiagonal<double, 2, TypeParam> solver(exec, lines, {.path = path, .partitions = 3});
        solver.factor(exec, to_lines<double, 2, double>(exec, solver.layout(), [&](std::int64_t line) {
                        auto system = random_line(2, 18, 3);
                        if (line != 2 && line != separator_line) return system;
                        int const position = line == 2 ? 7 : 6;
                        for (int c = 0; c < 2; ++c) {
                          system.lower[position](1, c) = system.diagonal[position](1, c) = 0.0;
                          system.upper[position](1, c) = 0.0;
                        }
                        return system;
                      }));
        auto const status = solver.status(exec);
        EXPECT_EQ(status.line, std::min(2, separator_line)) << status.message();
        EXPECT_EQ(status.position, separator_line == 1 ? 6 : 7) << status.message();
      }
    }
  }
}

TYPED_TEST(SplitLines, allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  for (auto const path : line_paths_of<TypeParam>()) {
    for (auto const ends : {LineEnds::open, LineEnds::periodic}) {
      auto const lines = LineSet::uniform(5, 18, ends);
      BlockTridiagonal<double, 2, TypeParam> solver(exec, lines, {.path = path, .partitions = 3});
      auto const a =
          to_lines<double, 2, double>(exec, solver.layout(), [&](std::int64_t) { return random_line(2, 18, 3); });
      LineVector<double, 2, TypeParam> const x(exec, solver.layout(), 2);
      exec.fence();
      KokkosEvents const events;
      solver.factor(exec, a);
      solver.solve(exec, x, x);
      EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
      EXPECT_THAT(events.fences(), ::testing::IsEmpty());
      EXPECT_THAT(events.copies(), ::testing::IsEmpty());
      for (auto const& kernel : events.kernels()) {
        EXPECT_THAT(kernel.label, ::testing::StartsWith("Hyperplane::"));
        EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
      }
    }
  }
}

}  // namespace
}  // namespace hyperplane::test
