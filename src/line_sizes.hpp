// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "find_size.hpp"
#include "held_preconditioner.hpp"
#include "line_csr_plan.hpp"
#include "sized_blocks.hpp"
#include "sized_matrix.hpp"
#include "typed_objects.hpp"

// Included by a file of its own for the block sizes of each group: HYPERPLANE_SIZES.
namespace hyperplane::run_time {

/// Which point is at an ordinal of a set of lines, and where that is.
struct LinePoint {
  std::int64_t m_point;
  std::int64_t m_line;
  int m_position;
};

// Kernels are not in the unnamed namespace: CUDA has to be able to name them.

template <class Ref>
struct FillLineMatrix {
  const LinePoint* m_points;
  Kokkos::View<const double****, Kokkos::LayoutStride, typename Ref::memory_space,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      m_values;
  typename Ref::type m_matrix;
  KOKKOS_FUNCTION void operator()(std::int64_t ordinal) const {
    auto const p = m_points[ordinal];
    for (int b = 0; b < line_blocks; ++b) {
      for (int c = 0; c < Ref::n; ++c) {
        for (int r = 0; r < Ref::n; ++r) {
          using Storage = typename Ref::storage_type;
          m_matrix(p.m_line, p.m_position, static_cast<LineBlock>(b), r, c) =
              static_cast<Storage>(m_values(p.m_point, b, r, c));
        }
      }
    }
  }
};

/// Rows of an array, (column, point, c), to and from line storage.
template <bool to_lines, class Ref, int n>
struct CopyLineRows {
  const LinePoint* m_points;
  std::int64_t m_point_count;
  double* m_rows;
  Ref m_vector;
  KOKKOS_FUNCTION void operator()(std::int64_t ordinal) const {
    auto const p = m_points[ordinal];
    for (int column = 0; column < m_vector.columns(); ++column) {
      double* const rows = m_rows + (column * m_point_count + p.m_point) * n;
      for (int c = 0; c < n; ++c) {
        double& value = m_vector(p.m_line, p.m_position, c, column);
        if constexpr (to_lines) {
          value = rows[c];
        } else {
          rows[c] = value;
        }
      }
    }
  }
};

/// What FillLineMatrix needs to know of a matrix.
template <class Matrix>
struct LineMatrixRef {
  using type = typename Matrix::Ref;
  using storage_type = typename Matrix::storage_type;
  using memory_space = typename Matrix::execution_space::memory_space;
  static constexpr int n = Matrix::block_size;
};

namespace {

template <int n, class Exec, class Storage>
class LineSolverOfSize final : public TypedLineSolver<Exec> {
 public:
  template <class T>
  using Values = typename TypedLineSolver<Exec>::template Values<T>;
  using Shaped = ShapedVector<Exec>;

  LineSolverOfSize(const Exec& exec, const LineSet& lines, const LineSolverSettings& settings)
      : m_layout(exec, lines), m_columns(settings.columns), m_plan(exec, m_layout, settings.options) {
    auto const size = static_cast<std::size_t>(lines.size());
    m_points = Points(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::LineSolver::points"), size);
    auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, m_points);
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      for (int p = 0; p < lines.length(line); ++p) host(lines.first(line) + p) = {lines.point(line, p), line, p};
    }
    Kokkos::deep_copy(exec, m_points, host);
    // The mirror goes.
    exec.fence("Hyperplane::LineSolver");
    m_matrix.emplace(exec, m_layout);
    m_vector.emplace(exec, m_layout, m_columns);
  }

  void factor(const Exec& exec, const Values<const double>& values) override {
    using Kernel = FillLineMatrix<LineMatrixRef<Matrix>>;
    detail::launch("Hyperplane::LineSolver::set", points(exec), 6.0 * n * n * sizeof(double),
                   Kernel{m_points.data(), values, m_matrix->ref()});
    m_plan.factor(exec, *m_matrix);
  }
  void factor(const Exec& exec, const TypedMatrix<Exec>& a) override {
    m_plan.factor(exec, dynamic_cast<const StencilMatrix<n, Exec, Storage>&>(a).stencil());
  }
  FactorProblem problem(const Exec& exec) const override { return FactorProblem::of(m_plan.status(exec)); }
  void solve(const Exec& exec, const double* rhs, double* x) const override {
    in_lines(exec, rhs, x, [&](const Vector& values) { m_plan.solve(exec, values, values); });
  }
  void solve(const Exec& exec, const Shaped& rhs, const Shaped& x) const override {
    m_plan.solve(exec, rhs.template as<n>(), x.template as<n>());
  }
  void solve_transposed(const Exec& exec, const double* rhs, double* x) const override {
    in_lines(exec, rhs, x, [&](const Vector& values) { m_plan.solve_transposed(exec, values, values); });
  }
  void solve_transposed(const Exec& exec, const Shaped& rhs, const Shaped& x) const override {
    m_plan.solve_transposed(exec, rhs.template as<n>(), x.template as<n>());
  }

