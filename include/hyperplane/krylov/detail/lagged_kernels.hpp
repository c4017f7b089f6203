// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/krylov/detail/fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/multi_dot.hpp>
#include <hyperplane/krylov/detail/progress.hpp>

/// The kernels of lagged orthogonalization: what the directions so far have of the newest one, u, for the second time
/// and of the product w for the first time is found in one pass over them, and subtracted in another. Computed in
/// double, whatever type directions are kept in.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// u and w, and the directions v[i], i < count, that are kept; v[count] is the one that u becomes.
template <class Kept>
struct LaggedVectors {
  const double* m_u;
  double* m_w;
  const Address<Kept>* m_v;
  int m_count;
};

/// Pairs of dot products with u and with w: those of u, of w, then of v[0], v[1], ...
inline constexpr int lagged_pairs_before = 2;

/// What an iteration computes from the pairs: where v is what is left of u, of norm 1.
class LaggedStep {
 public:
  KOKKOS_FUNCTION explicit LaggedStep(const double* sums)
      : m_u_square(sums[0]), m_w_square(sums[3]), m_u_left(sums[0]), m_w_left(sums[3]), m_uw_left(sums[1]) {}
  /// With all of `count` directions.
  KOKKOS_FUNCTION LaggedStep(const double* sums, int count) : LaggedStep(sums) {
    const double* pair = sums + 2 * lagged_pairs_before;
    for (int i = 0; i < count; ++i, pair += 2) add(pair[0], pair[1]);
    end();
  }

  /// (v[i], u) and (v[i], w) of the next direction.
  KOKKOS_FUNCTION void add(double with_u, double with_w) {
    m_u_left -= with_u * with_u;
    m_uw_left -= with_u * with_w;
    m_w_left -= with_w * with_w;
  }
  /// After all of them. Where less than half of u is left, it is rounding's, and v is zero.
  KOKKOS_FUNCTION void end() {
    m_inverse = m_u_left > 0.25 * m_u_square ? 1.0 / Kokkos::sqrt(m_u_left) : 0.0;
    m_component = m_uw_left * m_inverse;
    m_w_left -= m_component * m_component;
    // Next to nothing that is left is not known to many digits; it need not be.
    m_scale = m_w_square > 0.0 ? 1.0 / Kokkos::sqrt(Kokkos::max(m_w_left, 1e-6 * m_w_square)) : 0.0;
  }

  KOKKOS_FUNCTION double inverse() const { return m_inverse; }      ///< of the norm of what is left of u
  KOKKOS_FUNCTION double component() const { return m_component; }  ///< (v, w)
  KOKKOS_FUNCTION double scale() const { return m_scale; }          ///< makes what is left of w about one of norm 1

 private:
  double m_u_square, m_w_square;
  double m_u_left, m_w_left, m_uw_left;
  double m_inverse = 0.0, m_component = 0.0, m_scale = 0.0;
};

/// Column `count` of the cycle: its components are those of w. (What u still had of directions was less than rounding's
/// share of its product, and is left out of the column before.)
struct LaggedColumnFinish {
  ProgressRef m_progress;
  FgmresSystem m_system;
  const double* m_sums;
  int m_count;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    if (!m_progress.running()) return;
    double* const h = m_system.column(m_count);
    LaggedStep const step(m_sums, m_count);
    for (int i = 0; i < m_count; ++i) h[i] = m_sums[2 * (lagged_pairs_before + i) + 1];
    h[m_count] = step.component();
    // A square of w that has overflowed ends the solve as a breakdown: w was scaled to zero.
    double const left = Kokkos::isfinite(m_sums[3]) ? Kokkos::sqrt(sums.m_values[0]) : m_sums[3];
    finish_fgmres_column(m_progress, m_system, m_count, step.scale() > 0.0 ? left / step.scale() : left);
  }
};

/// Some pairs in one pass: those of u and w first where `begins`, and of `count` directions.
template <class Kept, bool begins>
struct LaggedDots {
  static constexpr int most = reduce_max_values / 2 - (begins ? lagged_pairs_before : 0);
  static constexpr int first = begins ? 2 * lagged_pairs_before : 0;
  LaggedVectors<Kept> m_vectors;
  KOKKOS_FUNCTION Sums<reduce_max_values> operator()(std::int64_t e) const {
    double const u = m_vectors.m_u[e], w = m_vectors.m_w[e];
    Sums<reduce_max_values> result{};
    if constexpr (begins) {
      result.m_values[0] = u * u;
      result.m_values[1] = u * w;
      result.m_values[2] = w * u;
      result.m_values[3] = w * w;
    }
    // Indices that are known to the compiler, so that sums stay in registers.
    HYPERPLANE_UNROLL
    for (int i = 0; i < most; ++i) {
      if (i < m_vectors.m_count) {
        double const v = m_vectors.m_v[i].m_data[e];
        result.m_values[first + 2 * i] = v * u;
        result.m_values[first + 2 * i + 1] = v * w;
      }
    }
    return result;
  }
};

/// v[count] from u, and the next u in the place of w: returns its square.
template <class Kept>
struct LaggedSubtract {
  LaggedVectors<Kept> m_vectors;
  const double* m_sums;
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const {
    double u = m_vectors.m_u[e], w = m_vectors.m_w[e];
    LaggedStep step(m_sums);
    const double* pair = m_sums + 2 * lagged_pairs_before;
    for (int i = 0; i < m_vectors.m_count; ++i, pair += 2) {
      double const v = m_vectors.m_v[i].m_data[e], with_u = pair[0], with_w = pair[1];
      u -= with_u * v;
      w -= with_w * v;
      step.add(with_u, with_w);
    }
    step.end();
    auto const v = static_cast<Kept>(u * step.inverse());
    m_vectors.m_v[m_vectors.m_count].m_data[e] = v;
    double const next = (w - step.component() * v) * step.scale();
    m_vectors.m_w[e] = next;
    return {{next * next}};
  }
};

