// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How many threads an instance has. Where Kokkos 4 keeps what is deprecated, as it does by default, `concurrency` is
/// static, and as `exec.concurrency()` answers for the default instance, whatever the threads of this one.
template <ExecutionSpace Exec>
int concurrency_of(const Exec& exec) {
  if constexpr (requires { Exec::concurrency(exec); }) {
    return static_cast<int>(Exec::concurrency(exec));
  } else {
    return static_cast<int>(exec.concurrency());
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
