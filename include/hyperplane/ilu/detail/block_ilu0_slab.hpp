// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/ilu/detail/block_ilu0_fast_factor.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/simd/pack_lanes.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/slab_neighbours.hpp>
#include <hyperplane/sweep/equation_units.hpp>
#include <hyperplane/sweep/slab_steps.hpp>
#include <hyperplane/sweep/slab_strips.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>

/// The factorization of BILU(0) on hosts: every operation is on full SIMD vectors along skewed slabs, threads follow
/// one another by progress words (host::SlabSweep).
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Of neighbours outside of the grid, where there are some, their d^-1 U is known, and gets to know that of the grid.
template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, int vector_length,
          class Outside = NoOutside>
struct BlockIlu0FactorSlab {
  static constexpr bool forward = true;
  using PackType = Pack<Scalar, vector_length>;
  using Block = block::Matrix<PackType, n>;
  using GivenBlock = block::PackMatrix<PackType, MatrixStorage, n>;
  using StoredBlock = block::PackMatrix<PackType, Storage, n>;
  static constexpr int block_entries = n * n;

  using Factors = TriangularFactors<Storage, n, vector_length>;
  static constexpr bool has_units = Factors::Scales::exist;

  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  Factors m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  Outside m_outside{};

  void operator()(int slab, std::int64_t begin, std::int64_t end) const {
    run(slab, begin, end, EverySlabStep{{.begins = begin == 0}});
  }

  /// Of `steps`.
  template <class Steps>
  void run(int slab, std::int64_t begin, std::int64_t end, const Steps& steps) const {
    auto const& map = m_a.map();
    auto const access = [factors = m_factors](std::int64_t pack) { return factors.upper(pack, UpperBlock::north); };
    SlabNeighbours<Scalar, vector_length, block_entries, decltype(access)> const north(map, slab, access);
    std::int64_t remainder = begin % map.pitch();
    for (std::int64_t step = begin; step < end; ++step, ++remainder) {
      if (remainder == map.pitch()) remainder = 0;
      std::int64_t const pack = map.first_pack(slab) + step;
      // Blocks are read in the order of their memory, so the diagonal block comes after what is subtracted from it.
      Block sum, u;
      for (auto& entry : sum.m_entries) entry = PackType(0);
      PackType excess(0);
      PackPlace const place{slab, step, remainder};
      auto const lanes = steps.at(step), lanes_before = steps.at(step - 1);
      eliminate_before(place, pack, map.pitch(), Direction::bottom, LowerBlock::bottom, UpperBlock::top, lanes, lanes,
                       sum, excess);
      if constexpr (!has_units) keep(place, pack, Direction::south, LowerBlock::south, true, lanes, excess);
      north.load(step - 1, u.m_entries, lanes_before);
      north.south(step, u.m_entries, u.m_entries, steps.south_enters(step));
      take_out_of_units(u);
      if constexpr (Outside::exists) m_outside.template enter<block_entries>(place, Direction::south, u.m_entries);
      eliminate(pack, Direction::south, u, sum);
      eliminate_before(place, pack, 1, Direction::west, LowerBlock::west, UpperBlock::east, lanes_before, lanes, sum,
                       excess);
      Block d;
      const MatrixStorage* const center = m_a.pack_block(pack, Direction::center);
      HYPERPLANE_UNROLL
      for (int e = 0; e < block_entries; ++e) {
        d.m_entries[e] = PackType::load(center + e * vector_length) + sum.m_entries[e];
      }
      if (!is_full(map, place)) make_regular<n>(padding_lanes<PackType>(map, place), d);
      block::invert<n>(d, [&](const auto& mask, int equation) { record(pack, mask, equation, lanes); });
      keep_inverse(place, pack, d, lanes, excess);
      scale(pack, Direction::east, UpperBlock::east, d, place, lanes, excess);
      scale(pack, Direction::north, UpperBlock::north, d, place, lanes, excess);
      scale(pack, Direction::top, UpperBlock::top, d, place, lanes, excess);
      if (any(excess != PackType(0))) [[unlikely]]
        record(pack, excess != PackType(0), unstorable_code, lanes);
    }
    stream_fence();
  }

