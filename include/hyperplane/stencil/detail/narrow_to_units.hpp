// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/narrow_values.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/detail/narrow_packs_to_units.hpp>
#include <hyperplane/stencil/detail/narrow_slots_to_units.hpp>
#include <hyperplane/stencil/for_packs.hpp>
#include <hyperplane/stencil/scaled_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What NarrowToUnits finds, or the largest number. Waits for the instance.
template <bool compares, class Scalar, int n, ExecutionSpace Exec, class Storage, class Short, class Outside>
std::int64_t first_in_units(const Exec& exec, const std::string& label,
                            const BlockStencil7<Scalar, n, Exec, Storage>& a,
                            const ScaledStencil7<Scalar, n, Exec, Short>& copy, const Outside& outside) {
  constexpr int W = BlockStencil7<Scalar, n, Exec, Storage>::vector_length;
  count_bytes(label, static_cast<double>(sizeof(Storage)) * static_cast<double>(a.flat().size()) +
                         static_cast<double>(sizeof(Short)) * static_cast<double>(copy.flat().size()));
  auto first = std::numeric_limits<std::int64_t>::max();
  auto const run = [&](std::int64_t count, const auto& body) {
    Kokkos::parallel_reduce(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count), body,
                            Kokkos::Min<std::int64_t>(first));
  };
  NarrowToUnits<Storage, n, Short, W, compares, Outside> const slots{a.ref(), copy.ref(), outside};
  // Of floats there are more to a SIMD group than doubles in a vector of the processor.
  if constexpr (HostExecutionSpace<Exec> && !compares && W * int{sizeof(double)} <= host_vector_bytes) {
    run(pack_ranges<n>(a.map()), NarrowPacksToUnits<Storage, n, Short, W, Outside>{slots});
  } else {
    run(a.map().pack_count() * W, slots);
  }
  return first;
}

/// copy = a in units, and the first value that overflows, if there is one. What is not finite stays so. Of `outside`, a
/// SlabOutside, points have neighbours outside of the grid. Waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Short, class Outside>
std::optional<NarrowOverflow> narrow_to_units(const Exec& exec, const std::string& label,
                                              const BlockStencil7<Scalar, n, Exec, Storage>& a,
                                              const ScaledStencil7<Scalar, n, Exec, Short>& copy,
                                              const Outside& outside) {
  return overflow_at(exec, a.flat(), first_in_units<false>(exec, label, a, copy, outside));
}

/// The first value of a copy that is not what narrow_to_units() makes of that in its place; nothing where all are.
/// Waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Short, class Outside>
std::optional<std::int64_t> find_other_value(const Exec& exec, const std::string& label,
                                             const BlockStencil7<Scalar, n, Exec, Storage>& a,
                                             const ScaledStencil7<Scalar, n, Exec, Short>& copy,
                                             const Outside& outside) {
  auto const first = first_in_units<true>(exec, label, a, copy, outside);
  if (first == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return first;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
