// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/communicator.hpp>

#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The pointer that make() returns; null, on all ranks, where a rank does not suit, and where make() throws Error,
/// which it does on all ranks or on none. Collective, as make() is.
template <class Make>
std::invoke_result_t<const Make&> made_by_all(const Communicator& communicator, bool suits, const Make& make) {
  if (communicator.any(!suits)) return nullptr;
  try {
    return make();
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
