// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/apply_transposed.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/narrow.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <string>
#include <utility>
#include <vector>

#include "divided_system.hpp"
#include "multi_block_fixture.hpp"
#include "support/kokkos_events.hpp"
#include "support/message_of.hpp"

// Copies in 16 bits of matrices on several grid blocks.
namespace hyperplane::test::short_products {
namespace {

template <class Exec>
class ShortProducts : public MultiBlockTest<Exec> {
 protected:
  /// Units, values and sums of parts are those of the box.
  template <class Scalar, int n, class MatrixStorage, class Short>
  void expect_those_of_the_box(const std::pair<Grid, std::array<int, 3>>& box) {
    DividedSystem<Scalar, n, Exec, MatrixStorage> const system(this->exec, box.first, box.second);
    auto const y = system.copy(system.b);
    auto const x_parts = system.in_parts(system.x), y_parts = system.in_parts(system.b);
    apply(this->exec, narrowed<Short>(this->exec, system.a), system.x, y);
    apply(this->exec, narrowed<Short>(this->exec, system.parts_a), x_parts, y_parts);
    EXPECT_TRUE(bitwise_equal(to_host(this->exec, y_parts), to_host(this->exec, system.in_parts(y))))
        << to_text(box) << ", n = " << n;
  }

  /// A part that is narrowed by itself is a copy of a grid without couplings, until all parts are narrowed together.
  template <class Scalar, int n>
  void expect_part_alone_without_couplings() {
    DividedSystem<Scalar, n, Exec> const system(this->exec, Grid(9, 40, 5), {2, 2, 2});
    auto const part = system.parts_a.block(1);
    auto const copy = narrowed<Half>(this->exec, system.parts_a);
    EXPECT_NE(describe_other_copy(this->exec, part, copy.block(1)), "");
    narrow(this->exec, part, copy.block(1));
    EXPECT_EQ(describe_other_copy(this->exec, part, copy.block(1)), "");
    EXPECT_EQ(bits_of(copy.block(1)), bits_of(narrowed<Half>(this->exec, part)));
    EXPECT_THAT(describe_other_copy(this->exec, system.parts_a, copy), ::testing::StartsWith("grid block 1: "));
    narrow(this->exec, system.parts_a, copy);
    EXPECT_EQ(describe_other_copy(this->exec, system.parts_a, copy), "");
  }
  template <class Copy>
  static std::vector<std::uint16_t> bits_of(const Copy& copy) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy.flat());
    std::vector<std::uint16_t> bits;
    for (std::size_t e = 0; e < host.size(); ++e) bits.push_back(host(e).m_bits);
    return bits;
  }

  /// Products are those of A but for the rounding.
  template <int n>
  void expect_near(const std::string& what, const MultiBlockGrid& grid) {
    MultiBlockReference const given(grid, n);
    auto reference = given;
    // What couples no points is no number.
    for (auto& block : reference.blocks) {
      for (std::int64_t p = 0; p < block.grid.size(); ++p) {
        for (auto const d : stencil7_directions) {
          if (!block.grid.contains(neighbour(block.grid.point(p), d))) block.block(p, d)(0, 0) = std::nan("");
        }
      }
    }
    for (auto const& interface : grid.interfaces()) {
      auto& block = reference.blocks[interface.block];
      detail::for_each_pair(interface, [&](const Point& p, const Point&) {
        auto const number = block.grid.index(p);
        block.block(number, interface.face) = given.blocks[interface.block].block(number, interface.face);
      });
    }
    auto const values = random_vector(grid.size() * n);
    auto const copy = narrowed<Half>(this->exec, to_device<double, n, double>(this->exec, reference));
    MultiBlockVector<double, n, Exec> const y(this->exec, grid);
    apply(this->exec, copy, to_device<double, n>(this->exec, grid, values), y);
    EXPECT_TRUE(near(to_host(this->exec, y), reference.rows() * values, 5e-3)) << what;
    EXPECT_EQ(describe_not_finite(this->exec, copy), "") << what;
    apply(this->exec, transposed(copy), to_device<double, n>(this->exec, grid, values), y);
    EXPECT_TRUE(near(to_host(this->exec, y), reference.rows().transposed() * values, 5e-3)) << what << ", transposed";
  }
};
TYPED_TEST_SUITE(ShortProducts, ExecutionSpaces, SpaceNames);

