// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/block_vectors.hpp>
#include <hyperplane/sweep/checked_sweep_path.hpp>
#include <hyperplane/sweep/comparison_sweeps.hpp>
#include <hyperplane/sweep/detail/triangular_sweeps_fast_path.hpp>
#include <hyperplane/sweep/detail/triangular_sweeps_slab.hpp>
#include <hyperplane/sweep/factor_units.hpp>
#include <hyperplane/sweep/folded_sweeps.hpp>
#include <hyperplane/sweep/portable_sweep.hpp>
#include <hyperplane/sweep/sweep_bytes.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>
#include <hyperplane/sweep/triangular_sweeps_options.hpp>
#include <hyperplane/sweep/written_factors_memory.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/sweep/detail/triangular_sweeps_cuda.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The plan of a solve with M = (d + L)(I + d^-1 U) on the seven-point stencil: block lower and upper triangular in the
/// order of the hyperplanes i + j + k = p, whose points are independent of one another. BlockIlu0, Sip and Ssor are
/// this plan and what fills it. A preconditioner of yours with such an M has one too, and calls fill() in its factor().
/// Where directions are folded, L and U are triangular in the FoldedOrder, and sweeps go by its hyperplanes.
///
/// Kept: L, d^-1 and d^-1 U, as Factors say where, so that a solve reads 7 n^2 values of StorageScalar per point, each
/// once: forward() is y = d^-1 (r - L y) upwards, backward() is x = y - d^-1 U x downwards, and solve() both.
/// StorageScalar = float with Scalar = double stores half the bytes and computes in double; Half and BFloat16 a
/// quarter. Half has a small range: factors that a factorization writes so are in units of their own, powers of two
/// (FactorScales); those of a fill() that knows nothing of units are as they are. Quarter is 8 bits for L and d^-1 U:
/// a solve reads 6 n^2 of these, n^2 values and 4 n scales of Half instead of 7 n^2 values. On hosts about n values of
/// Scalar more for each `vector_length` points, for transposed solves, and, where slabs are cut into strips, 2 n more
/// for each line along i.
///
/// A plan: the constructor allocates; the other functions do not, do not fence, and are asynchronous on the instance
/// that is given. Copies, made after fill(), share factors and working memory: at most one call of a plan and all its
/// copies may run at a time.
///
/// Cost per point: 14 n^2 flops, 7 n^2 + 4 n values (with Quarter as above), of which the forward sweep has 8 n^2 and 4
/// n^2 + 2 n. Launches: one for each hyperplane and sweep on SweepPath::portable; on SweepPath::slab two on the host,
/// one on CUDA, and up to eight on hosts where directions are folded. A transposed solve takes as much, with 6 n^2 and
/// 3 n^2 + 2 n in its first half; on CUDA the first one of a plan is prepared, see prepare_transposed(). No path can
/// deadlock, whatever else the device does. Kernels are called Hyperplane::BlockIlu0::solve, or solve_transposed,
/// whoever owns the plan.
///
/// Results are bitwise the same whatever the number of threads or multiprocessors and in every run, for a given path;
/// on CUDA plain solves for all paths.
template <Real Scalar, int n, ExecutionSpace Exec, FactorReal StorageScalar = Scalar>
class TriangularSweeps {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");

  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Vector = BlockVector<Scalar, n, Exec>;
  template <int count>
  using Several = BlockVectors<Scalar, n, count, Exec>;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;
  /// What sweeps read.
  using Factors = detail::TriangularFactors<StorageScalar, n, vector_length>;
  /// Where kernels write the blocks of a point p: `lower(pack, b)` and `upper(pack, b)`, with the pack and lane of
  /// order().stored(p), which is p in natural order; upper blocks are already multiplied by d^-1 from the left. The
  /// same, unless StorageScalar is Quarter.
  using WrittenFactors = detail::TriangularFactors<detail::FactoredAs<StorageScalar>, n, vector_length>;
  using LowerBlock = detail::LowerBlock;
  using UpperBlock = detail::UpperBlock;
  /// What record.conclude() is told of a point.
  using Finding = detail::PivotFinding;
  /// Where kernels record points at which there are no factors.
  using Record = detail::SingularPivotRecord<Exec>;
  using Units = detail::FactorUnits<detail::FactoredAs<StorageScalar>, n, vector_length, Exec>;
  /// What runs the sweeps instead of a path, see sweep/comparison_paths.hpp.
  using Comparison = detail::ComparisonSweeps<Scalar, n, Exec, StorageScalar, vector_length>;

