// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/krylov/detail/progress.hpp>

/// The kernels of FGMRES: templates on the scalar and the execution space alone, so that they are compiled once for all
/// block sizes.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The small least squares problem of a cycle, on the device: Hessenberg matrix made triangular by Givens rotations.
struct FgmresSystem {
  double* m_r;         // column j at j * (restart + 1)
  double* m_cosine;    // restart
  double* m_sine;      // restart
  double* m_rhs;       // restart + 1
  double* m_solution;  // restart
  double* m_scale;     // 1 / norm of the newest direction
  int* m_length;       // finished columns
  int m_restart;

  KOKKOS_FUNCTION double* column(int j) const { return m_r + j * (m_restart + 1); }

  /// Rotates column j, whose entries 0..j+1 are there, and returns the new residual norm; negative where the column
  /// brings nothing (the operator is singular on it).
  KOKKOS_FUNCTION double rotate(int j) const {
    double* const h = column(j);
    for (int i = 0; i < j; ++i) {
      double const upper = m_cosine[i] * h[i] + m_sine[i] * h[i + 1];
      h[i + 1] = m_cosine[i] * h[i + 1] - m_sine[i] * h[i];
      h[i] = upper;
    }
    double const length = Kokkos::hypot(h[j], h[j + 1]);
    if (length == 0.0) return -1.0;
    m_cosine[j] = h[j] / length;
    m_sine[j] = h[j + 1] / length;
    h[j] = length;
    h[j + 1] = 0.0;
    m_rhs[j + 1] = -m_sine[j] * m_rhs[j];
    m_rhs[j] *= m_cosine[j];
    *m_length = j + 1;
    return Kokkos::abs(m_rhs[j + 1]);
  }

  /// Back substitution.
  KOKKOS_FUNCTION void solve() const {
    for (int i = *m_length - 1; i >= 0; --i) {
      double sum = m_rhs[i];
      for (int j = i + 1; j < *m_length; ++j) sum -= column(j)[i] * m_solution[j];
      m_solution[i] = sum / column(i)[i];
    }
  }
};

/// Where the data of a direction is. (A View of plain pointers would be one of more dimensions.)
template <class Scalar>
struct Address {
  Scalar* m_data;
};

struct FgmresStartFinish {
  ProgressRef m_progress;
  FgmresSystem m_system;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    double const norm = Kokkos::sqrt(sums.m_values[0]);
    m_progress.start(sums.m_values[0]);
    *m_system.m_length = 0;
    m_system.m_rhs[0] = norm;
    *m_system.m_scale = norm > 0.0 ? 1.0 / norm : 0.0;
  }
};

/// to = scale * from
template <class Scalar>
struct FgmresScale {
  ProgressRef m_progress;
  const double* m_scale;
  const Scalar* m_from;
  Scalar* m_to;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    if (m_progress.running()) m_to[e] = static_cast<Scalar>(*m_scale) * m_from[e];
  }
};

/// x += scale * sum of solution[i] z[i]
template <class Scalar>
struct FgmresUpdate {
  FgmresSystem m_system;
  const Address<Scalar>* m_z;
  Scalar* m_x;
  Scalar m_scale;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    Scalar sum = 0;
    for (int i = 0; i < *m_system.m_length; ++i) sum += static_cast<Scalar>(m_system.m_solution[i]) * m_z[i].m_data[e];
    m_x[e] += m_scale * sum;
  }
};

/// w -= sum of coefficients[i] v[i], i < count, and (w, w)
template <class Scalar>
struct FgmresSubtract {
  const double* m_coefficients;
  const Address<Scalar>* m_v;
  Scalar* m_w;
  int m_count;
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const {
    Scalar w = m_w[e];
    for (int i = 0; i < m_count; ++i) w -= static_cast<Scalar>(m_coefficients[i]) * m_v[i].m_data[e];
    m_w[e] = w;
    return {{static_cast<double>(w) * w}};
  }
};

struct FgmresColumnFinish {
  ProgressRef m_progress;
  FgmresSystem m_system;
  const double* m_first;
  const double* m_second;
  int m_j;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    if (!m_progress.running()) return;
    double* const h = m_system.column(m_j);
    for (int i = 0; i <= m_j; ++i) h[i] = m_first[i] + m_second[i];
    double const norm = Kokkos::sqrt(sums.m_values[0]);
    h[m_j + 1] = norm;
    *m_system.m_scale = norm > 0.0 ? 1.0 / norm : 0.0;
    if (!Kokkos::isfinite(norm)) {
      m_progress.break_down();
      return;
    }
    double const residual = m_system.rotate(m_j);
    if (residual < 0.0) {
      m_progress.break_down();
    } else {
      m_progress.advance_to_norm(residual);
    }
  }
};

