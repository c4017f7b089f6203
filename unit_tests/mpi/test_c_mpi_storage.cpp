// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>

#include <string>
#include <vector>

#include "blocks/multi_block_grids.hpp"
#include "mpi/c_mpi_whole.hpp"

// The C interface over ranks: what factors are stored in.
namespace hyperplane::test {
namespace {

constexpr hyperplane_storage narrow_storages[] = {HYPERPLANE_STORAGE_FLOAT, HYPERPLANE_STORAGE_HALF,
                                                  HYPERPLANE_STORAGE_BFLOAT16};

/// M^-1 b by the class itself, in one process on a host.
template <class P>
std::vector<double> preconditioned_in_cpp(const CRankSystem& system, const typename MultiBlock<P>::Options& options) {
  using Exec = typename P::execution_space;
  Exec const exec;
  constexpr int n = P::block_size;
  MultiBlock<P> m(exec, system.whole, options);
  m.factor(exec, to_device<double, n, double>(exec, system.reference));
  MultiBlockVector<double, n, Exec> const x(exec, system.whole);
  m.solve(exec, to_device<double, n>(exec, system.whole, system.rhs), x);
  return to_host(exec, x);
}

/// Where compilers fuse products and sums in one and not in the other, factors differ by less than they are rounded by.
template <class P>
void expect_those_of_cpp(const CRankSystem& system, hyperplane_preconditioner_options options,
                         hyperplane_preconditioner_kind kind, hyperplane_storage storage) {
  options.kind = kind;
  options.storage = storage;
  auto const expected =
      preconditioned_in_cpp<P>(system, {.coupling = static_cast<Coupling>(options.coupling), .block = {}});
  EXPECT_TRUE(near(preconditioned(system, options), system.own(expected), 1e-10))
      << "kind " << kind << ", storage " << storage << ", coupling " << options.coupling;
}

TEST_P(CRanks, factors_of_every_storage_are_those_of_cpp) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  constexpr int n = CRankSystem::n;
  for (auto const& [name, grid] : awkward_grids()) {
    SCOPED_TRACE(name);
    CRankSystem const system(context, grid), scalar(context, grid, {}, 1);
    for (auto const coupling : {HYPERPLANE_COUPLING_NONE, HYPERPLANE_COUPLING_COLOURED}) {
      auto const options = bilu0(coupling);
      expect_those_of_cpp<BlockIlu0<double, n, Host, float>>(system, options, HYPERPLANE_BILU0,
                                                             HYPERPLANE_STORAGE_FLOAT);
      expect_those_of_cpp<BlockIlu0<double, n, Host, BFloat16>>(system, options, HYPERPLANE_BILU0,
                                                                HYPERPLANE_STORAGE_BFLOAT16);
      expect_those_of_cpp<Ssor<double, n, Host, BFloat16>>(system, options, HYPERPLANE_SSOR,
                                                           HYPERPLANE_STORAGE_BFLOAT16);
      expect_those_of_cpp<Sip<double, Host, float>>(scalar, options, HYPERPLANE_SIP, HYPERPLANE_STORAGE_FLOAT);
    }
    expect_those_of_cpp<BlockIlu0<double, n, Host, Half>>(system, bilu0(HYPERPLANE_COUPLING_NONE), HYPERPLANE_BILU0,
                                                          HYPERPLANE_STORAGE_HALF);
  }
}

/// Of the storage that is asked for, of all kinds, to the rounding of that.
TEST_P(CRanks, factors_of_every_storage_have_the_values_of_double_to_rounding) {
  auto const rounding_of = [](hyperplane_storage storage) {
    return storage == HYPERPLANE_STORAGE_FLOAT ? 0x1p-24 : storage == HYPERPLANE_STORAGE_HALF ? 0x1p-11 : 0x1p-8;
  };
  for (int const n : c_block_sizes()) {
    CRankSystem const system(context, four_parts(), {}, n);
    auto const expect_near = [&](hyperplane_preconditioner_kind kind, hyperplane_coupling coupling) {
      auto options = bilu0(coupling);
      options.kind = kind;
      auto const expected = preconditioned(system, options);
      for (auto const storage : narrow_storages) {
        if (storage == HYPERPLANE_STORAGE_HALF && coupling != HYPERPLANE_COUPLING_NONE) continue;
        options.storage = storage;
        auto const found = preconditioned(system, options);
        EXPECT_TRUE(near(found, expected, 20 * n * rounding_of(storage)))
            << "kind " << kind << ", coupling " << coupling << ", storage " << storage << ", n = " << n;
        EXPECT_TRUE(found.empty() || !near(found, expected, 1e-12));
      }
    };
    for (auto const coupling : {HYPERPLANE_COUPLING_NONE, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_COUPLING_NATURAL}) {
      expect_near(HYPERPLANE_BILU0, coupling);
      expect_near(HYPERPLANE_SSOR, coupling);
    }
    expect_near(HYPERPLANE_JACOBI, HYPERPLANE_COUPLING_NONE);
    if (n > 1) continue;
    expect_near(HYPERPLANE_SIP, HYPERPLANE_COUPLING_NONE);
    expect_near(HYPERPLANE_SIP, HYPERPLANE_COUPLING_COLOURED);
  }
}

/// Of 16 and 8 bits, where one process has a matrix of doubles, too.
TEST_P(CRanks, factors_of_few_bits_are_those_of_one_process) {
  CRankAndWholeSystem const system(context);
  auto const expect_the_same = [&](hyperplane_preconditioner_kind kind, hyperplane_storage storage,
                                   hyperplane_coupling coupling) {
    auto options = bilu0(coupling);
    options.kind = kind;
    options.storage = storage;
    auto const found = preconditioned(system.over_ranks, options);
    EXPECT_TRUE(near(found, system.own(system.preconditioned(options)), 1e-12)) << kind << ", " << coupling;
  };
  for (auto const kind : {HYPERPLANE_BILU0, HYPERPLANE_SSOR, HYPERPLANE_JACOBI}) {
    expect_the_same(kind, HYPERPLANE_STORAGE_HALF, HYPERPLANE_COUPLING_NONE);
    expect_the_same(kind, HYPERPLANE_STORAGE_BFLOAT16, HYPERPLANE_COUPLING_NONE);
    if (kind == HYPERPLANE_JACOBI) continue;
    expect_the_same(kind, HYPERPLANE_STORAGE_QUARTER, HYPERPLANE_COUPLING_NONE);
    expect_the_same(kind, HYPERPLANE_STORAGE_BFLOAT16, HYPERPLANE_COUPLING_COLOURED);
    expect_the_same(kind, HYPERPLANE_STORAGE_BFLOAT16, HYPERPLANE_COUPLING_NATURAL);
  }
}

TEST_P(CRanks, krylov_methods_solve_with_factors_of_every_storage) {
  CRankSystem const system(context, four_parts());
  hyperplane_krylov_options krylov_options;
  EXPECT_EQ(hyperplane_krylov_options_init(&krylov_options), HYPERPLANE_SUCCESS);
  krylov_options.tolerance = 1e-11;
  COwned<hyperplane_krylov> const krylov(hyperplane_mpi_krylov_create, system.grid, CRankSystem::n, &krylov_options);
  for (auto const storage : narrow_storages) {
    auto options = bilu0(storage == HYPERPLANE_STORAGE_HALF ? HYPERPLANE_COUPLING_NONE : HYPERPLANE_COUPLING_COLOURED);
    options.storage = storage;
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                              &options);
    auto found = HYPERPLANE_STORAGE_DOUBLE;
    EXPECT_EQ(hyperplane_preconditioner_storage(m, &found), HYPERPLANE_SUCCESS);
    EXPECT_EQ(found, storage);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_vector_fill(system.x, 0.0), HYPERPLANE_SUCCESS);
    hyperplane_krylov_result result{};
    EXPECT_EQ(hyperplane_krylov_solve(krylov, system.a, m, system.b, system.x, &result), HYPERPLANE_SUCCESS);
    EXPECT_EQ(result.outcome, HYPERPLANE_CONVERGED) << storage;
    EXPECT_TRUE(near(system.get(system.x), system.own(system.solution), 1e-7)) << storage;
  }
}

