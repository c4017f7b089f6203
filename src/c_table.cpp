// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <vector>

#include "c_library.hpp"

// The table of preconditioners in C.
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

/// The options of each preconditioner. They stay as long as the process, since callers have their addresses.
const std::vector<std::vector<hyperplane_option_description>>& all_options() {
  static auto const& all = *[] {
    auto* const made = new std::vector<std::vector<hyperplane_option_description>>;
    for (auto const& preconditioner : run_time::preconditioners()) {
      auto& options = made->emplace_back();
      for (auto const& option : preconditioner.options) options.push_back(describe(option));
    }
    return made;
  }();
  return all;
}

}  // namespace

const char* hyperplane_preconditioners() {
  static const std::string* const list = []() noexcept -> const std::string* {
    try {
      std::string names;
      for (auto const& each : run_time::preconditioners()) names += (names.empty() ? "" : ", ") + each.name;
      return new std::string(names);
    } catch (...) {
      return nullptr;
    }
  }();
  return list == nullptr ? "" : list->c_str();
}

hyperplane_status hyperplane_preconditioner_describe(hyperplane_preconditioner_kind kind,
                                                     hyperplane_preconditioner_description* description) {
  return guarded(__func__, [&] {
    require_pointer(description, "description");
    auto const all = run_time::preconditioners();
    auto const place = static_cast<std::size_t>(enumerator<int>(kind, static_cast<int>(all.size()) - 1, "kind"));
    auto const& options = all_options()[place];
    *description = {.name = all[place].name.c_str(),
                    .summary = all[place].summary.c_str(),
                    .largest_block_size = all[place].largest_block_size,
                    .option_count = static_cast<int>(options.size()),
                    .options = options.data()};
  });
}
