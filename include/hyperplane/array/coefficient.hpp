// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A number that a kernel of Exec multiplies with: its value, or where it is in memory that Exec reads, as result of a
/// reduction before. Then the host need not wait for it.
template <class T, ExecutionSpace Exec>
class Coefficient {
 public:
  template <class U>
    requires std::convertible_to<U, T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  HYPERPLANE_FUNCTION Coefficient(U value) : m_value(static_cast<T>(value)) {}
  template <class... Properties>
    requires(
        bool(Kokkos::SpaceAccessibility<Exec, typename Kokkos::View<double, Properties...>::memory_space>::accessible))
  // NOLINTNEXTLINE(google-explicit-constructor)
  Coefficient(const Kokkos::View<double, Properties...>& place) : m_place(place.data()) {}
  /// The number at `place` times `factor`.
  Coefficient(const double* place, T factor) : m_value(factor), m_place(place) {}

  Coefficient operator-() const {
    Coefficient result = *this;
    result.m_value = -m_value;
    return result;
  }
  HYPERPLANE_FUNCTION T value() const { return m_place == nullptr ? m_value : m_value * static_cast<T>(*m_place); }
  /// The same as a value, so that a loop that writes memory need not read it again.
  HYPERPLANE_FUNCTION Coefficient resolved() const { return Coefficient(value()); }

 private:
  T m_value = 1;
  const double* m_place = nullptr;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
