// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/choose_parts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/coupling_strengths.hpp>
#include <hyperplane/stencil/mask_points.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "boxes.hpp"
#include "context_checks.hpp"
#include "instance.hpp"
#include "memory.hpp"
#include "narrowed_copy.hpp"
#include "typed_objects.hpp"

/// Vectors and matrices of a context.
namespace hyperplane::run_time {

/// Adds the entries of compressed rows to `values`, which kernels of Exec reach: (point, direction, r, c), c fastest.
/// Throws Error before anything is added where one is outside the stencil and not zero. Defined in csr.cpp.
template <class Exec>
void place_csr(const Exec& exec, const Shape& shape, const Csr& csr, MemorySpace space, double* values);

/// Sets what belongs to points; padding stays zero.
template <int vector_length>
struct Fill {
  SlabMap<vector_length> m_map;
  double* m_values;
  int m_block_size;
  double m_value;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    Point p;
    auto const pack = e / (vector_length * m_block_size);
    if (m_map.find_point(pack, static_cast<int>(e % vector_length), p)) m_values[e] = m_value;
  }
};

template <class Exec>
class VectorOn final : public Vector {
 public:
  VectorOn(const Instance<Exec>& instance, const Shape& shape, const SizedFactory<Exec>& factory)
      : VectorOn(instance, factory, ShapedVector<Exec>(instance.exec, shape)) {}
  /// With values that exist.
  VectorOn(const Instance<Exec>& instance, const SizedFactory<Exec>& factory, const ShapedVector<Exec>& vector)
      : m_instance(instance), m_factory(factory), m_vector(vector) {}

  const Instance<Exec>& instance() const { return m_instance; }
  const ShapedVector<Exec>& typed_vector() const { return m_vector; }
  const Shape& shape() const { return m_vector.grid(); }
  std::int64_t points() const override { return shape().grid.size(); }
  std::int64_t rows() const override { return shape().rows(); }

  void set(const double* values, MemorySpace space) override {
    in_memory_of<false>(m_instance.exec, values, shape().rows(), space, [&](const double* rows) {
      m_factory.pack_rows(m_instance.exec, Rows<const double>(rows, shape().rows()), m_vector);
    });
  }
  void get(double* values, MemorySpace space) const override {
    in_memory_of<true>(m_instance.exec, values, shape().rows(), space, [&](double* rows) {
      m_factory.unpack_rows(m_instance.exec, m_vector, Rows<double>(rows, shape().rows()));
    });
  }
  void set_box(const Box& box, const Array& values, const Point& begin) override {
    copy_box(m_instance.exec, Way::from_array, packed(), box, values, begin, shape().block_size);
  }
  void get_box(const Box& box, const Array& values, const Point& begin) const override {
    copy_box(m_instance.exec, Way::to_array, packed(), box, values, begin, shape().block_size);
  }
  void mask(const std::int8_t* points, MemorySpace space) override {
    in_memory_of<false>(m_instance.exec, points, shape().grid.size(), space, [&](const std::int8_t* values) {
      detail::mask_vector(m_instance.exec, values, SlabMap<ShapedVector<Exec>::vector_length>(shape().grid),
                          shape().block_size, m_vector.flat().data());
    });
  }
  void fill(double value) override {
    constexpr int vector_length = ShapedVector<Exec>::vector_length;
    auto const& values = m_vector.flat();
    detail::launch("Hyperplane::Vector::fill", detail::LongIndexRange<Exec>(m_instance.exec, 0, values.size()),
                   sizeof(double),
                   Fill<vector_length>{SlabMap<vector_length>(shape().grid), values.data(), shape().block_size, value});
  }

 private:
  template <class T>
  using Rows = typename SizedFactory<Exec>::template Rows<T>;

  PackedEntries<double, ShapedVector<Exec>::vector_length> packed() const {
    return {SlabMap<ShapedVector<Exec>::vector_length>(shape().grid), m_vector.flat().data(), shape().block_size, 0, 0};
  }

  Instance<Exec> m_instance;
  const SizedFactory<Exec>& m_factory;
  ShapedVector<Exec> m_vector;
};

template <class Exec>
class MatrixOn final : public Matrix {
 public:
  MatrixOn(const Instance<Exec>& instance, const Shape& shape, StorageKind storage,
           std::unique_ptr<TypedMatrix<Exec>> matrix)
      : m_instance(instance), m_shape(shape), m_storage(storage), m_matrix(std::move(matrix)) {}

