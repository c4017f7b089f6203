// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rank_solver.hpp"

#include <fmt/format.h>

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <array>
#include <executables/execution_spaces.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/detail/status_in_whole.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "option_text.hpp"
#include "part_transfer.hpp"
#include "rank_system.hpp"

namespace hyperplane::tools {

namespace {

/// What the option of the preconditioner has, by its key; empty where it has none.
std::string value_of(const SolverSettings& settings, std::string_view key) {
  for (auto const& option : settings.options) {
    auto const* const meaning = option.meaning_for(settings.preconditioner);
    if (meaning != nullptr && meaning->key() == key) return option.value_for(*meaning);
  }
  return {};
}

/// The value of that name among all of them.
template <class Values>
auto find_named(const Values& values, const std::string& text) {
  return *std::ranges::find(values, text, [](auto value) { return std::string(name(value)); });
}

/// The option that says how many parts there are, whether the preconditioner has it or not.
auto& find_parts(auto& settings) {
  return *std::ranges::find_if(settings.options, [](const auto& option) { return option.is_parts(); });
}

CutGrid make_cut(const SolverSettings& settings, const Grid& grid) {
  std::array<int, 3> parts{};
  read_extents(find_parts(settings).text, parts);
  return cut_grid(grid, parts);
}

/// Collective.
template <class Exec, int... groups>
std::unique_ptr<RankSystem<Exec>> make_rank_system(const Exec& exec, const RankShape& shape, const RankOptions& options,
                                                   std::integer_sequence<int, groups...>) {
  std::unique_ptr<RankSystem<Exec>> made;
  ((made = made ? std::move(made) : make_system_of_group<groups>(exec, shape, options)), ...);
  return made;
}

/// A system over ranks, which knows its parts.
template <class Exec>
class Solve {
 public:
  using Vector = RankVector<Exec>;

  Solve(const Communicator& world, const SolverSettings& settings, const SystemShape& shape, const CutGrid& cut)
      : m_settings(settings),
        m_shape{DistributedGrid(world, cut.grid), shape.block_size},
        m_whole(shape.grid),
        m_boxes(cut.boxes),
        m_transfer(m_shape, m_whole, m_boxes),
        m_system(make_rank_system(m_exec, m_shape, options(), Groups{})),
        m_b(m_exec, m_shape, "Hyperplane::b"),
        m_x(m_exec, m_shape, "Hyperplane::x") {
    m_report.concurrency = m_exec.concurrency();
    m_report.ranks = world.size();
  }

  SolverReport run(System* system, const Monitor& monitor) {
    distribute(system);
    m_report.times.setup = lap();
    if (has_factors()) {
      m_system->factor(m_exec);
      m_report.times.factor = lap();
      check_factors();
    }
    iterate(monitor);
    m_report.times.solve = lap();
    m_transfer.gather(system == nullptr ? nullptr : system->x.data(), m_shape.block_size,
                      [&](int part, double* values) { m_system->get_block(m_exec, m_x, part, values); });
    return std::move(m_report);
  }

  /// As the Krylov methods call it.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    exec.fence("Hyperplane: time of a preconditioner");
    Kokkos::Timer const timer;
    if (has_factors()) {
      m_system->solve(exec, rhs, x);
    } else {
      Kokkos::deep_copy(exec, x.flat(), rhs.flat());
    }
    exec.fence("Hyperplane: time of a preconditioner");
    m_report.times.preconditioner_solves.push_back(timer.seconds());
  }

 private:
  using Groups = std::make_integer_sequence<int, HYPERPLANE_RANK_GROUPS>;

  bool has_factors() const { return m_settings.preconditioner != no_preconditioner; }

  RankOptions options() const {
    if (!has_factors()) return {};
    return {.has_factors = true,
            .coupling = find_named(all_couplings, value_of(m_settings, "coupling")),
            .path = find_named(sweep_paths, value_of(m_settings, "path"))};
  }

  /// Throws Error, which names points of the whole grid, as one process does.
  void check_factors() const {
    auto const status = m_system->status(m_exec);
    if (status.ok()) return;
    auto const& begin = m_boxes[static_cast<std::size_t>(status.grid_block)].begin;
    throw Error(hyperplane::detail::status_in_whole(status, m_whole, begin).message());
  }

