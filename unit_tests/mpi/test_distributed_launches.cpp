// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <set>
#include <utility>

#include "distributed_fixture.hpp"
#include "support/kokkos_events.hpp"

// What is launched, waited for and copied over ranks.
namespace hyperplane::test {
namespace {

using ::testing::IsEmpty;

template <class Exec>
class DistributedLaunches : public DistributedTest<Exec> {
 protected:
  static constexpr int n = 2;

  /// Whether this rank has an interface with another.
  static bool meets_others(const DistributedGrid& grid) {
    return std::ranges::any_of(grid.whole().interfaces(), [&](const Interface& interface) {
      return grid.is_local(interface.block) && !grid.is_local(interface.donor);
    });
  }

  /// What a product launches, but for "inner", which a rank does without where all that it has is near to others.
  template <class Storage>
  static std::vector<std::string> launches(const DistributedGrid& grid, bool peer) {
    bool const meets = meets_others(grid), one_alone = grid.blocks().size() == 1 && grid.local().interfaces().empty();
    if (!MultiBlockStencil7<double, n, Exec>::GroupedApply::exists || (one_alone && !meets)) {
      std::vector<std::string> result(grid.blocks().size(), ShortReal<Storage> ? "Hyperplane::ScaledStencil7::apply"
                                                                               : "Hyperplane::BlockStencil7::apply");
      if (meets) result.insert(result.begin(), "Hyperplane::DistributedStencil7::pack");
      return result;
    }
    std::vector<std::string> result;
    if (meets) result.emplace_back("Hyperplane::DistributedStencil7::pack");
    if (meets && peer) result.emplace_back("Hyperplane::DistributedStencil7::receive");
    if (meets) result.emplace_back(label_of_part<Storage>() + "outer");
    return result;
  }

  template <class Storage>
  static std::string label_of_part() {
    return ShortReal<Storage> ? "Hyperplane::ScaledStencil7::" : "Hyperplane::DistributedStencil7::";
  }

