// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace implicit_flow {

/// A number that the flow gives and a theory too, or a publication.
struct Comparison {
  std::string quantity;
  double computed;
  double theory;
};

/// `source` is the title of what the numbers are compared with.
void print(const std::vector<Comparison>& comparisons, const char* source = "theory");

/// Comma-separated values. Throws hyperplane::Error if the file cannot be written.
void write_csv(const std::filesystem::path& file, const std::vector<Comparison>& comparisons);

}  // namespace implicit_flow
