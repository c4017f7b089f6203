// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/detail/status_in_whole.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <utility>
#include <vector>

#include "divided_system.hpp"

// Parts of a box in its natural order have the bits of the box that is not cut.
namespace hyperplane::test {
namespace {

template <class Exec>
class Undivided : public ::testing::Test {
 protected:
  template <class Scalar, int n, class Storage = Scalar>
  void expect_products(const std::pair<Grid, std::array<int, 3>>& box) {
    DividedSystem<Scalar, n, Exec, Storage> const system(exec, box.first, box.second);
    auto const text = to_text(box) + ", n = " + std::to_string(n);
    auto const in_parts = [&](const auto& vector) { return to_host(exec, system.in_parts(vector)); };
    auto const y = system.copy(system.b);
    auto const x_parts = system.in_parts(system.x), b_parts = system.in_parts(system.b), y_parts = system.in_parts(y);
    apply(exec, system.a, system.x, y);
    apply(exec, system.parts_a, x_parts, y_parts);
    EXPECT_TRUE(bitwise_equal(to_host(exec, y_parts), in_parts(y))) << text;
    residual(exec, system.a, system.b, system.x, y);
    residual(exec, system.parts_a, b_parts, x_parts, y_parts);
    EXPECT_TRUE(bitwise_equal(to_host(exec, y_parts), in_parts(y))) << text;
    residual(exec, system.parts_a, b_parts, x_parts, b_parts);
    EXPECT_TRUE(bitwise_equal(to_host(exec, b_parts), in_parts(y))) << text << ", in place";
  }

