// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/detail/status_in_whole.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <string>
#include <utility>

#include "blocks/divided_system.hpp"
#include "distributed_fixture.hpp"

// Parts of a box over ranks, in its natural order, have the bits of the box that is not cut.
namespace hyperplane::test {
namespace {

template <class Exec>
class DistributedUndivided : public DistributedTest<Exec> {
 protected:
  /// Of the boxes those whose parts are unlike: every third one, and one that is cut along j alone.
  static auto some_boxes() {
    auto const all = boxes_in_parts();
    std::vector<std::pair<Grid, std::array<int, 3>>> result;
    for (std::size_t b = 0; b < all.size(); b += 3) result.push_back(all[b]);
    result.push_back(all[2]);
    return result;
  }

  /// The parts of this rank, of a matrix or a vector in parts.
  template <class Spread, class Parts>
  static Spread spread(const Exec& exec, const DistributedGrid& grid, const Parts& parts) {
    Spread result(exec, grid);
    for (int const g : grid.blocks()) Kokkos::deep_copy(exec, result.block(g).flat(), parts.block(g).flat());
    exec.fence();
    return result;
  }

  template <class Scalar, int n, class Storage = Scalar>
  void expect_products(const std::pair<Grid, std::array<int, 3>>& box) {
    auto const& exec = this->exec;
    using Vector = DistributedVector<Scalar, n, Exec>;
    DividedSystem<Scalar, n, Exec, Storage> const system(exec, box.first, box.second);
    auto const y = system.copy(system.b), r = system.copy(system.b);
    apply(exec, system.a, system.x, y);
    residual(exec, system.a, system.b, system.x, r);
    for (auto const& [how, owners] : owner_lists(system.cut.grid, this->world.size())) {
      auto const text = to_text(box) + ", n = " + std::to_string(n) + ", " + how;
      DistributedGrid const grid(this->world, system.cut.grid, owners);
      auto const of_rank = [&](const auto& whole) {
        return to_host(exec, spread<Vector>(exec, grid, system.in_parts(whole)));
      };
      auto const a = spread<DistributedStencil7<Scalar, n, Exec, Storage>>(exec, grid, system.parts_a);
      auto const x = spread<Vector>(exec, grid, system.in_parts(system.x));
      auto const b = spread<Vector>(exec, grid, system.in_parts(system.b));
      Vector const result(exec, grid);
      apply(exec, a, x, result);
      EXPECT_TRUE(bitwise_equal(to_host(exec, result), of_rank(y))) << text;
      residual(exec, a, b, x, result);
      EXPECT_TRUE(bitwise_equal(to_host(exec, result), of_rank(r))) << text;
      residual(exec, a, b, x, b);
      EXPECT_TRUE(bitwise_equal(to_host(exec, b), of_rank(r))) << text << ", in place";
    }
  }

  /// Factors and sweeps of P, and some iterations with it.
  template <class P, class MatrixStorage = typename P::scalar_type>
  void expect_solves(const std::pair<Grid, std::array<int, 3>>& box, const typename P::Options& options = {}) {
    using Scalar = typename P::scalar_type;
    constexpr int n = P::block_size;
    using Vector = DistributedVector<Scalar, n, Exec>;
    auto const& exec = this->exec;
    DividedSystem<Scalar, n, Exec, MatrixStorage> const system(exec, box.first, box.second);
    KrylovOptions const some_iterations{.tolerance = 0, .max_iterations = 4};
    P whole(exec, box.first, options);
    whole.factor(exec, system.a);
    ASSERT_TRUE(whole.status(exec).ok()) << whole.status(exec).message();
    auto const x = system.copy(system.b), iterate = system.copy(system.x);
    whole.solve(exec, system.b, x);
    auto const expected = Richardson<BlockVector<Scalar, n, Exec>>(exec, box.first, some_iterations)
                              .solve(exec, system.a, whole, system.b, iterate);
    for (auto const& [how, owners] : owner_lists(system.cut.grid, this->world.size())) {
      auto const text = to_text(box) + ", n = " + std::to_string(n) + ", " + how;
      DistributedGrid const grid(this->world, system.cut.grid, owners);
      auto const of_rank = [&](const auto& vector) { return spread<Vector>(exec, grid, system.in_parts(vector)); };
      auto const expect_same = [&](const Vector& found, const auto& expected) {
        EXPECT_TRUE(bitwise_equal(to_host(exec, found), to_host(exec, of_rank(expected)))) << text;
      };
      auto const a = spread<DistributedStencil7<Scalar, n, Exec, MatrixStorage>>(exec, grid, system.parts_a);
      DistributedMultiBlock<P> parts(exec, grid, {.coupling = Coupling::natural, .block = options});
      for (int time = 0; time < 2; ++time) {
        parts.factor(exec, a);
        EXPECT_TRUE(parts.status(exec).ok()) << text << ": " << parts.status(exec).message();
      }
      auto const rhs = of_rank(system.b), solution = of_rank(system.x);
      parts.solve(exec, rhs, solution);
      expect_same(solution, x);
      Kokkos::deep_copy(exec, solution.flat(), of_rank(system.x).flat());
      auto const result = Richardson<Vector>(exec, grid, some_iterations).solve(exec, a, parts, rhs, solution);
      expect_same(solution, iterate);
      EXPECT_TRUE(bitwise_equal(norms_of(result), norms_of(expected))) << text;
      parts.solve(exec, rhs, rhs);
      expect_same(rhs, x);
    }
  }

