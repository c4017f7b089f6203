// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/communicator.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include "c_library.hpp"

namespace hyperplane::c {

/// What f() returns, as Communicator::agree(). Where it throws on a rank, all ranks throw Failure with the status of
/// the lowest of these.
template <class F>
auto agree_status(const Communicator& communicator, const F& f) {
  constexpr std::int64_t statuses = 256, none = std::numeric_limits<std::int64_t>::max();
  std::int64_t mine = none;
  try {
    return communicator.agree([&] {
      try {
        return f();
      } catch (...) {
        mine = communicator.rank() * statuses + note_exception("agree_status");
        throw;
      }
    });
  } catch (const Error& error) {
    auto const first = communicator.lowest(mine);
    // MPI itself has failed.
    if (first == none) throw;
    throw Failure(static_cast<hyperplane_status>(first % statuses), error.what());
  }
}

}  // namespace hyperplane::c
