// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "published.hpp"

#include <hyperplane/core/error.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>

namespace backward_facing_step {

namespace {

constexpr double shortest_inlet = 2;

struct Reattachment {
  double reynolds;
  double x;
};

constexpr Reattachment erturk[] = {{100, 2.922}, {200, 4.982}, {400, 8.237}};

constexpr double gartling_reynolds = 800;
constexpr double gartling_height = 2;
constexpr double gartling_reattachment = 6.10;
constexpr double gartling_upper_separation = 4.85;
constexpr double gartling_upper_reattachment = 10.48;

bool is(double a, double b) { return std::abs(a - b) < 1e-9 * b; }

}  // namespace

std::vector<Comparison> compare_with_published(const Channel& channel, const Bubbles& bubbles) {
  std::vector<Comparison> result;
  auto const add = [&](const char* quantity, const char* source, std::optional<double> computed, double published) {
    if (computed) result.push_back({quantity, source, *computed, published});
  };
  if (channel.step_cells == 0) return result;
  double const reynolds = 2 / channel.viscosity;
  if (channel.x(0) <= -shortest_inlet) {
    for (auto const& row : erturk) {
      if (is(reynolds, row.reynolds)) add("reattachment", "Erturk 2008", bubbles.reattachment, row.x);
    }
  } else if (channel.inlet_cells == 0 && is(reynolds, gartling_reynolds)) {
    char const* const source = "Gartling 1990";
    add("reattachment", source, bubbles.reattachment, gartling_height * gartling_reattachment);
    add("separation, upper wall", source, bubbles.upper_separation, gartling_height * gartling_upper_separation);
    add("reattachment, upper wall", source, bubbles.upper_reattachment, gartling_height * gartling_upper_reattachment);
  }
  return result;
}

void print(const std::vector<Comparison>& comparisons) {
  if (comparisons.empty()) return;
  std::printf("\n%-26s %10s %10s %12s   %s\n", "x / height of the step", "computed", "published", "difference",
              "source");
  for (auto const& c : comparisons) {
    std::printf("%-26s %10.3f %10.3f %10.2f %%   %s\n", c.quantity.c_str(), c.computed, c.published,
                100 * (c.computed / c.published - 1), c.source.c_str());
  }
}

void write_csv(const std::filesystem::path& file, const std::vector<Comparison>& comparisons) {
  std::ofstream out(file);
  out.precision(10);
  out << "quantity,source,computed,published\n";
  for (auto const& c : comparisons) {
    out << '"' << c.quantity << "\"," << c.source << ',' << c.computed << ',' << c.published << '\n';
  }
  out.close();
  if (!out) throw hyperplane::Error(file.string() + ": cannot be written");
}

}  // namespace backward_facing_step