TEST_P(CRanks, automatic_storage_is_the_narrowest_that_is_near_enough) {
  CRankSystem const system(context, four_parts());
  auto const expect_chosen = [&](double fraction, hyperplane_coupling coupling, hyperplane_storage expected) {
    SCOPED_TRACE(std::to_string(fraction) + ", coupling " + std::to_string(coupling));
    auto options = bilu0(coupling);
    options.storage = HYPERPLANE_STORAGE_AUTOMATIC;
    options.storage_fraction = fraction;
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                              &options);
    hyperplane_storage chosen{};
    expect_refused(hyperplane_preconditioner_storage(m, &chosen), "called before factor");
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_storage(m, &chosen), HYPERPLANE_SUCCESS);
    EXPECT_EQ(chosen, expected);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
    auto const found = system.get(system.x);
    // A second factor keeps the choice, and it has the bits of the storage that was chosen.
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_solve(m, system.b, system.x), HYPERPLANE_SUCCESS);
    EXPECT_TRUE(bitwise_equal(system.get(system.x), found));
    options.storage = expected;
    EXPECT_TRUE(bitwise_equal(preconditioned(system, options), found));
  };
  expect_chosen(0.05, HYPERPLANE_COUPLING_NONE, HYPERPLANE_STORAGE_HALF);
  // Factors of half are coupled to nothing.
  expect_chosen(0.05, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_STORAGE_BFLOAT16);
  expect_chosen(0.05, HYPERPLANE_COUPLING_NATURAL, HYPERPLANE_STORAGE_BFLOAT16);
  expect_chosen(1e-5, HYPERPLANE_COUPLING_COLOURED, HYPERPLANE_STORAGE_FLOAT);
  expect_chosen(0, HYPERPLANE_COUPLING_NONE, HYPERPLANE_STORAGE_DOUBLE);
}