  double lap() {
    m_exec.fence("Hyperplane: time of a solve");
    double const seconds = m_timer.seconds();
    m_timer.reset();
    return seconds;
  }

  void distribute(System* system) {
    int const n = m_shape.block_size;
    m_transfer.scatter(system == nullptr ? nullptr : system->a.values.data(), stencil7_size * n * n,
                       [&](int part, const double* values) { m_system->set_block(m_exec, part, values); });
    if (system != nullptr) system->a.values = {};
    m_transfer.scatter(system == nullptr ? nullptr : system->b.data(), n,
                       [&](int part, const double* values) { m_system->set_block(m_exec, m_b, part, values); });
    m_transfer.scatter(system == nullptr ? nullptr : system->x.data(), n,
                       [&](int part, const double* values) { m_system->set_block(m_exec, m_x, part, values); });
  }

  void iterate(const Monitor& monitor) {
    auto const& krylov = m_settings.krylov;
    KrylovOptions const options{.tolerance = krylov.tolerance,
                                .absolute_tolerance = krylov.absolute_tolerance,
                                .max_iterations = krylov.max_iterations,
                                .restart = krylov.restart,
                                .check_interval = krylov.check_interval,
                                .monitor = [&](int iteration, double norm) {
                                  return monitor(iteration, norm) ? MonitorAction::stop : MonitorAction::proceed;
                                }};
    auto const with = [&]<class Method>(std::type_identity<Method>) {
      report(Method(m_exec, m_shape, options).solve(m_exec, *m_system, *this, m_b, m_x));
    };
    switch (krylov.method) {
      case HYPERPLANE_RICHARDSON: return with(std::type_identity<Richardson<Vector>>{});
      case HYPERPLANE_BICGSTAB: return with(std::type_identity<BiCgStab<Vector>>{});
      case HYPERPLANE_FGMRES: return with(std::type_identity<Fgmres<Vector>>{});
    }
  }

  void report(KrylovResult result) {
    // Enumerators of C are those of C++.
    m_report.result = {.outcome = static_cast<hyperplane_outcome>(result.outcome),
                       .iterations = result.iterations,
                       .rhs_norm = result.rhs_norm,
                       .residual_norm = result.residual_norm,
                       .breakdown = static_cast<hyperplane_breakdown>(result.breakdown)};
    m_report.reason = result.reason();
    m_report.cause = std::move(result.cause);
    m_report.history = std::move(result.history);
  }

  SolverSettings m_settings;
  Exec m_exec;
  Kokkos::Timer m_timer;
  RankShape m_shape;
  Grid m_whole;
  std::vector<Box> m_boxes;
  PartTransfer m_transfer;
  std::unique_ptr<RankSystem<Exec>> m_system;
  Vector m_b, m_x;
  mutable SolverReport m_report;
};

}  // namespace

void complete_for_ranks(SolverSettings& settings, const Grid& grid, int ranks) {
  auto const refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{} for one process alone, and there are {}", what, ranks));
  };
  auto const& preconditioner = settings.preconditioner;
  if (preconditioner != no_preconditioner && preconditioner != "bilu0") {
    refuse(fmt::format("--preconditioner {}: others than bilu0 and {} are", preconditioner, no_preconditioner));
  }
  if (settings.storage != HYPERPLANE_STORAGE_DOUBLE) refuse("--storage float: that is");
  auto& parts = find_parts(settings).text;
  std::string const why = parts.empty() ? fmt::format(", as there are {} ranks", ranks) : "";
  if (parts.empty()) parts = fmt::format("1x1x{}", ranks);
  try {
    make_cut(settings, grid);
  } catch (const Error& error) {
    throw InputError(fmt::format("--parts {}{}: {}", parts, why, error.what()));
  }
}

SolverReport solve_over_ranks(const Communicator& world, const std::string& backend, const SolverSettings& settings,
                              const SystemShape& shape, System* system, const Monitor& monitor) {
  auto const cut = make_cut(settings, shape.grid);
  std::optional<SolverReport> report;
  executables::for_each_execution_space([&]<class Exec>(std::type_identity<Exec>, const std::string& name) {
    if (name == backend) report = Solve<Exec>(world, settings, shape, cut).run(system, monitor);
  });
  return std::move(*report);
}

}  // namespace hyperplane::tools
