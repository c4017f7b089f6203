// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/array/detail/reduce_portable_kernels.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// Reductions over nests on every execution space. What is joined with what is a function of the nest alone, never of
/// the number of threads or multiprocessors.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Values of partial results that a reduction needs memory for.
template <ExecutionSpace Exec>
constexpr std::int64_t reduce_portable_values() {
  return reduce_max_values * (HostExecutionSpace<Exec> ? reduce_parts : reduce_lanes + reduce_parts);
}

/// What follows the partial results of chunks (`parts` of them) or lanes: finish(their join).
template <class Join, int count, ExecutionSpace Exec, class Value, class Finish>
void reduce_portable_parts(const Exec& exec, const std::string& label, Value* partial, std::int64_t parts,
                           const Finish& finish) {
  if (!HostExecutionSpace<Exec> && parts > 0) {
    Value* const folded = partial + reduce_max_values * reduce_lanes;
    launch(label + "::fold", LongIndexRange<Exec>(exec, 0, count * reduce_parts),
           1.0 * reduce_lanes / reduce_parts * sizeof(Value), ReduceFold<Join, Value>{partial, folded});
    partial = folded;
  }
  launch(label + "::finish", LongIndexRange<Exec>(exec, 0, 1), 1.0 * reduce_parts * sizeof(Value),
         ReduceFinish<Join, count, Value, Finish>{partial, parts, finish});
}

/// finish(op(...) joined over all elements of the nest). Two launches on the host, three on a device.
template <class Join, ExecutionSpace Exec, class T, int arrays, class Op, class Finish>
void reduce_portable(const Exec& exec, const std::string& label, const Nest<T, arrays>& nest, const Op& op,
                     const Finish& finish, std::byte* memory) {
  using Kernel =
      std::conditional_t<HostExecutionSpace<Exec>, ReduceChunk<Join, T, arrays, Op>, ReduceLane<Join, T, arrays, Op>>;
  using Value = typename Kernel::Value;
  constexpr int count = Kernel::count;
  static_assert(count <= reduce_max_values && sizeof(Value) <= sizeof(double));
  using Indices = LongIndexRange<Exec>;
  auto* partial = reinterpret_cast<Value*>(memory);
  std::int64_t parts = 0;
  if (nest.size() > 0) {
    if constexpr (HostExecutionSpace<Exec>) {
      NestParts const row_parts(nest);
      auto const chunk = std::max(row_parts.parts_of_chunk(), (row_parts.m_parts + reduce_parts - 1) / reduce_parts);
      parts = (row_parts.m_parts + chunk - 1) / chunk;
      launch(label, Indices(exec, 0, parts),
             1.0 * arrays * sizeof(T) * static_cast<double>(nest.size()) / static_cast<double>(parts),
             Kernel{nest, row_parts, op, partial, chunk, parts});
    } else {
      parts = reduce_parts;
      Kokkos::parallel_for(label, Indices(exec, 0, reduce_lanes).policy(),
                           Kernel{nest, op, partial, nest.size(), NestDigits(reduce_lanes, nest.m_extents)});
    }
  }
  reduce_portable_parts<Join, count>(exec, label, partial, parts, finish);
}

/// finish(body(e) joined over 0 <= e < size), in as many launches.
template <class Join, ExecutionSpace Exec, class Body, class Finish>
void reduce_portable_indices(const Exec& exec, const std::string& label, std::int64_t size, const Body& body,
                             const Finish& finish, std::byte* memory) {
  using Kernel =
      std::conditional_t<HostExecutionSpace<Exec>, ReduceIndexChunk<Join, Body>, ReduceIndexLane<Join, Body>>;
  using Value = typename Kernel::Value;
  static_assert(Kernel::count <= reduce_max_values && sizeof(Value) <= sizeof(double));
  using Indices = LongIndexRange<Exec>;
  auto* const partial = reinterpret_cast<Value*>(memory);
  std::int64_t parts = 0;
  if constexpr (HostExecutionSpace<Exec>) {
    constexpr auto block = Kernel::block;
    // A few blocks where there are more of them than partial results.
    auto const chunk = (size + block * reduce_parts - 1) / (block * reduce_parts) * block;
    if (size > 0) parts = (size + chunk - 1) / chunk;
    // Two vectors, as most bodies have; more read others as well, which the cost of a team is small beside.
    launch(label, Indices(exec, 0, parts),
           2.0 * sizeof(double) * static_cast<double>(size) / static_cast<double>(parts),
           Kernel{body, size, partial, chunk, parts});
  } else {
    parts = reduce_parts;
    Kokkos::parallel_for(label, Indices(exec, 0, reduce_lanes).policy(), Kernel{body, size, partial});
  }
  reduce_portable_parts<Join, Kernel::count>(exec, label, partial, parts, finish);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
