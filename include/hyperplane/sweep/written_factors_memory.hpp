// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/sweep/compress_factors.hpp>
#include <hyperplane/sweep/quarter_factors.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Memory for factors as a factorization writes them, where sweeps read others. There is none for most types.
template <class Storage, int n, int vector_length, ExecutionSpace Exec>
class WrittenFactorsMemory {
 public:
  WrittenFactorsMemory(const Exec&, const std::string& /*owner*/, std::int64_t /*packs*/) {}

  /// What is written, of what sweeps read.
  template <class Factors>
  Factors of(const Factors& factors) const {
    return factors;
  }
};

template <int n, int vector_length, ExecutionSpace Exec>
class WrittenFactorsMemory<Quarter, n, vector_length, Exec> {
  using Factors = TriangularFactors<Quarter, n, vector_length>;
  using Written = TriangularFactors<FactoredAs<Quarter>, n, vector_length>;

 public:
  WrittenFactorsMemory(const Exec& exec, const std::string& owner, std::int64_t packs)
      : m_lower(exec, "Hyperplane::" + owner + "::written_lower", packs),
        m_upper(exec, "Hyperplane::" + owner + "::written_upper", packs) {}

  Written of(const Factors& factors) const { return {factors.m_map, m_lower.ref(), m_upper.ref(), factors.m_scales}; }
  /// Makes factors of those that are written.
  void compress(const Exec& exec, const Factors& factors) const { compress_factors(exec, of(factors), factors); }

 private:
  InterleavedView<typename Written::Storage, vector_length, Written::lower_entries, Exec> m_lower;
  InterleavedView<typename Written::Storage, vector_length, Written::upper_entries, Exec> m_upper;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
