// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block.hpp>
#include <string>
#include <vector>

#include "distributed_fixture.hpp"

namespace hyperplane::test {

template <class Exec>
class DistributedColoured : public DistributedTest<Exec> {
 protected:
  /// A solve with P over ranks has the bits of one process.
  template <class P, class MatrixStorage = typename P::storage_type>
  void expect_bits_of_one_process(const std::string& what, const MultiBlockGrid& whole,
                                  const typename MultiBlock<P>::Options& options) {
    constexpr int n = P::Vector::block_size;
    auto const& exec = this->exec;
    MultiBlockReference const reference(whole, n);
    auto const values = random_vector(whole.size() * n, 4);
    MultiBlock<P> one(exec, whole, options);
    one.factor(exec, to_device<double, n, MatrixStorage>(exec, reference));
    MultiBlockVector<double, n, Exec> const solution(exec, whole);
    one.solve(exec, to_device<double, n>(exec, whole, values), solution);
    auto const expected = to_host(exec, solution);
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      auto const text = what + ", " + how + ", n = " + std::to_string(n);
      DistributedGrid const grid(this->world, whole, owners);
      auto const a = to_ranks<double, n, MatrixStorage>(exec, grid, reference);
      auto const before = to_host(a.flat());
      DistributedMultiBlock<P> plan(exec, grid, options);
      EXPECT_EQ(plan.coupling(), options.coupling);
      EXPECT_EQ(plan.colours(), one.colours());
      plan.factor(exec, a);
      EXPECT_TRUE(plan.status(exec).ok()) << text << ": " << plan.status(exec).message();
      EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before)) << text;
      // A may go.
      Kokkos::deep_copy(exec, a.flat(), static_cast<MatrixStorage>(0));
      auto const rhs = to_ranks<double, n>(exec, grid, values);
      DistributedVector<double, n, Exec> const x(exec, grid);
      plan.solve(exec, rhs, x);
      EXPECT_TRUE(bitwise_equal(to_host(exec, x), part_of_rank(grid, n, expected))) << text;
      EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), part_of_rank(grid, n, values))) << text;
      plan.solve(exec, rhs, rhs);
      EXPECT_TRUE(bitwise_equal(to_host(exec, rhs), part_of_rank(grid, n, expected))) << text << ", in place";
    }
  }

  /// The same with BILU(0).
  template <int n, class Storage = double, class MatrixStorage = Storage>
  void expect_same_bits(const std::string& what, const MultiBlockGrid& whole, const std::vector<int>& colours = {},
                        Coupling coupling = Coupling::coloured) {
    expect_bits_of_one_process<BlockIlu0<double, n, Exec, Storage>, MatrixStorage>(
        what, whole, {.coupling = coupling, .colours = colours});
  }

  /// The first failure with P in the order of the factorization, whichever rank has it, is that of one process.
  template <class P>
  void expect_failure_of_one_process(const MultiBlockReference& reference, const std::vector<int>& colours) {
    constexpr int n = P::Vector::block_size;
    auto const& exec = this->exec;
    auto const& whole = reference.grid;
    MultiBlock<P> one(exec, whole, {.coupling = Coupling::coloured, .colours = colours});
    one.factor(exec, to_device<double, n, double>(exec, reference));
    auto const expected = one.status(exec);
    EXPECT_FALSE(expected.ok());
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      DistributedGrid const grid(this->world, whole, owners);
      DistributedMultiBlock<P> plan(exec, grid, {.coupling = Coupling::coloured, .colours = colours});
      plan.factor(exec, to_ranks<double, n, double>(exec, grid, reference));
      auto const found = plan.status(exec);
      int const b = expected.grid_block;
      EXPECT_EQ(found.grid_block, b) << how;
      EXPECT_EQ(found.rank, owners[b]) << how;
      auto text = expected.message();
      auto const named = "grid block " + std::to_string(b);
      text.replace(0, named.size(), named + " (rank " + std::to_string(owners[b]) + ")");
      EXPECT_EQ(found.message(), text) << how;
      // The next one begins anew.
      plan.factor(exec, to_ranks<double, n, double>(exec, grid, MultiBlockReference(whole, n)));
      EXPECT_TRUE(plan.status(exec).ok()) << how;
    }
  }
};

}  // namespace hyperplane::test
