// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/scalars_in_blocks.hpp>
#include <hyperplane/ilu/detail/csr_fill.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "context_csr_vector.hpp"
#include "context_objects.hpp"
#include "csr_fault.hpp"
#include "errors.hpp"
#include "memory.hpp"
#include "typed_csr.hpp"

/// Matrices of a context that are of compressed rows.
namespace hyperplane::run_time {

template <class Index, class Exec>
detail::CsrColumns read_structure(const Exec& exec, const Csr& csr, MemorySpace space) {
  check_last_offset<Index>(exec, csr, space);
  auto const offsets = list_from(exec, static_cast<const Index*>(csr.row_offsets), csr.rows + 1, space);
  auto const columns = list_from(exec, static_cast<const Index*>(csr.columns), csr.entries, space);
  for (std::int64_t row = 0; row < csr.rows; ++row) {
    refuse_structure(fault_of_row(row, csr.rows, csr.entries, offsets.data(), columns.data()), csr);
  }
  return {offsets, std::vector<int>(columns.begin(), columns.end())};
}

/// Throws Error where the arrays are no compressed rows.
template <class Exec>
detail::CsrColumns read_structure(const Exec& exec, const Csr& csr, MemorySpace space) {
  constexpr int most = std::numeric_limits<int>::max();
  if (csr.rows < 1 || csr.rows > most) {
    throw Error("rows is " + std::to_string(csr.rows) + ", expected 1 to " + std::to_string(most));
  }
  check_counts(csr);
  return csr.has_wide_indices ? read_structure<std::int64_t>(exec, csr, space)
                              : read_structure<std::int32_t>(exec, csr, space);
}

/// A matrix of scalars in blocks.
template <class Exec>
struct ScalarEntries {
  detail::CsrColumns structure;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> places;  ///< of entries among the values of the blocks

  std::int64_t count() const { return static_cast<std::int64_t>(places.extent(0)); }
};

template <class Exec>
class CsrMatrixOn final : public Matrix {
 public:
  /// `csr` may have scalars where the shape has blocks.
  CsrMatrixOn(const Instance<Exec>& instance, const PointShape& shape, const Csr& csr, MemorySpace space,
              const SizedCsr<Exec>& sized, const SizedShortCsr<Exec>& sized_short)
      : m_instance(instance), m_shape(shape), m_sized(sized), m_sized_short(sized_short) {
    auto const n = shape.block_size;
    auto structure = read_structure(instance.exec, csr, space);
    if (csr.block_size < n) {
      auto const blocks = detail::blocks_of_scalars(n, structure.begin, structure.columns);
      auto const places = detail::to_space(instance.exec, "Hyperplane::Matrix::places", blocks.places);
      m_scalars = std::make_shared<const ScalarEntries<Exec>>(ScalarEntries<Exec>{std::move(structure), places});
      structure = detail::CsrColumns(blocks.offsets, blocks.columns);
    }
    m_arrays.offsets = detail::to_space(instance.exec, "Hyperplane::Matrix::structure", structure.begin);
    m_arrays.columns = detail::to_space(instance.exec, "Hyperplane::Matrix::structure", structure.columns);
    auto const count = structure.columns.size() * detail::as_size(n) * detail::as_size(n);
    m_arrays.values = Values(Kokkos::view_alloc(instance.exec, "Hyperplane::Matrix::values"), count);
    make_products();
    if (csr.values != nullptr) CsrMatrixOn::set(csr.values, csr.order, space);
    wait();
  }
  /// A^T, which has the values of A.
  explicit CsrMatrixOn(const CsrMatrixOn* a)
      : m_instance(a->m_instance),
        m_shape(a->m_shape),
        m_sized(a->m_sized),
        m_sized_short(a->m_sized_short),
        m_arrays(a->m_arrays),
        m_scalars(a->m_scalars),
        m_copy(a->m_copy),
        m_lists(a->m_lists),
        m_is_transpose(!a->m_is_transpose) {
    make_products();
  }
  /// A with memory for a copy.
  CsrMatrixOn(const CsrMatrixOn& a, CsrArrays<Exec, float>&& copy)
      : m_instance(a.m_instance),
        m_shape(a.m_shape),
        m_sized(a.m_sized),
        m_sized_short(a.m_sized_short),
        m_arrays(a.m_arrays),
        m_scalars(a.m_scalars),
        m_copy(std::make_shared<Copy>(std::move(copy))),
        m_lists(a.m_lists),
        m_is_transpose(a.m_is_transpose) {
    make_products();
  }