 private:
  /// With the group `before` steps before, of which `lanes_before` are there, where the slab has it.
  template <class Lanes>
  void eliminate_before(const PackPlace& place, std::int64_t pack, std::int64_t before, Direction direction,
                        LowerBlock lower, UpperBlock upper, const Lanes& lanes_before, const Lanes& lanes, Block& sum,
                        PackType& excess) const {
    bool const inside = place.step >= before;
    if constexpr (Outside::exists) {
      if (m_outside.meets(place, direction)) {
        if constexpr (!has_units) keep(place, pack, direction, lower, true, lanes, excess);
        Block u;
        const Storage* const stored = inside ? m_factors.upper(pack - before, upper) : nullptr;
        for (int e = 0; e < block_entries; ++e) {
          u.m_entries[e] = inside ? PackType::load(stored + e * vector_length) : PackType(0);
        }
        take_out_of_units(u);
        m_outside.template enter<block_entries>(place, direction, u.m_entries);
        return eliminate(pack, direction, u, sum);
      }
    }
    if constexpr (!has_units) keep(place, pack, direction, lower, inside, lanes, excess);
    if (!inside) return;
    if constexpr (std::same_as<Lanes, EveryLane>) {
      eliminate(pack, direction, stored_upper(pack - before, upper), sum);
    } else {
      const Storage* const stored = m_factors.upper(pack - before, upper);
      Block u;
      for (int e = 0; e < block_entries; ++e) {
        u.m_entries[e] = lanes_before.template load<PackType>(stored + e * vector_length);
      }
      take_out_of_units(u);
      eliminate(pack, direction, u, sum);
    }
  }
  bool is_used(const PackPlace& place, std::int64_t before, Direction direction) const {
    if constexpr (Outside::exists) {
      if (m_outside.meets(place, direction)) return true;
    }
    return place.step >= before;
  }

  template <class UpperMatrix>
  void eliminate(std::int64_t pack, Direction direction, const UpperMatrix& u, Block& sum) const {
    block::gemm_subtract<n>(GivenBlock{m_a.pack_block(pack, direction)}, u, sum);
  }

  /// d^-1 U as it is stored at a pack, in its units or without.
  auto stored_upper(std::int64_t pack, UpperBlock upper) const {
    StoredBlock const stored{m_factors.upper(pack, upper)};
    if constexpr (has_units) {
      return block::ScaledEntries<StoredBlock, n>{stored, m_factors.m_scales.upper()};
    } else {
      return stored;
    }
  }
  void take_out_of_units([[maybe_unused]] Block& u) const {
    if constexpr (has_units) {
      for (int e = 0; e < block_entries; ++e)
        u.m_entries[e] = block::scaled(u.m_entries[e], m_factors.m_scales.upper()[e]);
    }
  }

  /// Where there are units, that of the point is known now, and with it those of L.
  template <class Lanes>
  void keep_inverse(const PackPlace& place, std::int64_t pack, const Block& d, const Lanes& lanes,
                    PackType& excess) const {
    Storage* const inverse = m_factors.lower(pack, LowerBlock::inverse);
    if constexpr (has_units) {
      auto const& scales = m_factors.m_scales;
      auto const equations = equation_units<PackType, n>(scales, d);
      keep_equation_units<n>(scales, pack, lanes, equations);
      auto const keep_used = [&](Direction direction, LowerBlock lower, bool used) {
        keep(place, pack, direction, lower, used, lanes, excess, equations);
      };
      keep_used(Direction::bottom, LowerBlock::bottom, is_used(place, m_a.map().pitch(), Direction::bottom));
      keep_used(Direction::south, LowerBlock::south, true);
      keep_used(Direction::west, LowerBlock::west, is_used(place, 1, Direction::west));
      Block stored = d;
      take_inverse_into_units<n>(scales, equations, stored);
      excess += block::storage_excess<Storage, Scalar>(stored);
      for (int e = 0; e < block_entries; ++e) lanes.stream(stored.m_entries[e], inverse + e * vector_length);
    } else {
      excess += sum_apart<block_entries, PackType>([&](int e) {
        lanes.stream(d.m_entries[e], inverse + e * vector_length);
        return storage_excess<Storage, Scalar>(d.m_entries[e]);
      });
    }
  }