  /// Factors and sweeps of P.
  template <class P, class MatrixStorage = typename P::scalar_type>
  void expect_solves(const std::pair<Grid, std::array<int, 3>>& box, const typename P::Options& options = {}) {
    using Scalar = typename P::scalar_type;
    constexpr int n = P::block_size;
    DividedSystem<Scalar, n, Exec, MatrixStorage> const system(exec, box.first, box.second);
    auto const text = to_text(box) + ", n = " + std::to_string(n) + ", path " + name(options.path);
    P whole(exec, box.first, options);
    whole.factor(exec, system.a);
    ASSERT_TRUE(whole.status(exec).ok()) << text << ": " << whole.status(exec).message();
    auto const x = system.copy(system.b);
    whole.solve(exec, system.b, x);
    auto const expected = to_host(exec, system.in_parts(x));
    auto const before = to_host(system.parts_a.flat());
    MultiBlock<P> parts(exec, system.cut.grid, {.coupling = Coupling::natural, .block = options});
    for (int time = 0; time < 2; ++time) {
      parts.factor(exec, system.parts_a);
      ASSERT_TRUE(parts.status(exec).ok()) << text << ": " << parts.status(exec).message();
    }
    EXPECT_TRUE(bitwise_equal(to_host(system.parts_a.flat()), before)) << text;
    auto const rhs = system.in_parts(system.b), solution = system.in_parts(system.x);
    parts.solve(exec, rhs, solution);
    EXPECT_TRUE(bitwise_equal(to_host(exec, solution), expected)) << text;
    EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), to_host(exec, system.in_parts(system.b)))) << text;
    parts.solve(exec, rhs, rhs);
    EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), expected)) << text << ", in place";
  }

  /// Parts that do not fill the box they are in: in 2 x 2 x 1 parts the last one meets no other, and the first two meet
  /// where j < 3 alone. What the matrix has where they do not meet is left out.
  template <class P>
  void expect_open_solves(const typename P::Options& options) {
    constexpr int n = P::block_size;
    Grid const box(7, 9, 5);
    DividedSystem<double, n, Exec> const system(exec, box, {2, 2, 1});
    std::vector<Interface> interfaces;
    for (auto interface : system.cut.grid.interfaces()) {
      if (interface.face < Direction::center || interface.donor == 3) continue;
      if (interface.donor == 1) interface.points.end.j = 3;
      interfaces.push_back(interface);
    }
    auto const blocks = system.cut.grid.blocks();
    MultiBlockGrid const grid({blocks.begin(), blocks.end()}, interfaces);
    auto reference = random_stencil(box, n);
    MultiBlockStencil7<double, n, Exec> const a(exec, grid);
    system.copies.to_parts("matrix", exec, to_device<double, n, double>(exec, reference).flat().data(), a.flat().data(),
                           stencil7_size * n * n);
    exec.fence();
    auto const part = [](const Point& p) { return (p.i < 3 ? 0 : 1) + (p.j < 4 ? 0 : 2); };
    for (std::int64_t number = 0; number < box.size(); ++number) {
      Point const p = box.point(number);
      for (auto const direction : stencil7_directions) {
        Point const q = neighbour(p, direction);
        int const pair = part(p) + part(q);  // 1 of the first two, 2 of the first and the third
        if (part(p) == part(q) || (pair == 1 && p.j < 3) || (pair == 2 && part(p) % 2 == 0)) continue;
        for (double& entry : reference.block(number, direction).entries) entry = 0;
      }
    }
    P whole(exec, box, options);
    whole.factor(exec, to_device<double, n, double>(exec, reference));
    auto const x = system.copy(system.b);
    whole.solve(exec, system.b, x);
    MultiBlock<P> parts(exec, grid, {.coupling = Coupling::natural, .block = options});
    parts.factor(exec, a);
    ASSERT_TRUE(parts.status(exec).ok()) << parts.status(exec).message();
    MultiBlockVector<double, n, Exec> const solution(grid, system.in_parts(system.b).flat());
    parts.solve(exec, solution, solution);
    auto const text = "n = " + std::to_string(n) + ", path " + name(options.path);
    EXPECT_TRUE(bitwise_equal(to_host(exec, solution), to_host(exec, system.in_parts(x)))) << text;
    // On slabs of hosts what other grid blocks give to a point is summed up by itself.
    whole.solve_transposed(exec, x, x);
    parts.solve_transposed(exec, solution, solution);
    bool const in_order = HostExecutionSpace<Exec> && options.path != SweepPath::portable;
    EXPECT_TRUE(near(to_host(exec, solution), to_host(exec, system.in_parts(x)), in_order ? 1e-10 : 0.0)) << text;
  }

  /// Where a block of `point` is not finite, on the path of hyperplanes, the box in two parts along k.
  template <class P>
  void expect_same_failure(const Grid& box, const Point& point, Direction direction) {
    constexpr int n = P::block_size;
    DividedSystem<double, n, Exec> const system(exec, box, {1, 1, 2});
    system.take_random_matrix_with_nan(point, direction);
    typename P::Options const options{.path = SweepPath::portable};
    P whole(exec, box, options);
    whole.factor(exec, system.a);
    MultiBlock<P> parts(exec, system.cut.grid, {.coupling = Coupling::natural, .block = options});
    parts.factor(exec, system.parts_a);
    auto const found = parts.status(exec);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(detail::status_in_whole(found, box, system.cut.boxes[detail::as_size(found.grid_block)].begin).message(),
              whole.status(exec).message());
  }

  Exec exec{};
};

TYPED_TEST_SUITE(Undivided, ExecutionSpaces, SpaceNames);

TYPED_TEST(Undivided, products_have_the_bits_of_the_box) {
  for (auto const& box : boxes_in_parts()) {
    this->template expect_products<double, 1>(box);
    this->template expect_products<double, 3>(box);
    this->template expect_products<double, 5>(box);
    this->template expect_products<double, 6>(box);
    this->template expect_products<double, 3, float>(box);
    this->template expect_products<float, 3>(box);
  }
}