 private:
  using Points = Kokkos::View<LinePoint*, typename Exec::memory_space>;
  using Plan = BlockTridiagonal<double, n, Exec, Storage>;
  using Matrix = BlockTridiagonalMatrix<double, n, Exec, Storage>;
  using Vector = LineVector<double, n, Exec>;

  /// Calls solve(values) with rhs in line storage, which then is x.
  template <class Solve>
  void in_lines(const Exec& exec, const double* rhs, double* x, const Solve& solve) const {
    copy<true>(exec, "Hyperplane::LineSolver::gather", const_cast<double*>(rhs));
    solve(*m_vector);
    copy<false>(exec, "Hyperplane::LineSolver::scatter", x);
  }
  auto points(const Exec& exec) const { return detail::LongIndexRange<Exec>(exec, 0, m_points.size()); }
  template <bool to_lines>
  void copy(const Exec& exec, const char* label, double* rows) const {
    using Kernel = CopyLineRows<to_lines, typename Vector::Ref, n>;
    detail::launch(label, points(exec), 2.0 * n * sizeof(double),
                   Kernel{m_points.data(), m_layout.lines().point_count(), rows, m_vector->ref()});
  }

  LineLayout<double, Exec> m_layout;
  int m_columns;
  Plan m_plan;
  Points m_points;
  std::optional<Matrix> m_matrix;
  std::optional<Vector> m_vector;
};

template <int n, class Exec>
class LineFactory final : public SizedLineFactory<Exec> {
 public:
  using Preconditioner = std::unique_ptr<TypedPreconditioner<Exec>>;

  std::unique_ptr<TypedLineSolver<Exec>> make_line_solver(const Exec& exec, const LineSet& lines,
                                                          const LineSolverSettings& settings) const override {
    if (settings.storage == StorageKind::double_precision) {
      return std::make_unique<LineSolverOfSize<n, Exec, double>>(exec, lines, settings);
    }
    return std::make_unique<LineSolverOfSize<n, Exec, float>>(exec, lines, settings);
  }

  Preconditioner make_preconditioner(const Exec& exec, const Grid& grid,
                                     const PreconditionerSettings& settings) const override {
    return make_held<Part::lines, n>(exec, grid, settings);
  }

  std::unique_ptr<TypedBlocks<Exec>> make_blocks(const Exec& exec, const MultiBlockGrid& grid,
                                                 const BlocksSettings& settings) const override {
    return make_held_blocks<Part::lines, double, n>(exec, grid, settings);
  }

  std::unique_ptr<TypedCsrPlan<Exec>> make_csr_plan(const Exec& exec, const CsrArrays<Exec>& a,
                                                    const CsrPreconditionerSettings& settings) const override {
    return std::make_unique<LineCsrPlan<n, Exec>>(exec, a, settings);
  }
};

using Sizes = std::integer_sequence<int, HYPERPLANE_SIZES>;

}  // namespace

#ifdef KOKKOS_ENABLE_SERIAL
template <>
const SizedLineFactory<Kokkos::Serial>* find_sized_line_factory<HYPERPLANE_GROUP, Kokkos::Serial>(int n) {
  return find_of_size<SizedLineFactory<Kokkos::Serial>, LineFactory, Kokkos::Serial>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
const SizedLineFactory<Kokkos::OpenMP>* find_sized_line_factory<HYPERPLANE_GROUP, Kokkos::OpenMP>(int n) {
  return find_of_size<SizedLineFactory<Kokkos::OpenMP>, LineFactory, Kokkos::OpenMP>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
const SizedLineFactory<Kokkos::Cuda>* find_sized_line_factory<HYPERPLANE_GROUP, Kokkos::Cuda>(int n) {
  return find_of_size<SizedLineFactory<Kokkos::Cuda>, LineFactory, Kokkos::Cuda>(n, Sizes{});
}
#endif

}  // namespace hyperplane::run_time
