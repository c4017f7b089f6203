// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/simd/compact_views.hpp>
#include <hyperplane/simd/interleaved_view.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// n unknowns for each point of a set of lines, in one or more columns, in the compact layout of LineLayout.
///
/// A shared handle with the semantics of a Kokkos::View. Padding is zero and has to stay so. Cost: n values per point
/// and column, and the padding of the layout. The constructor allocates on the given instance; nothing else here does.
template <Real Scalar, int n, ExecutionSpace Exec>
class LineVector {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  using scalar_type = Scalar;
  using execution_space = Exec;
  using Layout = LineLayout<Scalar, Exec>;
  static constexpr int block_size = n;
  static constexpr int vector_length = Layout::vector_length;
  static constexpr int internal_vector_length = Layout::internal_vector_length;
  using Ref = LineVectorRef<Scalar, n, vector_length>;
  using Storage = InterleavedView<Scalar, vector_length, n, Exec>;

  /// Allocates and sets to zero. Throws Error unless there is a column.
  LineVector(const Exec& exec, const Layout& layout, int columns = 1,
             const std::string& label = "Hyperplane::LineVector")
      : m_layout(layout),
        m_columns(columns),
        m_storage(exec, label, layout.items() * (columns >= 1 ? columns : refuse(columns))) {}

  const Layout& layout() const { return m_layout; }
  int columns() const { return m_columns; }
  Ref ref() const { return Ref(m_layout.ref(), m_storage.flat().data(), m_columns); }
  /// All of the storage as one contiguous array, padding included.
  const typename Storage::Flat& flat() const { return m_storage.flat(); }

  /// The storage as vectors, internal vectors and scalars, without a copy: (item, column * n + c [, v or lane]).
  auto as_vectors() const { return hyperplane::as_vectors<vector_length>(flat(), n * m_columns); }
  auto as_internal_vectors() const {
    return hyperplane::as_internal_vectors<vector_length, internal_vector_length>(flat(), n * m_columns);
  }
  auto as_scalars() const { return hyperplane::as_scalars<vector_length>(flat(), n * m_columns); }

 private:
  static int refuse(int columns) { fail("LineVector: " + std::to_string(columns) + " columns are not possible"); }

  Layout m_layout;
  int m_columns;
  Storage m_storage;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
