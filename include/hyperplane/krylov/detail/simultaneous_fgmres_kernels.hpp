// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/krylov/detail/fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/multi_dot.hpp>
#include <hyperplane/krylov/detail/simultaneous_kernels.hpp>
#include <hyperplane/krylov/detail/tall_layout.hpp>
#include <hyperplane/krylov/krylov_base.hpp>

/// The kernels of FGMRES for several right-hand sides: those of one, for each of them.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What kernels read of all cycles.
template <class Scalar, int vectors>
struct SimultaneousFgmresScalars {
  Scalar m_factor[std::size_t{vectors}];   ///< 1 / norm of the newest direction
  Scalar m_running[std::size_t{vectors}];  ///< 1 or 0
};

/// The least squares problems, one behind the other.
struct FgmresSystems {
  double* m_numbers;
  int* m_lengths;
  int m_restart;
  KOKKOS_FUNCTION FgmresSystem operator[](int j) const {
    return FgmresSystem(m_numbers + std::int64_t{j} * FgmresSystem::numbers(m_restart), m_lengths + j, m_restart);
  }
};

/// Which of `count` consecutive directions are those of each right-hand side's cycle.
template <int vectors>
struct DirectionSpans {
  int m_begin[std::size_t{vectors}];
  int m_end[std::size_t{vectors}];
  int m_count;
};

template <class Scalar, int vectors>
struct SimultaneousFgmresRef {
  SimultaneousRef<SimultaneousFgmresScalars<Scalar, vectors>, vectors> m_ref;
  FgmresSystems m_systems;

  KOKKOS_FUNCTION void publish(int j) const {
    m_ref.m_scalars->m_factor[j] = static_cast<Scalar>(*m_systems[j].m_scale);
    m_ref.m_scalars->m_running[j] = static_cast<Scalar>(m_ref.m_goes_on[j] && m_ref.m_progress[j].running() ? 1 : 0);
  }
};

template <class Scalar, int vectors>
struct SimultaneousFgmresStartFinish {
  SimultaneousFgmresRef<Scalar, vectors> m_ref;
  KOKKOS_FUNCTION void operator()(const double* sums, int j) const {
    if (m_ref.m_ref.m_goes_on[j]) FgmresStartFinish{m_ref.m_ref.m_progress[j], m_ref.m_systems[j]}(Sums<1>{{sums[j]}});
    m_ref.publish(j);
  }
};

template <class Scalar, int vectors>
struct SimultaneousFgmresColumnFinish {
  SimultaneousFgmresRef<Scalar, vectors> m_ref;
  DirectionSpans<vectors> m_spans;
  const double* m_first;
  const double* m_second;
  KOKKOS_FUNCTION void operator()(const double* sums, int j) const {
    if (m_ref.m_ref.m_goes_on[j]) {
      int const begin = m_spans.m_begin[j], own = begin * vectors + j;
      FgmresColumnFinish{m_ref.m_ref.m_progress[j],
                         m_ref.m_systems[j],
                         m_first + own,
                         m_second + own,
                         m_spans.m_end[j] - begin - 1,
                         vectors}(Sums<1>{{sums[j]}});
    }
    m_ref.publish(j);
  }
};

/// r = (b - A x) / scale
template <class Scalar, int vectors>
struct SimultaneousResidual {
  const Scalar* m_b;
  Scalar* m_r;  // holds A x
  Scalar m_factor[std::size_t{vectors}];
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e, int j) const {
    return ResidualBody<Scalar>{m_b, m_r, m_factor[j]}(e);
  }
};

/// to = factor * from where a cycle goes on, elsewhere `otherwise`, which is finite where it was.
template <class Scalar, int vectors>
struct SimultaneousScale {
  const SimultaneousFgmresScalars<Scalar, vectors>* m_scalars;
  const Scalar* m_from;
  const Scalar* m_otherwise;
  Scalar* m_to;
  KOKKOS_FUNCTION void operator()(std::int64_t e, int j) const {
    Scalar const scaled = m_scalars->m_factor[j] * m_from[e], otherwise = m_otherwise[e];
    m_to[e] = m_scalars->m_running[j] != Scalar(0) ? scaled : otherwise;
  }
};

/// Sums of coefficients[i * vectors + j] v[i] of the directions i that vector j has, at some places that follow one
/// another: on hosts, in the lanes of the processor's vectors, those of an element's vectors side by side, or of some
/// elements of one vector; on devices at one place.
template <class Exec, class Scalar, class Layout>
struct SimultaneousSum {
  static constexpr int vectors = Layout::vectors;
  static constexpr bool on_host = HostExecutionSpace<Exec>;
  static constexpr int together = !on_host ? 1 : Layout::side_by_side ? vectors : 16;

