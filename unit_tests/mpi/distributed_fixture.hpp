// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <exception>
#include <hyperplane/mpi/mpi.hpp>
#include <string>
#include <utility>
#include <vector>

#include "blocks/multi_block_grids.hpp"
#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/multi_block_reference.hpp"
#include "support/random_system.hpp"

namespace hyperplane::test {

/// What a call throws.
template <class Call>
std::string thrown_text(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing thrown";
}

/// Several ways to hand grid blocks to ranks, by name.
inline std::vector<std::pair<std::string, std::vector<int>>> owner_lists(const MultiBlockGrid& grid, int ranks) {
  std::vector<int> in_turn, backwards, last, every_second;
  for (int b = 0; b < grid.block_count(); ++b) {
    in_turn.push_back(b % ranks);
    backwards.push_back(ranks - 1 - b % ranks);
    last.push_back(ranks - 1);
    every_second.push_back(2 * b % (ranks + ranks % 2) % ranks);
  }
  return {{"by points", assign_blocks(grid, ranks)},
          {"in turn", in_turn},
          {"backwards", backwards},
          {"all on the last rank", last},
          {"every second rank", every_second}};
}

/// The values of this rank's grid blocks.
inline std::vector<double> part_of_rank(const DistributedGrid& grid, int n, const std::vector<double>& whole) {
  std::vector<double> result;
  for (int const b : grid.blocks()) {
    auto const first = whole.begin() + grid.whole().first_point(b) * n;
    result.insert(result.end(), first, first + grid.whole().block(b).size() * n);
  }
  return result;
}

template <class Scalar, int n, class Exec>
DistributedVector<Scalar, n, Exec> to_ranks(const Exec& exec, const DistributedGrid& grid,
                                            const std::vector<double>& values) {
  DistributedVector<Scalar, n, Exec> result(exec, grid);
  for (int const b : grid.blocks()) {
    auto const first = values.begin() + grid.whole().first_point(b) * n;
    auto const& block = grid.whole().block(b);
    auto const part = to_device<Scalar, n>(exec, block, std::vector<double>(first, first + block.size() * n));
    Kokkos::deep_copy(exec, result.block(b).flat(), part.flat());
    exec.fence();
  }
  return result;
}

template <class Scalar, int n, class Storage, class Exec>
DistributedStencil7<Scalar, n, Exec, Storage> to_ranks(const Exec& exec, const DistributedGrid& grid,
                                                       const MultiBlockReference& a) {
  DistributedStencil7<Scalar, n, Exec, Storage> result(exec, grid);
  for (int const b : grid.blocks()) {
    auto const part = to_device<Scalar, n, Storage>(exec, a.blocks[b]);
    Kokkos::deep_copy(exec, result.block(b).flat(), part.flat());
    exec.fence();
  }
  return result;
}

/// Of this rank.
template <class Scalar, int n, class Exec>
std::vector<double> to_host(const Exec& exec, const DistributedVector<Scalar, n, Exec>& vector) {
  return to_host(exec, vector.local());
}

template <class Exec>
class DistributedTest : public ::testing::Test {
 protected:
  Communicator world{MPI_COMM_WORLD};
  Exec exec{};
};

}  // namespace hyperplane::test
