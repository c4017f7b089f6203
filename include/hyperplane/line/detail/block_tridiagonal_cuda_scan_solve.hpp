// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_lanes.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_scan.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_units.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Solves along lines of scalars.
///
/// Both recurrences, y[s] = i (b[s] - L y[s-1]) with i = d^-1 and x[s] = y[s] - V x[s+1], are linear in what comes in:
/// a thread computes what comes out of its steps for zero, and the factor for what comes in; from those of the threads
/// before it what comes in, and then its steps one after the other in the order of operations of the portable kernel.
///
/// `transposed`: y[s] = b[s] - V[s-1] y[s-1] and x[s] = i (y[s] - L[s+1] x[s+1]).
template <class Scalar, class Storage, class Places, int vector_length, int lanes, int points, bool transposed = false>
struct CudaLineScanSolve {
  using Thread = CudaLineScanThread<vector_length, lanes, points>;
  using Access = CudaLineAccess<Scalar, Places, vector_length, lanes>;
  using Values = cuda::Vector<Scalar, lanes>;
  using StoredValues = cuda::Vector<Storage, lanes>;
  using Memory = CudaLineScanMemory<Scalar, 2, vector_length, lanes>;
  using Units = CudaLineUnits<Scalar, Storage, 1, vector_length, lanes, transposed>;

  LineFactors<Storage, 1, vector_length> m_factors;
  LineUnknowns<const Scalar, Places> m_rhs;
  LineUnknowns<Scalar, Places> m_x;
  int m_columns;

  __device__ void run(std::byte* shared) const {
    auto const& layout = m_factors.m_layout;
    std::int64_t const pack = blockIdx.x / m_columns;
    int const column = static_cast<int>(blockIdx.x) % m_columns;
    int const length = layout.length(pack);
    if (length == 0) return;
    Thread const thread(layout, pack);
    Access const access(m_x.m_places, layout, pack, thread, m_x.m_entries, m_x.m_first + column);
    Memory const memory{reinterpret_cast<Scalar*>(shared)};
    Units const units(m_factors, pack, 0, thread.first_lane);
    int const chunks = (length + thread.chunk() - 1) / thread.chunk();
    Values y[points];
    Values carried{};
    for (int chunk = 0; chunk < chunks; ++chunk) {
      upwards(thread, access, units, memory, pack, thread.first_step(chunk), length, carried, y);
      if (chunk == chunks - 1) break;
#pragma unroll
      for (int p = 0; p < points; ++p) access.store(m_x.m_data, thread, thread.first_step(chunk) + p, y[p]);
    }
    carried = Values{};
    for (int chunk = chunks - 1; chunk >= 0; --chunk) {
      int const first = thread.first_step(chunk);
      if (chunk < chunks - 1) {
#pragma unroll
        for (int p = 0; p < points; ++p) y[p] = access.load(m_x.m_data, thread, first + p);
      }
      downwards(thread, memory, pack, first, length, carried, y);
#pragma unroll
      for (int p = 0; p < points; ++p) {
        int const step = first + p;
        if (step < length) access.store(m_x.m_data, thread, step, units.out(y[p], units.after(step)));
      }
    }
  }

 private:
  /// y of the thread's steps, and of the last step of the chunk.
  __device__ __forceinline__ void upwards(const Thread& thread, const Access& access, const Units& units,
                                          const Memory& memory, std::int64_t pack, int first, int length,
                                          Values& carried, Values (&y)[points]) const {
    Values coefficient[points], inverse[points];
#pragma unroll
    for (int p = 0; p < points; ++p) {
      int const step = first + p;
      coefficient[p] = inverse[p] = y[p] = Values{};
      if (step >= length) continue;
      if constexpr (transposed) {
        if (step > 0) coefficient[p] = load(m_factors.upper(pack, step - 1) + thread.first_lane);
      } else {
        coefficient[p] = load(m_factors.lower(pack, step, LineFactor::lower) + thread.first_lane);
        inverse[p] = load(m_factors.lower(pack, step, LineFactor::inverse) + thread.first_lane);
      }
      y[p] = units.in(access.load(m_rhs.m_data, thread, step), units.before(step));
    }
    recur<true, !transposed>(thread, memory, coefficient, inverse, carried, y);
  }

