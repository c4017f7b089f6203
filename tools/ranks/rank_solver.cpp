// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rank_solver.hpp"

#include <fmt/format.h>
#include <hyperplane_mpi.h>

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "library.hpp"
#include "option_text.hpp"
#include "part_transfer.hpp"
#include "parts.hpp"

namespace hyperplane::tools {

namespace {

/// What the option of the preconditioner has, by its key; empty where it has none of that.
std::string value_of(const SolverSettings& settings, std::string_view key) {
  for (auto const& option : settings.options) {
    auto const* const meaning = option.meaning_for(settings.matrix, settings.preconditioner);
    if (meaning != nullptr && meaning->key() == key) return option.text_for(*meaning);
  }
  return {};
}

/// Sets a member of C to the number of the value of that name, where there is one.
template <class Member, class Values>
void set_named(Member& member, const Values& values, const std::string& text) {
  if (text.empty()) return;
  member = static_cast<Member>(*std::ranges::find(values, text, [](auto value) { return std::string(name(value)); }));
}

/// The number in C of the preconditioner of that name.
hyperplane_preconditioner_kind kind_of(const std::string& name) {
  auto const names = split_list(hyperplane_preconditioners());
  return static_cast<hyperplane_preconditioner_kind>(std::ranges::find(names, name) - names.begin());
}

hyperplane_preconditioner_options preconditioner_options_of(const SolverSettings& settings) {
  hyperplane_preconditioner_options options;
  check(hyperplane_preconditioner_options_init(&options));
  if (settings.preconditioner == no_preconditioner) {
    options.kind = HYPERPLANE_IDENTITY;
    return options;
  }
  options.kind = kind_of(settings.preconditioner);
  options.storage = settings.storage;
  options.storage_fraction = settings.storage_fraction;
  set_named(options.coupling, all_couplings, value_of(settings, "coupling"));
  set_named(options.path, sweep_paths, value_of(settings, "path"));
  auto const folded = value_of(settings, "folded");
  for (int d = 0; d < 3; ++d)
    options.folded[d] = folded != "none" && folded.find("ijk"[d]) != std::string::npos ? 1 : 0;
  for (auto const& [key, number] : {std::pair{"relaxation", &options.relaxation}, {"alpha", &options.alpha}}) {
    if (auto const text = value_of(settings, key); !text.empty()) *number = std::strtod(text.c_str(), nullptr);
  }
  if (auto const letters = value_of(settings, "line_direction"); !letters.empty()) {
    options.line_direction_count = static_cast<int>(letters.size());
    for (std::size_t d = 0; d < letters.size(); ++d) options.line_directions[d] = letters[d] - 'i';
    options.line_sweeps = read_count(value_of(settings, "line_sweeps"));
  }
  return options;
}

std::array<int, 3> parts_of(const SolverSettings& settings) {
  std::array<int, 3> parts{};
  read_extents(find_parts(settings).text, parts);
  return parts;
}

/// A system on the parts of a grid over ranks.
class RankSystem {
 public:
  RankSystem(const Communicator& world, const std::string& backend, const SystemShape& shape,
             const std::array<int, 3>& parts)
      : m_n(shape.block_size),
        m_context(hyperplane_context_create, backend.c_str(), nullptr),
        m_grid(hyperplane_mpi_grid_cut, m_context.get(), world.get(),
               hyperplane_grid{shape.grid.ni(), shape.grid.nj(), shape.grid.nk()}, parts.data(), nullptr, nullptr),
        m_a(hyperplane_mpi_matrix_create, m_grid.get(), m_n),
        m_b(hyperplane_mpi_vector_create, m_grid.get(), m_n),
        m_x(hyperplane_mpi_vector_create, m_grid.get(), m_n),
        m_transfer(world, shape.grid, cut_grid(shape.grid, parts).boxes, owners(parts[0] * parts[1] * parts[2])) {}

  /// Sends the parts of the system of rank 0, whose matrix goes, to their owners.
  void distribute(System* system) const {
    m_transfer.scatter(system == nullptr ? nullptr : system->a.values.data(), stencil7_size * m_n * m_n,
                       [&](int part, const std::vector<double>& values) {
                         Owned<hyperplane_matrix> const block(hyperplane_mpi_matrix_block, m_a.get(), part);
                         check(hyperplane_matrix_set(block.get(), values.data(), std::ssize(values),
                                                     HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST));
                       });
    if (system != nullptr) system->a.values = {};
    scatter(system == nullptr ? nullptr : system->b.data(), m_b.get());
    scatter(system == nullptr ? nullptr : system->x.data(), m_x.get());
    check(hyperplane_context_fence(m_context.get()));
  }