  template <class Storage>
  void expect_product(const std::string& what, const DistributedGrid& grid) {
    DistributedStencil7<double, n, Exec, Storage> const a(this->exec, grid);
    DistributedVector<double, n, Exec> const x(this->exec, grid), y(this->exec, grid);
    bool const meets = meets_others(grid);
    bool const peer = a.transport() == Transport::peer, copies = a.transport() == Transport::host;
    this->exec.fence();
    KokkosEvents const events;
    apply(this->exec, a, x, y);
    std::vector<std::string> found;
    for (auto const& kernel : events.kernels()) found.push_back(kernel.label);
    auto const inner = std::ranges::find(found, label_of_part<Storage>() + "inner");
    if (inner == found.end()) {
      // All of this rank, if it has anything.
      EXPECT_TRUE(meets || !found.empty() || grid.blocks().empty()) << what;
    } else {
      EXPECT_EQ(inner - found.begin(), meets ? 1 : 0) << what << ": the inside does not wait for messages";
      found.erase(inner);
    }
    EXPECT_EQ(found, launches<Storage>(grid, peer)) << what;
    EXPECT_THAT(events.allocations(), IsEmpty()) << what;
    EXPECT_EQ(events.fences().size(), meets && !peer ? 1 : 0) << what;
    EXPECT_EQ(events.copies().size(), meets && copies && !HostExecutionSpace<Exec> ? 2 : 0) << what;
  }
};

/// What is to be brought to other colours, one exchange for each colour that has it.
struct ColourExchanges {
  int packs = 0;  ///< those in which this rank sends
  int waits = 0;  ///< those in which it meets another
};
inline ColourExchanges colour_exchanges(const DistributedGrid& grid, const std::vector<int>& colours, bool to_higher) {
  std::set<int> sends, meets;
  for (auto const& interface : grid.whole().interfaces()) {
    int const to = colours[interface.block], from = colours[interface.donor];
    bool const sent = grid.is_local(interface.donor), received = grid.is_local(interface.block);
    if (to == from || (to > from) != to_higher || sent == received) continue;
    meets.insert(from);
    if (sent) sends.insert(from);
  }
  return {static_cast<int>(sends.size()), static_cast<int>(meets.size())};
}

TYPED_TEST_SUITE(DistributedLaunches, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedLaunches, of_products) {
  for (auto const& [what, whole] : awkward_grids()) {
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      DistributedGrid const grid(this->world, whole, owners);
      this->template expect_product<double>(what + ", " + how, grid);
      this->template expect_product<Half>(what + ", " + how + ", in 16 bits", grid);
    }
  }
}

TYPED_TEST(DistributedLaunches, of_couplings_by_colours) {
  constexpr int n = 2;
  auto const count_of = [](const KokkosEvents& events, const std::string& label) {
    return std::ranges::count(events.kernels(), label, &KokkosEvents::Kernel::label);
  };
  auto const waits_of = [](const KokkosEvents& events) {
    return std::ranges::count(events.fences(), "Hyperplane: values for other ranks are packed");
  };
  for (auto const& [what, whole] : awkward_grids()) {
    for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
      DistributedGrid const grid(this->world, whole, owners);
      auto const a = to_ranks<double, n, double>(this->exec, grid, MultiBlockReference(whole, n));
      DistributedVector<double, n, TypeParam> const x(this->exec, grid), y(this->exec, grid);
      DistributedMultiBlock<BlockIlu0<double, n, TypeParam>> ilu(this->exec, grid, {.coupling = Coupling::coloured});
      bool const peer = ilu.transport() == Transport::peer;
      auto const up = colour_exchanges(grid, ilu.colours(), true), down = colour_exchanges(grid, ilu.colours(), false);
      {
        KokkosEvents const events;
        ilu.factor(this->exec, a);
        EXPECT_EQ(count_of(events, "Hyperplane::DistributedMultiBlock::factor::pack"), up.packs) << what << ", " << how;
        EXPECT_EQ(waits_of(events), peer ? 0 : up.waits) << what << ", " << how;
        EXPECT_THAT(events.allocations(), IsEmpty()) << what << ", " << how;
      }
      this->exec.fence();
      KokkosEvents const events;
      ilu.solve(this->exec, x, y);
      EXPECT_EQ(count_of(events, "Hyperplane::DistributedMultiBlock::pack"), up.packs + down.packs)
          << what << ", " << how;
      EXPECT_EQ(waits_of(events), peer ? 0 : up.waits + down.waits) << what << ", " << how;
      int const colours = 1 + std::ranges::max(ilu.colours());
      EXPECT_LE(waits_of(events), 2 * (colours - 1)) << what << ", " << how;
      EXPECT_THAT(events.allocations(), IsEmpty()) << what << ", " << how;
    }
  }
}

TYPED_TEST(DistributedLaunches, solves_allocate_nothing) {
  DistributedGrid const grid(this->world, cut_grid(Grid(8, 6, 4), {4, 1, 1}).grid);
  MultiBlockReference const reference(grid.whole(), 2);
  auto const a = to_ranks<double, 2, double>(this->exec, grid, reference);
  auto const b = to_ranks<double, 2>(this->exec, grid, random_vector(grid.whole().size() * 2));
  DistributedVector<double, 2, TypeParam> const x(this->exec, grid);
  BiCgStab<DistributedVector<double, 2, TypeParam>> const method(this->exec, grid);
  Richardson<DistributedVector<double, 2, TypeParam>> const correction(this->exec, grid, {.max_iterations = 3});
  KokkosEvents const events;
  EXPECT_TRUE(method.solve(this->exec, a, IdentityPreconditioner{}, b, x).converged());
  correction.solve(this->exec, a, IdentityPreconditioner{}, b, x);
  EXPECT_THAT(events.allocations(), IsEmpty());
}

}  // namespace
}  // namespace hyperplane::test
