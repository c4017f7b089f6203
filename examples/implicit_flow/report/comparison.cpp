// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comparison.hpp"

#include <hyperplane/core/error.hpp>

#include <cstdio>
#include <fstream>

namespace implicit_flow {

void print(const std::vector<Comparison>& comparisons, const char* source) {
  std::printf("\n%-28s %10s %10s %12s\n", "", "computed", source, "difference");
  for (auto const& c : comparisons) {
    std::printf("%-28s %10.4f %10.4f %10.3f %%\n", c.quantity.c_str(), c.computed, c.theory,
                100 * (c.computed / c.theory - 1));
  }
}

void write_csv(const std::filesystem::path& file, const std::vector<Comparison>& comparisons) {
  std::ofstream out(file);
  out.precision(10);
  out << "quantity,computed,theory\n";
  for (auto const& c : comparisons) out << c.quantity << ',' << c.computed << ',' << c.theory << '\n';
  out.close();
  if (!out) throw hyperplane::Error(file.string() + ": cannot be written");
}

}  // namespace implicit_flow
