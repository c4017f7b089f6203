// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/digest.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <sstream>
#include <string>

/// Lists that have to be the same on all ranks.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// All that digest() counts, in a line for each.
inline std::string lines_of(std::span<const Grid> grids) {
  std::string result;
  for (std::size_t b = 0; b < grids.size(); ++b) {
    result += "grid block " + std::to_string(b) + " of " + to_string(grids[b]) + " points\n";
  }
  return result;
}
inline std::string lines_of(std::span<const Interface> interfaces) {
  std::string result;
  for (auto const& interface : interfaces) {
    result += to_string(interface) + ", donor " + std::to_string(interface.donor) + " from " +
              to_text(interface.donor_begin) + ", axes " + to_string(interface.transform) + "\n";
  }
  return result;
}

/// Throws Error on all ranks, "what: rank 3 has others than rank 0: ...; rank 0 has ...", where lists differ: the first
/// entries that do. Collective. Where lists are the same, their digests alone travel.
template <class T>
void require_same_list(const Communicator& communicator, const std::string& what, std::span<const T> list) {
  int const other = communicator.first_other(std::array{digest(list)});
  if (other == communicator.size()) return;
  std::string const mine = lines_of(list);
  std::istringstream expected(communicator.from(0, mine)), found(communicator.from(other, mine));
  std::string expected_line, found_line;
  while (expected_line == found_line && (expected || found)) {
    if (!std::getline(expected, expected_line)) expected_line = "no more";
    if (!std::getline(found, found_line)) found_line = "no more";
  }
  throw Error(what + ": rank " + std::to_string(other) + " has others than rank 0: " + found_line + "; rank 0 has " +
              expected_line);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
