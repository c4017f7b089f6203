// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/array/run_range.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/krylov/detail/tall_layout.hpp>
#include <optional>
#include <string>

/// Dot products of one vector with many, or of each of several vectors with those of its place.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the data of a direction is. (A View of plain pointers would be one of more dimensions.)
template <class Scalar>
struct Address {
  Scalar* m_data;
};

/// Elements of a partial sum.
inline constexpr std::int64_t multi_dot_chunk = 2048;

template <class Scalar, class Layout>
struct MultiDotHostChunk {
  static constexpr int lanes = 16;
  static constexpr int beside = Layout::beside;
  Layout m_layout;
  const Scalar* m_w;
  const Address<Scalar>* m_v;
  double* m_partial;
  std::int64_t m_chunks;
  int m_count;

  void operator()(std::int64_t index) const {
    constexpr int together = lanes * beside;
    auto const [first, chunk] = TallChunk::of(index, m_chunks);
    auto const begin = m_layout.place(chunk * multi_dot_chunk, first);
    auto const end = m_layout.place(std::min((chunk + 1) * multi_dot_chunk, m_layout.m_size), first);
    for (int i = 0; i < m_count; ++i) {
      const Scalar* const v = m_v[i].m_data;
      double sums[std::size_t{together}] = {};
      std::int64_t e = begin;
      for (; e + together <= end; e += together) {
        HYPERPLANE_INDEPENDENT
        for (int lane = 0; lane < together; ++lane) sums[lane] += static_cast<double>(m_w[e + lane]) * v[e + lane];
      }
      for (; e < end; e += beside) {
        for (int j = 0; j < beside; ++j) sums[j] += static_cast<double>(m_w[e + j]) * v[e + j];
      }
      for (int width = together / 2; width >= beside; width /= 2) {
        for (int lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
      }
      double* const partial = m_partial + (std::int64_t{i} * Layout::vectors + first) * m_chunks + chunk;
      for (int j = 0; j < beside; ++j) partial[j * m_chunks] = sums[j];
    }
  }
};

/// On hosts: w -= sum of coefficients[i] v[i], i < count, of the elements of a partial sum, one v after the other, as w
/// stays in the nearest cache. With `dots` then what these have.
template <class Scalar, class Layout, bool dots>
struct SubtractHostChunk {
  const double* m_coefficients;
  Scalar* m_w;
  MultiDotHostChunk<Scalar, Layout> m_dots;

