// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/apply_transposed.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/half.hpp>
#include <limits>

#include "distributed_fixture.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

template <class Exec>
class DistributedProduct : public DistributedTest<Exec> {
 protected:
  template <int n, class Storage = double>
  void expect_product(const std::string& what, const MultiBlockGrid& whole, double tolerance = 1e-13) {
    MultiBlockReference const reference(whole, n);
    auto const x_values = random_vector(whole.size() * n), b_values = random_vector(whole.size() * n, 3);
    auto const product = reference.rows() * x_values;
    std::vector<double> difference(product.size());
    for (std::size_t e = 0; e < product.size(); ++e) difference[e] = b_values[e] - product[e];
    auto const a_one = to_device<double, n, Storage>(this->exec, reference);
    MultiBlockVector<double, n, Exec> const y_one(this->exec, whole);
    apply(this->exec, a_one, to_device<double, n>(this->exec, whole, x_values), y_one);
    auto const bits = to_host(this->exec, y_one);
    residual(this->exec, a_one, to_device<double, n>(this->exec, whole, b_values),
             to_device<double, n>(this->exec, whole, x_values), y_one);
    auto const residual_bits = to_host(this->exec, y_one);
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      DistributedGrid const grid(this->world, whole, owners);
      auto const text = what + ", " + how + ", n = " + std::to_string(n);
      auto const a = to_ranks<double, n, Storage>(this->exec, grid, reference);
      auto const x = to_ranks<double, n>(this->exec, grid, x_values);
      auto const y = to_ranks<double, n>(this->exec, grid, b_values);
      apply(this->exec, a, x, y);
      auto const first = to_host(this->exec, y);
      EXPECT_TRUE(near(first, part_of_rank(grid, n, product), tolerance)) << text;
      // Those of one process.
      EXPECT_TRUE(bitwise_equal(first, part_of_rank(grid, n, bits))) << text;
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, x), part_of_rank(grid, n, x_values))) << text;
      // In place, and the product once more.
      auto const b = to_ranks<double, n>(this->exec, grid, b_values);
      residual(this->exec, a, b, x, b);
      EXPECT_TRUE(near(to_host(this->exec, b), part_of_rank(grid, n, difference), tolerance)) << text;
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, b), part_of_rank(grid, n, residual_bits))) << text;
      apply(this->exec, a, x, y);
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, y), first)) << text;
    }
  }

  /// Products of copies in 16 bits have the bits of one process.
  template <class Scalar, int n>
  void expect_bits_of_short_products(const MultiBlockGrid& whole) {
    MultiBlockReference const reference(whole, n);
    auto const values = random_vector(whole.size() * n);
    auto const one = narrowed<Half>(this->exec, to_device<Scalar, n, Scalar>(this->exec, reference));
    auto const x_one = to_device<Scalar, n>(this->exec, whole, values);
    MultiBlockVector<Scalar, n, Exec> const y_one(this->exec, whole);
    apply(this->exec, one, x_one, y_one);
    auto const bits = to_host(this->exec, y_one);
    apply(this->exec, transposed(one), x_one, y_one);
    auto const transposed_bits = to_host(this->exec, y_one);
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      DistributedGrid const grid(this->world, whole, owners);
      auto const copy = narrowed<Half>(this->exec, to_ranks<Scalar, n, Scalar>(this->exec, grid, reference));
      DistributedVector<Scalar, n, Exec> const y(this->exec, grid);
      auto const x = to_ranks<Scalar, n>(this->exec, grid, values);
      apply(this->exec, copy, x, y);
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, y), part_of_rank(grid, n, bits))) << how;
      apply(this->exec, transposed(copy), x, y);
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, y), part_of_rank(grid, n, transposed_bits))) << how;
    }
  }
};

TYPED_TEST_SUITE(DistributedProduct, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedProduct, over_grids_that_are_awkward) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_product<1>(what, grid);
    this->template expect_product<2>(what, grid);
    this->template expect_product<5>(what, grid);
  }
}

TYPED_TEST(DistributedProduct, whatever_the_axes_of_the_neighbour) {
  for (auto const& transform : all_transforms()) {
    this->template expect_product<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform));
  }
}

// An interface in two parts: two messages' worth of values for one rank, and points in both orders.
TYPED_TEST(DistributedProduct, two_interfaces_of_the_same_pair) {
  MultiBlockGrid const grid({Grid(4, 6, 3), Grid(5, 6, 3)},
                            {{.block = 0, .face = Direction::east, .points = {{3, 0, 0}, {4, 2, 3}}, .donor = 1},
                             {.block = 1,
                              .face = Direction::west,
                              .points = {{0, 2, 0}, {1, 6, 3}},
                              .donor = 0,
                              .donor_begin = {3, 5, 0},
                              .transform = {{1, -2, 3}}}});
  this->template expect_product<2>("two parts", grid);
}