  const Instance<Exec>& instance() const { return m_instance; }
  const PointShape& shape() const { return m_shape; }
  /// Throws Error where products have nothing to read.
  CsrOperator<Exec> products() const {
    if (m_copy) m_copy->require_narrowed();
    return {*m_product, m_copy_product.get(),
            [this] { return m_sized_short.other_copy(m_instance.exec, m_arrays, m_copy->memory()); }};
  }
  /// What factors are made of. Throws Error where this is a transpose.
  const CsrArrays<Exec>& arrays() const {
    require_no_transpose(m_is_transpose);
    return m_arrays;
  }

  std::int64_t points() const override { return m_shape.points; }
  /// As many as were given: of scalars without the zeros in blocks.
  std::int64_t value_count() const override {
    return m_scalars ? m_scalars->count() : static_cast<std::int64_t>(m_arrays.values.extent(0));
  }

  void set(const double* values, BlockOrder order, MemorySpace space) override {
    auto* const to = own_arrays().values.data();
    in_memory_of<false>(m_instance.exec, values, value_count(), space,
                        [&](const double* from) { copy(from, to, order, true); });
  }
  void get(double* values, BlockOrder order, MemorySpace space) const override {
    auto const* const from = own_arrays().values.data();
    in_memory_of<true>(m_instance.exec, values, value_count(), space,
                       [&](double* to) { copy(from, to, order, false); });
  }
  void set(const Csr& csr, MemorySpace space) override {
    auto const& mine = own_arrays();
    int const size = m_scalars ? 1 : m_shape.block_size;
    auto const rows = m_shape.rows() / size;
    if (csr.block_size != size || csr.rows != rows) {
      throw SizeMismatch("there are " + std::to_string(csr.rows) + " rows of blocks of " +
                         std::to_string(csr.block_size) + ", expected " + std::to_string(rows) + " of blocks of " +
                         std::to_string(size));
    }
    check_unknowns(csr, m_shape.block_size);
    auto const structure = read_structure(m_instance.exec, csr, space);
    auto const row = m_scalars ? m_scalars->structure.first_difference(structure)
                               : detail::CsrColumns(detail::to_vector(m_instance.exec, mine.offsets),
                                                    detail::to_vector(m_instance.exec, mine.columns))
                                     .first_difference(structure);
    if (row) {
      throw Error("row " + std::to_string(*row) +
                  " has other columns, or in another order, than the matrix was created with");
    }
    if (csr.values != nullptr) set(csr.values, csr.order, space);
    wait();
  }
  void check_box(const Box&, const Array&, const Point&) const override { refuse_without_grid("boxes are"); }
  void set_box(const Box&, Direction, const Array&, const Point&, BlockOrder) override {
    refuse_without_grid("boxes are");
  }
  void get_box(const Box&, Direction, const Array&, const Point&, BlockOrder) const override {
    refuse_without_grid("boxes are");
  }
  void mask(const std::int8_t*, MemorySpace) override { refuse_without_grid("masks are"); }
  void apply(const Vector& x, Vector& y) const override {
    products().rounded().apply(m_instance.exec, operand("apply", "x", x), operand("apply", "y", y));
  }
  void residual(const Vector& b, const Vector& x, Vector& r) const override {
    m_product->residual(m_instance.exec, operand("residual", "b", b), operand("residual", "x", x),
                        operand("residual", "r", r));
  }
  std::unique_ptr<Matrix> transpose() const override { return std::make_unique<CsrMatrixOn>(this); }
  std::unique_ptr<Matrix> narrowed(StorageKind storage) const override {
    if (storage != StorageKind::single_precision) {
      throw Error("the matrix is in compressed rows, of which copies are HYPERPLANE_STORAGE_FLOAT alone");
    }
    if (m_copy) throw Error("the matrix is narrowed already");
    Kokkos::View<float*, typename Exec::memory_space> const values(
        Kokkos::view_alloc(m_instance.exec, "Hyperplane::Matrix::copy"), m_arrays.values.extent(0));
    return std::make_unique<CsrMatrixOn>(*this, CsrArrays<Exec, float>{m_arrays.offsets, m_arrays.columns, values});
  }
  void narrow() override {
    if (!m_copy) refuse_without_copy();
    m_copy->set([&](const auto& copy) { return m_sized_short.narrow(m_instance.exec, m_arrays, copy); });
  }
  std::array<int, 3> choose_parts(int) const override { refuse_without_grid("parts are"); }

