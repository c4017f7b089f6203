// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <cstdint>
#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "distributed_coloured_fixture.hpp"
#include "support/kokkos_events.hpp"

namespace hyperplane::test {

/// BILU(0) of which a factorization does not work.
template <class Exec>
class FailingIlu : public BlockIlu0<double, 2, Exec> {
 public:
  struct Options {
    /// How many factorizations of this rank work before one does not; less than 0 where all do.
    int* working = nullptr;
  };
  FailingIlu(const Exec& exec, const Grid& grid, const Options& options)
      : BlockIlu0<double, 2, Exec>(exec, grid), m_working(options.working) {}
  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a) {
    if ((*m_working)-- == 0) throw std::runtime_error("no factors");
    BlockIlu0<double, 2, Exec>::factor(exec, a);
  }

 private:
  int* m_working;
};

}  // namespace hyperplane::test

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Exec>
struct ColouredCouplingsOf<test::FailingIlu<Exec>> : ColouredCouplingsOf<BlockIlu0<double, 2, Exec>> {};
template <class Exec>
struct ColoursOfRanksOf<test::FailingIlu<Exec>> : ColoursOfRanksOf<BlockIlu0<double, 2, Exec>> {};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail

namespace hyperplane::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TYPED_TEST_SUITE(DistributedColoured, ExecutionSpaces, SpaceNames);

TYPED_TEST(DistributedColoured, over_grids_that_are_awkward) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_same_bits<2>(what, grid);
  }
}

TYPED_TEST(DistributedColoured, whatever_the_axes_of_the_neighbour) {
  std::vector<int> colours{0, 1};
  for (auto const& transform : all_transforms()) {
    this->template expect_same_bits<2>(to_string(transform), joined_pair(Grid(3, 5, 2), transform), colours);
    std::swap(colours[0], colours[1]);
  }
}

TYPED_TEST(DistributedColoured, with_colours_and_types_of_all_kinds) {
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  this->template expect_same_bits<1>("n = 1", grid);
  this->template expect_same_bits<5>("n = 5", grid);
  this->template expect_same_bits<2>("a colour for each", grid, {11, 3, 5, 7, 9, 1, 2, 0, 4, 6, 8, 10});
  int const largest = std::numeric_limits<int>::max();
  this->template expect_same_bits<2>("large colours", cut_grid(Grid(6, 3, 3), {2, 1, 1}).grid, {largest, 1});
  this->template expect_same_bits<3, float>("stored as float", grid);
  this->template expect_same_bits<3, float, double>("factors stored as float", grid);
  this->template expect_same_bits<3, BFloat16, double>("factors stored in 16 bits", grid);
  this->template expect_same_bits<3, double, float>("a matrix of float", grid);
}

TYPED_TEST(DistributedColoured, in_the_natural_order) {
  for (auto const& parts : {std::array{3, 1, 1}, std::array{1, 2, 4}, std::array{2, 3, 2}}) {
    this->template expect_same_bits<3>("natural", cut_grid(Grid(7, 12, 5), parts).grid, {}, Coupling::natural);
  }
}

TYPED_TEST(DistributedColoured, with_ssor) {
  auto const check = [&]<class P>(const MultiBlockGrid& whole, Coupling coupling, double w) {
    this->template expect_bits_of_one_process<P>("SSOR", whole, {.coupling = coupling, .block = {.relaxation = w}});
  };
  for (auto const& [what, grid] : awkward_grids()) {
    check.template operator()<Ssor<double, 2, TypeParam>>(grid, Coupling::coloured, 1.4);
  }
  auto const grid = cut_grid(Grid(7, 12, 5), {2, 3, 2}).grid;
  check.template operator()<Ssor<double, 1, TypeParam>>(grid, Coupling::natural, 1.0);
  check.template operator()<Ssor<double, 3, TypeParam, float>>(grid, Coupling::coloured, 0.7);
}

TYPED_TEST(DistributedColoured, with_sip) {
  for (auto const& [what, grid] : awkward_grids()) {
    this->template expect_bits_of_one_process<Sip<double, TypeParam>, double>(what, grid,
                                                                              {.coupling = Coupling::coloured});
  }
}

