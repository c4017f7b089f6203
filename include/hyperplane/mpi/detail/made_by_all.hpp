// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/communicator.hpp>

#include <concepts>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The pointer that make() returns; null, on all ranks, where suits() is false or throws on a rank, and where make()
/// throws Error, which it does on all ranks or on none. Collective, as make() is; suits() is of each rank alone.
template <std::predicate Suits, class Make>
std::invoke_result_t<const Make&> made_by_all(const Communicator& communicator, const Suits& suits, const Make& make) {
  auto const suits_here = [&] {
    try {
      return suits();
    } catch (...) {
      return false;
    }
  };
  if (communicator.any(!suits_here())) return nullptr;
  try {
    return make();
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
