// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <span>
#include <string>
#include <vector>

#include "c_library.hpp"
#include "csr_solvers.hpp"

// The tables of preconditioners in C.
using namespace hyperplane;
using namespace hyperplane::c;

static_assert(HYPERPLANE_OPTION_CHOICES == static_cast<int>(run_time::OptionType::choices) &&
              HYPERPLANE_OPTION_CHOICE == static_cast<int>(run_time::OptionType::choice) &&
              HYPERPLANE_OPTION_COUNTS == static_cast<int>(run_time::OptionType::counts));

namespace {

hyperplane_option_description describe(const run_time::OptionDescription& option) {
  return {.name = option.name.c_str(),
          .summary = option.summary.c_str(),
          .type = static_cast<hyperplane_option_type>(option.type),
          .standard = option.standard.c_str(),
          .choices = option.choices.c_str(),
          .least = option.range.least,
          .most = option.range.most,
          .above_least = option.range.above_least ? 1 : 0,
          .below_most = option.range.below_most ? 1 : 0,
          .needs = option.needs.c_str()};
}

using Table = std::span<const run_time::PreconditionerDescription>;
using Options = std::vector<std::vector<hyperplane_option_description>>;

/// The options of each preconditioner of a table. They stay as long as the process, since callers have their addresses.
const Options& options_of(Table table) {
  auto* const made = new Options;
  for (auto const& preconditioner : table) {
    auto& options = made->emplace_back();
    for (auto const& option : preconditioner.options) options.push_back(describe(option));
  }
  return *made;
}

/// "identity, bilu0", which stays; null where there is no memory for it.
const std::string* names_of(Table (*table)()) noexcept {
  try {
    std::string names;
    for (auto const& each : table()) names += (names.empty() ? "" : ", ") + each.name;
    return new std::string(names);
  } catch (...) {
    return nullptr;
  }
}

hyperplane_preconditioner_description describe(Table table, const Options& all_options, int kind) {
  auto const place = static_cast<std::size_t>(enumerator<int>(kind, static_cast<int>(table.size()) - 1, "kind"));
  auto const& options = all_options[place];
  return {.name = table[place].name.c_str(),
          .summary = table[place].summary.c_str(),
          .largest_block_size = table[place].largest_block_size,
          .storages = table[place].storages.c_str(),
          .option_count = static_cast<int>(options.size()),
          .options = options.data()};
}

}  // namespace

const char* hyperplane_preconditioners() {
  static const std::string* const list = names_of(run_time::preconditioners);
  return list == nullptr ? "" : list->c_str();
}

const char* hyperplane_csr_preconditioners() {
  static const std::string* const list = names_of(run_time::csr_preconditioners);
  return list == nullptr ? "" : list->c_str();
}

hyperplane_status hyperplane_preconditioner_describe(hyperplane_preconditioner_kind kind,
                                                     hyperplane_preconditioner_description* description) {
  return guarded(__func__, [&] {
    require_pointer(description, "description");
    auto const table = run_time::preconditioners();
    static auto const& options = options_of(table);
    *description = describe(table, options, kind);
  });
}

hyperplane_status hyperplane_csr_preconditioner_describe(hyperplane_csr_preconditioner_kind kind,
                                                         hyperplane_preconditioner_description* description) {
  return guarded(__func__, [&] {
    require_pointer(description, "description");
    auto const table = run_time::csr_preconditioners();
    static auto const& options = options_of(table);
    *description = describe(table, options, kind);
  });
}
