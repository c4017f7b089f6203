// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane.h>

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "preconditioner_table.hpp"

// The table of preconditioners for everything that has no templates.
namespace hyperplane::run_time {

namespace {

constexpr bool is_at(std::size_t place, std::string_view name) {
  std::size_t at = 0;
  bool found = false;
  std::apply([&](const auto&... lines) { ((found = found || (at++ == place && name == lines.name)), ...); },
             library_preconditioners);
  return found;
}

// Constants of C that are there for each line.
static_assert(is_at(HYPERPLANE_IDENTITY, "identity") && is_at(HYPERPLANE_JACOBI, "jacobi") &&
              is_at(HYPERPLANE_SSOR, "ssor") && is_at(HYPERPLANE_SIP, "sip") && is_at(HYPERPLANE_LINES, "lines") &&
              is_at(HYPERPLANE_BILU0, "bilu0") &&
              std::tuple_size_v<decltype(library_preconditioners)> == HYPERPLANE_BILU0 + 1);
static_assert(identity == HYPERPLANE_IDENTITY);

/// "double|float"
template <class Line>
std::string storages_of(const Line&) {
  std::string names;
  for (auto const storage : storage_kinds) {
    if (storage == StorageKind::quarter ? !Line::has_quarter_factors : is_short(storage) && !Line::has_short_factors) {
      continue;
    }
    names += (names.empty() ? "" : "|") + std::string(name(storage));
  }
  if (Line::has_short_factors) names += std::string("|") + automatic_storage;
  return names;
}

std::vector<PreconditionerDescription> describe_all() {
  std::vector<PreconditionerDescription> all;
  for_each_preconditioner([&]<class Line>(const Line& line) {
    auto& made = all.emplace_back(
        PreconditionerDescription{line.name, line.summary, Line::largest_block_size, storages_of(line), {}});
    std::apply([&](const auto&... options) { (made.options.push_back(describe(options)), ...); }, line.options);
  });
  return all;
}

}  // namespace

std::span<const PreconditionerDescription> preconditioners() {
  static auto const& all = *new std::vector<PreconditionerDescription>(describe_all());
  return all;
}

void require_storage(std::span<const PreconditionerDescription> table, int kind, StorageKind storage,
                     const std::optional<double>& storage_fraction) {
  std::string const wanted = storage_fraction ? automatic_storage : name(storage);
  auto const& made_for = table[detail::as_size(kind)];
  if (made_for.has_storage(wanted)) return;
  std::string others;
  for (auto const& each : table) {
    if (each.has_storage(wanted)) others += (others.empty() ? "" : " and ") + each.name;
  }
  throw Error("storage is '" + wanted + "', which " + made_for.name + " has not, but " + others);
}

int find_preconditioner(std::string_view name) { return find_in_table(preconditioners(), name); }

int find_in_table(std::span<const PreconditionerDescription> table, std::string_view name) {
  std::string names;
  for (int kind = 0; auto const& each : table) {
    if (each.name == name) return kind;
    names += (kind++ == 0 ? "" : ", ") + each.name;
  }
  throw Error("there is no preconditioner '" + std::string(name) + "', but: " + names);
}

}  // namespace hyperplane::run_time