 private:
  /// Nobody reads the caller's arrays any more.
  void wait() const { m_instance.exec.fence("Hyperplane::Matrix::csr"); }

  using Values = decltype(CsrArrays<Exec>::values);
  using Copy = NarrowedCopy<CsrArrays<Exec, float>>;

  const CsrArrays<Exec>& own_arrays() const {
    require_own_blocks(m_is_transpose, m_copy != nullptr);
    return m_arrays;
  }
  void make_products() {
    if (m_is_transpose && !m_lists) {
      // As BlockCsr counts what a row moves.
      double const bytes =
          2.0 * sizeof(double) * static_cast<double>(m_arrays.values.size()) / static_cast<double>(m_shape.points);
      m_lists = std::make_shared<const CsrLists<Exec>>(m_instance.exec, m_arrays.offsets, m_arrays.columns, bytes);
    }
    m_product = m_is_transpose ? m_sized.make_transposed_product(*m_lists, m_arrays) : m_sized.make_product(m_arrays);
    if (!m_copy) return;
    auto const& copy = m_copy->memory();
    m_copy_product =
        m_is_transpose ? m_sized_short.make_transposed_product(*m_lists, copy) : m_sized_short.make_product(copy);
  }

  /// Between values of a caller and those of the matrix.
  void copy(const double* from, double* to, BlockOrder order, bool sets) const {
    detail::LongIndexRange<Exec> const range(m_instance.exec, 0, value_count());
    if (m_scalars) {
      detail::launch("Hyperplane::Matrix::copy_scalars", range, 2.0 * sizeof(double) + sizeof(std::int64_t),
                     detail::CopyScalars<double>{from, to, m_scalars->places.data(), sets});
      return;
    }
    detail::launch("Hyperplane::Matrix::copy", range, 2.0 * sizeof(double),
                   CopyBlocks{from, to, m_shape.block_size, order == BlockOrder::column_major});
  }
  const FlatVector<Exec>& operand(const char* function, const char* argument, const Vector& vector) const {
    auto const& found = typed<CsrVectorOn<Exec>>(function, argument, vector, m_instance);
    check_shape(function, argument, found, m_shape);
    return found.typed_vector();
  }

  Instance<Exec> m_instance;
  PointShape m_shape;
  const SizedCsr<Exec>& m_sized;
  const SizedShortCsr<Exec>& m_sized_short;
  CsrArrays<Exec> m_arrays;
  std::shared_ptr<const ScalarEntries<Exec>> m_scalars;  ///< where it was given in scalars for n > 1
  std::shared_ptr<Copy> m_copy;                          ///< where it is narrowed
  std::shared_ptr<const CsrLists<Exec>> m_lists;         ///< of a transpose, which those made of it share
  bool m_is_transpose = false;
  typename SizedCsr<Exec>::Product m_product, m_copy_product;
};

}  // namespace hyperplane::run_time
