// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "typed_objects.hpp"

namespace hyperplane::run_time {

/// Columns of an array and ShapedVectors, or a ShapedVector, for SolverOfColumns.
template <class Exec>
class GridColumns {
 public:
  using Vector = ShapedVector<Exec>;
  using Vectors = ShapedVectors<Exec>;

  GridColumns(const Shape& shape, const SizedFactory<Exec>& factory) : m_shape(shape), m_factory(factory) {}

  const Shape& domain() const { return m_shape; }
  std::int64_t rows() const { return m_shape.rows(); }
  void read(const Exec& exec, const double* from, int count, const Vectors& to) const {
    for (int j = 0; j < count; ++j) read(exec, from + j * rows(), 1, to[j]);
  }
  void read(const Exec& exec, const double* from, int /*count*/, const Vector& to) const {
    m_factory.pack_rows(exec, Rows<const double>(from, rows()), to);
  }
  void write(const Exec& exec, const Vectors& from, int count, double* to) const {
    for (int j = 0; j < count; ++j) write(exec, from[j], 1, to + j * rows());
  }
  void write(const Exec& exec, const Vector& from, int /*count*/, double* to) const {
    m_factory.unpack_rows(exec, from, Rows<double>(to, rows()));
  }

 private:
  template <class T>
  using Rows = typename SizedFactory<Exec>::template Rows<T>;

  Shape m_shape;
  const SizedFactory<Exec>& m_factory;
};

}  // namespace hyperplane::run_time