  const Instance<Exec>& instance() const { return m_instance; }
  /// What factors of a matrix in this type are made of: the matrix itself or its copy, or null, if none of them is.
  /// Throws Error where this is a transpose.
  const TypedMatrix<Exec>* stored_as(StorageKind storage) const {
    require_no_transpose(m_is_transpose);
    if (storage == m_storage) return m_matrix.get();
    bool const is_of_copy = m_copy && storage == m_copy_storage && storage == StorageKind::single_precision;
    return is_of_copy ? static_cast<const TypedMatrix<Exec>*>(m_copy->values().get()) : nullptr;
  }
  /// Throws Error where products have nothing to read.
  void require_narrowed() const {
    if (m_copy) m_copy->require_narrowed();
  }
  const Shape& shape() const { return m_shape; }
  std::int64_t points() const override { return m_shape.grid.size(); }
  std::int64_t value_count() const override { return m_shape.rows() * m_shape.block_size * stencil7_size; }

  void set(const double* values, BlockOrder order, MemorySpace space) override {
    auto& to = blocks();
    in_memory_of<false>(m_instance.exec, values, value_count(), space, [&](const double* data) {
      to.pack_values(m_instance.exec, Values<const double>(data, layout(order)));
    });
  }
  void get(double* values, BlockOrder order, MemorySpace space) const override {
    auto const& from = blocks();
    in_memory_of<true>(m_instance.exec, values, value_count(), space,
                       [&](double* data) { from.unpack_values(m_instance.exec, Values<double>(data, layout(order))); });
  }
  void set(const Csr& csr, MemorySpace space) override {
    auto& to = blocks();
    Kokkos::View<double*, typename Exec::memory_space> const values(
        Kokkos::view_alloc(m_instance.exec, "Hyperplane::Matrix::csr"), value_count());
    place_csr(m_instance.exec, m_shape, csr, space, values.data());
    to.pack_values(m_instance.exec, Values<const double>(values.data(), layout(BlockOrder::row_major)));
    m_instance.exec.fence("Hyperplane::Matrix::csr");
  }
  void check_box(const Box& box, const Array& blocks, const Point& begin) const override {
    require_own_blocks(m_is_transpose, m_copy != nullptr);
    int const n = m_shape.block_size;
    run_time::check_box(m_instance.exec, m_shape.grid, box, blocks, begin, n * n);
  }
  void set_box(const Box& box, Direction direction, const Array& blocks, const Point& begin,
               BlockOrder order) override {
    copy(Way::from_array, box, direction, blocks, begin, order);
  }
  void get_box(const Box& box, Direction direction, const Array& blocks, const Point& begin,
               BlockOrder order) const override {
    copy(Way::to_array, box, direction, blocks, begin, order);
  }
  void mask(const std::int8_t* points, MemorySpace space) override {
    require_own_blocks(m_is_transpose, m_copy != nullptr);
    in_memory_of<false>(m_instance.exec, points, m_shape.grid.size(), space, [&](const std::int8_t* values) {
      with_packed(blocks(), [&](auto* data) {
        // Blocks that point out of the grid are of no use but to periodic lines.
        detail::mask_stencil(m_instance.exec, values, SlabMap<ShapedVector<Exec>::vector_length>(m_shape.grid),
                             m_shape.block_size, {true, true, true}, data);
      });
    });
  }
  void apply(const Vector& x, Vector& y) const override {
    apply(m_instance.exec, operand("apply", "x", x), operand("apply", "y", y));
  }
  void residual(const Vector& b, const Vector& x, Vector& r) const override {
    auto const &rhs = operand("residual", "b", b), &from = operand("residual", "x", x),
               &to = operand("residual", "r", r);
    if (m_is_transpose) return m_matrix->residual_transposed(m_instance.exec, rhs, from, to);
    m_matrix->residual(m_instance.exec, rhs, from, to);
  }
  std::unique_ptr<Matrix> transpose() const override {
    auto made = std::make_unique<MatrixOn>(*this);
    made->m_is_transpose = !m_is_transpose;
    return made;
  }
  std::unique_ptr<Matrix> narrowed(StorageKind storage) const override {
    if (m_copy) throw Error("the matrix is narrowed already");
    if (m_storage != StorageKind::double_precision) throw Error("the matrix is stored as float itself");
    auto made = std::make_unique<MatrixOn>(*this);
    made->m_copy = std::make_shared<Copy>(m_matrix->make_copy(m_instance.exec, storage));
    made->m_copy_storage = storage;
    return made;
  }
  void narrow() override {
    if (!m_copy) refuse_without_copy();
    m_copy->set([&](const auto& copy) { return m_matrix->narrow(m_instance.exec, *copy, m_copy_storage); });
  }
  std::array<int, 3> choose_parts(int count) const override {
    require_no_transpose(m_is_transpose);
    std::array<double, 3> strengths{};
    with_packed(*m_matrix, [&](auto* data) {
      strengths = detail::coupling_strengths(m_instance.exec, SlabMap<ShapedVector<Exec>::vector_length>(m_shape.grid),
                                             m_shape.block_size, data);
    });
    if (count == parts_that_pay) {
      return hyperplane::choose_parts(m_instance.exec, m_shape.grid, m_shape.block_size, strengths);
    }
    return hyperplane::choose_parts(m_shape.grid, count, strengths);
  }

