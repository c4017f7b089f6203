// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <array>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What a preconditioner of several grid blocks couples.
enum class Coupling {
  none,  ///< each grid block by itself: its couplings across interfaces are left out of M, not of A
  /// In the order of colour, grid block, point: M is that of the whole matrix, couplings included. Of Sip it is that of
  /// each grid block, coupled as ILU(0) is.
  coloured,
  /// Of the parts of one box, in the order of the box's points: M is that of the box, bit by bit where no direction
  /// that is cut is periodic, elsewhere but for rounding. A periodic direction that one part spans is left out of M.
  natural,
};

/// All of them.
inline constexpr std::array<Coupling, 3> all_couplings{Coupling::none, Coupling::coloured, Coupling::natural};

constexpr const char* name(Coupling coupling) {
  switch (coupling) {
    case Coupling::none: return "none";
    case Coupling::coloured: return "coloured";
    case Coupling::natural: return "natural";
  }
  return "unknown";
}

namespace detail {

/// "no coupling natural with storage half; its couplings: none, coloured", of a Plan with has_coupling.
template <class Plan>
std::string no_coupling(Coupling coupling, const std::string& with_storage = "") {
  std::string result = "no coupling " + std::string(name(coupling)) + with_storage + "; its couplings: ";
  for (auto const other : all_couplings) {
    if (!Plan::has_coupling(other)) continue;
    result += (other == Coupling::none ? "" : ", ") + std::string(name(other));
  }
  return result;
}

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
