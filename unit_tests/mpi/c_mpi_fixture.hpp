// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hyperplane_mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <string>
#include <vector>

#include "c/c_names.hpp"
#include "support/matchers.hpp"
#include "support/multi_block_reference.hpp"
#include "support/random_system.hpp"

namespace hyperplane::test {

inline hyperplane_grid c_grid(const Grid& grid) { return {grid.ni(), grid.nj(), grid.nk()}; }

inline std::vector<hyperplane_grid> c_grids(const MultiBlockGrid& grid) {
  std::vector<hyperplane_grid> result;
  for (auto const& block : grid.blocks()) result.push_back(c_grid(block));
  return result;
}

inline hyperplane_interface c_interface(const Interface& from) {
  auto const& [begin, end] = from.points;
  auto const& axes = from.transform.axes;
  return {.block = from.block,
          .donor = from.donor,
          .face = static_cast<int>(from.face),
          .begin = {begin.i, begin.j, begin.k},
          .end = {end.i, end.j, end.k},
          .donor_begin = {from.donor_begin.i, from.donor_begin.j, from.donor_begin.k},
          .transform = {axes[0], axes[1], axes[2]}};
}

inline std::vector<hyperplane_interface> c_interfaces(const MultiBlockGrid& grid) {
  std::vector<hyperplane_interface> result;
  for (auto const& interface : grid.interfaces()) result.push_back(c_interface(interface));
  return result;
}

/// Of a box of 7 x 6 x 5 points.
inline MultiBlockGrid four_parts() { return cut_grid(Grid(7, 6, 5), {2, 1, 2}).grid; }

/// A handle with its owner; a call that fails is a failure of the test, and leaves NULL.
template <class Handle>
class COwned {
 public:
  template <class... Parameters, class... Arguments>
  explicit COwned(hyperplane_status (*create)(Parameters...), const Arguments&... arguments) {
    EXPECT_EQ(create(arguments..., &m_handle), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  }
  ~COwned() { EXPECT_EQ(hyperplane_free(m_handle), HYPERPLANE_SUCCESS); }
  COwned(const COwned&) = delete;
  COwned& operator=(const COwned&) = delete;

  operator Handle() const { return m_handle; }  // NOLINT(google-explicit-constructor): as a handle

 private:
  Handle m_handle = nullptr;
};

/// A system over all ranks, on one backend. Without owners, each rank has about as many points.
struct CRankSystem {
  static constexpr int n = 2;

  CRankSystem(hyperplane_context context, const MultiBlockGrid& multi_block, const std::vector<int>& owners = {},
              int unknowns = n)
      : block_size(unknowns),
        whole(multi_block),
        grid(create_on, context, multi_block, owners),
        a(hyperplane_mpi_matrix_create, grid, block_size),
        b(hyperplane_mpi_vector_create, grid, block_size),
        x(hyperplane_mpi_vector_create, grid, block_size) {
    set(a, reference);
    set(b, rhs);
  }

  static hyperplane_status create_on(hyperplane_context context, MultiBlockGrid multi_block, std::vector<int> owners,
                                     hyperplane_mpi_grid* grid) {
    auto const grids = c_grids(multi_block);
    auto const interfaces = c_interfaces(multi_block);
    return hyperplane_mpi_grid_create(context, MPI_COMM_WORLD, multi_block.block_count(), grids.data(),
                                      static_cast<int>(interfaces.size()), interfaces.data(),
                                      owners.empty() ? nullptr : owners.data(), grid);
  }

  std::vector<int> blocks() const {
    int count = 0;
    EXPECT_EQ(hyperplane_mpi_grid_blocks(grid, nullptr, 0, &count), HYPERPLANE_SUCCESS);
    std::vector<int> numbers(count);
    EXPECT_EQ(hyperplane_mpi_grid_blocks(grid, numbers.data(), count, &count), HYPERPLANE_SUCCESS);
    return numbers;
  }
  /// Of this rank's grid blocks.
  std::vector<double> own(const std::vector<double>& values) const {
    std::vector<double> result;
    for (int const number : blocks()) {
      auto const first = values.begin() + whole.first_point(number) * block_size;
      result.insert(result.end(), first, first + whole.block(number).size() * block_size);
    }
    return result;
  }
  static std::vector<double> values_of(const ReferenceStencil& stencil) {
    std::vector<double> values;
    for (auto const& blocks : stencil.blocks) {
      for (auto const& block : blocks) values.insert(values.end(), block.entries.begin(), block.entries.end());
    }
    return values;
  }
  void set(hyperplane_matrix matrix, const MultiBlockReference& from) const {
    std::vector<double> values;
    for (int const number : blocks()) {
      auto const part = values_of(from.blocks[number]);
      values.insert(values.end(), part.begin(), part.end());
    }
    EXPECT_EQ(hyperplane_matrix_set(matrix, values.data(), std::ssize(values), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
  }
  void set(hyperplane_vector vector, const std::vector<double>& values) const {
    auto const part = own(values);
    EXPECT_EQ(hyperplane_vector_set(vector, part.data(), std::ssize(part), HYPERPLANE_HOST), HYPERPLANE_SUCCESS)
        << hyperplane_last_error_message();
  }
  std::vector<double> get(hyperplane_vector vector) const {
    auto result = own(solution);
    EXPECT_EQ(hyperplane_vector_get(vector, result.data(), std::ssize(result), HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    return result;
  }

  int block_size;
  MultiBlockGrid whole;
  MultiBlockReference reference{whole, block_size};
  std::vector<double> solution = random_vector(whole.size() * block_size);
  std::vector<double> rhs = reference.rows() * solution;
  COwned<hyperplane_mpi_grid> grid;
  COwned<hyperplane_matrix> a;
  COwned<hyperplane_vector> b, x;
};

class CRanks : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    ASSERT_EQ(hyperplane_context_create(GetParam().c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  void TearDown() override {
    EXPECT_EQ(hyperplane_free(context), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
  }

  hyperplane_preconditioner_options bilu0(hyperplane_coupling coupling) const {
    hyperplane_preconditioner_options options;
    EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    options.coupling = coupling;
    return options;
  }
  static void expect_refused(hyperplane_status status, const std::string& message,
                             hyperplane_status expected = HYPERPLANE_INVALID_ARGUMENT) {
    EXPECT_EQ(status, expected) << hyperplane_status_name(status) << ", expected " << message;
    EXPECT_THAT(hyperplane_last_error_message(), ::testing::HasSubstr(message));
  }

  hyperplane_context context = nullptr;
  int rank = 0, ranks = 1;
};

}  // namespace hyperplane::test
