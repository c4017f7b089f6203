// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane.h>

#include <hyperplane/core/dispatch.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "csr_solvers.hpp"
#include "table_option.hpp"

// The table of preconditioners of compressed rows.
namespace hyperplane::run_time {

namespace {

template <class... Options>
struct CsrLine {
  const char* name;
  const char* summary;
  std::tuple<Options...> options;
  const char* storages = "double";  ///< that factors can have

  /// The same, whose factors have a type of their own; also 8 bits.
  constexpr CsrLine stored() const { return {name, summary, options, "double|float|half|bfloat16|automatic"}; }
  constexpr CsrLine stored_in_8_bits() const {
    return {name, summary, options, "double|float|half|bfloat16|quarter|automatic"};
  }
};
template <class... Options>
constexpr CsrLine<Options...> csr_line(const char* name, const char* summary, const Options&... options) {
  return {name, summary, {options...}};
}

using Settings = CsrPreconditionerSettings;
constexpr Range relaxations{.least = 0, .most = 2, .above_least = true, .below_most = true};
constexpr auto relaxation_option = option("relaxation", &Settings::relaxation, "relaxation", relaxations);
constexpr auto fill_option = option("fill", &Settings::fill, "levels of blocks that are added", {.least = 0});
constexpr auto drop_option = option("drop_tolerance", &Settings::drop_tolerance,
                                    "blocks that are smaller, relative to their row of A, are dropped", {.least = 0});
constexpr auto entries_option = option("row_entries", &Settings::row_entries,
                                       "blocks of a row that are kept on either side of the diagonal", {.least = 0});
constexpr auto order_option = option("order", &Settings::order, "in which order rows are taken");
constexpr auto transposed_option =
    option("transposed", &Settings::transposed, "1: for solves with the transpose, too", {.least = 0, .most = 1});

constexpr auto shift_option =
    option("pivot_shift", &Settings::pivot_shift,
           "share of the norm of its row of A that a singular pivot has added to its diagonal; 0: none", {.least = 0});

constexpr auto line_sweeps_option =
    option("line_sweeps", &Settings::line_sweeps, "sweeps through the lines", {.least = 1});
constexpr auto strong_option =
    option("strong_coupling", &Settings::strong_coupling,
           "lines follow couplings that are as many times the third strongest of both their points", {.least = 1});

/// A line's place is the number of its constant in C and Fortran.
constexpr auto csr_table = std::make_tuple(
    csr_line("identity", "none"),  //
    csr_line("jacobi", "block Jacobi", relaxation_option, transposed_option, shift_option).stored(),
    csr_line("ssor", "block SSOR", relaxation_option, order_option, transposed_option, shift_option).stored(),
    csr_line("dilu", "DILU", order_option, transposed_option, shift_option).stored(),
    csr_line("bilu0", "block ILU(0)", order_option, transposed_option, shift_option).stored_in_8_bits(),
    csr_line("iluk", "block ILU(k)", fill_option, order_option, transposed_option, shift_option).stored_in_8_bits(),
    csr_line("ilut", "block ILUT", drop_option, entries_option, order_option, transposed_option, shift_option)
        .stored_in_8_bits(),
    csr_line("lines", "line-implicit iteration", relaxation_option, line_sweeps_option, strong_option,
             transposed_option));
static_assert(std::get<csr_identity>(csr_table).name == std::string_view("identity") &&
              std::get<csr_jacobi>(csr_table).name == std::string_view("jacobi") &&
              std::get<csr_ssor>(csr_table).name == std::string_view("ssor") &&
              std::get<csr_dilu>(csr_table).name == std::string_view("dilu") &&
              std::get<csr_bilu0>(csr_table).name == std::string_view("bilu0") &&
              std::get<csr_iluk>(csr_table).name == std::string_view("iluk") &&
              std::get<csr_ilut>(csr_table).name == std::string_view("ilut") &&
              std::get<csr_lines>(csr_table).name == std::string_view("lines") &&
              std::tuple_size_v<decltype(csr_table)> == csr_lines + 1);
static_assert(HYPERPLANE_CSR_IDENTITY == csr_identity && HYPERPLANE_CSR_JACOBI == csr_jacobi &&
              HYPERPLANE_CSR_SSOR == csr_ssor && HYPERPLANE_CSR_DILU == csr_dilu && HYPERPLANE_CSR_BILU0 == csr_bilu0 &&
              HYPERPLANE_CSR_ILUK == csr_iluk && HYPERPLANE_CSR_ILUT == csr_ilut && HYPERPLANE_CSR_LINES == csr_lines);
static_assert(static_cast<int>(RowOrder::given) == HYPERPLANE_ORDER_GIVEN &&
              static_cast<int>(RowOrder::colours) == HYPERPLANE_ORDER_COLOURS &&
              static_cast<int>(RowOrder::lines) == HYPERPLANE_ORDER_LINES);

template <class F>
void for_each_csr_line(const F& f) {
  std::apply([&](const auto&... lines) { (f(lines), ...); }, csr_table);
}

std::vector<PreconditionerDescription> describe_csr_lines() {
  std::vector<PreconditionerDescription> all;
  for_each_csr_line([&](const auto& line) {
    auto& made =
        all.emplace_back(PreconditionerDescription{line.name, line.summary, max_block_size, line.storages, {}});
    std::apply([&](const auto&... options) { (made.options.push_back(describe(options)), ...); }, line.options);
  });
  return all;
}

}  // namespace

std::span<const PreconditionerDescription> csr_preconditioners() {
  static auto const& all = *new std::vector<PreconditionerDescription>(describe_csr_lines());
  return all;
}

CsrPreconditionerSettings csr_preconditioner_settings(std::string_view name, const OptionTexts& options) {
  Settings settings{.kind = find_in_table(csr_preconditioners(), name)};
  int kind = 0;
  for_each_csr_line([&](const auto& line) {
    if (kind++ == settings.kind) read_options(settings, line, options);
  });
  return settings;
}

void require_own_options(const CsrPreconditionerSettings& settings) {
  require_storage(csr_preconditioners(), settings.kind, settings.storage, settings.storage_fraction);
  auto const& own = csr_preconditioners()[static_cast<std::size_t>(settings.kind)];
  Settings const standard;
  auto const require = [&](const auto& option) {
    if (settings.*option.member == standard.*option.member) return;
    if (std::ranges::find(own.options, option.name, &OptionDescription::name) == own.options.end()) {
      refuse_option(own.name, option.name);
    }
  };
  for_each_csr_line(
      [&](const auto& line) { std::apply([&](const auto&... options) { (require(options), ...); }, line.options); });
}

}  // namespace hyperplane::run_time