  /// Where a block of `point` is not finite, by grid blocks with ghost points, the box in two parts along k.
  template <class P>
  void expect_same_failure(const Grid& box, const Point& point, Direction direction) {
    auto const& exec = this->exec;
    constexpr int n = P::block_size;
    DividedSystem<double, n, Exec> const system(exec, box, {1, 1, 2});
    system.take_random_matrix_with_nan(point, direction);
    typename P::Options const options{.path = SweepPath::portable};
    P whole(exec, box, options);
    whole.factor(exec, system.a);
    for (auto const& [how, owners] : owner_lists(system.cut.grid, this->world.size())) {
      DistributedGrid const grid(this->world, system.cut.grid, owners);
      DistributedMultiBlock<P> parts(exec, grid, {.coupling = Coupling::natural, .block = options});
      parts.factor(exec, spread<DistributedStencil7<double, n, Exec>>(exec, grid, system.parts_a));
      auto const found = parts.status(exec);
      EXPECT_FALSE(found.ok()) << how;
      auto const& begin = system.cut.boxes[detail::as_size(found.grid_block)].begin;
      EXPECT_EQ(detail::status_in_whole(FactorStatus(found), box, begin).message(), whole.status(exec).message())
          << how;
    }
  }
};

TYPED_TEST_SUITE(DistributedUndivided, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedUndivided, products_have_the_bits_of_the_box) {
  for (auto const& box : TestFixture::some_boxes()) {
    this->template expect_products<double, 1>(box);
    this->template expect_products<double, 3>(box);
    this->template expect_products<double, 5>(box);
    this->template expect_products<double, 3, float>(box);
    this->template expect_products<float, 3>(box);
  }
}

TYPED_TEST(DistributedUndivided, bilu0_has_the_bits_of_the_box) {
  for (auto const& box : TestFixture::some_boxes()) {
    this->template expect_solves<BlockIlu0<double, 1, TypeParam>>(box);
    this->template expect_solves<BlockIlu0<double, 5, TypeParam>>(box);
    this->template expect_solves<BlockIlu0<double, 3, TypeParam, float>>(box);
    this->template expect_solves<BlockIlu0<float, 3, TypeParam>>(box);
  }
}

TYPED_TEST(DistributedUndivided, the_portable_path_has_the_bits_of_the_box) {
  for (auto const& box : TestFixture::some_boxes()) {
    this->template expect_solves<BlockIlu0<double, 1, TypeParam>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<double, 5, TypeParam>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<float, 3, TypeParam>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<double, 2, TypeParam, float>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<double, 2, TypeParam, BFloat16>>(box, {.path = SweepPath::portable});
    this->template expect_solves<BlockIlu0<double, 2, TypeParam>, float>(box, {.path = SweepPath::portable});
    this->template expect_solves<Ssor<double, 2, TypeParam>>(box, {.relaxation = 1.3, .path = SweepPath::portable});
    this->template expect_solves<Ssor<double, 3, TypeParam, float>>(box, {.path = SweepPath::portable});
  }
}

TYPED_TEST(DistributedUndivided, failures_beside_a_cut_are_those_of_the_box) {
  Grid const box(5, 4, 6);
  this->template expect_same_failure<BlockIlu0<double, 2, TypeParam>>(box, {2, 3, 3}, Direction::bottom);
  this->template expect_same_failure<BlockIlu0<double, 2, TypeParam>>(box, {1, 2, 4}, Direction::center);
  this->template expect_same_failure<Ssor<double, 2, TypeParam>>(box, {2, 3, 3}, Direction::bottom);
  this->template expect_same_failure<Ssor<double, 2, TypeParam>>(box, {2, 3, 2}, Direction::top);
}

// Of the grid block that has them, also where they show at a ghost point first.
TYPED_TEST(DistributedUndivided, couplings_that_cannot_be_stored_are_a_failure) {
  auto const& exec = this->exec;
  constexpr int n = 2;
  DividedSystem<double, n, TypeParam> const system(exec, Grid(4, 3, 2), {2, 1, 1});
  for (int const block : {0, 1}) {
    auto reference = random_stencil(Grid(4, 3, 2), n);
    reference.block(block == 0 ? 1 : 2, block == 0 ? Direction::east : Direction::west)(0, 1) = 1e60;
    auto const a = to_device<double, n, double>(exec, reference);
    system.copies.to_parts("matrix", exec, a.flat().data(), system.parts_a.flat().data(), stencil7_size * n * n);
    for (auto const& [how, owners] : owner_lists(system.cut.grid, this->world.size())) {
      DistributedGrid const grid(this->world, system.cut.grid, owners);
      DistributedMultiBlock<BlockIlu0<double, n, TypeParam, float>> parts(
          exec, grid, {.coupling = Coupling::natural, .block = {.path = SweepPath::portable}});
      parts.factor(exec,
                   TestFixture::template spread<DistributedStencil7<double, n, TypeParam>>(exec, grid, system.parts_a));
      auto const status = parts.status(exec);
      EXPECT_FALSE(status.ok()) << how << ", grid block " << block;
      EXPECT_EQ(status.grid_block, block) << how << ": " << status.message();
      EXPECT_TRUE(system.cut.grid.block(block).contains(status.point)) << how << ": " << status.message();
    }
  }
}

TYPED_TEST(DistributedUndivided, ssor_has_the_bits_of_the_box) {
  for (auto const& box : TestFixture::some_boxes()) {
    this->template expect_solves<Ssor<double, 3, TypeParam>>(box, {.relaxation = 1.3});
    this->template expect_solves<Ssor<double, 6, TypeParam, float>>(box);
  }
}

}  // namespace
}  // namespace hyperplane::test
