// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/krylov/detail/lagged_kernels.hpp>
#include <hyperplane/krylov/detail/multi_dot.hpp>
#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A plan of the two passes over the directions that an iteration takes: see LaggedVectors. Bitwise the same whatever
/// the number of threads. Sums are those of one process: `all.complete()` makes those of all.
template <class Kept, ExecutionSpace Exec>
class LaggedOrthogonalization {
 public:
  LaggedOrthogonalization(const Exec& exec, const std::string& method, std::int64_t size, int max_count)
      : m_dots_label(method + "::dots"),
        m_subtract_label(method + "::orthogonalize"),
        m_size(size),
        m_chunks((size + lagged_chunk - 1) / lagged_chunk),
        m_partial(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, method + "::partial"),
                  on_host ? as_size(pairs(max_count) * m_chunks) : 1) {
    if constexpr (!on_host) m_reducer.emplace(exec, size);
  }

  /// Sums of so many directions, in pairs.
  static int pairs(int count) { return 2 * (lagged_pairs_before + count); }

  /// sums: the pairs of dot products.
  template <class All>
  void dots(const Exec& exec, const LaggedVectors<Kept>& vectors, const All& all, double* sums) const {
    int const count = vectors.m_count;
    if constexpr (on_host) {
      count_bytes(m_dots_label, bytes_of_dots(count) * static_cast<double>(m_size));
      launch(m_dots_label, IndexRange<Exec>(exec, 0, m_chunks), bytes_of_dots(count) * of_chunk(),
             LaggedDotsHostChunk<Kept>{vectors, m_partial.data(), m_size, m_chunks});
      combine(exec, m_dots_label, pairs(count), sums);
    } else {
      int first = some_dots<true>(exec, vectors, 0, sums);
      while (first < count) first = some_dots<false>(exec, vectors, first, sums);
    }
    all.complete(exec, sums, pairs(count));
  }

  /// By the sums: v[count] from u, the next u in the place of w, and its square into `finish`. On hosts `square` is
  /// memory for a sum.
  template <class All, class Finish>
  void subtract(const Exec& exec, const LaggedVectors<Kept>& vectors, const double* sums, const All& all,
                [[maybe_unused]] double* square, const Finish& finish) const {
    double const bytes = (vectors.m_count + 1.0) * sizeof(Kept) + 3.0 * sizeof(double);
    count_bytes(m_subtract_label, bytes * static_cast<double>(m_size));
    if constexpr (on_host) {
      launch(m_subtract_label, IndexRange<Exec>(exec, 0, m_chunks), bytes * of_chunk(),
             LaggedSubtractHostChunk<Kept>{vectors, sums, m_partial.data(), m_size});
      combine(exec, m_subtract_label, 1, square);
      all.complete(exec, square, 1);
      launch(m_subtract_label + "::finish", IndexRange<Exec>(exec, 0, 1), sizeof(double),
             FinishOne<Finish>{square, finish});
    } else {
      all.template run<1>(exec, m_subtract_label, LaggedSubtract<Kept>{vectors, sums}, finish);
    }
  }

 private:
  static constexpr bool on_host = HostExecutionSpace<Exec>;

  template <class Finish>
  struct FinishOne {
    const double* m_sum;
    Finish m_finish;
    KOKKOS_FUNCTION void operator()(int) const { m_finish(Sums<1>{{*m_sum}}); }
  };

  static double bytes_of_dots(int count) { return count * 1.0 * sizeof(Kept) + 2.0 * sizeof(double); }
  double of_chunk() const { return static_cast<double>(std::min(m_size, lagged_chunk)); }

  /// Returns the first direction of which there are no sums yet.
  template <bool begins>
  int some_dots(const Exec& exec, const LaggedVectors<Kept>& vectors, int first, double* sums) const {
    using Dots = LaggedDots<Kept, begins>;
    int const count = std::min(vectors.m_count - first, Dots::most);
    int const before = begins ? 0 : pairs(first);
    count_bytes(m_dots_label, bytes_of_dots(count) * static_cast<double>(m_size));
    m_reducer->template run<reduce_max_values>(
        exec, m_dots_label, Dots{{vectors.m_u, vectors.m_w, vectors.m_v + first, count}},
        StoreSums<reduce_max_values>{sums + before, pairs(first + count) - before});
    return first + count;
  }

  void combine(const Exec& exec, const std::string& label, int sums, double* results) const {
    launch(label + "::combine", IndexRange<Exec>(exec, 0, sums), static_cast<double>(m_chunks) * sizeof(double),
           MultiDotCombine{m_partial.data(), results, m_chunks});
  }

  std::string m_dots_label;
  std::string m_subtract_label;
  std::int64_t m_size;
  std::int64_t m_chunks;
  std::optional<Reducer<Exec>> m_reducer;  // where it is used
  Kokkos::View<double*, typename Exec::memory_space> m_partial;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
