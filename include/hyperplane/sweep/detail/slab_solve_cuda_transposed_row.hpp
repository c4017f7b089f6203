// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/phase_barrier.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_units.hpp>

#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Threads of neighbouring rows would read the same column from the same memory banks where n is even: they take the
/// two of each pair in turns. So values of a row differ in their last bits between the threads that repeat it, and only
/// the thread that has it stores them.
template <class Layout>
inline constexpr bool cuda_slab_columns_in_turns =
    Layout::n % 2 == 0 && sizeof(typename Layout::Storage) == sizeof(typename Layout::Scalar);

/// What the warps of a row have in sweeps with M^T: their part of the row, the chunk of factors that they are at, and
/// products with its blocks, transposed.
template <class Layout, bool forward>
class CudaSlabTransposedRow {
  using Lanes = typename Layout::Lanes;
  using Shared = typename Layout::Shared;
  using StoredLanes = typename Layout::StoredLanes;
  using Tile = typename Layout::Tile;
  using Scalar = typename Layout::Scalar;
  using Storage = typename Layout::Storage;
  static constexpr int W = Layout::W;
  static constexpr int n = Layout::n;
  static constexpr int chunk = Layout::chunk;
  static constexpr int lanes = Layout::lanes;
  static constexpr int rows_per_thread = Layout::rows_per_thread;
  static constexpr std::size_t stage_bytes = Layout::stage_bytes;

 public:
  using Row = typename Layout::template Row<forward>;
  using Values = Scalar[rows_per_thread][lanes];

  /// Columns of `blocks` blocks, where they fit into registers.
  template <int blocks>
  using Columns = StoredLanes[Layout::preload ? blocks * n : 1][rows_per_thread];

  __device__ CudaSlabTransposedRow(const Layout& layout, const Shared& s, const Tile& t, int tile_row, unsigned chunks)
      : m_row(layout, t, tile_row),
        m_units(layout, m_row),
        m_stages(layout.m_shape.stages),
        m_first_stage(s.stages + std::size_t(tile_row) * m_stages * stage_bytes),
        m_arrived(s.arrived + tile_row * m_stages),
        m_unknowns(s.prepared + tile_row * (Layout::window * Layout::vector_pack) + m_row.first_lane),
        m_stage(chunks % m_stages),
        m_parity(chunks / m_stages & 1) {}

  __device__ const Row& row() const { return m_row; }
  /// The unknowns of a step, from the thread's lanes on.
  __device__ Scalar* unknowns(unsigned slot) const { return m_unknowns + slot * Layout::vector_pack; }

  /// Waits for the factors of the step, and for the right-hand side.
  __device__ void await() {
    if (m_in_chunk != 0) return;
    m_arrived[m_stage].wait(m_parity);
    m_packs = m_row.packs_of(m_chunk);
  }
  __device__ void advance() {
    if (++m_in_chunk != m_packs) return;
    m_in_chunk = 0;
    ++m_chunk;
    if (++m_stage == m_stages) {
      m_stage = 0;
      m_parity ^= 1;
    }
  }

  __device__ const Scalar* rhs() const {
    return reinterpret_cast<const Scalar*>(stage() + chunk * Layout::factor_bytes) +
           (forward ? m_in_chunk : m_packs - 1 - m_in_chunk) * Layout::vector_pack + m_row.stored_lane;
  }

  __device__ void take_rhs_into_units(Values& rhs) const { m_units.enter(m_row, stage(), m_in_chunk, m_packs, rhs); }

  template <int count>
  __device__ void load(int first_block, Columns<count>& columns) const {
    if constexpr (Layout::preload) {
      auto const* const factors = Layout::factors_of(stage(), m_in_chunk, m_packs, m_row);
#pragma unroll
      for (int e = 0; e < count * n; ++e) {
        Layout::load_column(factors, first_block + e / n, column(e % n), m_row, columns[e]);
      }
    }
  }

  /// y = A^T x for block `block`, which is number `loaded` of the columns that were loaded. `x` has W lanes of each
  /// unknown, from the thread's lanes on.
  template <int count>
  __device__ void multiply(int block, int loaded, const Columns<count>& columns, const Scalar* x, Values& y) const {
    [[maybe_unused]] auto const* const factors = Layout::factors_of(stage(), m_in_chunk, m_packs, m_row);
    clear(y);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      auto const values = *reinterpret_cast<const Lanes*>(x + column(c) * W);
      [[maybe_unused]] StoredLanes read[rows_per_thread];
      if constexpr (!Layout::preload) Layout::load_column(factors, block, column(c), m_row, read);
      auto const& loaded_column = Layout::preload ? columns[Layout::preload ? loaded * n + c : 0] : read;
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
        for (int m = 0; m < lanes; ++m) {
          y[r][m] += static_cast<Scalar>(loaded_column[r].m_values[m_row.stored(m)]) * values.m_values[m];
        }
      }
    }
  }

  __device__ static void clear(Values& y) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int m = 0; m < lanes; ++m) y[r][m] = 0;
    }
  }

 private:
  /// The column that a thread takes as number c.
  __device__ int column(int c) const { return cuda_slab_columns_in_turns<Layout> ? c ^ (m_row.rows[0] & 1) : c; }
  __device__ const std::byte* stage() const { return m_first_stage + m_stage * stage_bytes; }

  Row m_row;
  CudaSlabUnits<Layout, forward> m_units;
  int m_stages;
  const std::byte* m_first_stage;
  cuda::PhaseBarrier* m_arrived;
  Scalar* m_unknowns;
  int m_stage;
  unsigned m_parity;
  int m_chunk = 0;
  int m_in_chunk = 0;
  int m_packs = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