  /// `owner` is whose plan it is, such as "BlockIlu0", for messages and labels of memory. On CUDA the instance says
  /// here how much of the device there is to use, for all calls. Throws Error where the execution space cannot run the
  /// path, and where the comparison was made for another grid.
  TriangularSweeps(const Exec& exec, const Grid& grid, std::string owner, const TriangularSweepsOptions& options = {},
                   std::shared_ptr<Comparison> comparison = nullptr)
      : m_owner(std::move(owner)),
        m_map(grid),
        m_order(grid, options.folded),
        m_comparison(std::move(comparison)),
        m_path(detail::checked_sweep_path<StorageScalar, FastPath, Folded>(exec, m_owner, m_map, m_order, options,
                                                                           m_comparison.get())),
        m_lower(exec, "Hyperplane::" + m_owner + "::lower", m_map.pack_count()),
        m_upper(exec, "Hyperplane::" + m_owner + "::upper", m_map.pack_count()),
        m_written(exec, m_owner, m_map.pack_count()),
        m_units(exec, m_owner, m_map.pack_count()),
        m_singular(exec, "Hyperplane::" + m_owner + "::status"),
        m_right_hand_sides(options.right_hand_sides),
        m_fast_path(exec, m_owner, m_map, path_of_natural_order(), options.multiprocessors, options.right_hand_sides),
        m_folded(exec, m_owner, m_order, m_path) {}

  const Grid& grid() const { return m_map.grid(); }
  const SlabMap<vector_length>& map() const { return m_map; }
  /// The order in which L is lower triangular.
  const FoldedOrder& order() const { return m_order; }
  /// The path that runs; never automatic.
  SweepPath path() const { return m_path; }
  /// The same for what knows the natural order alone: where directions are folded, portable.
  SweepPath path_of_natural_order() const { return m_order.is_folded() ? SweepPath::portable : m_path; }

  /// What a preconditioner does in factor(): `compute(factors, record)` launches the kernels that write WrittenFactors,
  /// record where there are none, and then calls record.conclude() with what explains the first of these points. Their
  /// numbers are those of their places in order(), which says whether a block of Factors::coupling() belongs to L.
  /// Blocks that point out of the grid have to be finite: SweepPath::slab multiplies them by zero on hosts. Where
  /// StorageScalar is Quarter they have to be zero, as they share the scales of the others; compute() writes factors as
  /// Half, and what it has launched is followed by a kernel that makes those of 8 bits of them. Slots without a point
  /// stay as they are, zero, but for scales of columns.
  template <class Compute>
  void fill(const Exec& exec, const Compute& compute) {
    m_filled = false;
    compute(m_written.of(factors()), m_singular);
    if constexpr (!StorageReal<StorageScalar>) m_written.compress(exec, factors());
    m_filled = true;
  }

  /// For those that fill several plans by kernels of their own: as before the first fill(), and the record for kernels.
  void reset() { m_filled = false; }
  const Record& record() const { return m_singular; }

