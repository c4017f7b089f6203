// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "library.hpp"
#include "matrix_market.hpp"
#include "spelling.hpp"

namespace hyperplane::tools {

namespace {

void check_processes(const SolveCommand& command, int processes) {
  if (processes == 1 || command.grid) return;
  throw InputError(fmt::format("solve without --grid runs in one process, there are {}", processes));
}

void check_preconditioner(const SolveCommand& command) {
  auto const matrix = command.settings.matrix;
  auto const& name = command.settings.preconditioner;
  auto const names = preconditioner_names(matrix);
  if (std::ranges::count(names, name) > 0) return;
  throw InputError(fmt::format("--preconditioner {}: {}; {} it there are {}", name,
                               matrix == MatrixKind::rows ? "needs --grid IxJxK" : "is for matrices without --grid",
                               matrix == MatrixKind::rows ? "without" : "with", join_with(names, "and")));
}

void check_block_size(const SolveCommand& command) {
  int const n = command.block_size;
  if (hyperplane_has_block_size(n) == 0) {
    throw InputError(
        fmt::format("--block-size: {} is not in this build, which has: {}", n, fmt::join(block_sizes(), ", ")));
  }
  auto const& name = command.settings.preconditioner;
  int const largest = describe_preconditioner(command.settings.matrix, name).largest_block_size;
  if (n > largest) {
    throw InputError(fmt::format("--preconditioner {}: takes --block-size {}{}, not {}", name,
                                 largest > 1 ? "1 to " : "", largest, n));
  }
}

/// The flags of preconditioners that matrices without a grid have.
std::vector<std::string> flags_without_grid(const SolverSettings& settings) {
  std::vector<std::string> flags;
  for (auto const& option : settings.options) {
    if (option.is_for(MatrixKind::rows)) flags.push_back(option.flag);
  }
  return flags;
}

/// Other preconditioners than that which is chosen may have the option. But who asks for parts, or for what belongs to
/// them, wants to know where there are none; ranks have parts without any.
void check_option_of_others(const PreconditionerOption& option, const std::string& preconditioner, bool has_ranks) {
  auto const& description = option.meanings.front().description;
  std::string const missing = option.is_parts() ? description.name : description.needs;
  if (missing.empty() || (option.is_parts() && has_ranks)) return;
  throw InputError(
      fmt::format("{} {}: --preconditioner {} has no {}", option.flag, option.text, preconditioner, missing));
}

/// The few that there are without a grid say nothing where they are not those of the preconditioner.
[[noreturn]] void refuse_without_grid(const PreconditionerOption& option, const SolverSettings& settings) {
  auto const given = fmt::format("{} {}", option.flag, option.text);
  if (!option.is_for(MatrixKind::rows)) {
    throw InputError(fmt::format("{}: needs --grid IxJxK; without it there are {}", given,
                                 join_with(flags_without_grid(settings), "and")));
  }
  auto const of_rows = [](const auto& meaning) { return meaning.matrix == MatrixKind::rows; };
  auto const& owners = std::ranges::find_if(option.meanings, of_rows)->owners;
  throw InputError(fmt::format("{}: --preconditioner {} does not have it, but {}", given, settings.preconditioner,
                               join_with(owners, "and")));
}

void check_options(const SolveCommand& command, bool has_ranks) {
  auto const& settings = command.settings;
  for (auto const& option : settings.options) {
    if (option.text.empty()) continue;
    auto const* const meaning = option.meaning_for(settings.matrix, settings.preconditioner);
    if (meaning != nullptr) {
      if (auto const refusal = meaning->refusal(option.text); !refusal.empty()) {
        throw InputError(fmt::format("{}: {}", option.flag, refusal));
      }
    } else if (settings.matrix == MatrixKind::rows) {
      refuse_without_grid(option, settings);
    } else if (!option.is_for(MatrixKind::stencil)) {
      throw InputError(fmt::format("{} {}: is for matrices without --grid", option.flag, option.text));
    } else {
      check_option_of_others(option, settings.preconditioner, has_ranks);
    }
  }
}

void check_storage(const SolverSettings& settings) {
  auto const& storage = name_of(storages, settings.storage);
  if (settings.storage != HYPERPLANE_STORAGE_AUTOMATIC && settings.storage_fraction != standard_storage_fraction()) {
    throw InputError(fmt::format("--storage-fraction {}: needs --storage automatic", settings.storage_fraction));
  }
  std::vector<std::string> owners;
  for (auto const& name : preconditioner_names(settings.matrix)) {
    auto const own = split_list(describe_preconditioner(settings.matrix, name).storages, "|");
    if (std::ranges::count(own, storage) > 0) owners.push_back(name);
  }
  if (std::ranges::count(owners, settings.preconditioner) > 0) return;
  throw InputError(fmt::format("--storage {}: --preconditioner {} does not have it, but {}", storage,
                               settings.preconditioner, join_with(owners, "and")));
}

void check_products(const SolverSettings& settings, int processes) {
  if (!settings.narrows()) return;
  auto const option = "--product-storage " + name_of(product_storages, settings.product_storage);
  if (processes > 1) throw InputError(fmt::format("{}: is for one process, there are {}", option, processes));
  if (settings.product_storage == HYPERPLANE_STORAGE_FLOAT) return;
  if (settings.matrix == MatrixKind::rows) throw InputError(option + ": needs --grid");
  if (settings.storage == HYPERPLANE_STORAGE_FLOAT) {
    throw InputError(option + ": --storage float makes factors of a matrix of floats, which there is not");
  }
}

void check_tolerances(const SolveCommand& command) {
  for (auto const& [option, value] : {std::pair{"--tolerance", command.settings.krylov.tolerance},
                                      {"--absolute-tolerance", command.settings.krylov.absolute_tolerance},
                                      {"--storage-fraction", command.settings.storage_fraction}}) {
    if (!(value >= 0)) throw InputError(fmt::format("{}: {} is less than 0", option, value));
  }
}

/// There is one standard input.
void check_inputs(const SolveCommand& command) {
  const char* taken = nullptr;
  auto const take = [&](const char* name, const std::filesystem::path& path) {
    if (path != "-") return;
    if (taken != nullptr) {
      throw InputError(fmt::format("{} and {}: both are -, and there is one standard input", taken, name));
    }
    taken = name;
  };
  take("A", command.matrix);
  take("--rhs", command.rhs);
  take("--initial", command.initial);
}

}  // namespace

void check_command(const SolveCommand& command, int processes) {
  check_processes(command, processes);
  check_preconditioner(command);
  check_options(command, processes > 1);
  check_storage(command.settings);
  check_products(command.settings, processes);
  check_tolerances(command);
  check_block_size(command);
  check_inputs(command);
}

void check_diagonal(const SolveCommand& command, const HostRows& a) {
  auto const& name = command.settings.preconditioner;
  if (name == no_preconditioner) return;
  auto const point = find_missing_diagonal(a);
  if (point < 0) return;
  int const n = a.block_size;
  auto const rows = n == 1 ? fmt::format("row {} has no entry", point + 1)
                           : fmt::format("rows {} to {} have no entry in the block", point * n + 1, (point + 1) * n);
  throw InputError(fmt::format("{}: {} on the diagonal, which --preconditioner {} needs; {} does without",
                               command.matrix.string(), rows, name, no_preconditioner));
}

}  // namespace hyperplane::tools
