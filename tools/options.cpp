// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "spelling.hpp"

namespace hyperplane::tools {

namespace {

/// Makes 1000 of "1e3"; what is wrong with the text if it is not a whole number.
std::string to_whole_number(std::string& text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  std::int64_t whole = 0;
  if (auto const [after, error] = std::from_chars(begin, end, whole); error == std::errc{} && after == end) return {};
  double value = 0.0;
  auto const [after, error] = std::from_chars(begin, end, value);
  if (after != end || text.empty() || error == std::errc::invalid_argument || std::trunc(value) != value) {
    return fmt::format("'{}' is not a whole number", text);
  }
  constexpr double limit = 9007199254740992.0;  // from here on not every integer is a double
  if (error != std::errc{} || std::abs(value) > limit) return fmt::format("'{}' is too large", text);
  text = std::to_string(static_cast<std::int64_t>(value));
  return {};
}

/// What is wrong with the text if it is not a finite number.
std::string check_number(const std::string& text) {
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || std::isnan(value)) {
    return fmt::format("'{}' is not a number", text);
  }
  return std::isfinite(value) ? "" : fmt::format("'{}' is not finite", text);
}

}  // namespace

std::string join_words(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, "|")); }

CLI::Validator one_of(const std::string& option, const std::vector<std::string>& words) {
  auto const check = [words](const std::string& text) {
    if (std::ranges::count(words, text) > 0) return std::string{};
    return fmt::format("'{}' is not one of {}{}", text, join_words(words), suggestion(text, words));
  };
  return CLI::Validator(check, "", option);
}

CLI::Validator whole_number(const std::string& option) { return CLI::Validator(to_whole_number, "", option); }

CLI::Validator finite_number(const std::string& option) { return CLI::Validator(check_number, "", option); }

CLI::Option* add_number(CLI::App& app, const std::string& option, double& value, const std::string& description) {
  return app.add_option(option, value, description)->check(finite_number(option))->type_name("X");
}

CLI::Option* add_file(CLI::App& app, const std::string& option, std::filesystem::path& file,
                      const std::string& description) {
  auto const check = [](const std::string& name) { return name.empty() ? "the name of the file is empty" : ""; };
  return app.add_option(option, file, description)->check(CLI::Validator(check, "", option))->type_name("FILE");
}

}  // namespace hyperplane::tools
