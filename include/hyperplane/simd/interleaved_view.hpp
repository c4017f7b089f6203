// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// By a pointer: a view whose bounds are checked would take several times as long for each value.
template <class T>
struct ZeroFill {
  T* m_values;
  KOKKOS_FUNCTION void operator()(std::size_t index) const { m_values[index] = T{}; }
};

/// Allocates and sets to zero on the given instance: the first touch of the memory is by the threads of `exec`. Kept
/// apart from the constructors of all shapes.
template <class T, ExecutionSpace Exec>
HYPERPLANE_APART_HOST_FUNCTION Kokkos::View<T*, typename Exec::memory_space> make_zeros(const Exec& exec,
                                                                                        const std::string& label,
                                                                                        std::int64_t size) {
  using Flat = Kokkos::View<T*, typename Exec::memory_space>;
  Flat const values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), static_cast<std::size_t>(size));
  // A kernel rather than a memset, so that first touch spreads the pages over the memories of all threads. More values
  // than 32 bits count fit into a device.
  launch("Hyperplane::InterleavedView::zero", LongIndexRange<Exec>(exec, 0, size), sizeof(T),
         ZeroFill<T>{values.data()});
  return values;
}

}  // namespace detail

/// Owner of compact SIMD-interleaved storage; a shared handle like the Kokkos::View inside.
template <class T, int vector_length, int entries, ExecutionSpace Exec>
class InterleavedView {
 public:
  using Ref = InterleavedRef<T, vector_length, entries>;
  using Flat = Kokkos::View<T*, typename Exec::memory_space>;

  InterleavedView() = default;

  /// Allocates and sets to zero on the given instance: the first touch of the memory is by the threads of `exec`.
  InterleavedView(const Exec& exec, const std::string& label, std::int64_t packs)
      : m_packs(packs), m_flat(detail::make_zeros<T>(exec, label, packs * entries * vector_length)) {}

  /// The storage of another one, which holds as many SIMD groups.
  InterleavedView(std::int64_t packs, const Flat& flat) : m_packs(packs), m_flat(flat) {}

  std::int64_t packs() const { return m_packs; }
  Ref ref() const { return Ref(m_flat.data()); }
  /// All of the storage, padding included.
  const Flat& flat() const { return m_flat; }

 private:
  std::int64_t m_packs = 0;
  Flat m_flat;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
