// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/array/detail/nest_lanes.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/vector.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

/// What the threads of a reduction on CUDA find: which elements they have, and in which order.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

inline constexpr int reduce_cuda_threads = 512;
/// Two on each of the 132 multiprocessors of an H200, with registers for enough loads at a time (64 kB a multiprocessor
/// and more), and few enough for one warp to join their results. (A constant, so that results do not depend on where.)
inline constexpr int reduce_cuda_blocks = 264;

/// Accesses to an array that a thread makes before it needs the first of them.
template <int arrays>
inline constexpr int reduce_cuda_unroll = arrays <= 1   ? 8
                                          : arrays <= 2 ? 4
                                          : arrays <= 4 ? 2
                                                        : 1;

/// The same of groups of neighbours, of 16 bytes.
template <int arrays>
inline constexpr int reduce_cuda_groups = reduce_cuda_unroll<arrays> > 4 ? 4 : reduce_cuda_unroll<arrays>;

/// The operation on copies of an element of each array, of which the last `Op::written` go back.
template <class T, int arrays, class Op>
struct ReduceElement {
  T m_values[arrays];

  __device__ void load(T* const (&places)[arrays], std::int64_t i) {
#pragma unroll
    for (int a = 0; a < arrays; ++a) m_values[a] = places[a][i];
  }
  template <class Result>
  __device__ void join(const Op& op, T* const (&places)[arrays], std::int64_t i, Result& result) {
    T* values[arrays];
#pragma unroll
    for (int a = 0; a < arrays; ++a) values[a] = &m_values[a];
    result.join(call_with_elements(op, values));
#pragma unroll
    for (int a = arrays - Op::written; a < arrays; ++a) places[a][i] = m_values[a];
  }
};

/// Contiguous arrays that are only read: a thread has groups of neighbours, which it loads at once where they are
/// aligned. (Which elements are whose does not depend on that.)
template <class T, int arrays, class Op, class Result>
__device__ void reduce_contiguous(const Nest<T, arrays>& nest, const Op& op, bool aligned, Result& result) {
  constexpr int width = 16 / static_cast<int>(sizeof(T));
  constexpr int unroll = reduce_cuda_groups<arrays>;
  using Vector = cuda::Vector<T, width>;
  auto const size = nest.size();
  auto const groups = size / width;
  auto const step = std::int64_t{gridDim.x} * reduce_cuda_threads;
  auto const thread = std::int64_t{blockIdx.x} * reduce_cuda_threads + threadIdx.x;
  for (auto first = thread; first < groups; first += unroll * step) {
    Vector values[unroll][arrays];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      auto const group = first + u * step;
      if (group >= groups) continue;
#pragma unroll
      for (int a = 0; a < arrays; ++a) {
        const T* const data = nest.m_data[a] + group * width;
        if (aligned) {
          values[u][a] = *reinterpret_cast<const Vector*>(data);
        } else {
#pragma unroll
          for (int l = 0; l < width; ++l) values[u][a].m_values[l] = data[l];
        }
      }
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (first + u * step >= groups) continue;
      T* elements[arrays];
#pragma unroll
      for (int l = 0; l < width; ++l) {
#pragma unroll
        for (int a = 0; a < arrays; ++a) elements[a] = &values[u][a].m_values[l];
        result.join(call_with_elements(op, elements));
      }
    }
  }
  auto const last = groups * width + thread;
  if (last < size) result.join(call_with_elements(op, nest.m_data, last));
}

