// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/reducer.hpp>
#include <hyperplane/array/scaled_norm.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/is_listed.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/krylov/krylov_base.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/sip/sip_coefficients.hpp>
#include <hyperplane/sip/sip_slab.hpp>
#include <hyperplane/sip_iteration/detail/sip_iteration_portable.hpp>
#include <hyperplane/sip_iteration/sip_iteration_path.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/factor_units.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/sip/sip_cuda.hpp>
#include <hyperplane/sip_iteration/detail/sip_iteration_cuda.hpp>
#endif

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

struct SipNormFinish {
  double* m_square;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const { *m_square = sums.m_values[0]; }
};

}  // namespace detail

struct SipIterationOptions {
  /// Share of the extrapolation, see SipOptions.
  double alpha = 0.9;
  /// Every other iteration takes the points of the grid in the opposite order, so that it can follow close behind the
  /// one before. Without it every iteration is that of Sip, and iterations run one after the other.
  bool alternate = true;
  /// Hosts have the portable path alone, which shows what is computed: there Sip and Richardson are faster.
  SipIterationPath path = SipIterationPath::automatic;
  /// Multiprocessors of a CUDA device that kernels of the plan may occupy, see TriangularSweepsOptions; 0: all.
  int multiprocessors = 0;
};

/// Iterations of SIP as one operation: x += M^-1 (b - A x), `count` times, with M = L U that of Sip.
///
/// The forward sweep of an iteration begins at the corner of the grid where the backward sweep before it ends, so that
/// iterations in one order of the points cannot overlap. Stone already let orders alternate from one iteration to the
/// next. Here iterations of odd number have the order of the grid mirrored in all three directions: their forward sweep
/// begins where the backward sweep before begins, and follows close behind it, so that an iteration takes the time of
/// about one sweep and a little instead of two. docs/algorithms.md compares the convergence with that of one order.
/// Source: H. L. Stone, "Iterative Solution of Implicit Approximations of Multidimensional Partial Differential
/// Equations", doi:10.1137/0705044.
///
/// The residual is carried along, r -= A delta, and computed from x anew in each iterate(); it is fused with the update
/// of x, and on SipIterationPath::slab goes just ahead of the sweep that needs it.
///
/// Coefficients of 16 bits are those of Sip; docs/algorithms.md has iterations with them. BFloat16 has all paths. Half,
/// which has a unit for each point in each order, 2 bytes, has SipIterationPath::portable alone.
///
/// A plan: the constructor allocates 7 values of StorageScalar per point, 14 where orders alternate, two vectors (on
/// CUDA three, and for SipIterationPath::slab packets as Sip does); factor() and iterate() allocate nothing, fence
/// nothing, and are asynchronous on the instance that is given. Copies, made after factor(), share factors and working
/// memory: at most one call of a plan and all its copies may run at a time.
///
/// Cost of an iteration per point: 28 flops, 7 values of A and 7 of factors, about 9 of vectors. Launches of iterate()
/// on SipIterationPath::slab: one; on SipIterationPath::portable one for each hyperplane and sweep. factor() computes
/// the coefficients of each order as Sip does, the mirrored ones in a launch for each hyperplane. Results are bitwise
/// the same whatever the number of threads or multiprocessors and in every run, for a given path; between paths they
/// agree to rounding. Boundaries are what A says, as in Sip; solid points are rows of A with a diagonal entry alone, to
/// which no other row points.
template <Real Scalar, ExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class SipIteration {
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using Iterations = detail::SipIterations<Scalar, Exec, StorageScalar>;
  using Factors = typename Iterations::Factors;

 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Vector = BlockVector<Scalar, 1, Exec>;
  using Matrix = BlockStencil7<Scalar, 1, Exec>;
  static constexpr int vector_length = Vector::vector_length;

  /// Throws Error where alpha is out of range or the execution space cannot run the path.
  SipIteration(const Exec& exec, const Grid& grid, const SipIterationOptions& options = {})
      : m_options(checked(exec, options)),
        m_map(grid),
        m_usual(exec, m_map),
        m_mirrored(options.alternate ? Arrays(exec, m_map) : m_usual),
        m_residual(exec, grid, "Hyperplane::SipIteration::residual"),
        m_singular(exec, "Hyperplane::SipIteration::status"),
        m_mirrored_singular(exec, "Hyperplane::SipIteration::mirrored_status"),
        m_coefficients(exec, m_map, m_options.path == SipIterationPath::slab, options.multiprocessors),
        m_iterations(exec, m_map, m_options.path, options.alternate, options.multiprocessors),
        m_reducer(exec, static_cast<std::int64_t>(m_residual.flat().size())),
        m_square(Kokkos::view_alloc(exec, "Hyperplane::SipIteration::square")),
        m_scaled_norm(exec, "Hyperplane::SipIteration::norm"),
        m_solving(std::make_shared<std::atomic<bool>>(false)) {}

  const Grid& grid() const { return m_map.grid(); }
  /// With the path that runs; never automatic.
  const SipIterationOptions& options() const { return m_options; }

  /// Computes the coefficients of both orders from A. Throws Error where the grid of A is another one. A singular pivot
  /// is recorded: see status().
  void factor(const Exec& exec, const Matrix& a) {
    detail::check_grid("SipIteration::factor", "A", a.grid(), grid());
    detail::Solving const solving(*m_solving, "SipIteration::factor");
    m_factored = false;
    auto const alpha = static_cast<Scalar>(m_options.alpha);
    detail::SipMask const all{nullptr};
    typename Factors::Usual const usual = ordered(m_usual, false);
    m_coefficients(exec, a.ref(), usual, m_singular, alpha, all);
    detail::conclude_sip_coefficients(exec, a.ref(), ordered(m_usual, false), m_singular, alpha, all);
    if (m_options.alternate) {
      auto const factors = ordered(m_mirrored, true);
      detail::sip_coefficients_portable(exec, a.ref(), factors, m_mirrored_singular, alpha, all);
      detail::conclude_sip_coefficients(exec, a.ref(), factors, m_mirrored_singular, alpha, all);
    }
    m_factored = true;
  }

  /// `count` iterations of A x = b with the A of factor(), from the x that is given; the first one in the usual order.
  /// Leaves residual(). x must not be b or residual(). Throws Error before the first factor(), where a grid is another
  /// one, and where count is negative or above max_count.
  void iterate(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x, int count) const {
    check("SipIteration::iterate", a, b, x);
    if (count < 0 || count > max_count) {
      fail("SipIteration::iterate: count is " + std::to_string(count) + ", expected 0 to " + std::to_string(max_count));
    }
    detail::Solving const solving(*m_solving, "SipIteration::iterate");
    run(exec, a, b, x, count);
  }
  static constexpr int max_count = 1000;
  static_assert(max_count % 2 == 0, "solve() takes so many iterations between two looks, where orders alternate too");

  /// b - A x after the last iterate(), as the iterations carried it along.
  const Vector& residual() const { return m_residual; }

  /// Iterates until ||b - A x|| <= max(tolerance ||b||, absolute_tolerance), and looks at it every check_interval
  /// iterations, with the residual that iterate() leaves, or after max_iterations, or until the monitor stops. The
  /// history of the result has the norms that were looked at. Where orders alternate, a look comes after an even number
  /// of iterations, since they begin in the usual order after it: an odd check_interval is
  /// one more. 0 is 1. 10 or more let iterations follow one another. b = 0 has the solution x = 0 at once. Waits for
  /// the instance.
  KrylovResult solve(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x,
                     const KrylovOptions& options = {}) const {
    detail::check_options("SipIteration", options);
    check("SipIteration::solve", a, b, x);
    detail::Solving const solving(*m_solving, "SipIteration::solve");
    KrylovResult result;
    result.rhs_norm = norm(exec, b);
    if (result.rhs_norm == 0.0) Kokkos::deep_copy(exec, x.flat(), Scalar(0));
    double const target = std::max(options.tolerance * result.rhs_norm, options.absolute_tolerance);
    int const asked = std::clamp(options.check_interval, 1, max_count);
    int const interval = asked + (m_options.alternate ? asked % 2 : 0);
    int next = 0;
    do {
      run(exec, a, b, x, next);
      result.iterations += next;
      result.residual_norm = norm(exec, m_residual);
      result.history.push_back(result.residual_norm);
      bool const stop =
          options.monitor && options.monitor(result.iterations, result.residual_norm) == MonitorAction::stop;
      bool const ends = stop || result.residual_norm <= target || result.iterations == options.max_iterations;
      if (ends && next > 0) {
        // What iterations carry along may have drifted from the residual of x.
        run(exec, a, b, x, 0);
        result.residual_norm = norm(exec, m_residual);
      }
      result.breakdown = find_breakdown(exec, result, x);
      if (result.breakdown != KrylovBreakdown::none) {
        result.outcome = KrylovOutcome::breakdown;
        detail::name_cause(exec, a, result);
        return result;
      }
      if (result.residual_norm <= target) {
        result.outcome = KrylovOutcome::converged;
        return result;
      }
      if (stop) {
        result.outcome = KrylovOutcome::stopped;
        return result;
      }
      next = std::min(interval, options.max_iterations - result.iterations);
    } while (next > 0);
    return result;
  }

  /// Whether the last factor() failed, where, and why: the first failure in the usual order, or if there is none the
  /// first one in the mirrored order. Waits for the instance.
  FactorStatus status(const Exec& exec) const {
    auto const status = m_singular.status(exec, grid());
    if (!status.ok()) return status;
    auto const in_order = ordered(m_mirrored, true);
    return m_mirrored_singular.status(exec, grid(), [&](const Point& p) { return in_order.point(p); });
  }

 private:
  struct Arrays {
    Arrays(const Exec& exec, const SlabMap<vector_length>& map)
        : m_lower(exec, "Hyperplane::SipIteration::lower", map.pack_count()),
          m_upper(exec, "Hyperplane::SipIteration::upper", map.pack_count()),
          m_units(exec, "SipIteration", map.pack_count()) {}
    InterleavedView<StorageScalar, vector_length, detail::lower_blocks, Exec> m_lower;
    InterleavedView<StorageScalar, vector_length, detail::upper_blocks, Exec> m_upper;
    detail::FactorUnits<StorageScalar, 1, vector_length, Exec> m_units;
  };

  void check(const char* function, const Matrix& a, const Vector& b, const Vector& x) const {
    auto const refuse = [function](const char* what) { fail(std::string(function) + what); };
    detail::check_grid(function, "A", a.grid(), grid());
    detail::check_grid(function, "b", b.grid(), grid());
    detail::check_grid(function, "x", x.grid(), grid());
    if (!m_factored) refuse(": called before factor");
    if (b.flat().data() == x.flat().data()) refuse(": x must not be b");
    if (m_residual.flat().data() == x.flat().data()) refuse(": x must not be residual()");
  }

  void run(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x, int count) const {
    Factors const factors[2] = {ordered(m_usual, false), ordered(m_mirrored, m_options.alternate)};
    m_iterations(exec, factors, a, b, x, m_residual, count);
  }

  KrylovBreakdown find_breakdown(const Exec& exec, const KrylovResult& result, const Vector& x) const {
    if (!std::isfinite(result.rhs_norm)) return KrylovBreakdown::right_hand_side;
    if (std::isfinite(result.residual_norm)) return KrylovBreakdown::none;
    if (result.iterations > 0) return KrylovBreakdown::residual;
    return std::isfinite(norm(exec, x)) ? KrylovBreakdown::initial_residual : KrylovBreakdown::initial_guess;
  }

  static SipIterationOptions checked(const Exec& exec, SipIterationOptions options) {
    if (!(options.alpha >= 0 && options.alpha < 1)) {
      fail("SipIteration: alpha is " + detail::shortest(options.alpha) + ", expected at least 0 and less than 1");
    }
    if (options.multiprocessors < 0) {
      fail("SipIteration: " + std::to_string(options.multiprocessors) + " multiprocessors are not possible");
    }
    if (options.path == SipIterationPath::automatic) options.path = Iterations::choose(exec);
    if (!detail::is_listed(Iterations::paths, options.path)) {
      fail(std::string("SipIteration: ") + Exec::name() + " has no path " + name(options.path));
    }
    return options;
  }

  Factors ordered(const Arrays& arrays, bool mirrored) const {
    return Factors{{m_map, arrays.m_lower.ref(), arrays.m_upper.ref(), arrays.m_units.ref()}, mirrored};
  }

  double norm(const Exec& exec, const Vector& v) const {
    m_reducer.template run<1>(exec, "Hyperplane::SipIteration::norm", detail::NormBody<Scalar>{v.flat().data()},
                              detail::SipNormFinish{m_square.data()});
    double square = 0;
    Kokkos::deep_copy(exec, Kokkos::View<double, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&square),
                      m_square);
    exec.fence("Hyperplane: convergence check");
    return detail::in_range(square) ? std::sqrt(square) : m_scaled_norm(exec, m_reducer, v.flat().data());
  }

  SipIterationOptions m_options;
  SlabMap<vector_length> m_map;
  Arrays m_usual;
  Arrays m_mirrored;
  Vector m_residual;
  detail::SingularPivotRecord<Exec> m_singular;
  detail::SingularPivotRecord<Exec> m_mirrored_singular;  // in the mirrored order
  detail::SipCoefficients<Scalar, Exec, StorageScalar, vector_length, detail::SipMatrices::unmasked_in_scalar>
      m_coefficients;
  Iterations m_iterations;
  detail::Reducer<Exec> m_reducer;
  Kokkos::View<double, typename Exec::memory_space> m_square;
  detail::ScaledNorm<Exec> m_scaled_norm;
  std::shared_ptr<std::atomic<bool>> m_solving;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