  void operator()(std::int64_t chunk) const {
    auto const begin = chunk * multi_dot_chunk;
    auto const end = std::min(begin + multi_dot_chunk, m_dots.m_layout.m_size);
    for (int i = 0; i < m_dots.m_count; ++i) {
      auto const coefficient = static_cast<Scalar>(m_coefficients[i]);
      const Scalar* const v = m_dots.m_v[i].m_data;
      HYPERPLANE_INDEPENDENT
      for (auto e = begin; e < end; ++e) m_w[e] -= coefficient * v[e];
    }
    if constexpr (dots) m_dots(chunk);
  }
};

/// Lane t of dot product i of vector j, for indices in which t and j follow one another as elements and vectors do.
template <class Scalar, class Layout>
struct MultiDotLane {
  Layout m_layout;
  const Scalar* m_w;
  const Address<Scalar>* m_v;
  double* m_partial;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    Layout const lanes{reduce_lanes};
    auto const i = index / lanes.places(), part = index - i * lanes.places();
    int const j = lanes.vector_at(part);
    auto const lane = lanes.element_at(part, j);
    const Scalar* const v = m_v[i].m_data;
    auto const step = reduce_lanes * std::int64_t{Layout::beside};
    auto const end = m_layout.place(m_layout.m_size, j);
    double sum = 0.0;
    for (auto e = m_layout.place(lane, j); e < end; e += step) sum += static_cast<double>(m_w[e]) * v[e];
    m_partial[(i * Layout::vectors + j) * reduce_lanes + lane] = sum;
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

/// w -= sum of coefficients[i] v[i], i < count: returns w.
template <class Scalar>
struct SubtractMany {
  const double* m_coefficients;
  const Address<Scalar>* m_v;
  Scalar* m_w;
  int m_count;
  KOKKOS_FUNCTION Scalar operator()(std::int64_t e) const {
    Scalar w = m_w[e];
    for (int i = 0; i < m_count; ++i) w -= static_cast<Scalar>(m_coefficients[i]) * m_v[i].m_data[e];
    m_w[e] = w;
    return w;
  }
};

/// Dot products of one vector with `count` others, of which there may be fewer, in one pass.
template <class Scalar, int count>
struct SomeDots {
  const Scalar* m_w;
  const Address<Scalar>* m_v;
  int m_count;
  KOKKOS_FUNCTION Sums<count> operator()(std::int64_t e) const { return of(e, m_w[e]); }
  KOKKOS_FUNCTION Sums<count> of(std::int64_t e, double w) const {
    Sums<count> result{};
    HYPERPLANE_UNROLL
    for (int i = 0; i < count; ++i) {
      if (i < m_count) result.m_values[i] = w * m_v[i].m_data[e];
    }
    return result;
  }
};

/// The same of what is left of it when many have been subtracted.
template <class Scalar, int count>
struct SubtractAndDots {
  SubtractMany<Scalar> m_subtract;
  SomeDots<Scalar, count> m_dots;
  KOKKOS_FUNCTION Sums<count> operator()(std::int64_t e) const { return m_dots.of(e, m_subtract(e)); }
};

/// results[i * vectors + j] = (w, v[i]) of vector j, for i < count, in one pass over w: bitwise the same whatever the
/// number of threads. Of single vectors on CUDA, elements are those from `begin` on.
template <class Scalar, ExecutionSpace Exec, class Layout = TallLayout<1, true>>
class MultiDot {
 public:
  static constexpr int vectors = Layout::vectors;

  MultiDot(const Exec& exec, const Layout& layout, int max_count, std::int64_t begin = 0)
      : m_layout(layout),
        m_begin(begin),
        m_chunks((layout.m_size + multi_dot_chunk - 1) / multi_dot_chunk),
        m_partial(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::Fgmres::partial"),
                  by_reducer ? 0
                             : as_size(std::int64_t{vectors} * max_count *
                                       (on_host ? m_chunks : reduce_lanes + reduce_parts))) {
    if constexpr (by_reducer) m_reducer.emplace(exec, layout.m_size);
  }

  void run(const Exec& exec, const Scalar* w, const Address<Scalar>* v, int count, double* results) const {
    if constexpr (by_reducer) {
      run_some(exec, w, v, 0, count, results);
    } else {
      run_parts(exec, w, v, count, results);
    }
  }

  /// w -= sum of coefficients[i] v[i], by a kernel of this label where it is one of its own, and then the same.
  void subtract_and_run(const Exec& exec, const std::string& label, const double* coefficients, Scalar* w,
                        const Address<Scalar>* v, int count, double* results) const
    requires(vectors == 1)
  {
    SubtractMany<Scalar> const subtract{coefficients, v, w, count};
    if constexpr (by_reducer) {
      int const some = std::min(count, most);
      count_bytes(dots_label, bytes_of(count + 2));
      reduce(exec, SubtractAndDots<Scalar, most>{subtract, {w, v, some}}, StoreSums<most>{results, some});
      run_some(exec, w, v, most, count, results);
    } else if constexpr (on_host) {
      subtract_chunks<true>(exec, label, coefficients, w, v, count);
      combine(exec, count, m_partial.data(), results);
    } else {
      count_bytes(label, bytes_of(count + 2));
      run_range(exec, label, m_layout.m_size, bytes_of(count + 2), subtract);
      run(exec, w, v, count, results);
    }
  }

