// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane_mpi.h>

#include <hyperplane/blocks/choose_parts.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/core/as_size.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agree_status.hpp"
#include "c_library.hpp"
#include "rank_grid.hpp"

// The C interface over ranks: grid blocks.
using namespace hyperplane;
using namespace hyperplane::c;
using run_time::RankGrid;

namespace {

std::array<int, 3> triple(const int values[3]) { return {values[0], values[1], values[2]}; }

Point point(const int values[3]) { return {values[0], values[1], values[2]}; }

Interface interface_of(const hyperplane_interface& given, const std::string& argument) {
  return {given.block,
          enumerator<Direction>(given.face, stencil7_size - 1, (argument + ".face").c_str()),
          {point(given.begin), point(given.end)},
          given.donor,
          point(given.donor_begin),
          {triple(given.transform)}};
}

Grid grid_of(const hyperplane_grid& given, const std::string& argument) {
  try {
    return Grid(given.ni, given.nj, given.nk);
  } catch (const Error& error) {
    throw Error(argument + ": " + error.what());
  }
}

/// The rank of each grid block, or NULL; Fortran says how many it has given.
struct GivenOwners {
  const int* ranks;
  std::optional<int> count = std::nullopt;
};

std::vector<int> owners_of(const GivenOwners& owners, const MultiBlockGrid& grid, const Communicator& communicator) {
  if (owners.ranks == nullptr) return assign_blocks(grid, communicator.size());
  int const expected = grid.block_count();
  if (owners.count.value_or(expected) != expected) {
    throw Failure(HYPERPLANE_SIZE_MISMATCH, "the number of owners is " + std::to_string(*owners.count) + ", expected " +
                                                std::to_string(expected) + ", one for each grid block");
  }
  return {owners.ranks, owners.ranks + expected};
}

static_assert(sizeof(MPI_Fint) == sizeof(int), "integers of MPI's Fortran are longer: the module has others");

/// Before MPI is initialized there is no communicator, which is then said.
MPI_Comm from_fortran(MPI_Fint comm) { return detail::mpi_runs() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL; }

/// The number of the context's backend, among all that there can be.
std::uint64_t backend_number(const run_time::Context& context) {
  constexpr std::string_view backends[] = {"serial", "openmp", "cuda"};
  return static_cast<std::uint64_t>(std::ranges::find(backends, context.backend()) - std::begin(backends));
}

struct GivenGrid {
  std::optional<Grid> whole;  ///< that was cut
  CutGrid cut;
};

/// Of what make() returns on each rank, a GivenGrid. What fails on one rank, fails on all.
template <class Make>
void make_grid(hyperplane_context context, MPI_Comm comm, const GivenOwners& owners, hyperplane_mpi_grid* grid,
               const Make& make) {
  if (grid != nullptr) *grid = nullptr;
  Communicator const communicator(comm);
  auto const where = agree_status(communicator, [&] {
    require_pointer(grid, "grid");
    return registry().get(context, "context")->context;
  });
  communicator.require_same("the backends", std::array{backend_number(*where)});
  GivenGrid given = agree_status(communicator, make);
  auto const all_owners = agree_status(communicator, [&] { return owners_of(owners, given.cut.grid, communicator); });
  auto made = std::make_shared<HeldRankGrid>();
  *made = {where, std::make_shared<const RankGrid>(DistributedGrid(communicator, given.cut.grid, all_owners),
                                                   given.whole, std::move(given.cut.boxes))};
  *grid = registry().add<hyperplane_mpi_grid>(std::move(made));
}

/// Grid blocks and where they meet, as they are given.
struct GivenBlocks {
  int block_count;
  const hyperplane_grid* blocks;
  int interface_count;
  const hyperplane_interface* interfaces;
};

MultiBlockGrid multi_block_of(const GivenBlocks& given) {
  require_at_least(given.block_count, 1, "block_count");
  require_at_least(given.interface_count, 0, "interface_count");
  require_pointer(given.blocks, "blocks");
  if (given.interface_count > 0) require_pointer(given.interfaces, "interfaces");
  std::vector<Grid> grids;
  grids.reserve(detail::as_size(given.block_count));
  for (int b = 0; b < given.block_count; ++b) {
    grids.push_back(grid_of(given.blocks[b], "blocks[" + std::to_string(b) + "]"));
  }
  std::vector<Interface> all;
  all.reserve(detail::as_size(given.interface_count));
  for (int i = 0; i < given.interface_count; ++i) {
    all.push_back(interface_of(given.interfaces[i], "interfaces[" + std::to_string(i) + "]"));
  }
  return MultiBlockGrid(std::move(grids), all);
}

hyperplane_status create(const char* function, hyperplane_context context, MPI_Comm comm, const GivenBlocks& given,
                         const GivenOwners& owners, hyperplane_mpi_grid* grid) {
  return guarded(function, [&] {
    make_grid(context, comm, owners, grid, [&] { return GivenGrid{std::nullopt, {multi_block_of(given), {}}}; });
  });
}

/// How a grid is cut, as it is given.
struct GivenCut {
  hyperplane_grid whole;
  const int* parts;
  const int* periodic;  ///< or NULL
};

CutGrid cut_of(const Grid& whole, const GivenCut& given) {
  require_pointer(given.parts, "parts");
  std::array<bool, 3> periodic{};
  for (std::size_t d = 0; given.periodic != nullptr && d < periodic.size(); ++d) {
    periodic[d] = enumerator<int>(given.periodic[d], 1, "periodic") == 1;
  }
  return cut_grid(whole, triple(given.parts), periodic);
}

hyperplane_status cut(const char* function, hyperplane_context context, MPI_Comm comm, const GivenCut& given,
                      const GivenOwners& owners, hyperplane_mpi_grid* grid) {
  return guarded(function, [&] {
    make_grid(context, comm, owners, grid, [&] {
      auto const whole = grid_of(given.whole, "the whole grid");
      return GivenGrid{whole, cut_of(whole, given)};
    });
  });
}

}  // namespace

