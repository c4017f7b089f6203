// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/simd/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// The same compact SIMD-interleaved memory (items x entries x lanes, lanes fastest) seen in three ways, without a
/// copy: as whole vectors, as internal vectors (what one thread works on), and as scalars. Unmanaged views: the memory
/// has to outlive them.
namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {
template <class Data, class Memory>
using CompactView = Kokkos::View<Data, Kokkos::LayoutRight, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
}  // namespace detail

/// (item, entry): registers of all lanes.
template <int vector_length, class T, class... Properties>
auto as_vectors(const Kokkos::View<T*, Properties...>& flat, int entries) {
  using View = detail::CompactView<Pack<T, vector_length>**, typename Kokkos::View<T*, Properties...>::memory_space>;
  return View(reinterpret_cast<Pack<T, vector_length>*>(flat.data()), flat.size() / (vector_length * entries), entries);
}

/// (item, entry, v): registers of the lanes v * internal_length to (v + 1) * internal_length - 1.
template <int vector_length, int internal_length, class T, class... Properties>
auto as_internal_vectors(const Kokkos::View<T*, Properties...>& flat, int entries) {
  static_assert(vector_length % internal_length == 0);
  using View = detail::CompactView<Pack<T, internal_length>***, typename Kokkos::View<T*, Properties...>::memory_space>;
  return View(reinterpret_cast<Pack<T, internal_length>*>(flat.data()), flat.size() / (vector_length * entries),
              entries, vector_length / internal_length);
}

/// (item, entry, lane).
template <int vector_length, class T, class... Properties>
auto as_scalars(const Kokkos::View<T*, Properties...>& flat, int entries) {
  using View = detail::CompactView<T***, typename Kokkos::View<T*, Properties...>::memory_space>;
  return View(flat.data(), flat.size() / (vector_length * entries), entries, vector_length);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
