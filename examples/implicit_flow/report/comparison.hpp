// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace implicit_flow {

/// A number that the flow gives and a theory too.
struct Comparison {
  std::string quantity;
  double computed;
  double theory;
};

void print(const std::vector<Comparison>& comparisons);

/// Comma-separated values. Throws hyperplane::Error if the file cannot be written.
void write_csv(const std::filesystem::path& file, const std::vector<Comparison>& comparisons);

}  // namespace implicit_flow