TYPED_TEST(DistributedColoured, krylov_methods_run_over_ranks) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(12, 8, 4), {4, 2, 1}, {true, false, false}).grid;
  MultiBlockReference const reference(whole, n);
  auto const solution = random_vector(whole.size() * n);
  auto const rhs = reference.rows() * solution;
  using Ilu = BlockIlu0<double, n, TypeParam>;
  MultiBlock<Ilu> one(this->exec, whole, {.coupling = Coupling::coloured});
  auto const a_one = to_device<double, n, double>(this->exec, reference);
  one.factor(this->exec, a_one);
  using Whole = MultiBlockVector<double, n, TypeParam>;
  Whole const x_one(this->exec, whole);
  auto const expected = BiCgStab<Whole>(this->exec, whole, {.tolerance = 1e-8})
                            .solve(this->exec, a_one, one, to_device<double, n>(this->exec, whole, rhs), x_one);
  using Vector = DistributedVector<double, n, TypeParam>;
  for (auto const& [how, owners] : owner_lists(whole, this->world.size())) {
    DistributedGrid const grid(this->world, whole, owners);
    auto const a = to_ranks<double, n, double>(this->exec, grid, reference);
    auto const b = to_ranks<double, n>(this->exec, grid, rhs);
    DistributedMultiBlock<Ilu> ilu(this->exec, grid, {.coupling = Coupling::coloured});
    ilu.factor(this->exec, a);
    Vector const x(this->exec, grid);
    auto const result = BiCgStab<Vector>(this->exec, grid, {.tolerance = 1e-8}).solve(this->exec, a, ilu, b, x);
    EXPECT_TRUE(result.converged()) << how << ": " << result.message();
    EXPECT_EQ(result.iterations, expected.iterations) << how;
    EXPECT_TRUE(near(to_host(this->exec, x), part_of_rank(grid, n, solution), 1e-6)) << how;
    KokkosEvents const events;
    ilu.solve(this->exec, b, x);
    EXPECT_THAT(events.allocations(), IsEmpty()) << how;
  }
}

// The first failure in the order of the factorization, whichever rank has it.
TYPED_TEST(DistributedColoured, failures_are_those_of_one_process) {
  constexpr int n = 2;
  auto const whole = cut_grid(Grid(6, 4, 4), {3, 1, 1}).grid;
  auto const compare = [&](const MultiBlockReference& reference, const std::vector<int>& colours) {
    this->template expect_failure_of_one_process<BlockIlu0<double, n, TypeParam>>(reference, colours);
    this->template expect_failure_of_one_process<Ssor<double, n, TypeParam>>(reference, colours);
  };
  for (auto const& colours : std::vector<std::vector<int>>{{0, 1, 0}, {1, 0, 1}, {0, 1, 2}, {2, 1, 0}}) {
    for (int const block : {0, 1, 2}) {
      MultiBlockReference reference(whole, n);
      auto& failing = reference.blocks[block];
      failing.block(0, Direction::center)(1, 0) = failing.block(0, Direction::center)(1, 1) = 0.0;
      for (int c = 0; c < n; ++c) failing.block(0, Direction::west)(1, c) = 0.0;
      compare(reference, colours);
      if (block == 0) continue;
      MultiBlockReference coupling(whole, n);
      coupling.blocks[block].block(4, Direction::west)(0, 1) = std::numeric_limits<double>::quiet_NaN();
      compare(coupling, colours);
    }
  }
}

TYPED_TEST(DistributedColoured, exceptions_on_one_rank_are_errors_on_all) {
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole);
  auto const a = to_ranks<double, 2, double>(this->exec, grid, MultiBlockReference(whole, 2));
  auto const before = to_host(a.flat());
  using Failing = DistributedMultiBlock<FailingIlu<TypeParam>>;
  for (int failing = 0; failing < this->world.size(); ++failing) {
    int working = this->world.rank() == failing ? 0 : -1;
    Failing ilu(this->exec, grid, {.coupling = Coupling::coloured, .colours = {3, 1, 0, 2}, .block = {&working}});
    EXPECT_EQ(thrown_text([&] { ilu.factor(this->exec, a); }), "rank " + std::to_string(failing) + ": no factors");
    EXPECT_TRUE(bitwise_equal(to_host(a.flat()), before));
    DistributedVector<double, 2, TypeParam> const x(this->exec, grid);
    EXPECT_THAT(thrown_text([&] { ilu.solve(this->exec, x, x); }), HasSubstr("solve: called before factor"));
  }
}

