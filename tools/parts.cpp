// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <hyperplane/blocks/choose_parts.hpp>
#include <hyperplane/blocks/cut_grid.hpp>

#include "library.hpp"
#include "option_text.hpp"
#include "spelling.hpp"

namespace hyperplane::tools {

namespace {

/// The preconditioner that parts do not change: they cost copies alone, and never pay.
constexpr const char* same_in_parts = "jacobi";

auto& parts_of(auto& options) {
  return *std::ranges::find_if(options, [](const auto& option) { return option.is_parts(); });
}

}  // namespace

PreconditionerOption& find_parts(SolverSettings& settings) { return parts_of(settings.options); }
const PreconditionerOption& find_parts(const SolverSettings& settings) { return parts_of(settings.options); }

void check_parts(const SolverSettings& settings, const Grid& grid, const std::string& why) {
  auto const& [flag, meanings, text] = find_parts(settings);
  std::array<int, 3> parts{};
  try {
    if (read_count(text) > 0) {
      hyperplane::choose_parts(grid, read_count(text));
    } else if (read_extents(text, parts)) {
      cut_grid(grid, parts);
    }
  } catch (const Error& error) {
    throw InputError(fmt::format("{} {}{}: {}", flag, text, why, error.what()));
  }
}

bool are_chosen(const SolverSettings& settings) {
  auto const& text = find_parts(settings).text;
  return text == automatic_parts || read_count(text) > 0;
}

std::string choose_parts(const std::string& backend, const SolverSettings& settings, const HostStencil& a) {
  auto const& text = find_parts(settings).text;
  bool const is_automatic = text == automatic_parts;
  if (is_automatic && settings.preconditioner == same_in_parts) return "1x1x1";
  // Where a number is given, the first one is of the host: a device need not have room for all of the matrix.
  auto const place = is_automatic ? backend : split_list(hyperplane_backends()).front();
  Owned<hyperplane_context> const context(hyperplane_context_create, place.c_str(), nullptr);
  hyperplane_grid const grid{a.grid.ni(), a.grid.nj(), a.grid.nk()};
  Owned<hyperplane_matrix> const matrix(hyperplane_matrix_create, context.get(), grid, a.block_size,
                                        settings.matrix_storage());
  check(hyperplane_matrix_set(matrix.get(), a.values.data(), static_cast<std::int64_t>(a.values.size()),
                              HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST));
  std::array<int, 3> parts{};
  int const count = is_automatic ? static_cast<int>(HYPERPLANE_PARTS_AUTOMATIC) : read_count(text);
  check(hyperplane_matrix_choose_parts(matrix.get(), count, parts.data()));
  return fmt::format("{}", fmt::join(parts, "x"));
}

}  // namespace hyperplane::tools