  struct Places {
    std::int64_t m_begin;
    int m_count;
    int m_first;  ///< the vector of the first of them
    /// Known to compilers where there are as many for each index.
    KOKKOS_FUNCTION int count() const { return on_host && !Layout::side_by_side ? m_count : together; }
    KOKKOS_FUNCTION int vector(int l) const { return m_first + (Layout::side_by_side ? l : 0); }
  };

  const double* m_coefficients;
  const Address<Scalar>* m_v;
  DirectionSpans<vectors> m_spans;
  Layout m_layout;

  /// Elements whose places an index has.
  static constexpr int elements = on_host && Layout::side_by_side ? 1 : together;

  KOKKOS_FUNCTION std::int64_t chunks() const { return (m_layout.m_size + elements - 1) / elements; }
  std::int64_t indices() const { return on_host ? chunks() * (vectors / Layout::beside) : m_layout.places(); }
  KOKKOS_FUNCTION Places places(std::int64_t index) const {
    if constexpr (on_host && !Layout::side_by_side) {
      auto const part = TallChunk::of(index, chunks());
      auto const begin = part.m_chunk * together, left = m_layout.m_size - begin;
      return {m_layout.place(begin, part.m_first), left < together ? static_cast<int>(left) : together, part.m_first};
    } else {
      return {index * together, together, on_host ? 0 : m_layout.vector_at(index)};
    }
  }

  /// sums[l] += sign * sum
  KOKKOS_FUNCTION void add(const Places& places, Scalar sign, Scalar (&sums)[std::size_t{together}]) const {
    for (int i = 0; i < m_spans.m_count; ++i) {
      const Scalar* const v = m_v[i].m_data + places.m_begin;
      const double* const coefficients = m_coefficients + i * vectors;
      HYPERPLANE_INDEPENDENT
      for (int l = 0; l < places.count(); ++l) {
        int const j = places.vector(l);
        // What a direction has that is none of the vector's need not be finite.
        bool const has = i >= m_spans.m_begin[j] && i < m_spans.m_end[j];
        Scalar const next = sums[l] + sign * static_cast<Scalar>(coefficients[j]) * v[l];
        sums[l] = has ? next : sums[l];
      }
    }
  }
  /// Body: a kernel that owns a sum.
  template <class Body>
  static void launch(const char* label, const Exec& exec, const Body& body) {
    auto const& sum = body.m_sum;
    double const bytes = (sum.m_spans.m_count + 2.0) * sizeof(Scalar);
    count_bytes(label, bytes * static_cast<double>(sum.m_layout.places()));
    detail::launch(label, LongIndexRange<Exec>(exec, 0, sum.indices()), bytes * together, body);
  }
};

/// w -= sum
template <class Exec, class Scalar, class Layout>
struct SimultaneousSubtract {
  using Sum = SimultaneousSum<Exec, Scalar, Layout>;
  Sum m_sum;
  Scalar* m_w;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const places = m_sum.places(index);
    Scalar* const to = m_w + places.m_begin;
    Scalar w[std::size_t{Sum::together}];
    for (int l = 0; l < places.count(); ++l) w[l] = to[l];
    m_sum.add(places, Scalar(-1), w);
    for (int l = 0; l < places.count(); ++l) to[l] = w[l];
  }
};

/// x += scale * sum; where a vector has no directions, x stays what it is.
template <class Exec, class Scalar, class Layout>
struct SimultaneousAdd {
  using Sum = SimultaneousSum<Exec, Scalar, Layout>;
  Sum m_sum;
  Scalar* m_x;
  Scalar m_scale[std::size_t{Layout::vectors}];
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const places = m_sum.places(index);
    Scalar* const x = m_x + places.m_begin;
    Scalar sums[std::size_t{Sum::together}] = {};
    m_sum.add(places, Scalar(1), sums);
    for (int l = 0; l < places.count(); ++l) {
      int const j = places.vector(l);
      if (m_sum.m_spans.m_end[j] > m_sum.m_spans.m_begin[j]) x[l] += m_scale[j] * sums[l];
    }
  }
};

/// Solves the least squares problems of the cycles that have a span, whose length is that of the problem.
template <int vectors>
struct SimultaneousBackSubstitution {
  FgmresSystems m_systems;
  DirectionSpans<vectors> m_spans;
  double* m_coefficients;
  KOKKOS_FUNCTION void operator()(int j) const {
    int const begin = m_spans.m_begin[j], end = m_spans.m_end[j];
    if (begin == end) return;
    auto const system = m_systems[j];
    system.solve();
    for (int i = begin; i < end; ++i) m_coefficients[i * vectors + j] = system.m_solution[i - begin];
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
