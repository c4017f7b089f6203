// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "typed_objects.hpp"

namespace hyperplane::run_time {

/// Columns of an array and ShapedVectors, for SolverOfColumns.
template <class Exec>
class GridColumns {
 public:
  using Vectors = ShapedVectors<Exec>;

  GridColumns(const Shape& shape, const SizedFactory<Exec>& factory) : m_shape(shape), m_factory(factory) {}

  const Shape& domain() const { return m_shape; }
  std::int64_t rows() const { return m_shape.rows(); }
  void read(const Exec& exec, const double* from, int count, const Vectors& to) const {
    for (int j = 0; j < count; ++j) m_factory.pack_rows(exec, Rows<const double>(from + j * rows(), rows()), to[j]);
  }
  void write(const Exec& exec, const Vectors& from, int count, double* to) const {
    for (int j = 0; j < count; ++j) m_factory.unpack_rows(exec, from[j], Rows<double>(to + j * rows(), rows()));
  }

 private:
  template <class T>
  using Rows = typename SizedFactory<Exec>::template Rows<T>;

  Shape m_shape;
  const SizedFactory<Exec>& m_factory;
};

}  // namespace hyperplane::run_time
