// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/detail/line_blocks.hpp>
#include <hyperplane/line/detail/line_cursor.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_units.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/sweep/equation_units.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// The kernels of LineJacobi, bodies of for_line_packs: each internal vector of a pack of lines for itself.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What an iteration reads at a point: L, U and D^-1.
inline constexpr int line_jacobi_blocks = 3;

/// L, U and D^-1 of every point, one index for each pack and step. Threads of a device follow one another through
/// packs, those of the host through steps.
template <class Scalar, int n, class Exec, class Storage, class MatrixStorage, class Places, int vector_length,
          int internal_length>
struct LineJacobiFactor {
  using PackType = Pack<Scalar, internal_length>;
  using Block = block::Matrix<PackType, n>;
  using Lanes = LineLanes<internal_length, vector_length>;
  static constexpr int block_entries = n * n;

  LineMatrix<MatrixStorage, Places> m_a;
  LineLayoutRef<vector_length> m_layout;
  InterleavedRef<Storage, vector_length, line_jacobi_blocks * block_entries> m_blocks;
  FactorScales<Storage, n, vector_length> m_scales;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  int m_longest;  ///< steps of the longest pack

  KOKKOS_FUNCTION void operator()(std::int64_t index, int v) const {
    bool const host = HostExecutionSpace<Exec>;
    auto const pack = host ? index / m_longest : index % m_layout.packs();
    int const step = static_cast<int>(host ? index % m_longest : index / m_layout.packs());
    if (step >= m_layout.length(pack)) return;
    Lanes const lanes(m_layout, pack, v);
    LineCursor<Places, internal_length, vector_length> const cursor(m_a.m_places, m_layout, lanes);
    Block inverse, block;
    auto const load = [&](LineBlock which, Block& values) {
      cursor.template load<block_entries>(m_a.m_data, m_a.m_entries, m_a.m_first[static_cast<int>(which)], step,
                                          values.m_entries);
    };
    PackType excess(0);
    auto const keep = [&](const Block& values_kept, int slot) {
      excess += block::storage_excess<Storage, Scalar>(values_kept);
      Storage* const values = m_blocks.pack_data(m_layout.first_item(pack) + step, slot * block_entries);
      for (int e = 0; e < block_entries; ++e) {
        values_kept.m_entries[e].store(values + e * vector_length + lanes.m_first_lane);
      }
    };
    load(LineBlock::diagonal, inverse);
    make_regular(inverse, lanes, step);
    block::invert<n>(inverse, [&](const auto& mask, int equation) {
      record_singular(m_layout, lanes, step, mask, equation, m_singular);
    });
    auto const couple = [&](const auto&... equations) {
      load(LineBlock::lower, block);
      clear_lower(block, lanes, step);
      (take_lower_into_units<n>(m_scales, equations, block), ...);
      keep(block, 0);
      load(LineBlock::upper, block);
      clear_upper(block, lanes, step);
      (take_lower_into_units<n>(m_scales, equations, block), ...);
      keep(block, 1);
    };
    if constexpr (has_scales<Storage>) {
      auto const equations = equation_units<PackType, n>(m_scales, inverse);
      keep_equation_units<n>(m_scales, m_layout.first_item(pack) + step, lanes.m_first_lane, equations);
      couple(equations);
      take_inverse_into_units<n>(m_scales, equations, inverse);
    } else {
      couple();
    }
    keep(inverse, 2);
    auto const unstorable = excess != PackType(0);
    if (any(unstorable)) record_singular(m_layout, lanes, step, unstorable, unstorable_code, m_singular);
  }
};

/// z <- D^-1 (b - L z[-1] - U z[+1]) along the lines of an internal vector until the steps of all of them are small,
/// all inside one thread: nothing has to be known of other lines. `transposed`: z <- D^-T (b - U[-1]^T z[-1] -
/// L[+1]^T z[+1]).
template <class Scalar, int n, class Storage, class Places, int vector_length, int internal_length, bool transposed>
struct LineJacobiSolve {
  using PackType = Pack<Scalar, internal_length>;
  using Vector = block::Vector<PackType, n>;
  using Lanes = LineLanes<internal_length, vector_length>;
  using Cursor = LineCursor<Places, internal_length, vector_length>;
  static constexpr int block_entries = n * n;

  using StoredBlock = block::PackMatrix<PackType, Storage, n, vector_length>;
  using Operand = std::conditional_t<transposed, block::TransposedBlock<StoredBlock>, StoredBlock>;
  static constexpr int lower_block = 0, upper_block = 1, inverse_block = 2;

  LineLayoutRef<vector_length> m_layout;
  InterleavedRef<Storage, vector_length, line_jacobi_blocks * block_entries> m_blocks;
  FactorScales<Storage, n, vector_length> m_scales;
  InterleavedRef<Scalar, vector_length, n> m_z;  ///< in the units of the blocks
  LineUnknowns<const Scalar, Places> m_rhs;
  LineUnknowns<Scalar, Places> m_x;
  Scalar m_tolerance;
  int m_max_iterations;

