// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "../blocks/multi_block_grids.hpp"
#include "executables/write_system.hpp"
#include "host_rows.hpp"
#include "matrix_market.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/multi_block_reference.hpp"

// Linear systems on grid blocks as the files of general matrices.
namespace hyperplane::test {
namespace {

template <class Exec>
class WriteSystem : public ::testing::Test {
 protected:
  Exec exec;
  std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "hyperplane_write_system";

  WriteSystem() { std::filesystem::create_directories(folder); }
  ~WriteSystem() override { std::filesystem::remove_all(folder); }

  template <int n>
  void write(const MultiBlockReference& reference, const std::vector<double>& b,
             const std::filesystem::path& to) const {
    auto const a = hyperplane::test::to_device<double, n, double>(exec, reference);
    auto const vector = hyperplane::test::to_device<double, n>(exec, reference.grid, b);
    std::vector<BlockStencil7<double, n, Exec>> matrices;
    std::vector<BlockVector<double, n, Exec>> vectors;
    for (int number = 0; number < reference.grid.block_count(); ++number) {
      matrices.push_back(a.block(number));
      vectors.push_back(vector.block(number));
    }
    executables::write_system(exec, reference.grid, matrices, vectors, to, "_test");
  }
};
TYPED_TEST_SUITE(WriteSystem, ExecutionSpaces, SpaceNames);

TYPED_TEST(WriteSystem, has_the_couplings_of_all_grid_blocks) {
  constexpr int n = 2;
  for (auto const& [name, grid] : awkward_grids()) {
    MultiBlockReference const reference(grid, n);
    auto const b = random_vector(grid.size() * n), x = random_vector(grid.size() * n, 3);
    this->template write<n>(reference, b, this->folder);
    EXPECT_EQ(tools::read_vector(this->folder / "b_test.mtx", grid.size() * n), b) << name;
    auto const rows = tools::read_rows(this->folder / "A_test.mtx", n);
    ASSERT_EQ(rows.points(), grid.size()) << name;
    std::vector<double> y(x.size(), 0.0);
    for (std::int64_t row = 0; row < rows.rows(); ++row) {
      for (auto e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) y[row] += rows.values[e] * x[rows.columns[e]];
    }
    EXPECT_TRUE(near(y, reference.rows() * x, rounding<double>(20, n))) << name;
  }
}

TYPED_TEST(WriteSystem, leaves_out_zeros) {
  MultiBlockReference reference(MultiBlockGrid({Grid(2, 1, 1)}), 1);
  reference.blocks[0].block(0, Direction::east)(0, 0) = 0.0;
  this->template write<1>(reference, {1.0, 2.0}, this->folder);
  EXPECT_THAT(tools::read_rows(this->folder / "A_test.mtx", 1).columns, ::testing::ElementsAre(0, 0, 1));
}

TYPED_TEST(WriteSystem, names_a_file_that_cannot_be_written) {
  MultiBlockReference const reference(MultiBlockGrid({Grid(1, 1, 1)}), 1);
  EXPECT_THAT(message_of([&] { this->template write<1>(reference, {1.0}, this->folder / "missing"); }),
              ::testing::HasSubstr("A_test.mtx: cannot be written"));
}

}  // namespace
}  // namespace hyperplane::test
