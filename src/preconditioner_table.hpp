// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/parted.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "objects.hpp"
#include "table_option.hpp"

/// The one table of preconditioners. C, Fortran and the command line know what it says, and nothing else: names,
/// options with their ranges and defaults, and, by the enumerations of options, paths.
namespace hyperplane::run_time {

/// Whether factors of plans can have 16 bits: then they have PlanOfDouble, of a matrix of doubles. And 8 bits.
template <class Plans>
inline constexpr bool has_short_factors = requires { Plans::has_short_factors; };
template <class Plans>
inline constexpr bool has_quarter_factors = requires { Plans::has_quarter_factors; };

/// A line: its name, a summary, the plans, and the members of their options that are options outside of C++.
template <class Plans, Part its_part, int largest, class... Options>
struct TableLine {
  using AllPlans = Plans;
  static constexpr Part part = its_part;
  static constexpr int largest_block_size = largest;
  static constexpr bool has_short_factors = run_time::has_short_factors<Plans>;
  static constexpr bool has_quarter_factors = run_time::has_quarter_factors<Plans>;
  /// Whether factors can be narrower than the matrix in this type.
  template <class Storage>
  static constexpr bool has_factors = std::is_same_v<Storage, Quarter> ? has_quarter_factors : has_short_factors;
  template <int n, class Exec, class Storage>
  using Plan = typename Plans::template Plan<n, Exec, Storage>;

  const char* name;
  const char* summary;
  std::tuple<Options...> options;
};

template <class Plans, Part part = Part::points, int largest = max_block_size, class... Options>
constexpr TableLine<Plans, part, largest, Options...> line(const char* name, const char* summary,
                                                           const Options&... options) {
  return {name, summary, {options...}};
}

/// Whether no two lines have the same name, by which C, Fortran and the command line ask for them.
template <class... Lines>
constexpr bool names_are_unique(const std::tuple<Lines...>& table) {
  auto names = std::apply(
      [](const auto&... lines) { return std::array<std::string_view, sizeof...(lines)>{lines.name...}; }, table);
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

// Plans are named by types: nvcc takes no class template with constraints as an argument.
struct IdentityPlans {
  template <int n, class Exec, class Storage>
  using Plan = Identity<double, n, Exec, Storage>;
};
struct BlockJacobiPlans {
  template <int n, class Exec, class Storage>
  using Plan = Parted<BlockJacobi<double, n, Exec, Storage>>;
  template <int n, class Exec, class Storage>
  using PlanOfDouble = Parted<BlockJacobi<double, n, Exec, Storage>, double>;
  static constexpr bool has_short_factors = true;
};
struct SsorPlans {
  template <int n, class Exec, class Storage>
  using Plan = Parted<Ssor<double, n, Exec, Storage>>;
  template <int n, class Exec, class Storage>
  using PlanOfDouble = Parted<Ssor<double, n, Exec, Storage>, double>;
  static constexpr bool has_short_factors = true;
  static constexpr bool has_quarter_factors = true;
};
struct SipPlans {
  template <int n, class Exec, class Storage>
  using Plan = Parted<Sip<double, Exec, Storage>>;
  template <int n, class Exec, class Storage>
  using PlanOfDouble = Parted<Sip<double, Exec, Storage>, double>;
  static constexpr bool has_short_factors = true;
};
struct LineImplicitPlans {
  template <int n, class Exec, class Storage>
  using Plan = LineImplicit<double, n, Exec, Storage>;
};
struct BlockIlu0Plans {
  template <int n, class Exec, class Storage>
  using Plan = Parted<BlockIlu0<double, n, Exec, Storage>>;
  template <int n, class Exec, class Storage>
  using PlanOfDouble = Parted<BlockIlu0<double, n, Exec, Storage>, double>;
  static constexpr bool has_short_factors = true;
  static constexpr bool has_quarter_factors = true;
};

inline constexpr Range relaxations{.least = 0, .most = 2, .above_least = true, .below_most = true};
inline constexpr Range together{.least = 1, .most = 3};
inline constexpr const char* path_summary = "path";
inline constexpr Range part_counts{.least = 1};
inline constexpr const char* folded_summary = "directions from both ends to the middle";
inline constexpr const char* together_summary = "right-hand sides that are solved for together at most";
/// Options is that of a part.
template <class Options>
inline constexpr auto parts_option =
    option("parts", &PartedOptions<Options>::parts, "parts that the grid is cut into", part_counts);
template <class Options>
inline constexpr auto coupling_option =
    option("coupling", &PartedOptions<Options>::coupling, "how parts are coupled").of("parts");

/// A line's place is the number of its constant in C and Fortran. The first does nothing, and is not factored.
inline constexpr auto library_preconditioners = std::make_tuple(
    line<IdentityPlans>("identity", "none"),  //
    line<BlockJacobiPlans>("jacobi", "block Jacobi", parts_option<BlockJacobiOptions>,
                           coupling_option<BlockJacobiOptions>),
    line<SsorPlans>("ssor", "block SSOR", option("relaxation", &SsorOptions::relaxation, "relaxation", relaxations),
                    option("path", &SsorOptions::path, path_summary),
                    option("right_hand_sides", &SsorOptions::right_hand_sides, together_summary, together),
                    option("folded", &SsorOptions::folded, folded_summary), parts_option<SsorOptions>,
                    coupling_option<SsorOptions>),
    line<SipPlans, Part::points, 1>(
        "sip", "SIP for one unknown per point",
        option("alpha", &SipOptions::alpha, "share of the extrapolation", {.least = 0, .most = 1, .below_most = true}),
        option("path", &SipOptions::path, path_summary),
        option("right_hand_sides", &SipOptions::right_hand_sides, together_summary, together), parts_option<SipOptions>,
        coupling_option<SipOptions>),
    line<LineImplicitPlans, Part::lines>(
        "lines", "line-implicit iteration",
        option("relaxation", &LineImplicitOptions::relaxation, "relaxation", relaxations),
        option("line_directions", &LineImplicitOptions::directions, "directions that take turns"),
        option("line_sweeps", &LineImplicitOptions::sweeps, "sweeps through the directions", {.least = 1})),
    line<BlockIlu0Plans>("bilu0", "block ILU(0)", option("path", &BlockIlu0Options::path, path_summary),
                         option("right_hand_sides", &BlockIlu0Options::right_hand_sides, together_summary, together),
                         option("folded", &BlockIlu0Options::folded, folded_summary), parts_option<BlockIlu0Options>,
                         coupling_option<BlockIlu0Options>));

}  // namespace hyperplane::run_time

// A header of one's own: `extra_preconditioners`, a tuple of lines, in namespace hyperplane::run_time.
#ifdef HYPERPLANE_EXTRA_PRECONDITIONERS
#include HYPERPLANE_EXTRA_PRECONDITIONERS
#endif

namespace hyperplane::run_time {

inline constexpr auto preconditioner_table = std::tuple_cat(library_preconditioners
#ifdef HYPERPLANE_EXTRA_PRECONDITIONERS
                                                            ,
                                                            extra_preconditioners
#endif
);
static_assert(names_are_unique(preconditioner_table),
              "a preconditioner of HYPERPLANE_EXTRA_PRECONDITIONERS has the name of another one");

/// Calls `f(line)` for each line, in order.
template <class F>
constexpr void for_each_preconditioner(const F& f) {
  std::apply([&](const auto&... lines) { (f(lines), ...); }, preconditioner_table);
}

}  // namespace hyperplane::run_time
