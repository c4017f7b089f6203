// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include "context_objects.hpp"
#include "memory.hpp"
#include "typed_csr.hpp"

/// Vectors of a context whose matrices are of compressed rows.
namespace hyperplane::run_time {

/// What only grids have.
[[noreturn]] inline void refuse_without_grid(const std::string& what) {
  throw Error(what + " of vectors and matrices on grids, these are of compressed rows");
}

/// Values of blocks, between two orders of their entries.
struct CopyBlocks {
  const double* m_from;
  double* m_to;
  std::int64_t m_block_size;
  bool m_transposes;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    auto const n = m_block_size;
    auto const block = e / (n * n), r = e / n % n, c = e % n;
    m_to[e] = m_from[m_transposes ? (block * n + c) * n + r : e];
  }
};

template <class Exec>
class CsrVectorOn final : public Vector {
 public:
  CsrVectorOn(const Instance<Exec>& instance, const PointShape& shape)
      : m_instance(instance), m_shape(shape), m_vector(instance.exec, shape.rows(), "Hyperplane::Vector") {}

  const Instance<Exec>& instance() const { return m_instance; }
  const FlatVector<Exec>& typed_vector() const { return m_vector; }
  const PointShape& shape() const { return m_shape; }
  std::int64_t points() const override { return m_shape.points; }
  std::int64_t rows() const override { return m_shape.rows(); }

  void set(const double* values, MemorySpace space) override {
    in_memory_of<false>(m_instance.exec, values, rows(), space,
                        [&](const double* from) { copy(from, m_vector.flat().data()); });
  }
  void get(double* values, MemorySpace space) const override {
    in_memory_of<true>(m_instance.exec, values, rows(), space, [&](double* to) { copy(m_vector.flat().data(), to); });
  }
  void fill(double value) override { Kokkos::deep_copy(m_instance.exec, m_vector.flat(), value); }
  void set_box(const Box&, const Array&, const Point&) override { refuse_without_grid("boxes are"); }
  void get_box(const Box&, const Array&, const Point&) const override { refuse_without_grid("boxes are"); }
  void mask(const std::int8_t*, MemorySpace) override { refuse_without_grid("masks are"); }

 private:
  void copy(const double* from, double* to) const {
    detail::launch("Hyperplane::Vector::copy", detail::LongIndexRange<Exec>(m_instance.exec, 0, rows()),
                   2.0 * sizeof(double), CopyBlocks{from, to, 1, false});
  }

  Instance<Exec> m_instance;
  PointShape m_shape;
  FlatVector<Exec> m_vector;
};

}  // namespace hyperplane::run_time
