// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/detail/timer_callbacks.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/core/path.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/ilu/detail/block_ilu0_fast_path.hpp>
#include <hyperplane/ilu/detail/block_ilu0_pencil.hpp>
#include <hyperplane/ilu/detail/block_ilu0_portable.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/ilu/detail/block_ilu0_cuda.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace hyperplane {

template <Real Scalar, ExecutionSpace Exec, Real StorageScalar>
class Sip;
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar>
class Ssor;

struct BlockIlu0Options {
  Path path = Path::automatic;
  /// Multiprocessors of a CUDA device that kernels of the plan may occupy, where not all are wanted; 0: all. The
  /// portable and the cuda_graph path take what they get.
  int multiprocessors = 0;
  /// Right-hand sides that a solve of several takes together at most, so that it reads the factors once for all of
  /// them: 1 to 3. On CUDA this is done for n = 1 on Path::pencil and on Path::portable; a plan for m of them has about
  /// 3 m bytes a point for packets. Other CUDA paths take them one after another.
  int right_hand_sides = 1;
};

/// BILU(0): block incomplete LU factorization without fill on the seven-point block stencil.
///
/// M = (d + L)(I + d^-1 U), with L and U the lower (west, south, bottom) and upper (east, north, top) blocks of A and
///
///     d = D - W d^-1[i-1] E[i-1] - S d^-1[j-1] N[j-1] - B d^-1[k-1] T[k-1],
///
/// so that M equals A on A's block pattern; on a grid that is one line M = A. Points of a hyperplane i + j + k = p are
/// independent of one another. Source: L. Luo, J. R. Edwards, H. Luo, F. Mueller, W. Feng, "Optimization of a
/// Fine-grained BILU by CUDA Inter-block Synchronization"; the ordering by hyperplanes and ILU(0) as in Y. Saad,
/// "Iterative Methods for Sparse Linear Systems", 2nd ed., doi:10.1137/1.9780898718003.
///
/// Kept: L, d^-1 (Gauss-Jordan with partial pivoting inside the block) and d^-1 U, so that a solve reads 7 n^2 values
/// of StorageScalar a point, each once: forward() is y = d^-1 (r - L y) upwards, backward() is x = y - d^-1 U x
/// downwards, and solve() both. StorageScalar = float with Scalar = double stores half the bytes and computes in
/// double.
///
/// A plan: the constructor allocates; the other functions do not, do not fence, and are asynchronous on the instance
/// that is given. Copies, made after factor(), share factors and working memory: at most one factor(), solve(),
/// forward() or backward() of a plan and all its copies may run at a time.
///
/// Cost a point: factor 14 n^3 flops, 7 n^2 values read and 7 n^2 written; solve 14 n^2 flops, 7 n^2 + 4 n values, of
/// which the forward sweep has 8 n^2 and 4 n^2 + 2 n.
/// Launches: one for each hyperplane and sweep on Path::portable; on Path::pencil two for factor (one clears the
/// status) and two for solve on the host, one on CUDA. On the host
/// Path::pencil keeps at most ceil(J / vector length) threads busy. On CUDA the paths that wait across the grid
/// (thread_recycling, cooperative) throw Error where their blocks could not all be resident; the others cannot deadlock
/// whatever else the device does.
///
/// Results are bitwise the same whatever the number of threads or multiprocessors and in every run, for a given path;
/// on CUDA for all paths.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar>
class BlockIlu0 {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");

  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Vector = BlockVector<Scalar, n, Exec>;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;

  /// Throws Error where the execution space cannot run the path.
  BlockIlu0(const Exec& exec, const Grid& grid, const BlockIlu0Options& options = {})
      : m_map(grid),
        m_path(checked_path(exec, m_map, options)),
        m_lower(exec, "Hyperplane::BlockIlu0::lower", m_map.pack_count()),
        m_upper(exec, "Hyperplane::BlockIlu0::upper", m_map.pack_count()),
        m_singular(exec, "Hyperplane::BlockIlu0::status"),
        m_right_hand_sides(options.right_hand_sides),
        m_fast_path(exec, m_map, m_path, options.multiprocessors, options.right_hand_sides) {}

  const Grid& grid() const { return m_map.grid(); }
  /// The path that runs; never automatic.
  Path path() const { return m_path; }