TYPED_TEST(Undivided, bilu0_has_the_bits_of_the_box) {
  for (auto const& box : boxes_in_parts()) {
    this->template expect_solves<BlockIlu0<double, 1, TypeParam>>(box);
    this->template expect_solves<BlockIlu0<double, 3, TypeParam>>(box);
    this->template expect_solves<BlockIlu0<double, 5, TypeParam>>(box);
    this->template expect_solves<BlockIlu0<double, 6, TypeParam>>(box);
  }
}

TYPED_TEST(Undivided, bilu0_of_other_types_has_the_bits_of_the_box) {
  for (auto const& box : boxes_in_parts()) {
    this->template expect_solves<BlockIlu0<double, 3, TypeParam, float>>(box);
    this->template expect_solves<BlockIlu0<double, 3, TypeParam>, float>(box);
    this->template expect_solves<BlockIlu0<float, 3, TypeParam>>(box);
  }
}

TYPED_TEST(Undivided, the_portable_path_has_the_bits_of_the_box) {
  for (auto const& box : boxes_in_parts()) {
    this->template expect_solves<BlockIlu0<double, 1, TypeParam>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<double, 5, TypeParam>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<float, 3, TypeParam>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<double, 2, TypeParam, float>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<double, 2, TypeParam, BFloat16>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<double, 2, TypeParam>, float>(box, {.path = SweepPath::portable});
    this->template expect_solves<Ssor<double, 1, TypeParam>>(box, {.relaxation = 1.3, .path = SweepPath::portable});
    this->template expect_solves<Ssor<double, 5, TypeParam>>(box, {.relaxation = 0.8, .path = SweepPath::portable});
    this->template expect_solves<Ssor<double, 3, TypeParam, float>>(box, {.path = SweepPath::portable});
  }
}

TYPED_TEST(Undivided, parts_that_do_not_fill_a_box_have_its_bits) {
  for (auto const path : paths_of<TypeParam>()) {
    this->template expect_open_solves<BlockIlu0<double, 1, TypeParam>>({.path = path});
    this->template expect_open_solves<BlockIlu0<double, 3, TypeParam>>({.path = path});
    this->template expect_open_solves<BlockIlu0<double, 2, TypeParam, float>>({.path = path});
    this->template expect_open_solves<Ssor<double, 3, TypeParam>>({.relaxation = 1.3, .path = path});
  }
}

TYPED_TEST(Undivided, the_box_has_no_preconditioner_of_a_part) {
  auto const& exec = this->exec;
  using P = BlockIlu0<double, 2, TypeParam>;
  auto const grid = cut_grid(Grid(4, 3, 5), {1, 1, 2}).grid;
  auto const made = [&](Coupling coupling) {
    return MultiBlock<P>(exec, grid, {.coupling = coupling, .block = {.path = SweepPath::portable}});
  };
  EXPECT_EQ(made(Coupling::coloured).block(1).grid(), grid.block(1));
  EXPECT_THAT([&] { made(Coupling::natural).block(1); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("no preconditioner of each grid block")));
}

TYPED_TEST(Undivided, failures_beside_a_cut_are_those_of_the_box) {
  Grid const box(5, 4, 6);
  this->template expect_same_failure<BlockIlu0<double, 2, TypeParam>>(box, {2, 3, 3}, Direction::bottom);
  this->template expect_same_failure<Ssor<double, 2, TypeParam>>(box, {2, 3, 3}, Direction::bottom);
  this->template expect_same_failure<Ssor<double, 2, TypeParam>>(box, {2, 3, 2}, Direction::top);
}

TYPED_TEST(Undivided, ssor_has_the_bits_of_the_box) {
  for (auto const& box : boxes_in_parts()) {
    this->template expect_solves<Ssor<double, 1, TypeParam>>(box, {.relaxation = 1.3});
    this->template expect_solves<Ssor<double, 5, TypeParam>>(box, {.relaxation = 0.8});
    this->template expect_solves<Ssor<double, 3, TypeParam, float>>(box);
    this->template expect_solves<Ssor<float, 6, TypeParam>>(box);
  }
}

}  // namespace
}  // namespace hyperplane::test