hyperplane_status hyperplane_mpi_grid_create(hyperplane_context context, MPI_Comm comm, int block_count,
                                             const hyperplane_grid* blocks, int interface_count,
                                             const hyperplane_interface* interfaces, const int* owners,
                                             hyperplane_mpi_grid* grid) {
  return create(__func__, context, comm, {block_count, blocks, interface_count, interfaces}, {owners}, grid);
}

hyperplane_status hyperplane_mpi_grid_cut(hyperplane_context context, MPI_Comm comm, hyperplane_grid whole,
                                          const int parts[3], const int periodic[3], const int* owners,
                                          hyperplane_mpi_grid* grid) {
  return cut(__func__, context, comm, {whole, parts, periodic}, {owners}, grid);
}

hyperplane_status hyperplane_mpi_grid_create_f(hyperplane_context context, MPI_Fint comm, int block_count,
                                               const hyperplane_grid* blocks, int interface_count,
                                               const hyperplane_interface* interfaces, const int* owners,
                                               int owner_count, hyperplane_mpi_grid* grid) {
  return create(__func__, context, from_fortran(comm), {block_count, blocks, interface_count, interfaces},
                {owners, owner_count}, grid);
}

hyperplane_status hyperplane_mpi_grid_cut_f(hyperplane_context context, MPI_Fint comm, hyperplane_grid whole,
                                            const int parts[3], const int periodic[3], const int* owners,
                                            int owner_count, hyperplane_mpi_grid* grid) {
  return cut(__func__, context, from_fortran(comm), {whole, parts, periodic}, {owners, owner_count}, grid);
}

hyperplane_status hyperplane_mpi_choose_parts(hyperplane_grid whole, int count, int parts[3]) {
  return guarded(__func__, [&] {
    require_pointer(parts, "parts");
    std::ranges::copy(choose_parts(grid_of(whole, "the whole grid"), count), parts);
  });
}

hyperplane_status hyperplane_mpi_grid_blocks(hyperplane_mpi_grid grid, int* numbers, int capacity, int* count) {
  return guarded(__func__, [&] {
    auto const held = registry().get(grid, "grid");
    require_pointer(count, "count");
    require_at_least(capacity, 0, "capacity");
    if (capacity > 0) require_pointer(numbers, "numbers");
    auto const& all = held->grid->grid();
    *count = static_cast<int>(all.blocks().size());
    std::copy_n(all.blocks().begin(), std::min(capacity, *count), numbers);
  });
}

hyperplane_status hyperplane_mpi_grid_owner(hyperplane_mpi_grid grid, int block, int* rank) {
  return guarded(__func__, [&] {
    auto const held = registry().get(grid, "grid");
    require_pointer(rank, "rank");
    *rank = held->grid->grid().owner(block);
  });
}

hyperplane_status hyperplane_mpi_grid_size(hyperplane_mpi_grid grid, int block, hyperplane_grid* size) {
  return guarded(__func__, [&] {
    auto const held = registry().get(grid, "grid");
    require_pointer(size, "size");
    auto const& found = held->grid->grid().whole().block(block);
    *size = {found.ni(), found.nj(), found.nk()};
  });
}

hyperplane_status hyperplane_mpi_grid_first(hyperplane_mpi_grid grid, int block, int first[3]) {
  return guarded(__func__, [&] {
    auto const held = registry().get(grid, "grid");
    require_pointer(first, "first");
    auto const& begin = held->grid->box(block).begin;
    first[0] = begin.i;
    first[1] = begin.j;
    first[2] = begin.k;
  });
}
