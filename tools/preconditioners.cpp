// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preconditioners.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <tuple>

#include "library.hpp"
#include "option_text.hpp"

namespace hyperplane::tools {

namespace {

constexpr const char* identity = "identity";

/// All of a table, the last of the library first.
std::vector<hyperplane_preconditioner_description> describe_all(MatrixKind matrix) {
  bool const is_stencil = matrix == MatrixKind::stencil;
  auto const* const names = is_stencil ? hyperplane_preconditioners() : hyperplane_csr_preconditioners();
  std::vector<hyperplane_preconditioner_description> all(split_list(names).size());
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    check(is_stencil ? hyperplane_preconditioner_describe(static_cast<hyperplane_preconditioner_kind>(kind), &all[kind])
                     : hyperplane_csr_preconditioner_describe(static_cast<hyperplane_csr_preconditioner_kind>(kind),
                                                              &all[kind]));
  }
  std::ranges::reverse(all);
  return all;
}

/// Its name on the command line.
std::string name_on_command_line(const hyperplane_preconditioner_description& preconditioner) {
  return std::string(preconditioner.name) == identity ? no_preconditioner : preconditioner.name;
}

bool are_equal(const hyperplane_option_description& a, const hyperplane_option_description& b) {
  auto const all = [](const hyperplane_option_description& d) {
    return std::tuple(d.type, std::string_view(d.name), std::string_view(d.summary), std::string_view(d.standard),
                      std::string_view(d.choices), std::string_view(d.needs), d.least, d.most, d.above_least,
                      d.below_most);
  };
  return all(a) == all(b);
}

bool is_in_range(const hyperplane_option_description& option, double value) {
  bool const is_above = option.above_least != 0 ? value > option.least : value >= option.least;
  bool const is_below = option.below_most != 0 ? value < option.most : value <= option.most;
  return is_above && is_below;
}

/// "more than 0 and less than 2"
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

/// The words that the option takes on the command line.
std::vector<std::string> words_of(const OptionMeaning& meaning) {
  auto words = split_list(meaning.description.choices, "|");
  if (meaning.is_list()) words.emplace_back(alternating);
  return words;
}

/// Makes 1000 of "1e3" where the option takes whole numbers; what is wrong with the text.
std::string refusal_of_number(const hyperplane_option_description& option, std::string& text) {
  if (option.type == HYPERPLANE_OPTION_INTEGER) {
    auto const least = std::max<double>(option.least, std::numeric_limits<int>::min());
    auto const most = std::min<double>(option.most, std::numeric_limits<int>::max());
    return refusal_of_integer(text, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
  }
  if (auto error = tools::refusal_of_number(text); !error.empty()) return error;
  double const value = std::strtod(text.c_str(), nullptr);
  return is_in_range(option, value) ? "" : fmt::format("{} is not {}", value, range_of(option));
}

/// What the values are, for a meaning that shares its option with others.
std::string values_of(const OptionMeaning& meaning) {
  switch (meaning.description.type) {
    case HYPERPLANE_OPTION_REAL: return range_of(meaning.description);
    case HYPERPLANE_OPTION_INTEGER: return "a whole number";
    case HYPERPLANE_OPTION_COUNTS: return "a number, numbers along i, j and k, or automatic";
    case HYPERPLANE_OPTION_CHOICE:
    case HYPERPLANE_OPTION_CHOICES: break;
  }
  return meaning.type_name();
}

void add_options(MatrixKind matrix, const hyperplane_preconditioner_description& preconditioner,
                 std::vector<PreconditionerOption>& options) {
  for (int o = 0; o < preconditioner.option_count; ++o) {
    OptionMeaning const meaning{preconditioner.options[o], matrix, {name_on_command_line(preconditioner)}};
    auto const key = meaning.key();
    // There is one right-hand side, and --transpose says whether it is one of the transpose.
    if (key == "right_hand_sides" || key == "transposed") continue;
    auto option = std::ranges::find(options, key, [](const auto& known) { return known.meanings.front().key(); });
    if (option == options.end()) {
      option = options.insert(option, {"--" + key, {}, ""});
      std::ranges::replace(option->flag, '_', '-');
    }
    auto const same = std::ranges::find_if(option->meanings, [&](const auto& known) {
      return known.matrix == matrix && are_equal(known.description, meaning.description);
    });
    if (same == option->meanings.end()) {
      option->meanings.push_back(meaning);
    } else {
      same->owners.push_back(meaning.owners.front());
    }
  }
}

/// "lines and ssor", or "bilu0 and iluk without --grid"
std::string owners_of(const OptionMeaning& meaning) {
  return join_with(meaning.owners, "and") + (meaning.matrix == MatrixKind::rows ? " without --grid" : "");
}

}  // namespace

std::string join_with(const std::vector<std::string>& words, const char* last) {
  std::string text;
  for (std::size_t w = 0; w < words.size(); ++w) {
    text += (w == 0 ? "" : w + 1 == words.size() ? fmt::format(" {} ", last) : ", ") + words[w];
  }
  return text;
}

std::string OptionMeaning::key() const {
  std::string const name = description.name;
  return is_list() ? name.substr(0, name.size() - 1) : name;
}

std::string OptionMeaning::type_name() const {
  if (description.type == HYPERPLANE_OPTION_REAL) return "X";
  if (description.type == HYPERPLANE_OPTION_INTEGER) return "N";
  if (description.type == HYPERPLANE_OPTION_COUNTS) return "N|IxJxK|automatic";
  return join_words(words_of(*this));
}

std::string OptionMeaning::refusal(std::string text) const {
  if (description.type == HYPERPLANE_OPTION_COUNTS) return refusal_of_parts(text);
  bool const is_number = description.type == HYPERPLANE_OPTION_REAL || description.type == HYPERPLANE_OPTION_INTEGER;
  return is_number ? refusal_of_number(description, text) : refusal_of_choice(text, words_of(*this));
}

bool PreconditionerOption::is_for(MatrixKind matrix) const {
  return std::ranges::any_of(meanings, [&](const auto& meaning) { return meaning.matrix == matrix; });
}

const OptionMeaning* PreconditionerOption::meaning_for(MatrixKind matrix, const std::string& preconditioner) const {
  auto const found = std::ranges::find_if(meanings, [&](const auto& meaning) {
    return meaning.matrix == matrix && std::ranges::count(meaning.owners, preconditioner) > 0;
  });
  return found == meanings.end() ? nullptr : &*found;
}

std::string PreconditionerOption::value_for(const OptionMeaning& meaning) const {
  auto value = text.empty() ? std::string(meaning.description.standard) : text;
  if (meaning.description.type == HYPERPLANE_OPTION_INTEGER) refusal_of_number(meaning.description, value);
  if (meaning.description.type == HYPERPLANE_OPTION_REAL)
    value = fmt::format("{}", std::strtod(value.c_str(), nullptr));
  return value;
}

std::string PreconditionerOption::text_for(const OptionMeaning& meaning) const {
  auto value = value_for(meaning);
  if (meaning.is_list() && value == alternating) {
    value = meaning.description.choices;
    std::erase(value, '|');
  }
  return value;
}

std::string PreconditionerOption::refusal(const std::string& value) const {
  std::vector<std::string> refusals;
  for (auto const& meaning : meanings) {
    refusals.push_back(meaning.refusal(value));
    if (refusals.back().empty()) return "";
  }
  if (std::ranges::count(refusals, refusals[0]) == std::ssize(refusals)) return refusals[0];
  for (std::size_t m = 0; m < refusals.size(); ++m) {
    refusals[m] += fmt::format(" (of {})", owners_of(meanings[m]));
  }
  return fmt::format("{}", fmt::join(refusals, "; "));
}

std::vector<std::string> preconditioner_names(MatrixKind matrix) {
  std::vector<std::string> names;
  for (auto const& preconditioner : describe_all(matrix)) names.push_back(name_on_command_line(preconditioner));
  return names;
}

std::vector<std::string> preconditioner_names() {
  auto names = preconditioner_names(MatrixKind::rows);
  auto const others = preconditioner_names(MatrixKind::stencil);
  std::erase_if(names, [&](const auto& name) { return std::ranges::count(others, name) > 0; });
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::string preconditioner_summaries() {
  std::vector<std::string> summaries;
  auto const names = preconditioner_names(MatrixKind::stencil);
  for (auto const& preconditioner : describe_all(MatrixKind::rows)) {
    if (std::ranges::count(names, name_on_command_line(preconditioner)) > 0) continue;
    summaries.push_back(fmt::format("{} without --grid", preconditioner.summary));
  }
  for (auto const& preconditioner : describe_all(MatrixKind::stencil)) summaries.emplace_back(preconditioner.summary);
  auto text = join_with(summaries, "or");
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

hyperplane_preconditioner_description describe_preconditioner(MatrixKind matrix, const std::string& name) {
  auto const all = describe_all(matrix);
  return *std::ranges::find(all, name, name_on_command_line);
}

std::vector<PreconditionerOption> preconditioner_options() {
  std::vector<PreconditionerOption> options;
  for (auto const matrix : {MatrixKind::stencil, MatrixKind::rows}) {
    for (auto const& preconditioner : describe_all(matrix)) add_options(matrix, preconditioner, options);
  }
  return options;
}

std::string help_of(const PreconditionerOption& option) {
  bool const is_one_type = type_name_of(option) == option.meanings.front().type_name();
  std::string help;
  for (auto const& meaning : option.meanings) {
    auto const& description = meaning.description;
    help += fmt::format("{} {}: {}", help.empty() ? "Of" : "; of", owners_of(meaning), description.summary);
    // CLI11 says the range of an integer where it is refused.
    if (!is_one_type || description.type == HYPERPLANE_OPTION_REAL) help += ", " + values_of(meaning);
    if (meaning.is_list()) help += fmt::format("; {}: all", alternating);
    if (standard_of(option).empty()) help += fmt::format(" [{}]", description.standard);
  }
  return help;
}

std::string type_name_of(const PreconditionerOption& option) {
  auto const first = option.meanings.front().type_name();
  auto const is_first = [&](const auto& meaning) { return meaning.type_name() == first; };
  return std::ranges::all_of(option.meanings, is_first) ? first : "VALUE";
}

std::string standard_of(const PreconditionerOption& option) {
  std::string first = option.meanings.front().description.standard;
  auto const is_first = [&](const auto& meaning) { return meaning.description.standard == first; };
  return std::ranges::all_of(option.meanings, is_first) ? first : "";
}

NamedPreconditioner make_named(MatrixKind matrix, const std::string& name,
                               const std::vector<PreconditionerOption>& options) {
  std::vector<std::string> texts;
  for (auto const& option : options) {
    auto const* const meaning = option.meaning_for(matrix, name);
    if (option.text.empty() || meaning == nullptr) continue;
    texts.push_back(fmt::format("{}={}", meaning->description.name, option.text_for(*meaning)));
  }
  return {name == no_preconditioner ? identity : name, texts};
}

}  // namespace hyperplane::tools
