// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/krylov/options.hpp>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a Krylov method leaves to the domain of its vectors: how sums are joined, and what all processes have to agree
/// on where each of them has a part of the vectors. This is for domains that one process has alone; one that is spread
/// over processes has a specialization, in which all functions are collective.
template <class Domain>
struct KrylovProcesses {
  /// As Reducer: run() and complete().
  template <ExecutionSpace Exec>
  using ReducerOf = Reducer<Exec>;

  /// For vectors of `size` values in this process.
  template <ExecutionSpace Exec>
  static ReducerOf<Exec> reducer(const Exec& exec, const Domain&, std::int64_t size) {
    return ReducerOf<Exec>(exec, size);
  }
  /// What make() returns, as memory of this process. Where it throws in one process, it does in all.
  template <class Make>
  static auto made(const Domain&, const Make& make) {
    return make();
  }
  /// The options that a method goes by. Throws Error where one is out of range.
  static KrylovOptions options(const Domain&, const std::string& method, const KrylovOptions& given) {
    check_options(method, given);
    return given;
  }
  /// Throws Error where check() does: what a solve is called with is wrong.
  template <class Check>
  static void check(const Domain&, const std::string& /*method*/, const KrylovLimits&, const Check& check) {
    check();
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
