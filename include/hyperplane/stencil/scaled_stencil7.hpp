// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A copy of a BlockStencil7 in 16 bits, made by narrow(): for the products of a NarrowedMatrix. Of several grid blocks
/// it is the part of a MultiBlockStencil7 of such a type, and has couplings across interfaces, too. The rows of a point
/// are kept in units of their own, powers of two, which round nothing and fit a matrix in any units into the range of
/// `Storage`. In its row's unit the largest entry of a row is at least 2^14 and less than 2^15. Of Half, entries below
/// 2^-28 of it have fewer bits, and those below 2^-40 are zero; of BFloat16 there are none that matter. What larger
/// entries of an unknown lose is added to its smaller ones, which may so change by more than themselves.
///
/// It has products alone, apply() and apply_transposed(), which add up in float and are then multiplied by the units:
/// x and A x need the range of a float.
///
/// A shared handle with the semantics of a Kokkos::View. Cost: 7 n^2 + n values of 16 bits per point and the padding of
/// SlabMap. The constructor allocates on the given instance and sets to zero; nothing else here allocates.
template <Real Scalar, int n, ExecutionSpace Exec, ShortReal ShortScalar>
class ScaledStencil7 {
 public:
  static_assert(n >= 1 && n <= max_block_size);

  using scalar_type = Scalar;
  using storage_type = ShortScalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;
  using Map = SlabMap<vector_length>;
  using Ref = BlockStencil7Ref<ShortScalar, n, vector_length>;
  using Storage = InterleavedView<ShortScalar, vector_length, Ref::entries, Exec>;

  /// Allocates and sets to zero.
  ScaledStencil7(const Exec& exec, const Grid& grid, const std::string& label = "Hyperplane::ScaledStencil7")
      : m_map(grid), m_storage(exec, label, m_map.pack_count()) {}

  /// A handle of values that exist: flat() of a copy with blocks of this size on this grid. Padding must be zero, and
  /// what points out of the grid, too, which narrow() makes so. Throws Error where the number of values is another one.
  ScaledStencil7(const Grid& grid, const typename Storage::Flat& values)
      : m_map(grid), m_storage(m_map.pack_count(), values) {
    if (static_cast<std::int64_t>(values.size()) != m_map.pack_count() * Ref::entries * vector_length) {
      fail("ScaledStencil7: " + std::to_string(values.size()) + " values are not those of " + std::to_string(n) +
           " x " + std::to_string(n) + " blocks and their units on a grid of " + to_string(grid) + " points");
    }
  }

  const Grid& grid() const { return m_map.grid(); }
  const Map& map() const { return m_map; }
  Ref ref() const { return Ref(m_map, m_storage.ref()); }
  /// All of the storage, units too, as one contiguous array. Padding is zero and has to stay so.
  const typename Storage::Flat& flat() const { return m_storage.flat(); }

 private:
  Map m_map;
  Storage m_storage;
};

namespace detail {

template <class Scalar, int n, class Exec, class Narrow>
struct NarrowedStencil {
  using type = BlockStencil7<Scalar, n, Exec, Narrow>;
};
template <class Scalar, int n, class Exec, ShortReal Narrow>
struct NarrowedStencil<Scalar, n, Exec, Narrow> {
  using type = ScaledStencil7<Scalar, n, Exec, Narrow>;
};

}  // namespace detail

/// The copy of a matrix that is rounded to Narrow: a BlockStencil7, of 16 bits a ScaledStencil7.
template <class Scalar, int n, class Exec, class Narrow>
using NarrowedStencil7 = typename detail::NarrowedStencil<Scalar, n, Exec, Narrow>::type;

}  // namespace hyperplane::inline HYPERPLANE_ABI
