// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spelling.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "library.hpp"
#include "matrix_market.hpp"

namespace hyperplane::tools {

namespace {

/// The least number of letters to insert, remove, replace, or swap with their neighbour (optimal string alignment).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? std::size_t{0} : 1)});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

/// Empty where none is close.
std::string closest(const std::string& word, const std::vector<std::string>& names) {
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string result;
  for (auto const& name : names) {
    auto const d = distance(word, name);
    if (d >= best) continue;
    best = d;
    result = name;
  }
  if (!result.empty()) return result;
  auto const begins = [&](const std::string& name) { return name.starts_with(word); };
  bool const unique = word.size() > 2 && std::ranges::count_if(names, begins) == 1;
  return unique ? *std::ranges::find_if(names, begins) : "";
}

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  auto const name = closest(word, names);
  return name.empty() ? "" : fmt::format("; did you mean {}?", name);
}

void check_environment() {
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    std::string const entry = *variable;
    auto const name = entry.substr(0, entry.find('='));
    for (std::string const known : {"HYPERPLANE_BACKEND", "HYPERPLANE_DEVICE", "HYPERPLANE_TIMERS"}) {
      auto const d = distance(name, known);
      if (d == 0 || d > 2) continue;
      throw InputError(fmt::format("{} is in the environment and nothing reads it; did you mean {}?", name, known));
    }
  }
}

std::string choose_backend(const std::string& wanted) {
  hyperplane_context context = nullptr;
  auto const status = hyperplane_context_create(wanted.c_str(), nullptr, &context);
  if (status == HYPERPLANE_SUCCESS) {
    const char* name = nullptr;
    check(hyperplane_context_backend(context, &name));
    std::string const result = name;
    check(hyperplane_free(context));
    return result;
  }
  auto message = library_message();
  if (status != HYPERPLANE_NOT_AVAILABLE) throw InputError(message);
  std::string_view const argument = "the argument backend";
  bool const from_option = message.starts_with(argument);
  if (from_option) message.replace(0, argument.size(), "--backend");
  const char* const variable = std::getenv("HYPERPLANE_BACKEND");
  auto const word = from_option || variable == nullptr ? wanted : variable;
  throw InputError(message + suggestion(word, split_list(hyperplane_backends())));
}

}  // namespace hyperplane::tools