TYPED_TEST(ShortProducts, parts_of_a_box_have_the_bits_of_the_box) {
  for (auto const& box : boxes_in_parts()) {
    this->template expect_those_of_the_box<double, 3, double, Half>(box);
    this->template expect_those_of_the_box<double, 1, float, BFloat16>(box);
  }
  this->template expect_those_of_the_box<float, 2, float, Half>({Grid(9, 40, 5), {2, 2, 2}});
}

// Of floats on hosts by another way than of doubles.
TYPED_TEST(ShortProducts, parts_that_are_narrowed_by_themselves_have_no_couplings) {
  this->template expect_part_alone_without_couplings<double, 3>();
  this->template expect_part_alone_without_couplings<float, 2>();
}

TYPED_TEST(ShortProducts, have_couplings_whatever_the_axes_of_the_neighbour) {
  for (auto const& [what, grid] : awkward_grids()) this->template expect_near<2>(what, grid);
  for (auto const& transform : {AxisTransform{{-2, 3, 1}}, AxisTransform{{3, -1, -2}}, AxisTransform{{-1, -2, -3}}}) {
    this->template expect_near<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform));
  }
}

TYPED_TEST(ShortProducts, have_the_label_of_copies) {
  auto const grid = cut_grid(Grid(6, 5, 4), {2, 1, 1}).grid;
  MultiBlockStencil7<double, 2, TypeParam, Half> const copy(this->exec, grid);
  MultiBlockVector<double, 2, TypeParam> const x(this->exec, grid), y(this->exec, grid);
  KokkosEvents const events;
  apply(this->exec, copy, x, y);
  ASSERT_FALSE(events.kernels().empty());
  for (auto const& kernel : events.kernels()) EXPECT_EQ(kernel.label, "Hyperplane::ScaledStencil7::apply");
}

TYPED_TEST(ShortProducts, name_the_grid_block_that_overflows_or_is_another_one) {
  auto const grid = cut_grid(Grid(6, 5, 4), {2, 1, 1}).grid;
  auto const matrix = [&](double value) {
    MultiBlockReference reference(grid, 2);
    auto& block = reference.blocks[1];
    // Across the interface.
    block.block(block.grid.index({0, 3, 1}), Direction::west)(1, 0) = value;
    return to_device<double, 2, double>(this->exec, reference);
  };
  EXPECT_THAT(message_of([&] { narrowed<Half>(this->exec, matrix(-1e300)); }),
              ::testing::HasSubstr("narrow: grid block 1: block west of point (0, 3, 1), which points out of the grid: "
                                   "entry (1, 0) is -1e+300, more than the storage type of the copy holds"));
  auto const copy = narrowed<BFloat16>(this->exec, matrix(0.3));
  EXPECT_EQ(describe_other_copy(this->exec, matrix(0.3), copy), "");
  EXPECT_THAT(describe_other_copy(this->exec, matrix(0.5), copy),
              ::testing::AllOf(::testing::StartsWith("grid block 1: "), ::testing::HasSubstr("of point (0, 3, 1)")));
  narrow(this->exec, matrix(0.5), copy);
  EXPECT_EQ(describe_other_copy(this->exec, matrix(0.5), copy), "");
  auto const other = cut_grid(Grid(6, 5, 4), {1, 2, 1}).grid;
  EXPECT_THROW(narrow(this->exec, matrix(0.5), MultiBlockStencil7<double, 2, TypeParam, BFloat16>(this->exec, other)),
               Error);
}

TYPED_TEST(ShortProducts, lead_to_solutions_as_accurate_as_those_of_the_matrix) {
  auto const grid = joined_pair(Grid(9, 5, 4), {{-2, 3, 1}});
  MultiBlockReference const reference(grid, 2);
  auto const a = to_device<double, 2, double>(this->exec, reference);
  auto const solution = random_vector(grid.size() * 2);
  auto const b = to_device<double, 2>(this->exec, grid, reference.rows() * solution);
  using Vector = MultiBlockVector<double, 2, TypeParam>;
  Vector const x(this->exec, grid);
  BiCgStab<Vector> const method(this->exec, grid, {.tolerance = 1e-12, .max_iterations = 200});
  NarrowedMatrix const matrix(a, narrowed<Half>(this->exec, a));
  auto const result = method.solve(this->exec, matrix, IdentityPreconditioner(), b, x);
  EXPECT_TRUE(result.converged()) << result.message();
  EXPECT_TRUE(near(to_host(this->exec, x), solution, 1e-10));
}

}  // namespace
}  // namespace hyperplane::test::short_products
