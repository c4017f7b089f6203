// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/mpi/detail/choose_transport.hpp>
#include <hyperplane/mpi/detail/mailbox.hpp>
#include <thread>
#include <utility>

#include "distributed_fixture.hpp"

// How values come from rank to rank.
namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;

/// What is sent in an exchange.
struct CountOn {
  double m_first;
  KOKKOS_FUNCTION double operator()(std::int64_t v) const { return m_first + static_cast<double>(v); }
};

template <class Exec>
class DistributedTransport : public DistributedTest<Exec> {
 protected:
  /// In which all ranks meet another one, where there is one.
  MultiBlockGrid chain() const { return cut_grid(Grid(4 * this->world.size(), 6, 5), {this->world.size(), 1, 1}).grid; }

  /// Those that can be had between the ranks that meet.
  std::vector<Transport> those_that_run(const MultiBlockGrid& whole) {
    std::vector<Transport> result;
    for (auto const transport : {Transport::host, Transport::gpu_aware, Transport::peer}) {
      DistributedGrid const grid(this->world, whole, transport);
      if (detail::describe_missing(this->exec, grid, transport).empty()) result.push_back(transport);
    }
    return result;
  }

  /// Ranks take turns to be late.
  void be_late(int step) const {
    if (step / 3 % (this->world.size() + 1) == this->world.rank())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  /// Products behind one another, which nothing waits for, with A and A^T in turn, which have other messages in the
  /// same memory, and solves with M and M^T.
  std::vector<std::vector<double>> results(const MultiBlockGrid& whole, const std::vector<int>& owners,
                                           Transport transport) {
    constexpr int n = 2;
    auto const& exec = this->exec;
    DistributedGrid const grid(this->world, whole, owners, transport);
    auto const a = to_ranks<double, n, double>(exec, grid, MultiBlockReference(whole, n));
    EXPECT_EQ(a.transport(), transport);
    auto x = to_ranks<double, n>(exec, grid, random_vector(whole.size() * n));
    auto const b = to_ranks<double, n>(exec, grid, random_vector(whole.size() * n, 3));
    DistributedVector<double, n, Exec> y(exec, grid);
    for (int step = 0; step < 24; ++step) {
      be_late(step);
      switch (step % 4) {
        case 0: apply(exec, a, x, y); break;
        case 1: apply_transposed(exec, a, x, y); break;
        case 2: residual_transposed(exec, a, b, x, y); break;
        default: residual(exec, a, b, x, y);
      }
      std::swap(x, y);
    }
    std::vector<std::vector<double>> found{to_host(exec, x), to_host(exec, y)};
    DistributedMultiBlock<BlockIlu0<double, n, Exec>> ilu(exec, grid, {.coupling = Coupling::coloured});
    EXPECT_EQ(ilu.transport(), transport);
    for (int step = 0; step < 3; ++step) {
      ilu.factor(exec, a);
      for (int solve = 0; solve < 2; ++solve) {
        be_late(3 * (step + solve));
        ilu.solve(exec, solve == 0 ? b : y, y);
        ilu.solve_transposed(exec, y, y);
      }
      found.push_back(to_host(exec, y));
    }
    return found;
  }
};

TYPED_TEST_SUITE(DistributedTransport, ExecutionSpaces, SpaceNames);

TEST(Transport, names) {
  EXPECT_STREQ(name(Transport::automatic), "automatic");
  EXPECT_STREQ(name(Transport::host), "host");
  EXPECT_STREQ(name(Transport::gpu_aware), "gpu_aware");
  EXPECT_STREQ(name(Transport::peer), "peer");
  EXPECT_STREQ(name(static_cast<Transport>(7)), "unknown");
}

TEST(Transport, ranks_ask_for_the_same) {
  Communicator const world(MPI_COMM_WORLD);
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  EXPECT_EQ(DistributedGrid(world, whole).transport(), Transport::automatic);
  EXPECT_EQ(DistributedGrid(world, whole, Transport::host).transport(), Transport::host);
  EXPECT_TRUE(DistributedGrid(world, whole) == DistributedGrid(world, whole, Transport::host));
  EXPECT_THAT(thrown_text([&] { DistributedGrid const grid(world, whole, static_cast<Transport>(7)); }),
              HasSubstr("there is no transport 7"));
  for (int other = 1; other < world.size(); ++other) {
    auto const transport = world.rank() == other ? Transport::host : Transport::automatic;
    EXPECT_EQ(thrown_text([&] { DistributedGrid const grid(world, whole, transport); }),
              "DistributedGrid: transport: rank " + std::to_string(other) + " has others than rank 0");
  }
}

TYPED_TEST(DistributedTransport, what_cannot_be_had_is_refused_on_all_ranks) {
  auto const whole = this->chain();
  auto const run = this->those_that_run(whole);
  for (auto const transport : {Transport::host, Transport::gpu_aware, Transport::peer}) {
    DistributedGrid const grid(this->world, whole, transport);
    auto const text = thrown_text([&] { DistributedStencil7<double, 2, TypeParam> const a(this->exec, grid); });
    EXPECT_EQ(text, this->world.from(0, text));
    if (std::ranges::find(run, transport) != run.end()) {
      EXPECT_EQ(text, "nothing thrown") << name(transport);
      continue;
    }
    EXPECT_THAT(text, HasSubstr("transport " + std::string(name(transport)) + " cannot be had: "));
    if constexpr (HostExecutionSpace<TypeParam>) {
      EXPECT_THAT(text, HasSubstr("it is for CUDA, kernels run on " + std::string(TypeParam::name())));
    }
    auto const of_plan = thrown_text([&] {
      DistributedMultiBlock<BlockIlu0<double, 2, TypeParam>> const ilu(this->exec, grid,
                                                                       {.coupling = Coupling::coloured});
    });
    EXPECT_THAT(of_plan, HasSubstr("cannot be had: "));
  }
}

TYPED_TEST(DistributedTransport, automatic_is_the_last_that_runs) {
  auto const whole = this->chain();
  DistributedGrid const grid(this->world, whole);
  auto const expected = this->those_that_run(whole).back();
  EXPECT_TRUE(!HostExecutionSpace<TypeParam> || expected == Transport::host);
  EXPECT_EQ((DistributedStencil7<double, 2, TypeParam>(this->exec, grid).transport()), expected);
  using Ilu = DistributedMultiBlock<BlockIlu0<double, 2, TypeParam>>;
  EXPECT_EQ(Ilu(this->exec, grid, {.coupling = Coupling::coloured}).transport(), expected);
  EXPECT_EQ(Ilu(this->exec, grid, {}).transport(), Transport::host);
  auto const missing = detail::describe_missing(this->exec, grid, Transport::peer);
  if (this->world.rank() == 0) {
    std::printf("%s: %s%s%s\n", TypeParam::name(), name(expected),
                missing.empty() ? "" : ", because of peer: ", missing.c_str());
  }
}

TYPED_TEST(DistributedTransport, all_have_the_same_bits) {
  for (auto const& [what, whole] : awkward_grids()) {
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      auto const expected = this->results(whole, owners, Transport::host);
      for (auto const transport : this->those_that_run(whole)) {
        if (transport == Transport::host) continue;
        auto const found = this->results(whole, owners, transport);
        for (std::size_t r = 0; r < expected.size(); ++r) {
          EXPECT_TRUE(bitwise_equal(found[r], expected[r])) << what << ", " << how << ", " << name(transport);
        }
      }
    }
  }
}

