// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <hyperplane.h>

#include <string>
#include <vector>

namespace hyperplane::test {

/// "serial, openmp" in parts.
inline std::vector<std::string> c_names(std::string list) {
  std::vector<std::string> names;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = list.find(", ");
    names.push_back(list.substr(0, end));
    if (end != std::string::npos) list.erase(0, end + 2);
  }
  return names;
}
inline std::vector<std::string> c_backends() { return c_names(hyperplane_backends()); }

/// The block sizes that the library has.
inline std::vector<int> c_block_sizes() {
  std::vector<int> sizes;
  for (int n = 1; n <= 16; ++n) {
    if (hyperplane_has_block_size(n) == 1) sizes.push_back(n);
  }
  return sizes;
}

/// A line of the library's table of preconditioners.
struct CPreconditioner {
  hyperplane_preconditioner_kind kind;
  hyperplane_preconditioner_description description;

  std::string name() const { return description.name; }
  bool has_option(const std::string& option) const {
    for (int o = 0; o < description.option_count; ++o) {
      if (option == description.options[o].name) return true;
    }
    return false;
  }
};

/// All that the library has, in the order of their numbers.
inline std::vector<CPreconditioner> c_preconditioners() {
  std::vector<CPreconditioner> all;
  auto const names = c_names(hyperplane_preconditioners());
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    auto& made = all.emplace_back();
    made.kind = static_cast<hyperplane_preconditioner_kind>(kind);
    EXPECT_EQ(hyperplane_preconditioner_describe(made.kind, &made.description), HYPERPLANE_SUCCESS);
    EXPECT_EQ(made.name(), names[kind]);
  }
  return all;
}

}  // namespace hyperplane::test
