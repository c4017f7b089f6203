// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/host/pencil_sweep.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/ilu/detail/block_ilu0_fast_path.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/detail/pencil_neighbours.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

/// The host path of BILU(0): every operation is on full SIMD vectors along skewed pencils, threads follow one another
/// by progress words (host::PencilSweep).
namespace hyperplane::detail {

template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length>
struct BlockIlu0FactorPencil {
  using PackType = Pack<Scalar, vector_length>;
  using Block = block::Matrix<PackType, n>;
  using GivenBlock = block::PackMatrix<PackType, MatrixStorage, n>;
  using StoredBlock = block::PackMatrix<PackType, Storage, n>;
  static constexpr int block_entries = n * n;

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  BlockIlu0Factors<Storage, n, vector_length> m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;

  void operator()(int pencil, std::int64_t begin, std::int64_t end) const {
    auto const& map = m_a.map();
    auto const access = [factors = m_factors](std::int64_t pack) { return factors.upper(pack, UpperBlock::north); };
    PencilNeighbours<Scalar, vector_length, block_entries, decltype(access)> const north(map, pencil, access);
    for (std::int64_t step = begin; step < end; ++step) {
      std::int64_t const pack = pencil * map.steps() + step;
      // Blocks are read in the order of their memory, so the diagonal block comes after what is subtracted from it.
      Block sum, u;
      for (auto& entry : sum.m_entries) entry = PackType(0);
      keep(pack, Direction::bottom, LowerBlock::bottom);
      if (step >= map.pitch()) {
        eliminate(pack, Direction::bottom, StoredBlock{m_factors.upper(pack - map.pitch(), UpperBlock::top)}, sum);
      }
      keep(pack, Direction::south, LowerBlock::south);
      north.load(step - 1, u.m_entries);
      north.south(step, u.m_entries, u.m_entries);
      eliminate(pack, Direction::south, u, sum);
      keep(pack, Direction::west, LowerBlock::west);
      if (step > 0) eliminate(pack, Direction::west, StoredBlock{m_factors.upper(pack - 1, UpperBlock::east)}, sum);
      Block d;
      GivenBlock const center{m_a.pack_block(pack, Direction::center)};
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) d(r, c) = center(r, c) + sum(r, c);
      }
      make_padding_regular(pack, d);
      block::invert<n>(d, [&](const auto& mask, int equation) { record(pack, mask, equation); });
      for (int e = 0; e < block_entries; ++e) {
        d.m_entries[e].stream(m_factors.lower(pack, LowerBlock::inverse) + e * vector_length);
      }
      scale(pack, Direction::east, UpperBlock::east, d);
      scale(pack, Direction::north, UpperBlock::north, d);
      scale(pack, Direction::top, UpperBlock::top, d);
    }
    stream_fence();
  }

 private:
  template <class UpperMatrix>
  void eliminate(std::int64_t pack, Direction direction, const UpperMatrix& u, Block& sum) const {
    block::gemm_subtract<n>(GivenBlock{m_a.pack_block(pack, direction)}, u, sum);
  }

  void keep(std::int64_t pack, Direction direction, LowerBlock lower) const {
    GivenBlock const given{m_a.pack_block(pack, direction)};
    Storage* const values = m_factors.lower(pack, lower);
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) given(r, c).stream(values + (c * n + r) * vector_length);
    }
  }

  void scale(std::int64_t pack, Direction direction, UpperBlock upper, const Block& inverse) const {
    Block u;
    block::gemm<n>(inverse, GivenBlock{m_a.pack_block(pack, direction)}, u);
    store(u, m_factors.upper(pack, upper));
  }

  static void store(const Block& block, Storage* values) {
    for (int e = 0; e < block_entries; ++e) block.m_entries[e].store(values + e * vector_length);
  }

  /// Lanes without a point have zero blocks; a unit diagonal keeps them finite and out of the status.
  void make_padding_regular(std::int64_t pack, Block& d) const {
    Point point;
    if (m_a.map().is_full(pack)) return;
    for (int lane = 0; lane < vector_length; ++lane) {
      if (m_a.map().find_point(pack, lane, point)) continue;
      for (int r = 0; r < n; ++r) d(r, r).set(lane, Scalar(1));
    }
  }

  template <class Mask>
  void record(std::int64_t pack, const Mask& mask, int equation) const {
    Point point;
    for (int lane = 0; lane < vector_length; ++lane) {
      if (mask[lane] && m_a.map().find_point(pack, lane, point)) m_singular.record(m_a.grid().index(point), equation);
    }
  }
};

/// `count` vectors at a time. PencilSweep counts steps and pencils upwards; the backward sweep takes them from the
/// other end.
template <Sweep sweep, class Scalar, int n, class Storage, int vector_length, int count>
struct BlockIlu0SweepPencil {
  using PackType = Pack<Scalar, vector_length>;
  using StoredBlock = block::PackMatrix<PackType, Storage, n>;
  using Vectors = VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>;
  using Values = block::Vector<PackType, n>;
  static constexpr bool forward = sweep == Sweep::forward;

