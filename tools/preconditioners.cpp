// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preconditioners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "library.hpp"

namespace hyperplane::tools {

namespace {

constexpr const char* identity = "identity";
constexpr const char* none = "none";

/// All of them, the last of the library first.
std::vector<hyperplane_preconditioner_description> describe_all() {
  std::vector<hyperplane_preconditioner_description> all(split_list(hyperplane_preconditioners()).size());
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    check(hyperplane_preconditioner_describe(static_cast<hyperplane_preconditioner_kind>(kind), &all[kind]));
  }
  std::ranges::reverse(all);
  return all;
}

/// Its name on the command line.
std::string name_of(const hyperplane_preconditioner_description& preconditioner) {
  return std::string(preconditioner.name) == identity ? none : preconditioner.name;
}

/// "a, b or c"
std::string join(const std::vector<std::string>& words, const char* last) {
  std::string text;
  for (std::size_t w = 0; w < words.size(); ++w) {
    text += (w == 0 ? "" : w + 1 == words.size() ? fmt::format(" {} ", last) : ", ") + words[w];
  }
  return text;
}

}  // namespace

std::string PreconditionerOption::key() const {
  std::string const name = description.name;
  return is_list() ? name.substr(0, name.size() - 1) : name;
}

std::vector<std::string> preconditioner_names() {
  std::vector<std::string> names;
  for (auto const& preconditioner : describe_all()) names.push_back(name_of(preconditioner));
  return names;
}

std::string preconditioner_summaries() {
  std::vector<std::string> summaries;
  for (auto const& preconditioner : describe_all()) summaries.emplace_back(preconditioner.summary);
  auto text = join(summaries, "or");
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

hyperplane_preconditioner_description describe_preconditioner(const std::string& name) {
  auto const all = describe_all();
  return *std::ranges::find(all, name, name_of);
}

std::vector<PreconditionerOption> preconditioner_options() {
  std::vector<PreconditionerOption> options;
  for (auto const& preconditioner : describe_all()) {
    for (int o = 0; o < preconditioner.option_count; ++o) {
      auto const& description = preconditioner.options[o];
      std::string const name = description.name;
      // There is one right-hand side.
      if (name == "right_hand_sides") continue;
      auto found = std::ranges::find(options, name, [](const auto& option) { return option.description.name; });
      if (found == options.end()) {
        found = options.insert(found, {"", description, {}, ""});
        found->flag = "--" + found->key();
        std::ranges::replace(found->flag, '_', '-');
      }
      found->owners.push_back(name_of(preconditioner));
    }
  }
  return options;
}

std::string help_of(const PreconditionerOption& option) {
  auto const& description = option.description;
  auto text = fmt::format("Of {}: {}", join(option.owners, "and"), description.summary);
  if (option.is_list()) return fmt::format("{}; {}: all", text, alternating);
  // CLI11 says the range of an integer where it is refused.
  return description.type == HYPERPLANE_OPTION_REAL ? fmt::format("{}, {}", text, range_of(description)) : text;
}

bool is_in_range(const hyperplane_option_description& option, double value) {
  bool const is_above = option.above_least != 0 ? value > option.least : value >= option.least;
  bool const is_below = option.below_most != 0 ? value < option.most : value <= option.most;
  return is_above && is_below;
}

std::string range_of(const hyperplane_option_description& option) {
  std::string text;
  if (std::isfinite(option.least)) {
    text += fmt::format("{} {}", option.above_least != 0 ? "more than" : "at least", option.least);
  }
  if (std::isfinite(option.most)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", option.below_most != 0 ? "less than" : "at most",
                        option.most);
  }
  return text.empty() ? "any number" : text;
}

NamedPreconditioner make_named(const std::string& name, const std::vector<PreconditionerOption>& options,
                               hyperplane_storage storage) {
  auto text = std::string(storage == HYPERPLANE_STORAGE_DOUBLE ? "storage=double" : "storage=float");
  for (auto const& option : options) {
    if (option.text.empty() || std::ranges::count(option.owners, name) == 0) continue;
    auto value = option.text;
    if (value == alternating) {
      value = option.description.choices;
      std::erase(value, '|');
    }
    text += fmt::format(",{}={}", option.description.name, value);
  }
  return {name == none ? identity : name, text};
}

}  // namespace hyperplane::tools