// Messages go in one direction alone, so nothing else keeps the sender from being far ahead.
TYPED_TEST(DistributedTransport, a_sender_does_not_overtake_its_receiver) {
  if (this->world.size() < 2) return;
  using Mail = detail::Mailbox<double, TypeParam>;
  constexpr int exchanges = 60;
  constexpr std::int64_t size = 5000;
  auto const& exec = this->exec;
  int const rank = this->world.rank();
  for (auto const transport : this->those_that_run(this->chain())) {
    std::vector<detail::Message> sends, receives;
    if (rank == 0) sends.push_back({1, 0, size});
    if (rank == 1) receives.push_back({0, 0, size});
    auto const received = Mail::allocated(exec, "received", rank == 1 ? size : 0);
    Mail const mail(exec, this->world, transport, "mail", sends, receives, 1, received);
    detail::connect_mailboxes(exec, this->world, transport, [&](const auto& function) { function(mail); });
    EXPECT_EQ(mail.empty(), rank > 1);
    auto const all = Mail::allocated(exec, "all", exchanges * static_cast<std::int64_t>(received.size()));
    for (int e = 0; e < exchanges; ++e) {
      this->be_late(e);
      if (mail.empty()) continue;
      mail.start(exec, "pack", 16.0, CountOn{1e6 * e});
      mail.finish(exec);
      auto const begin = e * received.size();
      Kokkos::deep_copy(exec, Kokkos::subview(all, std::pair(begin, begin + received.size())), received);
    }
    auto const found = to_host(all);
    for (std::size_t v = 0; v < found.size(); ++v) {
      ASSERT_EQ(found[v], 1e6 * static_cast<double>(v / size) + static_cast<double>(v % size)) << name(transport);
    }
  }
}

#ifdef KOKKOS_ENABLE_CUDA

TEST(PeerMemory, of_sizes_that_differ) {
  Communicator const world(MPI_COMM_WORLD);
  Kokkos::Cuda const exec;
  std::vector<int> others;
  for (int rank = 0; rank < world.size(); ++rank) {
    if (rank != world.rank()) others.push_back(rank);
  }
  auto const missing = detail::describe_unreachable_peers(exec, world, others);
  EXPECT_EQ(missing, world.from(0, missing));
  if (!missing.empty()) GTEST_SKIP() << missing;
  // The last rank has none.
  auto const size_of = [&](int rank) { return std::size_t{3000000} * (world.size() - 1 - rank); };
  detail::PeerMemory const memory(exec, world, size_of(world.rank()), others);
  EXPECT_EQ(memory.of(world.rank()), memory.own());
  for (int const rank : others) {
    EXPECT_EQ(memory.size_of(rank), size_of(rank));
    EXPECT_EQ(memory.of(rank) != nullptr, size_of(rank) > 0);
  }
  auto const text = thrown_text([&] { detail::PeerMemory(exec, world, 1, std::vector{world.size()}); });
  EXPECT_THAT(text, HasSubstr("rank 0: PeerMemory: there is no rank"));
}

#endif

}  // namespace
}  // namespace hyperplane::test
