// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

/// Copies of values in a narrower type.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A value that is finite and rounded to none that is.
struct NarrowOverflow {
  std::int64_t index;
  double value;
};

template <class From, class To>
struct NarrowValues {
  const From* m_from;
  To* m_to;

  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& first) const {
    From const value = m_from[e];
    auto const rounded = static_cast<To>(value);
    m_to[e] = rounded;
    if (!Kokkos::isfinite(rounded) && Kokkos::isfinite(value) && e < first) first = e;
  }
};

/// The value with this number, which overflows; none where the number is the largest one. Waits for the instance.
template <ExecutionSpace Exec, class From>
std::optional<NarrowOverflow> overflow_at(const Exec& exec,
                                          const Kokkos::View<From*, typename Exec::memory_space>& from,
                                          std::int64_t number) {
  if (number == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  From value = 0;
  Kokkos::deep_copy(exec, Kokkos::View<From, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&value),
                    Kokkos::subview(from, number));
  exec.fence("Hyperplane: a value that overflows");
  return NarrowOverflow{number, static_cast<double>(value)};
}

/// to = from, as many values, and the first one that overflows, if there is one. What is not finite stays so. Waits for
/// the instance.
template <ExecutionSpace Exec, class From, class To>
std::optional<NarrowOverflow> narrow_values(const Exec& exec, const std::string& label,
                                            const Kokkos::View<From*, typename Exec::memory_space>& from,
                                            const Kokkos::View<To*, typename Exec::memory_space>& to) {
  static_assert(sizeof(To) < sizeof(From), "the storage type of the copy is to be narrower");
  count_bytes(label, static_cast<double>(sizeof(From) + sizeof(To)) * static_cast<double>(from.size()));
  auto first = std::numeric_limits<std::int64_t>::max();
  Kokkos::parallel_reduce(
      label,
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(from.size())),
      NarrowValues<From, To>{from.data(), to.data()}, Kokkos::Min<std::int64_t>(first));
  return overflow_at(exec, from, first);
}

template <class From, class To>
struct FindOtherValue {
  const From* m_from;
  const To* m_copy;

  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& first) const {
    auto const expected = static_cast<To>(m_from[e]);
    auto const found = m_copy[e];
    bool const are_same = found == expected || (Kokkos::isnan(found) && Kokkos::isnan(expected));
    if (!are_same && e < first) first = e;
  }
};

/// The first value of a copy that is not what narrow_values() makes of that in its place; nothing where all are. Waits
/// for the instance.
template <ExecutionSpace Exec, class From, class To>
std::optional<std::int64_t> find_other_value(const Exec& exec, const std::string& label,
                                             const Kokkos::View<From*, typename Exec::memory_space>& from,
                                             const Kokkos::View<To*, typename Exec::memory_space>& copy) {
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  count_bytes(label, static_cast<double>(sizeof(From) + sizeof(To)) * static_cast<double>(from.size()));
  auto first = none;
  Kokkos::parallel_reduce(
      label,
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(from.size())),
      FindOtherValue<From, To>{from.data(), copy.data()}, Kokkos::Min<std::int64_t>(first));
  if (first == none) return std::nullopt;
  return first;
}

/// What a solve says of a copy with such a block.
inline std::string describe_other_block(const std::string& block) {
  return "the copy is not of A as it is now, but differs in " + block;
}

/// "entry (2, 0) is 1e+300, more than the storage type of the copy holds"
inline std::string describe_overflow(int r, int c, const NarrowOverflow& found) {
  return "entry (" + std::to_string(r) + ", " + std::to_string(c) + ") is " + shortest(found.value) +
         ", more than the storage type of the copy holds";
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
