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
#include <hyperplane/line/detail/line_jacobi_limits.hpp>
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

/// D^-1 L, D^-1 U and D^-1 of every point, one index for each pack and step. Threads of a device follow one another
/// through packs, those of the host through steps.
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
    auto const keep_product = [&](int slot) {
      for (int c = 0; c < n; ++c) {
        block::Vector<PackType, n> column, product;
        for (int r = 0; r < n; ++r) column[r] = block(r, c);
        block::gemv<n>(inverse, column, product);
        for (int r = 0; r < n; ++r) block(r, c) = product[r];
      }
      if constexpr (has_scales<Storage>) take_upper_into_units<n>(m_scales, block);
      keep(block, slot);
    };
    load(LineBlock::lower, block);
    clear_lower(block, lanes, step);
    keep_product(0);
    load(LineBlock::upper, block);
    clear_upper(block, lanes, step);
    keep_product(1);
    if constexpr (has_scales<Storage>) {
      auto const equations = equation_units<PackType, n>(m_scales, inverse);
      keep_equation_units<n>(m_scales, m_layout.first_item(pack) + step, lanes.m_first_lane, equations);
      take_inverse_into_units<n>(m_scales, equations, inverse);
    }
    keep(inverse, 2);
    auto const unstorable = excess != PackType(0);
    if (any(unstorable)) record_singular(m_layout, lanes, step, unstorable, unstorable_code, m_singular);
  }
};

/// From z = c = D^-1 b on, z <- c - D^-1 L z[-1] - D^-1 U z[+1] along the lines of an internal vector, until the steps
/// of all of them are small, all inside one thread: nothing has to be known of other lines. x is z. `transposed`: from
/// z = c = b on, z <- c - (D^-1 U)[-1]^T z[-1] - (D^-1 L)[+1]^T z[+1]; x is D^-T z.
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
  InterleavedRef<Scalar, vector_length, line_jacobi_vectors * n> m_vectors;  ///< in the units of the blocks
  LineUnknowns<const Scalar, Places> m_rhs;
  LineUnknowns<Scalar, Places> m_x;
  LineJacobiLimits<Scalar> m_limits;

  KOKKOS_FUNCTION void operator()(std::int64_t pack, int v) const {
    Lanes const lanes(m_layout, pack, v);
    // A pack of grid lines along k may be padding alone.
    if (lanes.m_length == 0) return;
    Cursor const cursor(m_x.m_places, m_layout, lanes);
    PackType const first = start(lanes, cursor);
    PackType const limit = PackType(m_limits.m_tolerance * m_limits.m_tolerance) * first;
    for (int done = 1; done < m_limits.m_max_iterations;) {
      int const next = m_limits.next(done);
      bool const looks = next < m_limits.m_max_iterations;
      PackType change(0);
      for (; done < next; ++done) change = iterate(lanes, looks && done + 1 == next);
      if (looks && !any(change > limit)) break;
    }
    for (int step = 0; step < lanes.m_length; ++step) {
      Vector z;
      load(lanes, step, iterate_vector, z);
      Vector const x = unknowns(lanes, step, z);
      cursor.template store<n>(m_x.m_data, m_x.m_entries, m_x.m_first, step, x.m_entries);
    }
  }

 private:
  static constexpr int start_vector = 0, iterate_vector = 1;

  KOKKOS_FORCEINLINE_FUNCTION auto units() const {
    return LineUnits<n, FactorScales<Storage, n, vector_length>, transposed>{m_scales};
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t item(const Lanes& lanes, int step) const {
    return m_layout.first_item(lanes.m_pack) + step;
  }
  KOKKOS_FORCEINLINE_FUNCTION Operand stored(const Lanes& lanes, int step, int slot) const {
    return Operand{StoredBlock{m_blocks.pack_data(item(lanes, step), slot * block_entries) + lanes.m_first_lane}};
  }
  /// What couples a step to the one before it, and to the one after it; at the ends what is multiplied with zero.
  KOKKOS_FORCEINLINE_FUNCTION Operand to_before(const Lanes& lanes, int step) const {
    return transposed ? stored(lanes, step > 0 ? step - 1 : 0, upper_block) : stored(lanes, step, lower_block);
  }
  KOKKOS_FORCEINLINE_FUNCTION Operand to_after(const Lanes& lanes, int step) const {
    return transposed ? stored(lanes, step + 1 < lanes.m_length ? step + 1 : step, lower_block)
                      : stored(lanes, step, upper_block);
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* data(const Lanes& lanes, int step, int vector) const {
    return m_vectors.pack_data(item(lanes, step), vector * n) + lanes.m_first_lane;
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(const Lanes& lanes, int step, int vector, Vector& values) const {
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) values[c] = PackType::load(data(lanes, step, vector) + c * vector_length);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Lanes& lanes, int step, int vector, const Vector& values) const {
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) values[c].store(data(lanes, step, vector) + c * vector_length);
  }

  /// Of x, where z or its change is given, in the units of x.
  KOKKOS_FORCEINLINE_FUNCTION Vector unknowns(const Lanes& lanes, int step, const Vector& z) const {
    Vector x;
    if constexpr (transposed) {
      block::gemv<n>(stored(lanes, step, inverse_block), z, x);
    } else {
      x = z;
    }
    units().take_out(item(lanes, step), lanes.m_first_lane, x);
    return x;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_squares(const Lanes& lanes, int step, const Vector& z, PackType& sum) const {
    Vector const values = unknowns(lanes, step, z);
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) sum += values[c] * values[c];
  }

  /// z = c; the sum of squares of D^-1 b on each line.
  KOKKOS_FUNCTION PackType start(const Lanes& lanes, const Cursor& cursor) const {
    PackType sum(0);
    for (int step = 0; step < lanes.m_length; ++step) {
      Vector b, z;
      cursor.template load<n>(m_rhs.m_data, m_rhs.m_entries, m_rhs.m_first, step, b.m_entries);
      units().take_in(item(lanes, step), lanes.m_first_lane, b);
      if constexpr (transposed) {
        z = b;
      } else {
        block::gemv<n>(stored(lanes, step, inverse_block), b, z);
      }
      store(lanes, step, start_vector, z);
      store(lanes, step, iterate_vector, z);
      add_squares(lanes, step, z, sum);
    }
    return sum;
  }

  /// One iteration; the sum of squares of the change of x on each line, where it is looked at.
  KOKKOS_FUNCTION PackType iterate(const Lanes& lanes, bool looks) const {
    PackType sum(0);
    Vector before, here, after;
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) before[c] = PackType(0);
    load(lanes, 0, iterate_vector, here);
    for (int step = 0; step < lanes.m_length; ++step) {
      if (step + 1 < lanes.m_length) {
        load(lanes, step + 1, iterate_vector, after);
      } else {
        HYPERPLANE_HOST_UNROLL
        for (int c = 0; c < n; ++c) after[c] = PackType(0);
      }
      Vector z;
      load(lanes, step, start_vector, z);
      block::gemv_subtract<n>(to_before(lanes, step), before, z);
      block::gemv_subtract<n>(to_after(lanes, step), after, z);
      store(lanes, step, iterate_vector, z);
      if (looks) {
        Vector change;
        HYPERPLANE_HOST_UNROLL
        for (int c = 0; c < n; ++c) change[c] = z[c] - here[c];
        add_squares(lanes, step, change, sum);
      }
      before = here;
      here = after;
    }
    return sum;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
