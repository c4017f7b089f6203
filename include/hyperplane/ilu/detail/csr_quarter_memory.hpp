// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/column.hpp>
#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/block/quarter_sum.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_quarter_factors.hpp>
#include <hyperplane/simd/native_vector.hpp>
#include <hyperplane/sweep/compress_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Memory for factors as sweeps read them, where a factorization writes others. There is none for most types.
template <class Scalar, int n, class Storage, ExecutionSpace Exec>
class CsrReadFactors {
 public:
  /// Values behind those that are written, which may be read.
  static constexpr int written_overrun = block::Columns<Scalar, n>::overrun;

  CsrReadFactors(const Exec&, const CsrIluPattern&, bool /*by_levels*/) {}

  CsrIluFactors<Storage, n> of(const CsrIluFactors<Storage, n>& written) const { return written; }
  void compress(const Exec&, const CsrIluFactors<Storage, n>& /*written*/, double /*bytes*/) const {}
};

/// Blocks of 8 bits from those of Half that a sweep reads of a row.
template <int n>
struct CompressCsrBlocks : CompressBlocks<float, n, 1> {
  static constexpr int overrun = 0;
};

#if defined(HYPERPLANE_VECTOR_EXTENSION)
/// By whole vectors of the processor. Behind the blocks are `overrun` values that may be read, and do not matter.
template <int n>
  requires(n > 1)
struct CompressCsrBlocks<n> {
  using Entries = block::detail::Column<float, n * n>;
  static constexpr int overrun = Entries::parts * Entries::width - n * n;

  static void run(std::int64_t blocks, const Half* from, Quarter* to, Half* row_scales, Half* column_scales) {
    Entries largest = Entries::of([](int) { return 0.0F; });
    for (std::int64_t d = 0; d < blocks; ++d) {
      auto const entries = Entries::load(from + d * (n * n));
      for (int part = 0; part < Entries::parts; ++part) {
        auto const magnitudes = magnitude<float, Entries::width>(entries.m_parts[part]);
        largest.m_parts[part] = magnitudes > largest.m_parts[part] ? magnitudes : largest.m_parts[part];
      }
    }
    block::Matrix<float, n> factors;
    largest.store(factors.m_entries);
    CompressBlocks<float, n, 1>::choose_scales(factors, row_scales, column_scales);
    auto const all_factors = Entries::of([&](int e) { return factors.m_entries[e]; });
    for (std::int64_t d = 0; d < blocks; ++d) {
      auto entries = Entries::load(from + d * (n * n));
      for (int part = 0; part < Entries::parts; ++part) entries.m_parts[part] *= all_factors.m_parts[part];
      entries.store(to + d * (n * n));
    }
  }
};
#endif

/// The same of all that a row has.
template <int n>
struct CompressCsrRow {
  CsrIluFactors<Half, n> m_from;
  CsrIluFactors<Quarter, n> m_to;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    auto const diagonal = m_from.m_diagonal[row];
    compress<true>(row, m_from.m_lower_begin[row], diagonal);
    compress<false>(row, m_from.m_upper_begin[row], m_from.m_upper_end[row]);
    const Half* const from = m_from.block(diagonal);
    Half* const to = m_to.inverse(m_to.template record_number<true>(row));
    for (int e = 0; e < n * n; ++e) to[e] = from[e];
  }

 private:
  template <bool of_lower>
  KOKKOS_FUNCTION void compress(std::int64_t row, std::int64_t begin, std::int64_t end) const {
    auto const number = m_to.template record_number<of_lower>(row);
    Half* const scales = m_to.template record<of_lower>(number);
    CompressCsrBlocks<n>::run(end - begin, m_from.block(begin), m_to.template block<of_lower>(begin, number),
                              scales + n, scales);
  }
};

template <class Scalar, int n, ExecutionSpace Exec>
class CsrReadFactors<Scalar, n, Quarter, Exec> {
  using Written = CsrIluFactors<Half, n>;
  using Factors = CsrIluFactors<Quarter, n>;
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;

 public:
  static constexpr int written_overrun = std::max(block::Columns<Scalar, n>::overrun, CompressCsrBlocks<n>::overrun);

  CsrReadFactors(const Exec& exec, const CsrIluPattern& of, bool by_levels)
      : m_count(of.blocks.rows()),
        m_values(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::quarters"),
                 (of.blocks.columns.size() - as_size(m_count)) * n * n + block_overrun),
        m_lower_records(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::scales"), records_size<true>()),
        m_upper_records(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::scales"), records_size<false>()),
        m_lower_numbers(to_space(exec, "Hyperplane::CsrIlu::structure",
                                 numbers(by_levels ? of.forward.levels.rows : of.order.rows, false))),
        m_upper_numbers(to_space(exec, "Hyperplane::CsrIlu::structure",
                                 by_levels ? numbers(of.backward.levels.rows, false) : numbers(of.order.rows, true))) {}

  Factors of(const Written& written) const {
    return {written,
            m_count,
            m_values.data(),
            m_lower_records.data(),
            m_upper_records.data(),
            m_lower_numbers.data(),
            m_upper_numbers.data(),
            written.m_scales};
  }
  /// Makes factors of those that are written, of rows of about as many bytes.
  void compress(const Exec& exec, const Written& written, double bytes) const {
    constexpr const char* label = "Hyperplane::CsrIlu::compress";
    count_bytes(label, bytes * static_cast<double>(m_count));
    launch(label, LongIndexRange<Exec>(exec, 0, m_count), bytes, CompressCsrRow<n>{written, of(written)});
  }

 private:
  // Whole vectors are read, also behind the last record.
  static constexpr int overrun = block::Columns<Scalar, n>::overrun;
  static constexpr int block_overrun = std::max(overrun, block::QuarterSum<Scalar, n>::overrun);

  template <bool of_lower>
  std::size_t records_size() const {
    return as_size(m_count * Factors::template record_size<of_lower> + overrun);
  }
  /// Of each row, its number among those that are taken one after the other, or the other way round.
  static std::vector<int> numbers(const std::vector<int>& rows, bool reversed) {
    std::vector<int> result(rows.size());
    auto const last = static_cast<int>(rows.size()) - 1;
    for (int at = 0; at <= last; ++at) result[as_size(rows[as_size(at)])] = reversed ? last - at : at;
    return result;
  }

  std::int64_t m_count;
  Table<Quarter> m_values;
  Table<Half> m_lower_records, m_upper_records;
  Table<int> m_lower_numbers, m_upper_numbers;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