  SolverReport solve(const SolverSettings& settings, double setup, const Monitor& monitor) const {
    int through_devices = 0;
    auto const make_preconditioner = [&] {
      auto const options = preconditioner_options_of(settings);
      Owned<hyperplane_preconditioner> made(hyperplane_mpi_preconditioner_create, m_grid.get(), m_n, &options);
      hyperplane_transport transport{};
      check(hyperplane_mpi_preconditioner_transport(made.get(), &transport, &through_devices));
      return made.release();
    };
    auto const make_krylov = [&](const hyperplane_krylov_options& options) {
      return Owned<hyperplane_krylov>(hyperplane_mpi_krylov_create, m_grid.get(), m_n, &options).release();
    };
    auto report = solve_with({m_context.get(), m_a.get(), m_b.get(), m_x.get(), make_preconditioner, make_krylov},
                             settings, setup, monitor);
    report.goes_through_devices = through_devices != 0;
    return report;
  }

  /// Brings x to rank 0.
  void gather(System* system) const {
    m_transfer.gather(system == nullptr ? nullptr : system->x.data(), m_n, [&](int part, std::vector<double>& values) {
      Owned<hyperplane_vector> const block(hyperplane_mpi_vector_block, m_x.get(), part);
      check(hyperplane_vector_get(block.get(), values.data(), std::ssize(values), HYPERPLANE_HOST));
    });
  }

 private:
  std::vector<int> owners(int count) const {
    std::vector<int> all(static_cast<std::size_t>(count));
    for (int part = 0; part < count; ++part) {
      check(hyperplane_mpi_grid_owner(m_grid.get(), part, &all[static_cast<std::size_t>(part)]));
    }
    return all;
  }
  void scatter(const double* all, hyperplane_vector vector) const {
    m_transfer.scatter(all, m_n, [&](int part, const std::vector<double>& values) {
      Owned<hyperplane_vector> const block(hyperplane_mpi_vector_block, vector, part);
      check(hyperplane_vector_set(block.get(), values.data(), std::ssize(values), HYPERPLANE_HOST));
    });
  }

  int m_n;
  Owned<hyperplane_context> m_context;
  Owned<hyperplane_mpi_grid> m_grid;
  Owned<hyperplane_matrix> m_a;
  Owned<hyperplane_vector> m_b, m_x;
  PartTransfer m_transfer;
};

}  // namespace

void complete_for_ranks(SolverSettings& settings, int ranks) {
  auto const refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{} for one process alone, and there are {}", what, ranks));
  };
  std::vector<std::string> const known{"bilu0", "ssor", "sip", "lines", "jacobi", no_preconditioner};
  if (std::ranges::count(known, settings.preconditioner) == 0) {
    refuse(fmt::format("--preconditioner {}: others than {} are", settings.preconditioner, join_with(known, "and")));
  }
  // That of A in one process, and of no factors over ranks.
  bool const has_storages = settings.preconditioner != "lines" && settings.preconditioner != no_preconditioner;
  if (settings.storage != HYPERPLANE_STORAGE_DOUBLE && !has_storages) {
    refuse(fmt::format("--storage {} with --preconditioner {}: that is", name_of(storages, settings.storage),
                       settings.preconditioner));
  }
  settings.is_over_ranks = true;
  auto& parts = find_parts(settings).text;
  if (parts.empty() || parts == automatic_parts) parts = std::to_string(ranks);
}

SolverReport solve_over_ranks(const Communicator& world, const std::string& backend, const SolverSettings& settings,
                              const SystemShape& shape, System* system, const Monitor& monitor) {
  Kokkos::Timer const timer;
  RankSystem const over_ranks(world, backend, shape, parts_of(settings));
  over_ranks.distribute(system);
  auto report = over_ranks.solve(settings, timer.seconds(), monitor);
  over_ranks.gather(system);
  report.ranks = world.size();
  return report;
}

}  // namespace hyperplane::tools
