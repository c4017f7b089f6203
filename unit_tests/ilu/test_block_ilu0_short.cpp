// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Factors of 16 bits.
namespace hyperplane::test::ilu0_short {
namespace {

template <class Exec>
class BlockIlu0Short : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Short, ExecutionSpaces, SpaceNames);

std::vector<Grid> grids() {
  return {Grid(1, 1, 1), Grid(1, 7, 1), Grid(5, 4, 3), Grid(9, 17, 5), Grid(33, 1, 1), Grid(1, 1, 12), Grid(2, 9, 30)};
}

/// Paths that factors of 16 bits have.
template <class Exec>
std::vector<SweepPath> paths() {
  if constexpr (HostExecutionSpace<Exec>) return paths_of<Exec>();
  return {SweepPath::portable};
}

template <class Storage>
inline constexpr double unit = std::same_as<Storage, Half> ? 0x1p-11 : 0x1p-8;

template <class Scalar, int n, class Storage, class Exec>
std::vector<double> factor_and_solve(const Exec& exec, const ReferenceStencil& reference,
                                     const std::vector<double>& rhs, SweepPath path, bool transposed = false) {
  auto const x = to_device<Scalar, n>(exec, reference.grid, rhs);
  BlockIlu0<Scalar, n, Exec, Storage> ilu(exec, reference.grid, {.path = path});
  ilu.factor(exec, to_device<Scalar, n, Scalar>(exec, reference));
  if (transposed) {
    ilu.solve_transposed(exec, x, x);
  } else {
    ilu.solve(exec, x, x);
  }
  EXPECT_TRUE(ilu.status(exec).ok()) << ilu.status(exec).message();
  return to_host(exec, x);
}

template <int n, class Storage, class Exec>
void compare_with_double(const Exec& exec) {
  for (auto const& grid : grids()) {
    auto const reference = random_stencil(grid, n);
    auto const rhs = random_vector(grid.size() * n);
    for (SweepPath const path : paths<Exec>()) {
      SCOPED_TRACE(to_string(grid) + ", path " + name(path));
      for (bool const transposed : {false, true}) {
        auto const expected = factor_and_solve<double, n, double>(exec, reference, rhs, path, transposed);
        double const tolerance = 10 * n * unit<Storage>;
        EXPECT_TRUE(
            near(factor_and_solve<double, n, Storage>(exec, reference, rhs, path, transposed), expected, tolerance));
        EXPECT_TRUE(
            near(factor_and_solve<float, n, Storage>(exec, reference, rhs, path, transposed), expected, tolerance));
      }
    }
  }
}

TYPED_TEST(BlockIlu0Short, are_those_of_double_to_rounding) {
  TypeParam const exec;
  compare_with_double<1, Half>(exec);
  compare_with_double<4, Half>(exec);
  compare_with_double<5, Half>(exec);
  compare_with_double<1, BFloat16>(exec);
  compare_with_double<3, BFloat16>(exec);
  compare_with_double<5, BFloat16>(exec);
}

TYPED_TEST(BlockIlu0Short, are_computed_with_in_full_precision) {
  // Diagonal blocks that are exact in every step: what is left is arithmetic in double.
  TypeParam const exec;
  constexpr int n = 3;
  ReferenceStencil reference(Grid(4, 19, 3), n);
  for (auto& blocks : reference.blocks) {
    for (int r = 0; r < n; ++r) blocks[static_cast<int>(Direction::center)](r, r) = 0.5;
  }
  auto const rhs = random_vector(reference.grid.size() * n);
  auto expected = rhs;
  for (auto& value : expected) value *= 2.0;
  for (SweepPath const path : paths<TypeParam>()) {
    EXPECT_TRUE(bitwise_equal(factor_and_solve<double, n, Half>(exec, reference, rhs, path), expected));
    EXPECT_TRUE(bitwise_equal(factor_and_solve<double, n, BFloat16>(exec, reference, rhs, path), expected));
  }
}

TYPED_TEST(BlockIlu0Short, say_which_paths_they_lack) {
  if constexpr (CudaExecutionSpace<TypeParam>) {
    using Plan = BlockIlu0<double, 2, TypeParam, Half>;
    TypeParam const exec;
    EXPECT_EQ(Plan(exec, Grid(3, 3, 3)).path(), SweepPath::portable);
    for (SweepPath const path : {SweepPath::slab, SweepPath::cuda_graph}) {
      EXPECT_EQ(message_of([&] { Plan(exec, Grid(3, 3, 3), {.path = path}); }),
                std::string("BlockIlu0: Cuda has no path ") + name(path) + " for factors of 16 bits");
    }
  }
}

}  // namespace
}  // namespace hyperplane::test::ilu0_short
