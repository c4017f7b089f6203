// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/is_listed.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/detail/line_diagnosis.hpp>
#include <hyperplane/line/detail/line_jacobi_fast_path.hpp>
#include <hyperplane/line/detail/line_jacobi_kernels.hpp>
#include <hyperplane/line/detail/line_matrices.hpp>
#include <hyperplane/line/detail/line_places.hpp>
#include <hyperplane/line/detail/line_sample.hpp>
#include <hyperplane/line/detail/line_teams.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_status.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/factor_units.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/line/detail/line_jacobi_cuda.hpp>
#endif

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

struct LineJacobiOptions {
  /// A line is done when an iteration changes it by at most this much, relative to D^-1 b (2-norms over the line, whose
  /// squares must not underflow). 0: max_iterations, whatever the change.
  double tolerance = 1e-4;
  /// Iterations at most, D^-1 b being the first.
  int max_iterations = 30;
  /// The change is looked at after every so many iterations beyond the first. LinePath::staged makes as many in one
  /// pass over the blocks, if registers have room for them. 0: four on that path, one on others, where more would gain
  /// nothing.
  int check_interval = 0;
  /// Of solve(). solve_transposed() runs portable.
  LinePath path = LinePath::automatic;
};

/// Approximate solution of block tridiagonal systems along many lines, by block Jacobi iterations inside each line:
///
///     x[p] <- D[p]^-1 (b[p] - L[p] x[p-1] - U[p] x[p+1]),    first from x = 0,
///
/// until the change is small or a number of iterations is reached. The change is D^-1 (b - M x), so that the criterion
/// is that of a residual. For lines with a strong diagonal, as with small time steps: points wait for one another
/// neither in factor() nor in an iteration. Source: K. Kim, "Performance Portable SIMD Approach Implementing Block Line
/// Solver For Coupled PDEs", SIAM CSE 2019 (SAND2019-2037C).
///
/// Each line decides for itself (lines that share an internal vector of the layout together), inside the kernel: the
/// host waits for nothing. The number of iterations depends on b, so that M^-1 is not quite linear: inside a Krylov
/// method take FGMRES, or a fixed number of iterations (tolerance 0).
///
/// D^-1 L, D^-1 U and D^-1 may be stored as BlockTridiagonal stores its factors, in units of Half as C^-1 D^-1 L C,
/// C^-1 D^-1 U C and C^-1 D^-1 S^-1. It is these that have to fit into StorageScalar, not L and U: a block that is too
/// large for it is a failure.
///
/// A plan like BlockTridiagonal: the constructor allocates 3 n^2 values of StorageScalar and 2 n of Scalar per point;
/// factor() and solve() allocate nothing, fence nothing, and are asynchronous. At most one solve() of a plan and its
/// copies may run at a time. Lines are open. Cost per point: factor 6 n^3 flops, 3 n^2 values read and written; solve
/// 2 n^2 flops and n^2 + 3 n values for D^-1 b, and for each iteration more 4 n^2 flops and 2 n^2 + 3 n values, from a
/// cache where the blocks of a group of lines fit in it. LinePath::staged, for n <= 6 in double (n <= 9 in float) and
/// factors that are not Half, reads the blocks once for `check_interval` iterations, or as many as registers have room
/// for: eleven for n = 5 in double, three for n = 8 and 9 in float. Launches: factor two (one finishes the status),
/// solve one. Paths give the same bits with the same `check_interval`.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class LineJacobi {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Layout = LineLayout<Scalar, Exec>;
  using Options = LineJacobiOptions;
  using Vector = BlockVector<Scalar, n, Exec>;
  using Rows = Kokkos::View<Scalar*, typename Exec::memory_space>;
  /// The same with blocks of another type.
  template <StorageReal Other>
  using WithStorage = LineJacobi<Scalar, n, Exec, Other>;
  static constexpr int vector_length = Layout::vector_length;

  /// Throws Error where an option is out of range, where lines are periodic, and where the execution space cannot run
  /// the path.
  LineJacobi(const Exec& exec, const LineSet& lines, const LineJacobiOptions& options = {})
      : m_options(checked(lines, options)),
        m_layout(exec, lines),
        m_places(exec, m_layout),
        m_longest(std::ranges::max(m_layout.tables().lengths())),
        m_blocks(exec, "Hyperplane::LineJacobi::blocks", m_layout.items()),
        m_vectors(exec, "Hyperplane::LineJacobi::vectors", m_layout.items()),
        m_units(exec, "LineJacobi", m_layout.items()),
        m_singular(exec, "Hyperplane::LineJacobi::status"),
        m_fast_path(exec, m_layout, path()) {}

  const LineSet& lines() const { return m_layout.lines(); }
  const Layout& layout() const { return m_layout; }
  /// The path that runs; never automatic.
  LinePath path() const { return m_options.path; }

  /// Keeps the block tridiagonal part of A along the lines, which are grid lines of A's grid, or Error is thrown. A may
  /// be overwritten when the instance has finished. A singular diagonal block is recorded: see status().
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_line_grid("LineJacobi::factor", "A", a.grid(), lines());
    factor_from(exec, a.flat().data(), m_places.outer, detail::stencil_line_entries<n>(lines().direction()));
  }

  /// The same of grid lines of several grids, see BlockTridiagonal::factor_flat().
  template <class MatrixStorage>
  void factor_flat(const Exec& exec, const MatrixStorage* a) {
    require(lines().on_grids(), "LineJacobi::factor_flat: the lines are not grid lines");
    factor_from(exec, a, m_places.outer, detail::stencil_line_entries<n>(lines().direction()));
  }

  /// The same of matrices on the same lines, or Error is thrown.
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockTridiagonalMatrix<Scalar, n, Exec, MatrixStorage>& a) {
    m_layout.require_same("LineJacobi::factor", "A", a.layout());
    factor_from(exec, a.flat().data(), m_places.lines, detail::matrix_line_entries<n>());
  }

  /// x is about M^-1 rhs; x may be rhs. Throws Error before the first factor() and where the grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { on_grid<false>(exec, rhs, x); }

  /// The same of grid lines of several grids, or with M^T, in the flat() of vectors of all of them.
  template <bool transposed = false>
  void solve_flat(const Exec& exec, const Scalar* rhs, Scalar* x) const {
    require(lines().on_grids(), "LineJacobi::solve_flat: the lines are not grid lines");
    solve_in<transposed>(exec, rhs, x);
  }

  /// The same for lists, in arrays with n unknowns per point, one after the other. Points on no line are left as they
  /// are.
  void solve(const Exec& exec, const Rows& rhs, const Rows& x) const { on_lists<false>(exec, rhs, x); }

  /// x is about M^-T rhs, by iterations with M^T; otherwise as solve(). With a tolerance of 0 the transpose of what
  /// solve() does.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const { on_grid<true>(exec, rhs, x); }
  void solve_transposed(const Exec& exec, const Rows& rhs, const Rows& x) const { on_lists<true>(exec, rhs, x); }

  /// Whether the last factor() failed, where, and why. Waits for the instance.
  LineStatus status(const Exec& exec) const {
    auto const place = m_singular.find(exec);
    if (!place) return {};
    return detail::line_status(lines(), place->number, place->finding);
  }

 private:
  using Places = detail::LinePlaces<Scalar, Exec>;
  static constexpr int internal_length = Layout::internal_vector_length;
  static constexpr int internal_vectors = vector_length / internal_length;

  using FastPath = detail::LineJacobiFastPath<Scalar, n, Exec, StorageScalar>;

  static LineJacobiOptions checked(const LineSet& lines, LineJacobiOptions options) {
    require(lines.ends() == LineEnds::open, "LineJacobi: lines must be open");
    if (!(options.tolerance >= 0)) {
      fail("LineJacobi: tolerance is " + detail::shortest(options.tolerance) + ", expected 0 or more");
    }
    if (options.max_iterations < 1) {
      fail("LineJacobi: max_iterations is " + std::to_string(options.max_iterations) + ", expected 1 or more");
    }
    if (options.check_interval < 0) {
      fail("LineJacobi: check_interval is " + std::to_string(options.check_interval) + ", expected 0 or more");
    }
    if (options.path == LinePath::automatic) options.path = FastPath::choose();
    if (options.check_interval == 0) options.check_interval = options.path == LinePath::staged ? 4 : 1;
    if (options.path != LinePath::portable && !detail::is_listed(FastPath::paths, options.path)) {
      fail(std::string("LineJacobi: ") + Exec::name() + " has no path " + name(options.path));
    }
    return options;
  }

  template <class MatrixStorage>
  void factor_from(const Exec& exec, const MatrixStorage* data, const Places& places, const detail::LineEntries& of) {
    places.visit([&](const auto& kind) {
      auto const a = detail::make_line_matrix(data, kind, of);
      if constexpr (detail::has_scales<StorageScalar>) {
        m_units.template choose<Scalar>(exec, detail::LineSample<MatrixStorage, n, vector_length>(a, m_layout));
      }
      auto const places_of_kernel = detail::kernel_places<Scalar, Exec>(kind);
      using KernelPlaces = std::remove_const_t<decltype(places_of_kernel)>;
      detail::for_line_packs<internal_vectors>(
          "Hyperplane::LineJacobi::factor", exec, m_layout.packs() * m_longest,
          3.0 * n * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar)) * detail::line_slots(m_layout),
          detail::LineJacobiFactor<Scalar, n, Exec, StorageScalar, MatrixStorage, KernelPlaces, vector_length,
                                   internal_length>{detail::make_line_matrix(data, places_of_kernel, of),
                                                    m_layout.ref(), m_blocks.ref(), m_units.ref(), m_singular.ref(),
                                                    m_longest});
      using Diagnosis = detail::LineJacobiDiagnosis<Scalar, n, StorageScalar, MatrixStorage, vector_length>;
      m_singular.conclude(exec, Diagnosis{{a, m_layout.ref(), m_layout.lines().count()}});
    });
    m_factored = true;
  }

  static std::string function(bool transposed) {
    return transposed ? "LineJacobi::solve_transposed" : "LineJacobi::solve";
  }

  template <bool transposed>
  void on_grid(const Exec& exec, const Vector& rhs, const Vector& x) const {
    detail::check_line_grid(function(transposed).c_str(), "the right-hand side", rhs.grid(), lines());
    detail::check_line_grid(function(transposed).c_str(), "x", x.grid(), lines());
    solve_in<transposed>(exec, rhs.flat().data(), x.flat().data());
  }

  template <bool transposed>
  void on_lists(const Exec& exec, const Rows& rhs, const Rows& x) const {
    if (lines().on_grids()) fail(function(transposed) + ": arrays of points belong to lists, not to grid lines");
    auto const rows = lines().point_count() * n;
    if (static_cast<std::int64_t>(rhs.extent(0)) != rows || static_cast<std::int64_t>(x.extent(0)) != rows) {
      fail(function(transposed) + ": arrays have " + std::to_string(rhs.extent(0)) + " and " +
           std::to_string(x.extent(0)) + " rows, expected " + std::to_string(rows));
    }
    solve_in<transposed>(exec, rhs.data(), x.data());
  }

  template <bool transposed>
  void solve_in(const Exec& exec, const Scalar* rhs, Scalar* x) const {
    if (!m_factored) fail(function(transposed) + ": called before factor");
    detail::LineJacobiLimits<Scalar> const limits{static_cast<Scalar>(m_options.tolerance), m_options.max_iterations,
                                                  m_options.check_interval};
    m_places.outer.visit([&](const auto& kind) {
      using OuterPlaces = std::remove_cvref_t<decltype(kind)>;
      if constexpr (!transposed && !FastPath::paths.empty()) {
        if (path() != LinePath::portable) {
          m_fast_path.solve(exec, m_layout.ref(), m_blocks.ref(), m_vectors.ref(),
                            detail::LineUnknowns<const Scalar, OuterPlaces>{rhs, kind, n, 0},
                            detail::LineUnknowns<Scalar, OuterPlaces>{x, kind, n, 0}, limits);
          return;
        }
      }
      auto const places_of_kernel = detail::kernel_places<Scalar, Exec>(kind);
      using KernelPlaces = std::remove_const_t<decltype(places_of_kernel)>;
      detail::for_line_packs<internal_vectors>(
          transposed ? "Hyperplane::LineJacobi::solve_transposed" : "Hyperplane::LineJacobi::solve", exec,
          m_layout.packs(),
          2.0 * n * n * sizeof(StorageScalar) * m_options.max_iterations * detail::line_slots(m_layout),
          detail::LineJacobiSolve<Scalar, n, StorageScalar, KernelPlaces, vector_length, internal_length, transposed>{
              m_layout.ref(),
              m_blocks.ref(),
              m_units.ref(),
              m_vectors.ref(),
              {rhs, places_of_kernel, n, 0},
              {x, places_of_kernel, n, 0},
              limits});
    });
  }

  LineJacobiOptions m_options;
  Layout m_layout;
  detail::LineSides<Scalar, Exec> m_places;
  int m_longest;  ///< steps of the longest pack
  InterleavedView<StorageScalar, vector_length, detail::line_jacobi_blocks * n * n, Exec> m_blocks;
  InterleavedView<Scalar, vector_length, detail::line_jacobi_vectors * n, Exec> m_vectors;
  detail::FactorUnits<StorageScalar, n, vector_length, Exec> m_units;
  detail::SingularPivotRecord<Exec> m_singular;
  FastPath m_fast_path;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
