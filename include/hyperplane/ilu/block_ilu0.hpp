// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/core/path.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/ilu/detail/block_ilu0_pencil.hpp>
#include <hyperplane/ilu/detail/block_ilu0_portable.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane {

struct BlockIlu0Options {
  Path path = Path::automatic;
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
/// of StorageScalar a point, each once: y = d^-1 (r - L y) upwards, x = y - d^-1 U x downwards. StorageScalar = float
/// with Scalar = double stores half the bytes and computes in double.
///
/// A plan: the constructor allocates; factor() and solve() do not, do not fence, and are asynchronous on the instance
/// that is given. Copies share the factors; two solves with one plan must not run at the same time on different
/// instances.
///
/// Cost a point: factor 14 n^3 flops, 7 n^2 values read and 7 n^2 written; solve 14 n^2 flops, 7 n^2 + 4 n values.
/// Launches: two for factor (one clears the status) and two for solve on Path::pencil; one for each hyperplane and
/// sweep on Path::portable. Path::pencil keeps at most ceil(J / vector length) threads busy.
///
/// Results are bitwise the same whatever the number of threads, for a given path.
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
        m_path(choose_path(options.path)),
        m_lower(exec, "Hyperplane::BlockIlu0::lower", m_map.pack_count()),
        m_upper(exec, "Hyperplane::BlockIlu0::upper", m_map.pack_count()),
        m_singular(exec, "Hyperplane::BlockIlu0::status"),
        m_sweep(exec, "Hyperplane::BlockIlu0", m_map.pencils(), m_map.steps(), vector_length - 1, sweep_block) {}

  const Grid& grid() const { return m_map.grid(); }
  /// The path that runs; never automatic.
  Path path() const { return m_path; }

  /// Computes the factors of A, which may be overwritten when the instance has finished. Throws Error where the grid
  /// of A is another one. A singular pivot is recorded: see status().
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("BlockIlu0::factor", "A", a.grid(), grid());
    m_singular.clear(exec);
    m_factored = true;
    if constexpr (HostExecutionSpace<Exec>) {
      if (m_path == Path::pencil) {
        m_sweep.run(exec, "Hyperplane::BlockIlu0::factor",
                    detail::BlockIlu0FactorPencil<Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length>{
                        a.ref(), factors(), m_singular.ref()});
        return;
      }
    }
    detail::block_ilu0_factor_portable<Scalar, n>(exec, a.ref(), factors(), m_singular);
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    detail::check_grid("BlockIlu0::solve", "the right-hand side", rhs.grid(), grid());
    detail::check_grid("BlockIlu0::solve", "x", x.grid(), grid());
    require(m_factored, "BlockIlu0::solve: called before factor");
    if constexpr (HostExecutionSpace<Exec>) {
      if (m_path == Path::pencil) {
        m_sweep.run(
            exec, "Hyperplane::BlockIlu0::solve::forward",
            detail::BlockIlu0ForwardPencil<Scalar, n, StorageScalar, vector_length>{factors(), rhs.ref(), x.ref()});
        m_sweep.run(exec, "Hyperplane::BlockIlu0::solve::backward",
                    detail::BlockIlu0BackwardPencil<Scalar, n, StorageScalar, vector_length>{factors(), x.ref()});
        return;
      }
    }
    detail::block_ilu0_solve_portable<Scalar, n>(exec, factors(), rhs.ref(), x.ref());
  }

  /// Whether the last factor() met a singular pivot, and where. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_singular.status(exec, grid()); }

 private:
  using Factors = detail::BlockIlu0Factors<StorageScalar, n, vector_length>;
  using Lower = InterleavedView<StorageScalar, vector_length, detail::lower_blocks * n * n, Exec>;
  using Upper = InterleavedView<StorageScalar, vector_length, detail::upper_blocks * n * n, Exec>;

  // About 64 KiB of factors between two updates of a progress word: the other thread then follows some microseconds
  // behind, and an update costs little beside that.
  static constexpr int sweep_block =
      std::clamp<int>(65536 / (4 * n * n * vector_length * int{sizeof(StorageScalar)}), 4, 64);

  static Path choose_path(Path path) {
    if constexpr (HostExecutionSpace<Exec>) {
      return path == Path::automatic ? Path::pencil : path;
    } else {
      if (path == Path::pencil) {
        fail(std::string("BlockIlu0: path pencil runs on host execution spaces, not on ") + Exec::name());
      }
      return Path::portable;
    }
  }

  Factors factors() const { return Factors{m_map, m_lower.ref(), m_upper.ref()}; }

  /// Nothing, where there is no host path.
  struct NoSweep {
    template <class... Arguments>
    explicit NoSweep(const Arguments&...) {}
  };
  template <class E>
  struct SweepOf {
    using type = NoSweep;
  };
  template <HostExecutionSpace E>
  struct SweepOf<E> {
    using type = host::PencilSweep<E>;
  };

  PencilMap<vector_length> m_map;
  Path m_path;
  Lower m_lower;
  Upper m_upper;
  detail::SingularPivotRecord<Exec> m_singular;
  typename SweepOf<Exec>::type m_sweep;
  bool m_factored = false;
};

}  // namespace hyperplane
