// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <exception>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Calls factor_stage() for each stage of a factorization, with what other processes need and have in between:
/// `remote`, a RemoteColours, is null where there are none. Where factor_stage() throws in a process, all throw.
///
/// Hosts send messages of all stages, also after an error, of which others know in the end: nobody waits for all
/// processes in between. What a device waits for has to come from a device that works: of each stage all agree first.
template <ExecutionSpace Exec, class Remote, class FactorStage>
void factor_stages(const Exec& exec, const Remote* remote, int count, const FactorStage& factor_stage) {
  if (remote == nullptr) {
    for (int stage = 0; stage < count; ++stage) factor_stage();
    return;
  }
  std::exception_ptr error;
  remote->expect_coefficients();
  for (int stage = 0; stage < count; ++stage) {
    if constexpr (HostExecutionSpace<Exec>) {
      try {
        if (!error) factor_stage();
      } catch (...) {
        error = std::current_exception();
      }
    } else {
      try {
        remote->agree(factor_stage);
      } catch (...) {
        // Which all throw: they have taken what was sent after the stages before.
        remote->finish_coefficients();
        throw;
      }
    }
    remote->exchange_coefficients(exec, stage);
  }
  remote->finish_coefficients();
  if constexpr (HostExecutionSpace<Exec>) {
    remote->agree([&] {
      if (error) std::rethrow_exception(error);
    });
  }
}

/// The stages of a solve upwards, then downwards: upwards(stage), of the last one with its backward sweep, then
/// downwards(stage) from the last one but one. In between values are sent that other processes need, and theirs are
/// awaited.
template <class Exec, class Remote, class Upwards, class Downwards, class SendForward, class SendBackward>
void solve_stages(const Exec& exec, const Remote* remote, int count, const Upwards& upwards, const Downwards& downwards,
                  const SendForward& send_forward, const SendBackward& send_backward) {
  int const last = count - 1;
  if (remote != nullptr) remote->expect_values();
  for (int stage = 0; stage <= last; ++stage) {
    upwards(stage);
    if (remote == nullptr || stage == last) continue;
    send_forward(stage);
    remote->await_forward(exec, stage);
  }
  for (int stage = last - 1; stage >= 0; --stage) {
    if (remote != nullptr) {
      send_backward(stage + 1);
      remote->await_backward(exec, stage + 1);
    }
    downwards(stage);
  }
  if (remote != nullptr) remote->finish_values();
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
