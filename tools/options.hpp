// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

/// Kinds of options of the command line.
namespace hyperplane::tools {

/// Refuses what is none of the words, and suggests one.
CLI::Validator one_of(const std::string& option, const std::vector<std::string>& words);
/// "a|b"
std::string join_words(const std::vector<std::string>& words);
/// Makes 1000 of "1e3", and refuses what is not a whole number.
CLI::Validator whole_number(const std::string& option);
/// Refuses what is not a number, and what is not finite, for which a command line has no use.
CLI::Validator finite_number(const std::string& option);

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
template <class Integer, class Limit>
CLI::Option* add_integer(CLI::App& app, const std::string& option, Integer& value, Limit least, Limit most,
                         const std::string& description) {
  return app.add_option(option, value, description)
      ->check(CLI::Range(least, most).description(""))
      ->transform(whole_number(option))
      ->type_name("N");
}

/// An option that takes a number.
CLI::Option* add_number(CLI::App& app, const std::string& option, double& value, const std::string& description);

/// An option that takes the name of a file, which an empty variable of a shell is not.
CLI::Option* add_file(CLI::App& app, const std::string& option, std::filesystem::path& file,
                      const std::string& description);

}  // namespace hyperplane::tools