  /// Zeros where `used` is false: all of the blocks point out of the grid then, and are not looked at. Of 16 bits,
  /// which soon have too few, those that do are not looked at in other packs, too.
  template <class Lanes, class... Units>
  void keep([[maybe_unused]] const PackPlace& place, std::int64_t pack, Direction direction, LowerBlock lower,
            bool used, const Lanes& lanes, PackType& excess, const Units&... equations) const {
    const MatrixStorage* const given = m_a.pack_block(pack, direction);
    Storage* const values = m_factors.lower(pack, lower);
    if constexpr (ShortReal<Storage>) {
      Block l;
      for (int e = 0; e < block_entries; ++e) {
        l.m_entries[e] = used ? PackType::load(given + e * vector_length) : PackType(0);
      }
      clear_outside(place, direction, l);
      if constexpr (has_units) take_lower_into_units<n>(m_factors.m_scales, equations..., l);
      excess += block::storage_excess<Storage, Scalar>(l);
      for (int e = 0; e < block_entries; ++e) lanes.stream(l.m_entries[e], values + e * vector_length);
    } else {
      HYPERPLANE_UNROLL
      for (int e = 0; e < block_entries; ++e) {
        PackType const value = used ? PackType::load(given + e * vector_length) : PackType(0);
        if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) {
          excess += storage_excess<Storage, Scalar>(value);
        }
        lanes.stream(value, values + e * vector_length);
      }
    }
  }

  /// What points out of the grid is kept as zero, whatever it is. (A lower block that does, and is not finite, makes
  /// the pivot block not finite, which is recorded. So does, at the next point, an upper block that is not, and the
  /// diagnosis finds out whose it is; of 16 bits, which soon have too few, it is recorded where it is.)
  template <class Lanes>
  void scale(std::int64_t pack, Direction direction, UpperBlock upper, const Block& inverse, const PackPlace& place,
             const Lanes& lanes, PackType& excess) const {
    Block u;
    block::gemm<n>(inverse, GivenBlock{m_a.pack_block(pack, direction)}, u);
    clear_outside(place, direction, u);
    if constexpr (Outside::exists) {
      // No next point shows what is too large; where a line ends, another one begins, and would.
      m_outside.for_lanes(place, direction, [&](int lane, int number) {
        Scalar sum = excess[lane];
        for (int e = 0; e < block_entries; ++e) {
          m_outside.values().keep(number, e, u.m_entries[e][lane]);
          if constexpr (!ShortReal<Storage>) sum += storage_excess<Storage, Scalar>(u.m_entries[e][lane]);
        }
        excess.set(lane, sum);
      });
    }
    if constexpr (has_units) take_upper_into_units<n>(m_factors.m_scales, u);
    if constexpr (ShortReal<Storage>) excess += block::storage_excess<Storage, Scalar>(u);
    Storage* const values = m_factors.upper(pack, upper);
    HYPERPLANE_UNROLL
    for (int e = 0; e < block_entries; ++e) lanes.store(u.m_entries[e], values + e * vector_length);
  }

  /// Zeros for blocks that point out of the grid to nobody.
  void clear_outside(const PackPlace& place, Direction direction, Block& block) const {
    OutsideLanes<vector_length> const outside(m_a.map(), place, direction);
    if (!outside.any()) return;
    if constexpr (Outside::exists) {
      Block const all = block;
      clear(outside, block);
      m_outside.for_lanes(place, direction, [&](int lane, int) {
        for (int e = 0; e < block_entries; ++e) block.m_entries[e].set(lane, all.m_entries[e][lane]);
      });
    } else {
      clear(outside, block);
    }
  }
  template <class Mask, class Lanes>
  void record(std::int64_t pack, const Mask& mask, int equation, const Lanes& lanes) const {
    record_lanes(m_a.map(), pack, MaskOfLanes<Mask, Lanes>{mask, lanes}, equation, m_singular);
  }
};

/// Bytes that a step of it moves, for the choice of threads: half of them, because threads of a sweep gain less than
/// others. They wait for one another.
template <int n, class Storage, class MatrixStorage, int vector_length>
inline constexpr double slab_factor_bytes =
    3.5 * n * n * std::max(n / 2, 1) * (sizeof(MatrixStorage) + sizeof(Storage)) * vector_length;

template <class Scalar, int n, HostExecutionSpace Exec, class Storage, int vector_length>
class BlockIlu0FastFactor<Scalar, n, Exec, Storage, vector_length> {
 public:
  using Map = SlabMap<vector_length>;

  static SweepPath sweep_path(const Exec&, SweepPath asked) { return asked; }

  BlockIlu0FastFactor(const Exec& exec, const Map& map, SweepPath, int /*multiprocessors*/)
      : m_sweep(exec, "Hyperplane::BlockIlu0", map, slab_steps<Storage, n, vector_length>, ragged_step<Storage>) {}

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                  const TriangularFactors<Storage, n, vector_length>& factors,
                  const SingularPivotRecord<Exec>& singular) const {
    m_sweep.run(
        exec, "Hyperplane::BlockIlu0::factor", slab_factor_bytes<n, Storage, MatrixStorage, vector_length>,
        BlockIlu0FactorSlab<Scalar, n, Exec, Storage, MatrixStorage, vector_length>{a, factors, singular.ref()});
  }

 private:
  StripSweep<Exec, vector_length> m_sweep;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
