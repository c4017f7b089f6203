// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/detail/line_factorization.hpp>
#include <hyperplane/line/detail/line_matrices.hpp>
#include <hyperplane/line/detail/line_places.hpp>
#include <hyperplane/line/detail/line_split.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/line/line_set.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Solves along lines: directly, or split into parts.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar>
class LineSolver {
 public:
  using Layout = LineLayout<Scalar, Exec>;
  using Direct = LineFactorization<Scalar, n, Exec, StorageScalar>;

  LineSolver(const Exec& exec, const Layout& layout, int partitions, LinePath path, std::optional<int> load_bits)
      : m_layout(layout), m_partitions(partitions) {
    auto const& lines = layout.lines();
    if (lines.ends() == LineEnds::periodic || (partitions > 1 && lines.longest() > 2)) {
      m_split = std::make_shared<Split>(exec, layout, partitions, path, load_bits);
      return;
    }
    m_partitions = 1;
    m_direct.emplace(exec, layout, path, load_bits);
    m_places.emplace(exec, layout);
  }

  const Layout& layout() const { return m_layout; }
  int partitions() const { return m_partitions; }

  template <class MatrixStorage>
  void factor(const Exec& exec, LineData where, const MatrixStorage* data, const LineEntries& of) const {
    if (m_split) return m_split->factor(exec, where, data, of);
    m_places->of(where).visit(
        [&]<class Kind>(const Kind& kind) { m_direct->factor(exec, make_line_matrix(data, kind, of)); });
  }

  /// `many`: whether there may be more columns than one. `transposed`: with M^T.
  template <bool many, bool transposed>
  void solve(const Exec& exec, LineData where, const Scalar* rhs, Scalar* x, int columns) const {
    if (m_split) {
      if constexpr (transposed) {
        m_split->template solve_transposed<many>(exec, where, rhs, x, columns);
      } else {
        m_split->template solve<many>(exec, where, rhs, x, columns);
      }
      return;
    }
    m_places->of(where).visit([&]<class Kind>(const Kind& kind) {
      m_direct->template solve<many, transposed>(exec, LineUnknowns<const Scalar, Kind>{rhs, kind, columns * n, 0},
                                                 LineUnknowns<Scalar, Kind>{x, kind, columns * n, 0}, columns);
    });
  }

  /// The first singular pivot. Waits for the instance.
  std::optional<LineSingular> find_singular(const Exec& exec) const {
    if (m_split) return m_split->find_singular(exec);
    auto const found = m_direct->find_singular(exec);
    if (!found) return std::nullopt;
    return LineSingular{found->number, found->finding};
  }

 private:
  using Split = LineSplit<Scalar, n, Exec, StorageScalar>;

  Layout m_layout;
  int m_partitions;
  std::optional<Direct> m_direct;
  std::optional<LineSides<Scalar, Exec>> m_places;
  std::shared_ptr<Split> m_split;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
