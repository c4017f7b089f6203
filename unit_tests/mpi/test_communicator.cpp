// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <hyperplane/mpi/detail/made_by_all.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

#include "distributed_fixture.hpp"

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Communicator, is_a_duplicate) {
  Communicator const world(MPI_COMM_WORLD);
  int rank = -1, size = 0, relation = MPI_UNEQUAL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(world.rank(), rank);
  EXPECT_EQ(world.size(), size);
  MPI_Comm_compare(world.get(), MPI_COMM_WORLD, &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  Communicator const copy = world;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_TRUE(copy == world);
  EXPECT_FALSE(Communicator(MPI_COMM_WORLD) == world);
}

TEST(Communicator, a_communicator_that_was_freed_is_refused) {
  MPI_Comm freed = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  {
    Communicator const duplicate(freed);
    MPI_Comm_free(&freed);
    // The duplicate is not the one that is gone.
    EXPECT_FALSE(duplicate.any(false));
  }
  EXPECT_THAT(thrown_text([&] { Communicator const none(freed); }), HasSubstr("it is MPI_COMM_NULL"));
}

TEST(Communicator, one_between_two_groups_is_refused) {
  Communicator const world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "it takes two groups";
  int const group = world.rank() % 2;
  MPI_Comm own = MPI_COMM_NULL, between = MPI_COMM_NULL;
  MPI_Comm_split(world.get(), group, world.rank(), &own);
  MPI_Intercomm_create(own, 0, world.get(), 1 - group, 0, &between);
  EXPECT_THAT(thrown_text([&] { Communicator const made(between); }), HasSubstr("it is an inter-communicator"));
  MPI_Comm_free(&between);
  MPI_Comm_free(&own);
}

// It is freed when MPI has been finalized, if at all: a function of MPI would end the program then.
TEST(Communicator, may_be_left_when_mpi_is_finalized) {
  static std::optional<Communicator> last;
  last.emplace(MPI_COMM_WORLD);
  EXPECT_EQ(last->size(), Communicator(MPI_COMM_WORLD).size());
}

TEST(Communicator, errors_of_mpi_have_its_text) {
  Communicator const world(MPI_COMM_WORLD);
  int value = 0;
  auto const text =
      thrown_text([&] { detail::mpi_call("MPI_Bcast", MPI_Bcast(&value, 1, MPI_INT, world.size() + 7, world.get())); });
  EXPECT_THAT(text, StartsWith("MPI_Bcast: MPI_ERR_ROOT"));
}

TEST(Communicator, what_all_ranks_make_or_none) {
  Communicator const world(MPI_COMM_WORLD);
  // As memory that a rank cannot open: an error of one rank is one of all.
  auto const made_where = [&](const auto& suits, int failing, int& calls) {
    return detail::made_by_all(world, suits, [&] {
      ++calls;
      world.agree(world.rank() == failing ? std::string("no memory") : std::string());
      return std::make_shared<int>(world.rank());
    });
  };
  auto const made = [&](int unsuitable, int failing, int& calls) {
    return made_where([&] { return world.rank() != unsuitable; }, failing, calls);
  };
  int calls = 0;
  EXPECT_EQ(*made(-1, -1, calls), world.rank());
  EXPECT_EQ(calls, 1);
  for (int rank = 0; rank < world.size(); ++rank) {
    EXPECT_EQ(made(-1, rank, calls), nullptr);
    EXPECT_EQ(calls, 2 + rank);
  }
  calls = 0;
  for (int rank = 0; rank < world.size(); ++rank) {
    EXPECT_EQ(made(rank, -1, calls), nullptr);
    auto const throws = [&] {
      if (world.rank() == rank) throw std::runtime_error("out of range");
      return true;
    };
    EXPECT_EQ(made_where(throws, -1, calls), nullptr);
  }
  EXPECT_EQ(calls, 0);
}

TEST(Communicator, an_error_on_one_rank_is_one_on_all) {
  Communicator const world(MPI_COMM_WORLD);
  world.agree(std::string());
  for (int failing = 0; failing < world.size(); ++failing) {
    auto const expected = "rank " + std::to_string(failing) + ": no such file";
    EXPECT_EQ(thrown_text([&] { world.agree(world.rank() >= failing ? std::string("no such file") : std::string()); }),
              expected);
    EXPECT_EQ(thrown_text([&] {
                world.agree([&] {
                  if (world.rank() == failing) throw std::runtime_error("no such file");
                });
              }),
              expected);
    EXPECT_EQ(thrown_text([&] {
                world.agree([&] {
                  if (world.rank() == failing) throw 7;
                });
              }),
              "rank " + std::to_string(failing) + ": an exception that is no std::exception");
    EXPECT_EQ(world.agree([&] { return 10 * world.rank(); }), 10 * world.rank());
    EXPECT_TRUE(world.any(world.rank() == failing));
    EXPECT_EQ(world.lowest(world.rank() >= failing), failing);
  }
  EXPECT_FALSE(world.any(false));
}

TEST(Communicator, sums_are_added_in_the_order_of_the_ranks) {
  Communicator const world(MPI_COMM_WORLD);
  auto const value = [](int rank, int v) { return v == 0 ? 1.0 / (rank + 3) : rank % 2 == 0 ? 1e17 : 1.5 - 1e17; };
  std::array sums{value(world.rank(), 0), value(world.rank(), 1)};
  world.sum(sums);
  for (int v = 0; v < 2; ++v) {
    double expected = value(0, v);
    for (int rank = 1; rank < world.size(); ++rank) expected += value(rank, v);
    EXPECT_EQ(sums[v], expected);
  }
}

TEST(Communicator, ranks_that_differ_are_named) {
  Communicator const world(MPI_COMM_WORLD);
  for (int other = 1; other < world.size(); ++other) {
    std::array const values{std::uint64_t{5}, static_cast<std::uint64_t>(world.rank() == other ? 1 : 2)};
    EXPECT_EQ(thrown_text([&] { world.require_same("numbers", values); }),
              "numbers: rank " + std::to_string(other) + " has others than rank 0");
  }
  world.require_same("numbers", std::array{std::uint64_t{5}});
}

}  // namespace
}  // namespace hyperplane::test
