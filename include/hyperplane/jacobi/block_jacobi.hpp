// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/detail/timer_callbacks.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/grid/pencil_map.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

namespace hyperplane {

namespace detail {

template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length>
struct BlockJacobiFactor {
  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  InterleavedRef<Storage, vector_length, n * n> m_inverse;
  typename SingularPivotRecord<Exec>::Ref m_singular;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    Point const p = m_a.grid().point(number);
    auto const pack = m_a.map().pack(p.i, p.j, p.k);
    int const lane = m_a.map().lane(p.j);
    const MatrixStorage* const center = m_a.pack_block(pack, Direction::center) + lane;
    block::Matrix<Scalar, n> d;
    for (int e = 0; e < n * n; ++e) d.m_entries[e] = static_cast<Scalar>(center[e * vector_length]);
    block::invert<n>(d, [&](bool, int equation) { m_singular.record(number, equation); });
    for (int e = 0; e < n * n; ++e) m_inverse(pack, e, lane) = static_cast<Storage>(d.m_entries[e]);
  }
};

template <class Scalar, int n, class Storage, int vector_length>
struct BlockJacobiSolve {
  InterleavedRef<Storage, vector_length, n * n> m_inverse;
  BlockVectorRef<Scalar, n, vector_length> m_rhs;
  BlockVectorRef<Scalar, n, vector_length> m_x;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    // Every slot, padding included: its blocks and right-hand side are zero. So lanes follow one another.
    auto const pack = slot / vector_length;
    int const lane = static_cast<int>(slot % vector_length);
    block::Vector<Scalar, n> r, z;
    for (int c = 0; c < n; ++c) r[c] = m_rhs.packs()(pack, c, lane);
    block::gemv<n>(block::LaneMatrix<Scalar, Storage, n, vector_length>{m_inverse.pack_data(pack) + lane}, r, z);
    for (int c = 0; c < n; ++c) m_x.packs()(pack, c, lane) = z[c];
  }
};

}  // namespace detail

/// Block Jacobi: M is the block diagonal of A (Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed.,
/// doi:10.1137/1.9780898718003).
///
/// A plan like BlockIlu0: the constructor allocates n^2 values of StorageScalar a point, factor() is two launches
/// (one clears the status) and solve() one; they allocate nothing, fence nothing and are asynchronous on the instance.
/// Inverses by Gauss-Jordan with partial pivoting, 2 n^3 flops a point; a solve is 2 n^2 flops and n^2 + 2 n values a
/// point.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar>
class BlockJacobi {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Vector = BlockVector<Scalar, n, Exec>;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;

  BlockJacobi(const Exec& exec, const Grid& grid)
      : m_map(grid),
        m_inverse(exec, "Hyperplane::BlockJacobi::inverse", m_map.pack_count()),
        m_singular(exec, "Hyperplane::BlockJacobi::status") {}

  const Grid& grid() const { return m_map.grid(); }

  /// Inverts the diagonal blocks of A. Throws Error where the grid of A is another one.
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("BlockJacobi::factor", "A", a.grid(), grid());
    m_singular.clear(exec);
    m_factored = true;
    Kokkos::parallel_for("Hyperplane::BlockJacobi::factor", Kokkos::RangePolicy<Exec>(exec, 0, grid().size()),
                         detail::BlockJacobiFactor<Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length>{
                             a.ref(), m_inverse.ref(), m_singular.ref()});
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    detail::check_grid("BlockJacobi::solve", "the right-hand side", rhs.grid(), grid());
    detail::check_grid("BlockJacobi::solve", "x", x.grid(), grid());
    require(m_factored, "BlockJacobi::solve: called before factor");
    detail::count_bytes(
        "Hyperplane::BlockJacobi::solve",
        (1.0 * n * n * sizeof(StorageScalar) + 2.0 * n * sizeof(Scalar)) * static_cast<double>(grid().size()));
    Kokkos::parallel_for(
        "Hyperplane::BlockJacobi::solve", Kokkos::RangePolicy<Exec>(exec, 0, m_map.pack_count() * vector_length),
        detail::BlockJacobiSolve<Scalar, n, StorageScalar, vector_length>{m_inverse.ref(), rhs.ref(), x.ref()});
  }

  /// Whether the last factor() met a singular pivot, and where. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_singular.status(exec, grid()); }

 private:
  PencilMap<vector_length> m_map;
  InterleavedView<StorageScalar, vector_length, n * n, Exec> m_inverse;
  detail::SingularPivotRecord<Exec> m_singular;
  bool m_factored = false;
};

}  // namespace hyperplane