  /// On hosts: the first half of it alone.
  void subtract(const Exec& exec, const std::string& label, const double* coefficients, Scalar* w,
                const Address<Scalar>* v, int count) const
    requires(vectors == 1 && HostExecutionSpace<Exec>)
  {
    subtract_chunks<false>(exec, label, coefficients, w, v, count);
  }

 private:
  static constexpr bool on_host = HostExecutionSpace<Exec>;
  /// A reduction on CUDA is one launch.
  static constexpr bool by_reducer = CudaExecutionSpace<Exec> && vectors == 1;
  static constexpr int most = reduce_max_values;
  static constexpr const char* dots_label = "Hyperplane::Fgmres::dots";

  double bytes_of(int values) const {
    return static_cast<double>(sizeof(Scalar)) * values * static_cast<double>(m_layout.places());
  }

  template <class Body>
  void reduce(const Exec& exec, const Body& body, const StoreSums<most>& finish) const {
    m_reducer->template run<most>(exec, dots_label, ShiftedBody<Body>{body, m_begin}, finish);
  }

  /// As many at a time as a reduction has sums.
  void run_some(const Exec& exec, const Scalar* w, const Address<Scalar>* v, int first, int count,
                double* results) const {
    for (; first < count; first += most) {
      int const some = std::min(count - first, most);
      count_bytes(dots_label, bytes_of(some + 1));
      reduce(exec, SomeDots<Scalar, most>{w, v + first, some}, StoreSums<most>{results + first, some});
    }
  }

  template <bool dots>
  void subtract_chunks(const Exec& exec, const std::string& label, const double* coefficients, Scalar* w,
                       const Address<Scalar>* v, int count) const {
    count_bytes(label, bytes_of(count + 2));
    double const bytes = (count + 2.0) * sizeof(Scalar);
    launch(
        label, IndexRange<Exec>(exec, 0, m_chunks),
        bytes * static_cast<double>(std::min<std::int64_t>(m_layout.m_size, multi_dot_chunk)),
        SubtractHostChunk<Scalar, Layout, dots>{coefficients, w, {m_layout, w, v, m_partial.data(), m_chunks, count}});
  }

  void run_parts(const Exec& exec, const Scalar* w, const Address<Scalar>* v, int count, double* results) const {
    double const bytes = (count + 1.0) * sizeof(Scalar);
    count_bytes(dots_label, bytes_of(count + 1));
    double* partial = m_partial.data();
    int const sums = count * vectors;
    if constexpr (on_host) {
      launch(dots_label, IndexRange<Exec>(exec, 0, m_chunks * (vectors / Layout::beside)),
             bytes * Layout::beside * static_cast<double>(std::min<std::int64_t>(m_layout.m_size, multi_dot_chunk)),
             MultiDotHostChunk<Scalar, Layout>{m_layout, w, v, partial, m_chunks, count});
    } else {
      Kokkos::parallel_for(dots_label, Kokkos::RangePolicy<Exec>(exec, 0, sums * reduce_lanes),
                           MultiDotLane<Scalar, Layout>{m_layout, w, v, partial});
      double* const folded = partial + sums * reduce_lanes;
      Kokkos::parallel_for("Hyperplane::Fgmres::dots::fold", Kokkos::RangePolicy<Exec>(exec, 0, sums * reduce_parts),
                           ReduceFold<SumJoin, double>{partial, folded});
      partial = folded;
    }
    combine(exec, sums, partial, results);
  }

  void combine(const Exec& exec, int sums, const double* partial, double* results) const {
    launch("Hyperplane::Fgmres::dots::finish", IndexRange<Exec>(exec, 0, sums),
           static_cast<double>(on_host ? m_chunks : reduce_parts) * sizeof(double),
           MultiDotCombine{partial, results, on_host ? m_chunks : reduce_parts});
  }

  Layout m_layout;
  std::int64_t m_begin;
  std::optional<Reducer<Exec>> m_reducer;  // where it is used
  std::int64_t m_chunks;
  Kokkos::View<double*, typename Exec::memory_space> m_partial;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