/// The grid block that decides may be of any rank, or of one alone.
TEST_P(CRanks, automatic_storage_is_the_same_whoever_has_the_grid_blocks) {
  auto const grid = four_parts();
  for (auto const& owners : {std::vector<int>{}, std::vector<int>(4, ranks - 1)}) {
    CRankSystem system(context, grid, owners);
    // Far more than its neighbours: beyond the range of half in the units of the others.
    system.reference.blocks[1].block(grid.block(1).index(1, 2, 1), Direction::north)(1, 0) = 1e7;
    system.set(system.a, system.reference);
    auto options = bilu0(HYPERPLANE_COUPLING_NONE);
    options.storage = HYPERPLANE_STORAGE_AUTOMATIC;
    options.storage_fraction = 0.9;
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                              &options);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    hyperplane_storage chosen{};
    EXPECT_EQ(hyperplane_preconditioner_storage(m, &chosen), HYPERPLANE_SUCCESS);
    EXPECT_EQ(chosen, HYPERPLANE_STORAGE_BFLOAT16);
    // A matrix without factors is said to be so, of double.
    COwned<hyperplane_matrix> const zero(hyperplane_mpi_matrix_create, system.grid, CRankSystem::n);
    COwned<hyperplane_preconditioner> const singular(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                                     &options);
    EXPECT_EQ(hyperplane_preconditioner_factor(singular, zero), HYPERPLANE_SUCCESS);
    expect_refused(hyperplane_preconditioner_check(singular), "grid block 0", HYPERPLANE_SINGULAR_PIVOT);
    EXPECT_EQ(hyperplane_preconditioner_storage(singular, &chosen), HYPERPLANE_SUCCESS);
    EXPECT_EQ(chosen, HYPERPLANE_STORAGE_DOUBLE);
  }
}