  /// Computes the factors of A, which may be overwritten when the instance has finished. Throws Error where the grid
  /// of A is another one. A singular pivot is recorded: see status().
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("BlockIlu0::factor", "A", a.grid(), grid());
    replace_factors(exec, [&](const Factors& factors, const detail::SingularPivotRecord<Exec>& singular) {
      detail::count_bytes("Hyperplane::BlockIlu0::factor",
                          7.0 * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar)) * grid().size());
      if (m_path != Path::portable) {
        m_fast_path.factor(exec, a.ref(), factors, singular);
      } else {
        detail::block_ilu0_factor_portable<Scalar, n>(exec, a.ref(), factors, singular);
      }
    });
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check("BlockIlu0::solve", rhs, x);
    sweep<1>(exec, detail::Sweeps::both, &rhs, &x);
  }

  /// x[v] = M^-1 rhs[v] for each v, as single solves do, on CUDA bit by bit, on the host to rounding (compilers choose
  /// anew for each number of vectors which products they fuse with sums); x[v] may be rhs[v], and has nothing in common
  /// with the others. BlockIlu0Options::right_hand_sides of them are taken together. Throws Error as solve() does, and
  /// where there are not as many x as right-hand sides.
  void solve(const Exec& exec, std::span<const Vector> rhs, std::span<const Vector> x) const {
    check("BlockIlu0::solve", rhs, x);
    for (std::size_t v = 0; v < rhs.size();) {
      auto const together = std::min<std::size_t>(rhs.size() - v, static_cast<std::size_t>(m_right_hand_sides));
      if (together == 1) sweep<1>(exec, detail::Sweeps::both, &rhs[v], &x[v]);
      if (together == 2) sweep<2>(exec, detail::Sweeps::both, &rhs[v], &x[v]);
      if (together == 3) sweep<3>(exec, detail::Sweeps::both, &rhs[v], &x[v]);
      v += together;
    }
  }

  /// y = (d + L)^-1 rhs, the first half of a solve; y may be rhs. Throws Error as solve() does.
  void forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    check("BlockIlu0::forward", rhs, y);
    sweep<1>(exec, detail::Sweeps::forward, &rhs, &y);
  }

  /// x = (I + d^-1 U)^-1 y, the second half, so that both have the bits of solve(); x may be y. Throws Error as solve()
  /// does.
  void backward(const Exec& exec, const Vector& y, const Vector& x) const {
    check("BlockIlu0::backward", y, x);
    sweep<1>(exec, detail::Sweeps::backward, &y, &x);
  }

  /// Whether the last factor() met a singular pivot, and where. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_singular.status(exec, grid()); }

 private:
  // Their preconditioners have the form of this one, and are solved as this one is.
  friend class Sip<Scalar, Exec, StorageScalar>;
  friend class Ssor<Scalar, n, Exec, StorageScalar>;

  using Factors = detail::BlockIlu0Factors<StorageScalar, n, vector_length>;
  using Lower = InterleavedView<StorageScalar, vector_length, detail::lower_blocks * n * n, Exec>;
  using Upper = InterleavedView<StorageScalar, vector_length, detail::upper_blocks * n * n, Exec>;

  using FastPath = detail::BlockIlu0FastPath<Scalar, n, Exec, StorageScalar, vector_length>;

  static Path checked_path(const Exec& exec, const PencilMap<vector_length>& map, const BlockIlu0Options& options) {
    if (options.multiprocessors < 0) {
      fail("BlockIlu0: " + std::to_string(options.multiprocessors) + " multiprocessors are not possible");
    }
    if (options.right_hand_sides < 1 || options.right_hand_sides > detail::max_right_hand_sides) {
      fail("BlockIlu0: " + std::to_string(options.right_hand_sides) + " right-hand sides at a time, expected 1 to " +
           std::to_string(detail::max_right_hand_sides));
    }
    Path const path = options.path;
    if (path == Path::automatic) return FastPath::choose(exec, map);
    if (path != Path::portable && !FastPath::has(path)) {
      fail(std::string("BlockIlu0: ") + Exec::name() + " has no path " + name(path));
    }
    return path;
  }

  /// `compute(factors, singular)` launches what writes other factors of the same form.
  template <class Compute>
  void replace_factors(const Exec& exec, const Compute& compute) {
    m_factored = false;
    m_singular.clear(exec);
    compute(factors(), m_singular);
    m_factored = true;
  }

  void check(const char* function, const Vector& rhs, const Vector& x) const {
    detail::check_grid(function, "the right-hand side", rhs.grid(), grid());
    detail::check_grid(function, "x", x.grid(), grid());
    if (!m_factored) fail(std::string(function) + ": called before factor");
  }
  void check(const char* function, std::span<const Vector> rhs, std::span<const Vector> x) const {
    if (rhs.size() != x.size()) {
      fail(std::string(function) + ": " + std::to_string(rhs.size()) + " right-hand sides and " +
           std::to_string(x.size()) + " solutions");
    }
    for (std::size_t v = 0; v < rhs.size(); ++v) check(function, rhs[v], x[v]);
  }

  /// The sweeps of `count` vectors.
  template <int count>
  void sweep(const Exec& exec, detail::Sweeps sweeps, const Vector* rhs, const Vector* x) const {
    count_sweeps(sweeps, count);
    auto const refs = [](const Vector* vectors) {
      return [&]<int... v>(std::integer_sequence<int, v...>) {
        return detail::VectorRefs<typename Vector::Ref, count>{{vectors[v].ref()...}};
      }(std::make_integer_sequence<int, count>());
    };
    if (m_path != Path::portable) return m_fast_path.solve(exec, sweeps, factors(), refs(rhs), refs(x));
    detail::block_ilu0_solve_portable<Scalar, n>(exec, sweeps, factors(), refs(rhs), refs(x));
  }

  /// What they move, under the labels that they have.
  void count_sweeps(detail::Sweeps sweeps, int count) const {
    double const vectors = 2.0 * n * sizeof(Scalar) * grid().size() * count;
    double const blocks = 1.0 * n * n * sizeof(StorageScalar) * grid().size();
    if (sweeps == detail::Sweeps::both && !HostExecutionSpace<Exec> && m_path != Path::portable) {
      detail::count_bytes("Hyperplane::BlockIlu0::solve", 7 * blocks + 2 * vectors);
      return;
    }
    if (sweeps != detail::Sweeps::backward) {
      detail::count_bytes("Hyperplane::BlockIlu0::solve::forward", 4 * blocks + vectors);
    }
    if (sweeps != detail::Sweeps::forward) {
      detail::count_bytes("Hyperplane::BlockIlu0::solve::backward", 3 * blocks + vectors);
    }
  }

  Factors factors() const { return Factors{m_map, m_lower.ref(), m_upper.ref()}; }

  PencilMap<vector_length> m_map;
  Path m_path;
  Lower m_lower;
  Upper m_upper;
  detail::SingularPivotRecord<Exec> m_singular;
  int m_right_hand_sides;
  FastPath m_fast_path;
  bool m_factored = false;
};

}  // namespace hyperplane