  BlockIlu0Factors<Storage, n, vector_length> m_factors;
  Vectors m_rhs;
  Vectors m_x;

  void operator()(int counted_pencil, std::int64_t counted_begin, std::int64_t counted_end) const {
    auto const& map = m_factors.m_map;
    int const pencil = forward ? counted_pencil : map.pencils() - 1 - counted_pencil;
    constexpr int direction = forward ? 1 : -1;
    auto const all_neighbours = [&]<int... v>(std::integer_sequence<int, v...>) {
      return std::array<decltype(vector_neighbours(m_x[0], pencil)), count>{vector_neighbours(m_x[v], pencil)...};
    }(std::make_integer_sequence<int, count>());
    Values x[count];  // of the step before
    std::int64_t step = forward ? counted_begin : map.steps() - 1 - counted_begin;
    for (int v = 0; v < count; ++v) all_neighbours[v].load(step - direction, x[v].m_entries);
    for (auto counted = counted_begin; counted < counted_end; ++counted, step += direction) {
      std::int64_t const pack = pencil * map.steps() + step;
      for (int v = 0; v < count; ++v) {
        auto const& neighbours = all_neighbours[v];
        Values sum, other;
        for (int c = 0; c < n; ++c) sum[c] = PackType::load(m_rhs[v].packs().pack_data(pack, c));
        neighbours.load(step - direction * map.pitch(), other.m_entries);
        block::gemv_subtract<n>(stored(pack, 0), other, sum);
        if constexpr (forward) {
          neighbours.south(step, x[v].m_entries, other.m_entries);
        } else {
          neighbours.north(step, x[v].m_entries, other.m_entries);
        }
        block::gemv_subtract<n>(stored(pack, 1), other, sum);
        block::gemv_subtract<n>(stored(pack, 2), x[v], sum);
        if constexpr (forward) {
          block::gemv<n>(StoredBlock{m_factors.lower(pack, LowerBlock::inverse)}, sum, x[v]);
        } else {
          x[v] = sum;
        }
        for (int c = 0; c < n; ++c) x[v][c].store(m_x[v].packs().pack_data(pack, c));
      }
    }
  }

 private:
  StoredBlock stored(std::int64_t pack, int d) const {
    if constexpr (forward) {
      return {m_factors.lower(pack, static_cast<LowerBlock>(d))};
    } else {
      return {m_factors.upper(pack, static_cast<UpperBlock>(d))};
    }
  }
};

template <class Scalar, int n, HostExecutionSpace Exec, class Storage, int vector_length>
class BlockIlu0FastPath<Scalar, n, Exec, Storage, vector_length> {
 public:
  using Map = PencilMap<vector_length>;
  template <int count>
  using Vectors = VectorRefs<BlockVectorRef<Scalar, n, vector_length>, count>;

  static Path choose(const Exec&, const Map&) { return Path::pencil; }
  static bool has(Path path) { return path == Path::pencil; }

  BlockIlu0FastPath(const Exec& exec, const Map& map, Path, int /*multiprocessors*/, int /*right_hand_sides*/)
      : m_sweep(exec, "Hyperplane::BlockIlu0", map.pencils(), map.steps(), vector_length - 1, sweep_block) {}

  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
              const BlockIlu0Factors<Storage, n, vector_length>& factors,
              const SingularPivotRecord<Exec>& singular) const {
    m_sweep.run(
        exec, "Hyperplane::BlockIlu0::factor",
        BlockIlu0FactorPencil<Scalar, n, Exec, Storage, MatrixStorage, vector_length>{a, factors, singular.ref()});
  }

  template <int count>
  void solve(const Exec& exec, Sweeps sweeps, const BlockIlu0Factors<Storage, n, vector_length>& factors,
             const Vectors<count>& rhs, const Vectors<count>& x) const {
    if (sweeps != Sweeps::backward) {
      m_sweep.run(exec, "Hyperplane::BlockIlu0::solve::forward",
                  BlockIlu0SweepPencil<Sweep::forward, Scalar, n, Storage, vector_length, count>{factors, rhs, x});
    }
    if (sweeps != Sweeps::forward) {
      m_sweep.run(exec, "Hyperplane::BlockIlu0::solve::backward",
                  BlockIlu0SweepPencil<Sweep::backward, Scalar, n, Storage, vector_length, count>{
                      factors, sweeps == Sweeps::both ? x : rhs, x});
    }
  }

 private:
  // About 64 KiB of factors between two updates of a progress word: the other thread then follows some microseconds
  // behind, and an update costs little beside that.
  static constexpr int sweep_block = std::clamp<int>(65536 / (4 * n * n * vector_length * int{sizeof(Storage)}), 4, 64);

  host::PencilSweep<Exec> m_sweep;
};

}  // namespace hyperplane::detail