  KOKKOS_FUNCTION void operator()(std::int64_t pack, int v) const {
    Lanes const lanes(m_layout, pack, v);
    // A pack of grid lines along k may be padding alone.
    if (lanes.m_length == 0) return;
    Cursor const cursor(m_x.m_places, m_layout, lanes);
    PackType const first = start(lanes, cursor);
    PackType const limit = PackType(m_tolerance * m_tolerance) * first;
    for (int iteration = 1; iteration < m_max_iterations; ++iteration) {
      // Without a tolerance the number of iterations is fixed, however small the squares are.
      auto const change = iterate(lanes, cursor);
      if (m_tolerance > 0 && !any(change > limit)) break;
    }
    for (int step = 0; step < lanes.m_length; ++step) {
      Vector z;
      load_z(lanes, step, z);
      units().take_out(item(lanes, step), lanes.m_first_lane, z);
      cursor.template store<n>(m_x.m_data, m_x.m_entries, m_x.m_first, step, z.m_entries);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION auto units() const {
    return LineUnits<n, FactorScales<Storage, n, vector_length>, transposed>{m_scales};
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t item(const Lanes& lanes, int step) const {
    return m_layout.first_item(lanes.m_pack) + step;
  }
  KOKKOS_FORCEINLINE_FUNCTION StoredBlock stored(const Lanes& lanes, int step, int slot) const {
    return StoredBlock{m_blocks.pack_data(item(lanes, step), slot * block_entries) + lanes.m_first_lane};
  }
  KOKKOS_FORCEINLINE_FUNCTION Operand inverse(const Lanes& lanes, int step) const {
    return Operand{stored(lanes, step, inverse_block)};
  }
  /// What couples a step to the one before it, and to the one after it; at the ends what is multiplied with zero.
  KOKKOS_FORCEINLINE_FUNCTION Operand to_before(const Lanes& lanes, int step) const {
    if constexpr (transposed) {
      return Operand{stored(lanes, step > 0 ? step - 1 : 0, upper_block)};
    } else {
      return stored(lanes, step, lower_block);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Operand to_after(const Lanes& lanes, int step) const {
    if constexpr (transposed) {
      return Operand{stored(lanes, step + 1 < lanes.m_length ? step + 1 : step, lower_block)};
    } else {
      return stored(lanes, step, upper_block);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* z_data(const Lanes& lanes, int step) const {
    return m_z.pack_data(item(lanes, step)) + lanes.m_first_lane;
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_z(const Lanes& lanes, int step, Vector& z) const {
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) z[c] = PackType::load(z_data(lanes, step) + c * vector_length);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_z(const Lanes& lanes, int step, const Vector& z) const {
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) z[c].store(z_data(lanes, step) + c * vector_length);
  }

  KOKKOS_FORCEINLINE_FUNCTION void load_rhs(const Lanes& lanes, const Cursor& cursor, int step, Vector& b) const {
    cursor.template load<n>(m_rhs.m_data, m_rhs.m_entries, m_rhs.m_first, step, b.m_entries);
    units().take_in(item(lanes, step), lanes.m_first_lane, b);
  }
  /// In the units of x.
  KOKKOS_FORCEINLINE_FUNCTION void add_squares(const Lanes& lanes, int step, Vector values, PackType& sum) const {
    units().take_out(item(lanes, step), lanes.m_first_lane, values);
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) sum += values[c] * values[c];
  }

  /// z = D^-1 b; the sum of squares of z on each line.
  KOKKOS_FUNCTION PackType start(const Lanes& lanes, const Cursor& cursor) const {
    PackType sum = PackType(0);
    for (int step = 0; step < lanes.m_length; ++step) {
      Vector b, z;
      load_rhs(lanes, cursor, step, b);
      block::gemv<n>(inverse(lanes, step), b, z);
      store_z(lanes, step, z);
      add_squares(lanes, step, z, sum);
    }
    return sum;
  }

  /// One iteration; the sum of squares of the change of z on each line.
  KOKKOS_FUNCTION PackType iterate(const Lanes& lanes, const Cursor& cursor) const {
    PackType sum = PackType(0);
    Vector before, here, after;
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) before[c] = PackType(0);
    load_z(lanes, 0, here);
    for (int step = 0; step < lanes.m_length; ++step) {
      if (step + 1 < lanes.m_length) {
        load_z(lanes, step + 1, after);
      } else {
        HYPERPLANE_HOST_UNROLL
        for (int c = 0; c < n; ++c) after[c] = PackType(0);
      }
      Vector b, z;
      load_rhs(lanes, cursor, step, b);
      block::gemv_subtract<n>(to_before(lanes, step), before, b);
      block::gemv_subtract<n>(to_after(lanes, step), after, b);
      block::gemv<n>(inverse(lanes, step), b, z);
      store_z(lanes, step, z);
      Vector change;
      HYPERPLANE_HOST_UNROLL
      for (int c = 0; c < n; ++c) change[c] = z[c] - here[c];
      add_squares(lanes, step, change, sum);
      before = here;
      here = after;
    }
    return sum;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