TYPED_TEST(DistributedProduct, of_a_matrix_that_is_stored_as_float) {
  this->template expect_product<3, float>("float", cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid, 1e-5);
}

TYPED_TEST(DistributedProduct, of_copies_in_16_bits_have_the_bits_of_one_process) {
  for (auto const& whole : {cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid, joined_pair(Grid(3, 5, 2), {{3, -1, 2}})}) {
    this->template expect_bits_of_short_products<double, 2>(whole);
    this->template expect_bits_of_short_products<float, 2>(whole);
  }
}

TYPED_TEST(DistributedProduct, what_overflows_in_copies_in_16_bits_or_is_another_is_named_on_all_ranks) {
  constexpr int n = 2;
  auto const whole = joined_pair(Grid(3, 5, 2), {{3, -1, 2}});
  MultiBlockReference reference(whole, n);
  reference.blocks[1].block(1, Direction::center)(1, 0) = -1e300;
  for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
    DistributedGrid const grid(this->world, whole, owners);
    auto const a = to_ranks<double, n, double>(this->exec, grid, MultiBlockReference(whole, n));
    auto const copy = narrowed<Half>(this->exec, a);
    EXPECT_EQ(describe_other_copy(this->exec, a, copy), "") << how;
    auto const other = to_ranks<double, n, double>(this->exec, grid, reference);
    auto const place = "grid block 1 (rank " + std::to_string(grid.owner(1)) + "): ";
    EXPECT_THAT(describe_other_copy(this->exec, other, copy), HasSubstr(place)) << how;
    EXPECT_THAT(thrown_text([&] { narrow(this->exec, other, copy); }),
                HasSubstr("narrow: " + place + "block center of point (1, 0, 0): entry (1, 0) is -1e+300"))
        << how;
  }
}

TYPED_TEST(DistributedProduct, of_floats) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(7, 12, 5), {2, 2, 1}).grid;
  MultiBlockReference const reference(whole, n);
  auto const values = random_vector(whole.size() * n);
  DistributedGrid const grid(this->world, whole);
  auto const x = to_ranks<float, n>(this->exec, grid, values);
  DistributedVector<float, n, TypeParam> const y(this->exec, grid);
  apply(this->exec, to_ranks<float, n, float>(this->exec, grid, reference), x, y);
  EXPECT_TRUE(near(to_host(this->exec, y), part_of_rank(grid, n, reference.rows() * values), 1e-5));
}

TYPED_TEST(DistributedProduct, what_is_not_finite_is_named_on_all_ranks) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole);
  MultiBlockReference reference(whole, n);
  auto const found = [&] {
    return describe_not_finite(this->exec, to_ranks<double, n, double>(this->exec, grid, reference));
  };
  EXPECT_EQ(found(), "");
  for (int const b : {3, 1}) {
    reference.blocks[b].block(3, Direction::north)(0, 1) = std::numeric_limits<double>::infinity();
    EXPECT_EQ(found(), "grid block " + std::to_string(b) + " (rank " + std::to_string(grid.owner(b)) +
                           "): block north of point (1, 1, 0) is not finite");
  }
}

TYPED_TEST(DistributedProduct, wrong_use_is_refused) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(6, 4, 4), {2, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole, {0, 0}), other(Communicator(MPI_COMM_WORLD), whole, {0, 0});
  using Vector = DistributedVector<double, n, TypeParam>;
  DistributedStencil7<double, n, TypeParam> const a(this->exec, grid);
  Vector const x(this->exec, grid), y(this->exec, other);
  EXPECT_THAT(thrown_text([&] { apply(this->exec, a, x, y); }),
              HasSubstr("apply: the result is on 2 grid blocks (3x4x4, 3x4x4) on"));
  EXPECT_THAT(thrown_text([&] { apply(this->exec, a, y, x); }), HasSubstr("apply: x is on 2 grid blocks"));
  // Also where a rank has no values.
  EXPECT_THAT(thrown_text([&] { apply(this->exec, a, x, x); }), HasSubstr("apply: the result must not be x"));
  EXPECT_THAT(thrown_text([&] { residual(this->exec, a, y, x, x); }), HasSubstr("residual: b is on 2 grid blocks"));
  EXPECT_THAT(thrown_text([&] { residual(this->exec, a, x, x, x); }), HasSubstr("residual: the result must not be x"));
  // A handle of the values of a vector.
  EXPECT_EQ(Vector(grid, x.flat()).flat().data(), x.flat().data());
  EXPECT_THAT(thrown_text([&] { DistributedVector<double, n + 1, TypeParam>(grid, x.flat()); }),
              HasSubstr("values are not those of 3 unknowns on"));
  if (this->world.rank() > 0) {
    EXPECT_THAT(thrown_text([&] { (void)x.block(1); }), HasSubstr("grid block 1 is of rank 0, this is rank"));
  }
}

}  // namespace
}  // namespace hyperplane::test