/// Elements of a partial sum.
inline constexpr std::int64_t multi_dot_chunk = 2048;

template <class Scalar>
struct MultiDotHostChunk {
  static constexpr int lanes = 16;
  const Scalar* m_w;
  const Address<Scalar>* m_v;
  double* m_partial;
  std::int64_t m_size;
  std::int64_t m_chunks;
  int m_count;

  void operator()(std::int64_t index) const {
    std::int64_t const begin = index * multi_dot_chunk;
    std::int64_t const end = std::min(begin + multi_dot_chunk, m_size);
    for (int i = 0; i < m_count; ++i) {
      const Scalar* const v = m_v[i].m_data;
      double sums[lanes] = {};
      std::int64_t e = begin;
      for (; e + lanes <= end; e += lanes) {
        HYPERPLANE_INDEPENDENT
        for (int lane = 0; lane < lanes; ++lane) sums[lane] += static_cast<double>(m_w[e + lane]) * v[e + lane];
      }
      for (; e < end; ++e) sums[0] += static_cast<double>(m_w[e]) * v[e];
      for (int width = lanes / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
      }
      m_partial[i * m_chunks + index] = sums[0];
    }
  }
};

/// Index i * lanes + t is lane t of dot product i.
template <class Scalar>
struct MultiDotLane {
  const Scalar* m_w;
  const Address<Scalar>* m_v;
  double* m_partial;
  std::int64_t m_size;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const Scalar* const v = m_v[index / reduce_lanes].m_data;
    double sum = 0.0;
    for (std::int64_t e = index % reduce_lanes; e < m_size; e += reduce_lanes) {
      sum += static_cast<double>(m_w[e]) * v[e];
    }
    m_partial[index] = sum;
  }
};

struct MultiDotCombine {
  const double* m_partial;
  double* m_results;
  std::int64_t m_parts;
  KOKKOS_FUNCTION void operator()(int i) const {
    double sum = 0.0;
    for (std::int64_t part = 0; part < m_parts; ++part) sum += m_partial[i * m_parts + part];
    m_results[i] = sum;
  }
};

/// Takes the sums of FgmresSubtract where nobody needs them.
template <class Scalar>
struct FgmresSubtractOnly {
  FgmresSubtract<Scalar> m_subtract;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_subtract(e); }
};

struct FgmresBackSubstitution {
  FgmresSystem m_system;
  KOKKOS_FUNCTION void operator()(int) const { m_system.solve(); }
};

/// results[i] = (w, v[i]) for i < count, in one pass over w: bitwise the same whatever the number of threads.
template <class Scalar, ExecutionSpace Exec>
class MultiDot {
 public:
  MultiDot(const Exec& exec, std::int64_t size, int max_count)
      : m_size(size),
        m_chunks((size + multi_dot_chunk - 1) / multi_dot_chunk),
        m_partial(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::Fgmres::partial"),
                  as_size(max_count * (on_host ? m_chunks : reduce_lanes + reduce_parts))) {}

  void run(const Exec& exec, const Scalar* w, const Address<Scalar>* v, int count, double* results) const {
    double* partial = m_partial.data();
    if constexpr (on_host) {
      launch("Hyperplane::Fgmres::dots", IndexRange<Exec>(exec, 0, m_chunks),
             static_cast<double>(std::min<std::int64_t>(m_size, multi_dot_chunk)) * (count + 1) * sizeof(Scalar),
             MultiDotHostChunk<Scalar>{w, v, partial, m_size, m_chunks, count});
    } else {
      Kokkos::parallel_for("Hyperplane::Fgmres::dots", Kokkos::RangePolicy<Exec>(exec, 0, count * reduce_lanes),
                           MultiDotLane<Scalar>{w, v, partial, m_size});
      double* const folded = partial + count * reduce_lanes;
      Kokkos::parallel_for("Hyperplane::Fgmres::dots::fold", Kokkos::RangePolicy<Exec>(exec, 0, count * reduce_parts),
                           ReduceFold<SumJoin, double>{partial, folded});
      partial = folded;
    }
    launch("Hyperplane::Fgmres::dots::finish", IndexRange<Exec>(exec, 0, count),
           static_cast<double>(on_host ? m_chunks : reduce_parts) * sizeof(double),
           MultiDotCombine{partial, results, on_host ? m_chunks : reduce_parts});
  }

 private:
  static constexpr bool on_host = HostExecutionSpace<Exec>;

  std::int64_t m_size;
  std::int64_t m_chunks;
  Kokkos::View<double*, typename Exec::memory_space> m_partial;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
