// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/pencil_map.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

#include "errors.hpp"
#include "memory.hpp"
#include "typed_objects.hpp"

/// Vectors and matrices of a context, and what all of its objects do.
namespace hyperplane::run_time {

/// What objects of a context share.
template <class Exec>
struct Instance {
  Exec exec;
  const void* context;  ///< to tell contexts apart
};

[[noreturn]] inline void refuse(const std::string& function, const std::string& argument, const std::string& why) {
  throw Error(function + ": " + argument + " " + why);
}

template <class Typed, class Exec, class Object>
const Typed& typed(const char* function, const char* argument, const Object& object, const Instance<Exec>& instance) {
  auto const* const found = dynamic_cast<const Typed*>(&object);
  if (found == nullptr || found->instance().context != instance.context) {
    refuse(function, argument, "belongs to another context");
  }
  return *found;
}

template <class Object>
void check_shape(const char* function, const char* argument, const Object& object, const Shape& expected) {
  if (object.shape() == expected) return;
  throw SizeMismatch(std::string(function) + ": " + argument + " is " + to_string(object.shape()) + ", expected " +
                     to_string(expected));
}

/// Calls `use(pointer)` with `values` in memory that kernels of Exec read, or write for `is_output` (all of it, unless
/// they `keep` some). Waits where the caller's memory is the host's.
template <bool is_output, bool keep = false, class Exec, class T, class Use>
void in_memory_of(const Exec& exec, T* values, std::int64_t count, MemorySpace space, const Use& use) {
  if (space == MemorySpace::device) check_device_memory(exec, values);
  if constexpr (HostExecutionSpace<Exec>) {
    use(values);
    exec.fence("Hyperplane: host memory");
  } else {
    if (space == MemorySpace::device) return use(values);
    using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::View<double*, typename Exec::memory_space> const staged(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::staged"), count);
    Host const host(values, count);
    if constexpr (!is_output || keep) Kokkos::deep_copy(exec, staged, host);
    use(staged.data());
    if constexpr (is_output) Kokkos::deep_copy(exec, host, staged);
    exec.fence("Hyperplane: host memory");
  }
}

/// Sets what belongs to points; padding stays zero.
template <int vector_length>
struct Fill {
  PencilMap<vector_length> m_map;
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
      : m_instance(instance), m_factory(factory), m_vector(instance.exec, shape) {}

  const Instance<Exec>& instance() const { return m_instance; }
  const ShapedVector<Exec>& typed_vector() const { return m_vector; }
  const Shape& shape() const override { return m_vector.grid(); }

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
  void fill(double value) override {
    constexpr int vector_length = ShapedVector<Exec>::vector_length;
    auto const& values = m_vector.flat();
    Kokkos::parallel_for(
        "Hyperplane::Vector::fill",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(m_instance.exec, 0, values.size()),
        Fill<vector_length>{PencilMap<vector_length>(shape().grid), values.data(), shape().block_size, value});
  }

 private:
  template <class T>
  using Rows = typename SizedFactory<Exec>::template Rows<T>;

  Instance<Exec> m_instance;
  const SizedFactory<Exec>& m_factory;
  ShapedVector<Exec> m_vector;
};

template <class Exec>
class MatrixOn final : public Matrix {
 public:
  MatrixOn(const Instance<Exec>& instance, const Shape& shape, StorageKind storage, const SizedFactory<Exec>& factory)
      : m_instance(instance),
        m_shape(shape),
        m_storage(storage),
        m_matrix(factory.make_matrix(instance.exec, shape.grid, storage)) {}

  const Instance<Exec>& instance() const { return m_instance; }
  const TypedMatrix<Exec>& typed_matrix() const { return *m_matrix; }
  const Shape& shape() const override { return m_shape; }
  StorageKind storage() const override { return m_storage; }

  void set(const double* values, BlockOrder order, MemorySpace space) override {
    in_memory_of<false>(m_instance.exec, values, count(), space, [&](const double* data) {
      m_matrix->pack_values(m_instance.exec, Values<const double>(data, layout(order)));
    });
  }
  void get(double* values, BlockOrder order, MemorySpace space) const override {
    in_memory_of<true>(m_instance.exec, values, count(), space, [&](double* data) {
      m_matrix->unpack_values(m_instance.exec, Values<double>(data, layout(order)));
    });
  }
  void apply(const Vector& x, Vector& y) const override {
    m_matrix->apply(m_instance.exec, operand("apply", "x", x), operand("apply", "y", y));
  }
  void residual(const Vector& b, const Vector& x, Vector& r) const override {
    m_matrix->residual(m_instance.exec, operand("residual", "b", b), operand("residual", "x", x),
                       operand("residual", "r", r));
  }

 private:
  template <class T>
  using Values = typename TypedMatrix<Exec>::template Values<T>;

  std::int64_t count() const { return m_shape.rows() * m_shape.block_size * stencil7_size; }
  Kokkos::LayoutStride layout(BlockOrder order) const {
    auto const n = static_cast<std::size_t>(m_shape.block_size);
    auto const points = static_cast<std::size_t>(m_shape.grid.size());
    bool const by_rows = order == BlockOrder::row_major;
    return Kokkos::LayoutStride(points, stencil7_size * n * n, stencil7_size, n * n, n, by_rows ? n : 1, n,
                                by_rows ? 1 : n);
  }
  const ShapedVector<Exec>& operand(const char* function, const char* argument, const Vector& vector) const {
    auto const& found = typed<VectorOn<Exec>>(function, argument, vector, m_instance);
    check_shape(function, argument, vector, m_shape);
    return found.typed_vector();
  }

  Instance<Exec> m_instance;
  Shape m_shape;
  StorageKind m_storage;
  std::unique_ptr<TypedMatrix<Exec>> m_matrix;
};

}  // namespace hyperplane::run_time