  /// x of the thread's steps in place of y, and of the first step of the chunk.
  __device__ __forceinline__ void downwards(const Thread& thread, const Memory& memory, std::int64_t pack, int first,
                                            int length, Values& carried, Values (&y)[points]) const {
    Values coefficient[points], inverse[points];
#pragma unroll
    for (int p = 0; p < points; ++p) {
      int const step = first + p;
      coefficient[p] = inverse[p] = Values{};
      if (step >= length) continue;
      if constexpr (transposed) {
        inverse[p] = load(m_factors.lower(pack, step, LineFactor::inverse) + thread.first_lane);
        if (step + 1 < length) {
          coefficient[p] = load(m_factors.lower(pack, step + 1, LineFactor::lower) + thread.first_lane);
        }
      } else {
        coefficient[p] = load(m_factors.upper(pack, step) + thread.first_lane);
      }
    }
    recur<false, transposed>(thread, memory, coefficient, inverse, carried, y);
  }

  /// y <- y - c z, or i (y - c z), with z what y became in the step before, or behind if it goes down.
  template <bool up, bool has_inverse>
  __device__ __forceinline__ static void recur(const Thread& thread, const Memory& memory,
                                               const Values (&coefficient)[points], const Values (&inverse)[points],
                                               Values& carried, Values (&y)[points]) {
    auto const next = [&](int p, int l, Scalar before) {
      Scalar const sum = fma(-coefficient[p].m_values[l], before, y[p].m_values[l]);
      return has_inverse ? inverse[p].m_values[l] * sum : sum;
    };
    Values alone{}, factor;
#pragma unroll
    for (int l = 0; l < lanes; ++l) factor.m_values[l] = 1;
#pragma unroll
    for (int q = 0; q < points; ++q) {
      int const p = up ? q : points - 1 - q;
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        alone.m_values[l] = next(p, l, alone.m_values[l]);
        factor.m_values[l] *=
            has_inverse ? -coefficient[p].m_values[l] * inverse[p].m_values[l] : -coefficient[p].m_values[l];
      }
    }
    Values before = exchange(thread, memory, up ? thread.part : thread.parts - 1 - thread.part, thread.parts, alone,
                             factor, carried);
#pragma unroll
    for (int q = 0; q < points; ++q) {
      int const p = up ? q : points - 1 - q;
#pragma unroll
      for (int l = 0; l < lanes; ++l) before.m_values[l] = y[p].m_values[l] = next(p, l, before.m_values[l]);
    }
  }

  /// What comes into the thread's steps, of threads in the order of `turn`; what comes out of the last is carried on.
  __device__ static Values exchange(const Thread& thread, const Memory& memory, int turn, int turns,
                                    const Values& alone, const Values& factor, Values& carried) {
    memory.at(turn, 0, thread.first_lane) = alone;
    memory.at(turn, 1, thread.first_lane) = factor;
    __syncthreads();
    Values before = carried, mine = carried;
    for (int q = 0; q < turns; ++q) {
      if (q == turn) mine = before;
      auto const a = memory.at(q, 0, thread.first_lane), f = memory.at(q, 1, thread.first_lane);
#pragma unroll
      for (int l = 0; l < lanes; ++l) before.m_values[l] = fma(f.m_values[l], before.m_values[l], a.m_values[l]);
    }
    carried = before;
    __syncthreads();
    return mine;
  }

  __device__ static Values load(const Storage* from) {
    auto const loaded = *reinterpret_cast<const StoredValues*>(from);
    Values values;
#pragma unroll
    for (int l = 0; l < lanes; ++l) values.m_values[l] = static_cast<Scalar>(loaded.m_values[l]);
    return values;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
