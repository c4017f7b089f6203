// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/krylov/detail/multi_dot.hpp>
#include <hyperplane/krylov/options.hpp>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a Krylov method does with all elements of vectors that one instance of this process has.
struct KrylovElements {
  /// For launches over the elements of a vector.
  template <ExecutionSpace Exec, class Vector>
  static IndexRange<Exec> elements(const Exec& exec, const Vector& v) {
    return {exec, 0, v.flat().size()};
  }

  /// As MultiDot: run().
  template <class Scalar, ExecutionSpace Exec>
  using DotsOf = MultiDot<Scalar, Exec>;

  template <class Scalar, ExecutionSpace Exec, class Vector>
  static DotsOf<Scalar, Exec> dots(const Exec& exec, const Vector& v, int max_count) {
    return DotsOf<Scalar, Exec>(exec, {static_cast<std::int64_t>(v.flat().size())}, max_count);
  }
};

/// What processes have to agree on where one of them has all of the vectors: nothing.
template <class Domain>
struct KrylovInOneProcess {
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

/// What a Krylov method leaves to the domain of its vectors: where their elements are, how sums are joined, and what
/// all processes have to agree on where each of them has a part of the vectors. This is for domains that one instance
/// has alone; one that is spread over processes, or devices, has a specialization. Over processes all functions are
/// collective, but those of KrylovElements.
template <class Domain>
struct KrylovProcesses : KrylovElements, KrylovInOneProcess<Domain> {
  /// As Reducer: run() and complete().
  template <ExecutionSpace Exec>
  using ReducerOf = Reducer<Exec>;

  /// For the elements of a vector.
  template <ExecutionSpace Exec, class Vector>
  static ReducerOf<Exec> reducer(const Exec& exec, const Vector& v) {
    return ReducerOf<Exec>(exec, static_cast<std::int64_t>(v.flat().size()));
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