/// On hosts, elements at a time: those of u and w stay in the nearest cache.
inline constexpr std::int64_t lagged_chunk = 1024;

/// The sum of all lanes, a power of two of them.
template <std::size_t lanes>
double folded(double (&sums)[lanes]) {
  for (auto width = lanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
  }
  return sums[0];
}

/// On hosts: the pairs of a chunk.
template <class Kept>
struct LaggedDotsHostChunk {
  static constexpr int lanes = 16;
  LaggedVectors<Kept> m_vectors;
  double* m_partial;
  std::int64_t m_size;
  std::int64_t m_chunks;

  void operator()(std::int64_t chunk) const {
    auto const begin = chunk * lagged_chunk, end = std::min(begin + lagged_chunk, m_size);
    double* to = m_partial + chunk;
    const double* const w = m_vectors.m_w;
    to = pair(m_vectors.m_u, begin, end, to);
    to = pair(w, begin, end, to);
    for (int i = 0; i < m_vectors.m_count; ++i) {
      ask_for_next(i, begin);
      to = pair(m_vectors.m_v[i].m_data, begin, end, to);
    }
  }

 private:
  /// What follows direction i, in this chunk or the next. A chunk of narrow values is so short that the processor has
  /// hardly seen a stream in it when it ends.
  void ask_for_next([[maybe_unused]] int i, [[maybe_unused]] std::int64_t begin) const {
    if constexpr (host::reads_narrow<double, Kept>) {
      bool const last = i + 1 == m_vectors.m_count;
      host::prefetch_values<1>(m_vectors.m_v[last ? 0 : i + 1].m_data + begin + (last ? lagged_chunk : 0),
                               static_cast<int>(lagged_chunk));
    }
  }

  template <class Value>
  double* pair(const Value* v, std::int64_t begin, std::int64_t end, double* to) const {
    const double* const u = m_vectors.m_u;
    const double* const w = m_vectors.m_w;
    double with_u[std::size_t{lanes}] = {}, with_w[std::size_t{lanes}] = {};
    auto const add = [&](int lane, std::int64_t e) {
      auto const value = static_cast<double>(v[e]);
      with_u[lane] += value * u[e];
      with_w[lane] += value * w[e];
    };
    auto e = begin;
    for (; e + lanes <= end; e += lanes) {
      HYPERPLANE_INDEPENDENT
      for (int lane = 0; lane < lanes; ++lane) add(lane, e + lane);
    }
    for (; e < end; ++e) add(0, e);
    to[0] = folded(with_u);
    to[m_chunks] = folded(with_w);
    return to + 2 * m_chunks;
  }
};

/// On hosts: LaggedSubtract of a chunk, of four directions at a time.
template <class Kept>
struct LaggedSubtractHostChunk {
  LaggedVectors<Kept> m_vectors;
  const double* m_sums;
  double* m_partial;
  std::int64_t m_size;

  void operator()(std::int64_t chunk) const {
    constexpr int together = 4;
    auto const begin = chunk * lagged_chunk;
    auto const size = static_cast<int>(std::min(lagged_chunk, m_size - begin));
    double u[std::size_t{lagged_chunk}];
    double* const w = m_vectors.m_w + begin;
    std::copy_n(m_vectors.m_u + begin, size, u);
    int const count = m_vectors.m_count;
    int i = 0;
    for (; i + together <= count; i += together) subtract<together>(i, begin, size, u, w);
    for (; i < count; ++i) subtract<1>(i, begin, size, u, w);
    m_partial[chunk] = end(LaggedStep(m_sums, count), m_vectors.m_v[count].m_data + begin, size, u, w);
  }

 private:
  template <int count>
  void subtract(int first, std::int64_t begin, int size, double* u, double* w) const {
    const Kept* v[std::size_t{count}];
    double with_u[std::size_t{count}], with_w[std::size_t{count}];
    for (int i = 0; i < count; ++i) {
      const double* const pair = m_sums + 2 * (lagged_pairs_before + first + i);
      v[i] = m_vectors.m_v[first + i].m_data + begin;
      with_u[i] = pair[0];
      with_w[i] = pair[1];
    }
    HYPERPLANE_INDEPENDENT
    for (int e = 0; e < size; ++e) {
      double of_u = u[e], of_w = w[e];
      HYPERPLANE_UNROLL
      for (int i = 0; i < count; ++i) {
        auto const value = static_cast<double>(v[i][e]);
        of_u -= with_u[i] * value;
        of_w -= with_w[i] * value;
      }
      u[e] = of_u;
      w[e] = of_w;
    }
  }

  /// Of what is left.
  static double end(const LaggedStep& step, Kept* v, int size, const double* u, double* w) {
    constexpr int lanes = 16;
    double const inverse = step.inverse(), component = step.component(), scale = step.scale();
    double squares[std::size_t{lanes}] = {};
    auto const make = [&](int lane, int e) {
      v[e] = static_cast<Kept>(u[e] * inverse);
      w[e] = (w[e] - component * static_cast<double>(v[e])) * scale;
      squares[lane] += w[e] * w[e];
    };
    int e = 0;
    for (; e + lanes <= size; e += lanes) {
      HYPERPLANE_INDEPENDENT
      for (int lane = 0; lane < lanes; ++lane) make(lane, e + lane);
    }
    for (; e < size; ++e) make(0, e);
    return folded(squares);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
