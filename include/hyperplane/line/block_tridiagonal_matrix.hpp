// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/simd/compact_views.hpp>
#include <hyperplane/simd/interleaved_view.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Block tridiagonal matrices, one for each line of a set: a lower, a diagonal and an upper n x n block for each point,
/// in the compact layout of LineLayout.
///
/// Block row of position p: lower * x[p - 1] + diagonal * x[p] + upper * x[p + 1]. The lower block of the first
/// position and the upper block of the last couple to the other end of the line where ends are periodic, and are
/// ignored otherwise (they must be finite). Filled by the caller through ref(), in a kernel. Storage narrower than
/// Scalar is widened when it is used.
///
/// A shared handle with the semantics of a Kokkos::View. Cost: 3 n^2 values of StorageScalar per point. The constructor
/// allocates on the given instance and sets to zero; nothing else here allocates.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar>
class BlockTridiagonalMatrix {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Layout = LineLayout<Scalar, Exec>;
  static constexpr int block_size = n;
  static constexpr int vector_length = Layout::vector_length;
  static constexpr int internal_vector_length = Layout::internal_vector_length;
  static constexpr int entries = line_blocks * n * n;
  using Ref = BlockTridiagonalMatrixRef<StorageScalar, n, vector_length>;
  using Storage = InterleavedView<StorageScalar, vector_length, entries, Exec>;

  BlockTridiagonalMatrix(const Exec& exec, const Layout& layout,
                         const std::string& label = "Hyperplane::BlockTridiagonalMatrix")
      : m_layout(layout), m_storage(exec, label, layout.items()) {}

  const Layout& layout() const { return m_layout; }
  Ref ref() const { return Ref(m_layout.ref(), m_storage.flat().data()); }
  /// All of the storage as one contiguous array. Padding is zero and has to stay so.
  const typename Storage::Flat& flat() const { return m_storage.flat(); }

  /// The storage as vectors, internal vectors and scalars, without a copy: (item, (block * n + c) * n + r [, v or
  /// lane]).
  auto as_vectors() const { return hyperplane::as_vectors<vector_length>(flat(), entries); }
  auto as_internal_vectors() const {
    return hyperplane::as_internal_vectors<vector_length, internal_vector_length>(flat(), entries);
  }
  auto as_scalars() const { return hyperplane::as_scalars<vector_length>(flat(), entries); }

 private:
  Layout m_layout;
  Storage m_storage;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