/// On all ranks, whichever has the grid block.
TEST_P(CRanks, factors_that_overflow_their_storage_are_a_status_that_names_grid_block_and_point) {
  auto const grid = four_parts();
  auto const expect_overflow = [&](hyperplane_storage storage, hyperplane_coupling coupling, int block, Point point,
                                   Direction direction, double value) {
    CRankSystem system(context, grid);
    auto& blocks = system.reference.blocks[block];
    blocks.block(blocks.grid.index(point), direction)(1, 0) = value;
    // What the neighbour has for the point is nothing, so that no pivot block is large.
    if (auto const other = neighbour(point, direction); blocks.grid.contains(other)) {
      for (auto& entry : blocks.block(blocks.grid.index(other), opposite(direction)).entries) entry = 0;
    }
    system.set(system.a, system.reference);
    auto options = bilu0(coupling);
    options.storage = storage;
    COwned<hyperplane_preconditioner> const m(hyperplane_mpi_preconditioner_create, system.grid, CRankSystem::n,
                                              &options);
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
    int owner = -1;
    EXPECT_EQ(hyperplane_mpi_grid_owner(system.grid, block, &owner), HYPERPLANE_SUCCESS);
    expect_refused(hyperplane_preconditioner_check(m),
                   "grid block " + std::to_string(block) + " (rank " + std::to_string(owner) +
                       "): overflow at point (" + std::to_string(point.i) + ", " + std::to_string(point.j) + ", " +
                       std::to_string(point.k) + ")",
                   HYPERPLANE_OVERFLOW);
    // The next one begins anew.
    system.set(system.a, MultiBlockReference(grid, CRankSystem::n));
    EXPECT_EQ(hyperplane_preconditioner_factor(m, system.a), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_preconditioner_check(m), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  };
  for (int const block : {0, 3}) {
    Point const point{1, 2, 1};
    expect_overflow(HYPERPLANE_STORAGE_HALF, HYPERPLANE_COUPLING_NONE, block, point, Direction::west, 1e7);
    for (auto const coupling : {HYPERPLANE_COUPLING_NONE, HYPERPLANE_COUPLING_COLOURED}) {
      expect_overflow(HYPERPLANE_STORAGE_FLOAT, coupling, block, point, Direction::west, 1e40);
      expect_overflow(HYPERPLANE_STORAGE_BFLOAT16, coupling, block, point, Direction::south, 1e40);
    }
  }
  // A coupling of a grid block to one before it, which another rank may have.
  expect_overflow(HYPERPLANE_STORAGE_FLOAT, HYPERPLANE_COUPLING_NATURAL, 1, {0, 3, 1}, Direction::west, 1e40);
}

TEST_P(CRanks, storages_that_there_are_not_are_refused) {
  CRankSystem const system(context, four_parts());
  hyperplane_preconditioner m = nullptr;
  bool const is_last = rank == ranks - 1;
  auto const refuse = [&](const hyperplane_preconditioner_options& options, const std::string& message) {
    expect_refused(hyperplane_mpi_preconditioner_create(system.grid, CRankSystem::n, &options, &m), message);
    EXPECT_EQ(m, nullptr);
  };
  auto options = bilu0(HYPERPLANE_COUPLING_COLOURED);
  options.storage = HYPERPLANE_STORAGE_HALF;
  refuse(options, "bilu0 has no coupling coloured with storage half");
  options.storage = HYPERPLANE_STORAGE_QUARTER;
  for (auto const& [kind, name] : {std::pair{HYPERPLANE_BILU0, "bilu0"}, {HYPERPLANE_SSOR, "ssor"}}) {
    options.kind = kind;
    options.coupling = HYPERPLANE_COUPLING_COLOURED;
    refuse(options, std::string(name) + " has no coupling coloured with storage quarter");
    options.coupling = HYPERPLANE_COUPLING_NONE;
    options.folded[0] = 1;
    refuse(options, "folded directions have no factors of 8 bits");
    options.folded[0] = 0;
  }
  options.kind = HYPERPLANE_JACOBI;
  refuse(options, "storage is 'quarter', which jacobi has not over ranks, but ssor and bilu0");
  options.storage = HYPERPLANE_STORAGE_HALF;
  options.kind = HYPERPLANE_LINES;
  refuse(options, "storage is 'half', which lines has not over ranks, but jacobi and ssor and sip and bilu0");
  options.storage = HYPERPLANE_STORAGE_FLOAT;
  refuse(options, "storage is 'float', which lines has not over ranks");
  options.kind = HYPERPLANE_IDENTITY;
  options.storage = HYPERPLANE_STORAGE_AUTOMATIC;
  refuse(options, "storage is 'automatic', which identity has not over ranks");
  options.kind = HYPERPLANE_SIP;
  refuse(options, "sip is for one unknown per point, not for 2");
  options.kind = HYPERPLANE_JACOBI;
  options.coupling = HYPERPLANE_COUPLING_NATURAL;
  refuse(options, "jacobi has no coupling natural");
  // On one rank alone.
  options = bilu0(HYPERPLANE_COUPLING_NONE);
  options.storage = is_last ? static_cast<hyperplane_storage>(6) : HYPERPLANE_STORAGE_DOUBLE;
  refuse(options, "storage is 6, expected 0 to 5");
  options.storage = HYPERPLANE_STORAGE_AUTOMATIC;
  options.storage_fraction = is_last ? -1 : 0.05;
  refuse(options, "storage_fraction is -1, expected at least 0");
  if (ranks == 1) return;
  options.storage_fraction = is_last ? 0.1 : 0.05;
  refuse(options, "the storage_fractions: rank " + std::to_string(ranks - 1) + " has others than rank 0");
  for (auto const storage : {HYPERPLANE_STORAGE_FLOAT, HYPERPLANE_STORAGE_AUTOMATIC}) {
    options.storage = is_last ? storage : HYPERPLANE_STORAGE_DOUBLE;
    refuse(options, "the storages: rank " + std::to_string(ranks - 1) + " has others than rank 0");
  }
}

}  // namespace
}  // namespace hyperplane::test