  // As the Krylov methods call them, with one vector or several.
  template <class Vectors>
  friend void apply(const Exec& exec, const MatrixOn& a, const Vectors& x, const Vectors& y) {
    a.apply(exec, x, y);
  }
  friend std::string describe_not_finite(const Exec& exec, const MatrixOn& a) { return a.m_matrix->not_finite(exec); }
  friend std::string describe_other_copy(const Exec& exec, const MatrixOn& a) {
    return a.m_copy ? a.m_matrix->other_copy(exec, *a.m_copy->values(), a.m_copy_storage) : std::string();
  }
  template <class Vectors>
  void apply_exact(const Exec& exec, const Vectors& x, const Vectors& y) const {
    multiply(exec, *m_matrix, x, y);
  }
  ExactProducts<MatrixOn> exact() const { return {*this}; }
  double rounding() const { return m_copy ? copy_rounding(m_copy_storage) : 0.0; }

 private:
  template <class T>
  using Values = typename TypedMatrix<Exec>::template Values<T>;

  using Copy = NarrowedCopy<std::unique_ptr<TypedProducts<Exec>>>;

  /// The matrix itself. Throws Error where this is not.
  TypedMatrix<Exec>& blocks() const {
    require_own_blocks(m_is_transpose, m_copy != nullptr);
    return *m_matrix;
  }
  template <class Vectors>
  void multiply(const Exec& exec, const TypedProducts<Exec>& a, const Vectors& x, const Vectors& y) const {
    if (m_is_transpose) return a.apply_transposed(exec, x, y);
    a.apply(exec, x, y);
  }
  template <class Vectors>
  void apply(const Exec& exec, const Vectors& x, const Vectors& y) const {
    if (m_copy) return multiply(exec, *m_copy->values(), x, y);
    multiply(exec, *m_matrix, x, y);
  }
  void copy(Way way, const Box& box, Direction direction, const Array& blocks, const Point& begin,
            BlockOrder order) const {
    int const n = m_shape.block_size;
    with_packed(this->blocks(), [&]<class Stored>(Stored* data) {
      PackedEntries<Stored, ShapedVector<Exec>::vector_length> const packed{
          SlabMap<ShapedVector<Exec>::vector_length>(m_shape.grid), data, stencil7_size * n * n,
          static_cast<int>(direction) * n * n, order == BlockOrder::row_major ? n : 0};
      copy_box(m_instance.exec, way, packed, box, blocks, begin, n * n);
    });
  }
  /// use(values) in the compact layout, of the type of the storage.
  template <class Use>
  void with_packed(TypedMatrix<Exec>& a, const Use& use) const {
    auto* const values = a.packed_values();
    if (m_storage == StorageKind::double_precision) return use(static_cast<double*>(values));
    use(static_cast<float*>(values));
  }
  Kokkos::LayoutStride layout(BlockOrder order) const {
    auto const n = static_cast<std::size_t>(m_shape.block_size);
    auto const points = static_cast<std::size_t>(m_shape.grid.size());
    bool const by_rows = order == BlockOrder::row_major;
    return Kokkos::LayoutStride(points, stencil7_size * n * n, stencil7_size, n * n, n, by_rows ? n : 1, n,
                                by_rows ? 1 : n);
  }
  const ShapedVector<Exec>& operand(const char* function, const char* argument, const Vector& vector) const {
    auto const& found = typed<VectorOn<Exec>>(function, argument, vector, m_instance);
    check_shape(function, argument, found, m_shape);
    return found.typed_vector();
  }

  Instance<Exec> m_instance;
  Shape m_shape;
  StorageKind m_storage;
  std::shared_ptr<TypedMatrix<Exec>> m_matrix;  ///< that transposes share
  bool m_is_transpose = false;
  std::shared_ptr<Copy> m_copy;  ///< where it is narrowed
  StorageKind m_copy_storage = StorageKind::double_precision;
};

}  // namespace hyperplane::run_time
