// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boundary.hpp"

#include <hyperplane/core/error.hpp>

namespace implicit_flow {

namespace {

constexpr const char* boundary_names[] = {"supersonic_inflow", "outflow",      "pressure_outflow",
                                          "slip_wall",         "no_slip_wall", "far_field"};
constexpr const char* side_names[] = {"imin", "imax", "jmin", "jmax", "kmin", "kmax"};

template <class Enum, std::size_t count>
Enum parse(const char* const (&names)[count], const char* what, const std::string& text) {
  std::string list;
  for (std::size_t index = 0; index < count; ++index) {
    if (text == names[index]) return static_cast<Enum>(index);
    list += (index == 0 ? "" : ", ") + std::string(names[index]);
  }
  throw hyperplane::Error("'" + text + "' is not a " + what + ": one of " + list);
}

}  // namespace

const char* name(Boundary boundary) { return boundary_names[static_cast<int>(boundary)]; }
const char* name(Side side) { return side_names[static_cast<int>(side)]; }

Boundary parse_boundary(const std::string& text) { return parse<Boundary>(boundary_names, "boundary condition", text); }
Side parse_side(const std::string& text) { return parse<Side>(side_names, "side", text); }

}  // namespace implicit_flow
