// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "objects.hpp"

/// Options of preconditioners as text: how the table says what a member of an options struct is called and may be.
namespace hyperplane::run_time {

/// An option of a line of the table.
template <class Options, class Value>
struct TableOption {
  const char* name;  ///< that of C's struct, where it has the option
  Value Options::* member;
  const char* summary;
  Range range;
  const char* other = nullptr;  ///< another option, without which this one says nothing

  /// The same option, which means nothing unless another one is given, too.
  constexpr TableOption of(const char* option) const { return {name, member, summary, range, option}; }
};

template <class Options, class Value>
constexpr TableOption<Options, Value> option(const char* name, Value Options::* member, const char* summary,
                                             const Range& range = {}) {
  return {name, member, summary, range};
}

/// All values of an enumeration that is an option. Each has a name().
constexpr std::span<const SweepPath> choices_of(std::type_identity<SweepPath>) { return sweep_paths; }
inline constexpr std::array<LineDirection, 3> all_line_directions{LineDirection::i, LineDirection::j, LineDirection::k};
constexpr std::span<const LineDirection> choices_of(std::type_identity<LineDirection>) { return all_line_directions; }
constexpr std::span<const Coupling> choices_of(std::type_identity<Coupling>) { return all_couplings; }
constexpr std::span<const StorageKind> choices_of(std::type_identity<StorageKind>) { return storage_kinds; }

/// A list of rows is no text.
inline constexpr std::array<RowOrder, 4> named_row_orders{RowOrder::natural, RowOrder::rcm, RowOrder::colours,
                                                          RowOrder::lines};
constexpr std::span<const RowOrder> choices_of(std::type_identity<RowOrder>) { return named_row_orders; }

/// "automatic|portable|slab"
template <class Choice>
std::string choice_names() {
  std::string names;
  for (auto const choice : choices_of(std::type_identity<Choice>{}))
    names += (names.empty() ? "" : "|") + std::string(name(choice));
  return names;
}

[[noreturn]] inline void refuse_value(const std::string& option, std::string_view text, const std::string& expected) {
  throw Error(option + " is '" + std::string(text) + "', expected " + expected);
}

/// A value as text, and back: read_text() throws Error where the text is none.
template <class Value>
struct OptionText;

template <class Number>
  requires std::is_arithmetic_v<Number>
struct OptionText<Number> {
  static constexpr OptionType type = std::is_integral_v<Number> ? OptionType::integer : OptionType::real;
  static std::string choices() { return ""; }
  static std::string write(Number value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  }
  static Number read(const std::string& option, std::string_view text) {
    Number value{};
    auto const* const end = text.data() + text.size();
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): up to its end
    auto const [after, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc{} && after == end) return value;
    refuse_value(option, text, type == OptionType::integer ? "a whole number" : "a number");
  }
};

template <class Choice>
  requires std::is_enum_v<Choice>
struct OptionText<Choice> {
  static constexpr OptionType type = OptionType::choice;
  static std::string choices() { return choice_names<Choice>(); }
  static std::string write(Choice value) { return name(value); }
  static Choice read(const std::string& option, std::string_view text) {
    for (auto const choice : choices_of(std::type_identity<Choice>{})) {
      if (text == name(choice)) return choice;
    }
    refuse_value(option, text, "one of " + choices());
  }
};

/// Numbers along i, j and k: "1x1x4".
template <>
struct OptionText<std::array<int, 3>> {
  static constexpr OptionType type = OptionType::counts;
  static std::string choices() { return ""; }
  static std::string write(const std::array<int, 3>& counts) {
    return std::to_string(counts[0]) + "x" + std::to_string(counts[1]) + "x" + std::to_string(counts[2]);
  }
  static std::array<int, 3> read(const std::string& option, std::string_view text) {
    std::array<int, 3> counts{};
    const char* next = text.data();
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): up to its end
    const char* const end = next + text.size();
    for (std::size_t d = 0; d < counts.size(); ++d) {
      auto const [after, error] = std::from_chars(next, end, counts[d]);
      bool const separated = d == 2 ? after == end : after != end && (*after == 'x' || *after == 'X');
      if (error != std::errc{} || !separated || counts[d] < 1) {
        refuse_value(option, text, "whole numbers of at least 1 along i, j and k, as 1x1x4");
      }
      next = after + 1;
    }
    return counts;
  }
};

/// Directions by their letters: "ik", or "none".
template <>
struct OptionText<FoldedDirections> {
  static constexpr OptionType type = OptionType::choice;
  static std::string choices() { return "none|i|j|k|ij|ik|jk|ijk"; }
  static std::string write(const FoldedDirections& folded) {
    auto const text = std::string(folded.i ? "i" : "") + (folded.j ? "j" : "") + (folded.k ? "k" : "");
    return text.empty() ? "none" : text;
  }
  static FoldedDirections read(const std::string& option, std::string_view text) {
    for (int which = 0; which < 8; ++which) {
      FoldedDirections const folded{.i = which % 2 == 1, .j = which / 2 % 2 == 1, .k = which / 4 == 1};
      if (text == write(folded)) return folded;
    }
    refuse_value(option, text, "one of " + choices());
  }
};

/// Choices whose names are letters, one after another: "ik".
template <class Choice>
struct OptionText<std::vector<Choice>> {
  static constexpr OptionType type = OptionType::choices;
  static std::string choices() { return choice_names<Choice>(); }
  static std::string write(const std::vector<Choice>& values) {
    std::string text;
    for (auto const value : values) text += name(value);
    return text;
  }
  static std::vector<Choice> read(const std::string& option, std::string_view text) {
    std::vector<Choice> values;
    values.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
      values.push_back(OptionText<Choice>::read(option, text.substr(at, 1)));
    }
    return values;
  }
};

/// Throws Error where the option is one of another, which is not among the texts.
template <class Options, class Value>
void require_other(const TableOption<Options, Value>& option, std::string_view text, const OptionTexts& texts) {
  if (option.other == nullptr) return;
  if (std::ranges::any_of(texts, [&](const auto& given) { return given.first == option.other; })) return;
  throw Error(std::string(option.name) + " is '" + std::string(text) + "', and " + option.other + " is not given");
}

/// The member that an option is: of the plan's options, or of those of the preconditioner of a part.
template <class Options, class Option>
auto& value_of(Options& options, const Option& option) {
  if constexpr (requires { options.*option.member; }) {
    return options.*option.member;
  } else {
    return options.block.*option.member;
  }
}

[[noreturn]] inline void refuse_option(const std::string& preconditioner, const std::string& option) {
  throw Error(preconditioner + " has no option '" + option + "'");
}

/// Sets the options of a line of a table as the texts say. Throws Error where they name an option that the line does
/// not have, or one that means nothing without another that is not given.
template <class Options, class Line>
void read_options(Options& options, const Line& line, const OptionTexts& texts) {
  for (auto const& [name, text] : texts) {
    bool is_known = false;
    auto const read = [&](const auto& option) {
      if (name != option.name) return;
      auto& value = value_of(options, option);
      value = OptionText<std::remove_cvref_t<decltype(value)>>::read(name, text);
      require_other(option, text, texts);
      is_known = true;
    };
    std::apply([&](const auto&... each) { (read(each), ...); }, line.options);
    if (!is_known) refuse_option(line.name, name);
  }
}

template <class Options, class Value>
OptionDescription describe(const TableOption<Options, Value>& option) {
  using Text = OptionText<Value>;
  return {option.name,  option.summary,  Text::write(Options{}.*option.member),      Text::type,
          option.range, Text::choices(), option.other == nullptr ? "" : option.other};
}

}  // namespace hyperplane::run_time