/// Rows of neighbours: warps take parts of them in turn, two at a time of few arrays.
template <class T, int arrays, class Op, class Result>
__device__ void reduce_rows(const Nest<T, arrays>& nest, const NestLanes& lanes, const Op& op, Result& result) {
  constexpr int together = arrays <= 2 ? 2 : 1;
  constexpr int unroll = reduce_cuda_unroll<arrays>;
  constexpr int warps = reduce_cuda_threads / NestLanes::lanes;
  int const lane = static_cast<int>(threadIdx.x) % NestLanes::lanes;
  auto const step = std::int64_t{gridDim.x} * warps;
  for (auto part = std::int64_t{blockIdx.x} * warps + threadIdx.x / NestLanes::lanes; part < lanes.m_parts;
       part += together * step) {
    T* places[together][arrays];
    int counts[together];
    ReduceElement<T, arrays, Op> elements[together][unroll];
#pragma unroll
    for (int p = 0; p < together; ++p) {
      auto const number = part + p * step;
      counts[p] = number < lanes.m_parts ? lanes.locate(nest, number, lane, places[p]).m_count : 0;
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u * NestLanes::lanes < counts[p]) elements[p][u].load(places[p], u * NestLanes::lanes);
      }
    }
#pragma unroll
    for (int p = 0; p < together; ++p) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u * NestLanes::lanes < counts[p]) elements[p][u].join(op, places[p], u * NestLanes::lanes, result);
      }
    }
  }
}

/// Any strides: elements in turn, neighbours to neighbouring threads.
template <class T, int arrays, class Op, class Result>
__device__ void reduce_strided(const Nest<T, arrays>& nest, const Op& op, const NestDigits& step, Result& result) {
  constexpr int unroll = reduce_cuda_groups<arrays>;
  auto const size = nest.size();
  auto const threads = std::int64_t{gridDim.x} * reduce_cuda_threads;
  auto e = std::int64_t{blockIdx.x} * reduce_cuda_threads + threadIdx.x;
  if (e >= size) return;
  NestDigits digits(e, nest.m_extents);
  for (; e < size; e += unroll * threads) {
    T* places[unroll][arrays];
    ReduceElement<T, arrays, Op> elements[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      digits.locate(nest, places[u]);
      digits.advance(step, nest.m_extents);
      if (e + u * threads < size) elements[u].load(places[u], 0);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (e + u * threads < size) elements[u].join(op, places[u], 0, result);
    }
  }
}

/// What a reduction goes over: a nest, or numbers from 0 on that a body is called with.
template <class T, int arrays, class Op>
struct ReduceNest {
  using Found = decltype(call_with_elements(std::declval<const Op&>(), std::declval<T* const (&)[arrays]>()));

  Nest<T, arrays> m_nest;
  Op m_op;
  NestDigits m_step{};
  NestLanes m_lanes{};
  bool m_rows;
  bool m_one_row;
  bool m_aligned = true;

  ReduceNest(const Nest<T, arrays>& nest, const Op& op, int blocks)
      : m_nest(nest),
        m_op(op),
        m_rows(nest.size() > 0 && NestLanes::suits(nest)),
        m_one_row(m_rows && nest.rows() == 1) {
    if (nest.size() == 0) return;
    m_step = NestDigits(std::int64_t{blocks} * reduce_cuda_threads, nest.m_extents);
    m_lanes = NestLanes(nest, reduce_cuda_unroll<arrays>);
    for (T* const data : nest.m_data) {
      m_aligned = m_aligned && reinterpret_cast<std::uintptr_t>(data) % sizeof(double2) == 0;
    }
  }

  template <class Result>
  __device__ void run(Result& result) const {
    auto const op = resolved(m_op);
    if constexpr (Op::written == 0) {
      if (m_one_row) {
        reduce_contiguous(m_nest, op, m_aligned, result);
        return;
      }
    }
    if (m_rows) {
      reduce_rows(m_nest, m_lanes, op, result);
    } else {
      reduce_strided(m_nest, op, m_step, result);
    }
  }
};

template <class Body>
struct ReduceIndices {
  using Found = decltype(std::declval<const Body&>()(std::int64_t{}));

  Body m_body;
  std::int64_t m_size;

  template <class Result>
  __device__ void run(Result& result) const {
    auto const threads = std::int64_t{gridDim.x} * reduce_cuda_threads;
#pragma unroll 4
    for (auto e = std::int64_t{blockIdx.x} * reduce_cuda_threads + threadIdx.x; e < m_size; e += threads) {
      result.join(m_body(e));
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