// What a factorization found that did not end is no failure of the next one.
TYPED_TEST(DistributedColoured, a_factorization_after_one_that_threw_begins_anew) {
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole);
  MultiBlockReference not_finite(whole, 2);
  // Found in colour 0; the exception comes in colour 3.
  not_finite.blocks[2].block(0, Direction::west)(0, 1) = std::numeric_limits<double>::quiet_NaN();
  int working = grid.is_local(0) ? static_cast<int>(grid.blocks().size()) - 1 : -1;
  DistributedMultiBlock<FailingIlu<TypeParam>> ilu(
      this->exec, grid, {.coupling = Coupling::coloured, .colours = {3, 1, 0, 2}, .block = {&working}});
  auto const factor = [&](const MultiBlockReference& reference) {
    ilu.factor(this->exec, to_ranks<double, 2, double>(this->exec, grid, reference));
  };
  EXPECT_EQ(thrown_text([&] { factor(not_finite); }), "rank " + std::to_string(grid.owner(0)) + ": no factors");
  factor(MultiBlockReference(whole, 2));
  EXPECT_TRUE(ilu.status(this->exec).ok()) << ilu.status(this->exec).message();
}

// Kernels are asynchronous, so an error of a device shows where messages are packed: no rank waits for those of another
// that throws there. (With Transport::peer the host does not look.)
TYPED_TEST(DistributedColoured, a_device_that_fails_on_one_rank_is_an_error_on_all) {
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole, Transport::host);
  auto const a = to_ranks<double, 2, double>(this->exec, grid, MultiBlockReference(whole, 2));
  DistributedMultiBlock<BlockIlu0<double, 2, TypeParam>> ilu(this->exec, grid,
                                                             {.coupling = Coupling::coloured, .colours = {3, 1, 0, 2}});
  namespace tools = Kokkos::Tools::Experimental;
  for (int failing = 0; failing < this->world.size(); ++failing) {
    if (this->world.rank() == failing) {
      tools::set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t*) {
        if (std::string_view(label) == "Hyperplane: values for other ranks are packed") {
          throw std::runtime_error("the device has failed");
        }
      });
    }
    auto const text = thrown_text([&] { ilu.factor(this->exec, a); });
    tools::set_begin_fence_callback(nullptr);
    // A rank by itself has no messages.
    EXPECT_EQ(text, this->world.size() == 1 ? "nothing thrown"
                                            : "rank " + std::to_string(failing) + ": the device has failed");
    ilu.factor(this->exec, a);
    EXPECT_TRUE(ilu.status(this->exec).ok()) << ilu.status(this->exec).message();
  }
}

TYPED_TEST(DistributedColoured, lists_of_couplings_go_when_they_have_been_read) {
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole);
  std::vector<int> const colours{0, 1, 0, 1};
  std::vector<int> own;
  for (int const b : grid.blocks()) own.push_back(colours[b]);
  for (SweepPath const path : {SweepPath::automatic, SweepPath::portable}) {
    using Ilu = BlockIlu0<double, 2, TypeParam>;
    using Remote = typename detail::ColoursOfRanksOf<Ilu>::Type;
    auto const remote = std::make_shared<Remote>(this->exec, grid, Transport::host, colours,
                                                 detail::Stages(grid.whole(), colours, 2), true);
    auto const couplings = [&] { return remote->reverses().size(); };
    EXPECT_EQ(this->world.any(couplings() > 0), this->world.size() > 1);
    MultiBlock<Ilu> const plan(this->exec, grid.local(), {.coupling = Coupling::coloured, .block = {.path = path}}, own,
                               remote);
    EXPECT_EQ(couplings(), 0);
  }
}

TYPED_TEST(DistributedColoured, wrong_use_is_refused) {
  auto const whole = cut_grid(Grid(8, 4, 4), {4, 1, 1}).grid;
  DistributedGrid const grid(this->world, whole);
  using Ilu = DistributedMultiBlock<BlockIlu0<double, 2, TypeParam>>;
  auto const made = [&](Coupling coupling, const std::vector<int>& colours) {
    return thrown_text([&] { Ilu(this->exec, grid, {.coupling = coupling, .colours = colours}); });
  };
  EXPECT_THAT(made(Coupling::coloured, {0, 1, 1, 0}), HasSubstr("rank 0: MultiBlock: grid blocks 1 and 2 have"));
  EXPECT_THAT(made(Coupling::coloured, {0, 1}), HasSubstr("2 colours for 4 grid blocks"));
  EXPECT_THAT(made(Coupling::none, {0, 1, 0, 1}), HasSubstr("coupling none takes none"));
  if (this->world.size() == 1) return;
  bool const other = this->world.rank() == 1;
  EXPECT_EQ(made(other ? Coupling::none : Coupling::coloured, {}),
            "DistributedMultiBlock: coupling: rank 1 has others than rank 0");
  EXPECT_EQ(made(Coupling::coloured, other ? std::vector{0, 1, 0, 1} : std::vector{1, 0, 1, 0}),
            "DistributedMultiBlock: colours: rank 1 has others than rank 0");
}

}  // namespace
}  // namespace hyperplane::test
