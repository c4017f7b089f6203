// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "option_text.hpp"

/// Kinds of options of the command line. CLI11 compiles for long: one file alone includes it.
namespace hyperplane::tools {

/// Refuses what is none of the words, and suggests one.
inline CLI::Validator one_of(const std::string& option, const std::vector<std::string>& words) {
  return {[words](const std::string& text) { return refusal_of_choice(text, words); }, "", option};
}

/// An option that takes one of several names and no other spelling of them.
template <class Choice>
void add_choice(CLI::App& app, const std::string& option, Choice& choice,
                const std::vector<std::pair<std::string, Choice>>& choices, const std::string& description) {
  std::vector<std::string> names;
  std::string standard;
  for (auto const& [name, value] : choices) {
    names.push_back(name);
    if (value == choice) standard = name;
  }
  auto const choose = [&choice, choices](const std::string& text) {
    for (auto const& [name, value] : choices) {
      if (name == text) choice = value;
    }
  };
  app.add_option_function<std::string>(option, choose, description)
      ->check(one_of(option, names))
      ->type_name(join_words(names))
      ->default_str(standard);
}

/// An option that takes an integer, which may be written as 1e6.
template <class Integer>
CLI::Option* add_integer(CLI::App& app, const std::string& option, Integer& value, std::int64_t least,
                         std::int64_t most, const std::string& description) {
  auto const check = [least, most](std::string& text) { return refusal_of_integer(text, least, most); };
  return app.add_option(option, value, description)->transform(CLI::Validator(check, "", option))->type_name("N");
}

/// An option that takes a number.
inline CLI::Option* add_number(CLI::App& app, const std::string& option, double& value,
                               const std::string& description) {
  return app.add_option(option, value, description)
      ->check(CLI::Validator(refusal_of_number, "", option))
      ->type_name("X");
}

/// An option that takes the name of a file, which an empty variable of a shell is not.
inline CLI::Option* add_file(CLI::App& app, const std::string& option, std::filesystem::path& file,
                             const std::string& description) {
  auto const check = [](const std::string& name) { return name.empty() ? "the name of the file is empty" : ""; };
  return app.add_option(option, file, description)->check(CLI::Validator(check, "", option))->type_name("FILE");
}

}  // namespace hyperplane::tools