  /// Where the factors are, for kernels that read them. Their memory is the same as long as the plan lives.
  Factors factors() const { return Factors{m_map, m_lower.ref(), m_upper.ref(), m_units.ref()}; }
  /// What slabs hand on in transposed sweeps, on hosts: for kernels that run these.
  const auto& handed_on() const
    requires HostExecutionSpace<Exec>
  {
    return m_fast_path.handed_on();
  }
  /// What chooses their units for a matrix, where they have some: for a factorization that writes them so.
  const Units& units() const { return m_units; }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first fill() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check("solve", rhs, x);
    sweep<1>(exec, detail::Sweeps::both, &rhs, &x);
  }

  /// x[v] = M^-1 rhs[v] for each v, as single solves do, on CUDA bit by bit, on the host to rounding (compilers choose
  /// anew for each number of vectors which products they fuse with sums); x[v] may be rhs[v], and has nothing in common
  /// with the others. TriangularSweepsOptions::right_hand_sides of them are taken together. Throws Error as solve()
  /// does, and where there are not as many x as right-hand sides.
  void solve(const Exec& exec, std::span<const Vector> rhs, std::span<const Vector> x) const {
    check_several(rhs, x);
    for (std::size_t v = 0; v < rhs.size();) {
      auto const together = std::min<std::size_t>(rhs.size() - v, static_cast<std::size_t>(m_right_hand_sides));
      if (together == 1) sweep<1>(exec, detail::Sweeps::both, &rhs[v], &x[v]);
      if (together == 2) sweep<2>(exec, detail::Sweeps::both, &rhs[v], &x[v]);
      if (together == 3) sweep<3>(exec, detail::Sweeps::both, &rhs[v], &x[v]);
      v += together;
    }
  }

  /// The same of vectors in one piece of memory; hosts take all together on SweepPath::slab, whatever the options say.
  template <int count>
  void solve(const Exec& exec, const Several<count>& rhs, const Several<count>& x) const {
    if constexpr (HostExecutionSpace<Exec>) {
      check("solve", rhs[0], x[0]);
      sweep<count>(exec, detail::Sweeps::both, rhs.all().data(), x.all().data());
    } else {
      solve(exec, rhs.all(), x.all());
    }
  }

  /// y = (d + L)^-1 rhs, the first half of a solve; y may be rhs. Throws Error as solve() does.
  void forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    check("forward", rhs, y);
    sweep<1>(exec, detail::Sweeps::forward, &rhs, &y);
  }

  /// x = (I + d^-1 U)^-1 y, the second half, so that both have the bits of solve(); x may be y. Throws Error as solve()
  /// does.
  void backward(const Exec& exec, const Vector& y, const Vector& x) const {
    check("backward", y, x);
    sweep<1>(exec, detail::Sweeps::backward, &y, &x);
  }

  /// x = M^-T rhs, from the same factors, as adjoint systems want it; x may be rhs. Throws Error as solve() does.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check("solve_transposed", rhs, x);
    sweep<1, true>(exec, detail::Sweeps::both, &rhs, &x);
  }

  /// The same of vectors in one piece of memory. Taken together are those of hosts on SweepPath::slab with n > 1, where
  /// the first call for as many allocates, and of devices on SweepPath::portable; others follow one another.
  template <int count>
  void solve_transposed(const Exec& exec, const Several<count>& rhs, const Several<count>& x) const {
    check("solve_transposed", rhs[0], x[0]);
    sweep<count, true>(exec, detail::Sweeps::both, rhs.all().data(), x.all().data());
  }

  /// What the first transposed solve does first on CUDA: prepares its launch or graphs, may allocate, and may wait.
  void prepare_transposed(const Exec& exec) const {
    if constexpr (requires { m_fast_path.prepare_transposed(exec); }) m_fast_path.prepare_transposed(exec);
    m_folded.prepare_transposed(exec);
  }

  /// y = (I + d^-1 U)^-T rhs, the first half of a transposed solve; y may be rhs. Throws Error as solve() does.
  void forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    check("forward_transposed", rhs, y);
    sweep<1, true>(exec, detail::Sweeps::forward, &rhs, &y);
  }

  /// x = (d + L)^-T y, the second half, so that both have the bits of solve_transposed(); x may be y. Throws Error as
  /// solve() does.
  void backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    check("backward_transposed", y, x);
    sweep<1, true>(exec, detail::Sweeps::backward, &y, &x);
  }

  /// Whether the last fill() failed, where, and why. Waits for the instance.
  FactorStatus status(const Exec& exec) const {
    return m_singular.status(exec, grid(), [&](const Point& place) { return m_order.at(place); });
  }

 private:
  using Lower = InterleavedView<StorageScalar, vector_length, Factors::lower_entries, Exec>;
  using Upper = InterleavedView<StorageScalar, vector_length, Factors::upper_entries, Exec>;
  using Written = detail::WrittenFactorsMemory<StorageScalar, n, vector_length, Exec>;
  using FastPath = detail::TriangularSweepsFastPath<Scalar, n, Exec, StorageScalar, vector_length>;
  using Folded = detail::FoldedSweeps<Scalar, n, Exec, StorageScalar, vector_length>;

  void check(const char* function, const Vector& rhs, const Vector& x) const {
    if (m_filled && rhs.grid() == grid() && x.grid() == grid()) return;
    std::string const called = m_owner + "::" + function;
    detail::check_grid(called.c_str(), "the right-hand side", rhs.grid(), grid());
    detail::check_grid(called.c_str(), "x", x.grid(), grid());
    fail(called + ": called before factor");
  }
  void check_several(std::span<const Vector> rhs, std::span<const Vector> x) const {
    detail::check_solutions(m_owner, rhs.size(), x.size());
    for (std::size_t v = 0; v < rhs.size(); ++v) check("solve", rhs[v], x[v]);
  }

  /// The sweeps of `count` vectors with M, or M^T.
  template <int count, bool transposed = false>
  void sweep(const Exec& exec, detail::Sweeps sweeps, const Vector* rhs, const Vector* x) const {
    auto const path = transposed && m_comparison ? SweepPath::portable : m_path;
    bool const in_one_launch = !HostExecutionSpace<Exec> && path != SweepPath::portable;
    detail::count_sweep_bytes<Scalar, n, Factors>(sweeps, in_one_launch, static_cast<double>(grid().size()), count,
                                                  transposed);
    if (m_comparison && !transposed) {
      for (int v = 0; v < count; ++v) m_comparison->solve(exec, sweeps, factors(), rhs[v].ref(), x[v].ref());
      return;
    }
    auto const from = detail::vector_refs<count>(rhs), to = detail::vector_refs<count>(x);
    if (m_order.is_folded()) return m_folded.template solve<transposed>(exec, sweeps, factors(), from, to);
    if (path == SweepPath::portable) {
      detail::portable_sweeps<Scalar, n, transposed>(exec, sweeps, factors(), from, to);
    } else if constexpr (transposed) {
      m_fast_path.solve_transposed(exec, sweeps, factors(), from, to);
    } else {
      m_fast_path.solve(exec, sweeps, factors(), from, to);
    }
  }

  std::string m_owner;
  SlabMap<vector_length> m_map;
  FoldedOrder m_order;
  std::shared_ptr<Comparison> m_comparison;
  SweepPath m_path;
  Lower m_lower;
  Upper m_upper;
  Written m_written;
  Units m_units;
  Record m_singular;
  int m_right_hand_sides;
  FastPath m_fast_path;
  Folded m_folded;
  bool m_filled = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
