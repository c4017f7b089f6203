// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <hyperplane/version.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "versions.hpp"

namespace hyperplane::tools {

namespace {

const char* outcome_name(hyperplane_outcome outcome) {
  switch (outcome) {
    case HYPERPLANE_CONVERGED: return "converged";
    case HYPERPLANE_MAX_ITERATIONS: return "max_iterations";
    case HYPERPLANE_BREAKDOWN: return "breakdown";
    case HYPERPLANE_STOPPED: return "stopped";
  }
  return "unknown";
}

nlohmann::json value_of(const PreconditionerOption& option, const OptionMeaning& meaning) {
  auto text = option.value_for(meaning);
  if (meaning.description.type == HYPERPLANE_OPTION_REAL) return std::strtod(text.c_str(), nullptr);
  if (meaning.description.type == HYPERPLANE_OPTION_INTEGER) return std::stoi(text);
  return text;
}

void add_storage(nlohmann::ordered_json& json, const SolverSettings& settings, hyperplane_storage chosen) {
  json["storage"] = name_of(storages, settings.storage);
  if (settings.storage != HYPERPLANE_STORAGE_AUTOMATIC) return;
  json["storage_fraction"] = settings.storage_fraction;
  json["chosen_storage"] = name_of(storages, chosen);
}

/// Where it ran.
void add_place(nlohmann::ordered_json& json, const std::string& backend, const SolverReport& report) {
  json["backend"] = backend;
  json["ranks"] = report.ranks;
  json["threads"] = report.concurrency;
  if (report.ranks > 1) json["through_devices"] = report.goes_through_devices;
}

}  // namespace

std::string format_history(const SolveCommand& command, const SystemSize& size, const std::string& backend,
                           double read_seconds, const SolverReport& report) {
  auto const& settings = command.settings;
  auto const& result = report.result;
  auto const& solves = report.times.preconditioner_solves;
  nlohmann::ordered_json json;
  json["matrix"] = command.matrix.string();
  json["rhs"] = command.rhs.string();
  if (!command.initial.empty()) json["initial"] = command.initial.string();
  if (size.grid) {
    json["grid"] = {size.grid->ni(), size.grid->nj(), size.grid->nk()};
  } else {
    json["points"] = size.points;
  }
  json["transpose"] = settings.transpose;
  json["block_size"] = command.block_size;
  json["method"] = name_of(methods, settings.krylov.method);
  json["preconditioner"] = settings.preconditioner;
  for (auto const& option : settings.options) {
    auto const* const meaning = option.meaning_for(settings.matrix, settings.preconditioner);
    if (meaning != nullptr) {
      json[meaning->key()] = value_of(option, *meaning);
    } else if (option.is_parts() && !option.text.empty()) {
      // Ranks have parts without a preconditioner that has them.
      json[option.meanings.front().key()] = option.text;
    }
  }
  add_storage(json, settings, report.storage);
  json["product_storage"] = name_of(product_storages, settings.product_storage);
  json["tolerance"] = settings.krylov.tolerance;
  json["absolute_tolerance"] = settings.krylov.absolute_tolerance;
  json["max_iterations"] = settings.krylov.max_iterations;
  json["restart"] = settings.krylov.restart;
  json["recycled"] = settings.krylov.recycled;
  json["check_interval"] = settings.krylov.check_interval;
  add_place(json, backend, report);
  json["outcome"] = outcome_name(result.outcome);
  if (result.outcome == HYPERPLANE_BREAKDOWN) {
    json["breakdown"] = hyperplane_breakdown_message(result.breakdown);
    if (!report.cause.empty()) json["cause"] = report.cause;
  }
  if (!size.grid) {
    json["replaced_pivots"] = report.replaced;
    if (report.replaced > 0) json["first_replaced_point"] = report.first_replaced;
  }
  json["iterations"] = result.iterations;
  json["rhs_norm"] = result.rhs_norm;
  json["residual_norm"] = result.residual_norm;
  json["residual_norms"] = report.history;
  json["seconds"] = {{"read", read_seconds},
                     {"setup", report.times.setup},
                     {"factor", report.times.factor},
                     {"solve", report.times.solve},
                     {"preconditioner_total", std::accumulate(solves.begin(), solves.end(), 0.0)},
                     {"preconditioner_solves", solves}};
  json["versions"] = {
      {"hyperplane", HYPERPLANE_VERSION_STRING}, {"kokkos", kokkos_version()}, {"compiler", compiler_version()}};
  return json.dump(2) + "\n";
}

}  // namespace hyperplane::tools
