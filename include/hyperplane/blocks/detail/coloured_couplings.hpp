// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/detail/coloured_factor_kernels.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/remote_colours.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is wrong with couplings at interfaces.
struct FaceFailure {
  int rank = 0;        ///< of the colour
  bool upper = false;  ///< couplings to higher colours, which come after the grid blocks of the colour
  int block = 0;
  FactorStatus status{};
};

/// What Coupling::coloured adds to the factors of the grid blocks: C_pq for neighbours of lower colours, d_p^-1 C_pq
/// for those of higher ones. Colours are ranks here: 0, 1, ... without gaps.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length>
class ColouredCouplings {
 public:
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using Remote = RemoteColours<Scalar, Exec, Storage>;

  /// `factors` are those of the grid blocks, `ranks` their colours; `remote` is what other processes have, if there are
  /// any. Waits for the instance.
  ColouredCouplings(const Exec& exec, const MultiBlockGrid& grid, const std::vector<int>& ranks,
                    const std::vector<Factors>& factors, std::shared_ptr<Remote> remote = nullptr)
      : m_grid(grid),
        m_remote(std::move(remote)),
        m_own_packs(BlockPacks<vector_length>(grid).count()),
        m_factors(to_space(exec, "Hyperplane::MultiBlock::factors", factors)),
        m_record(exec, "Hyperplane::MultiBlock::status") {
    auto const count = as_size(m_remote ? m_remote->colours() : *std::ranges::max_element(ranks) + 1);
    FaceCouplingList lower, upper;
    list_couplings(ranks, count, lower, upper);
    m_lower = to_space(exec, lower);
    m_upper = to_space(exec, upper);
    auto const values = [&](const char* what, std::size_t blocks) {
      std::string const label = std::string("Hyperplane::MultiBlock::") + what;
      return Values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), blocks * n * n);
    };
    m_lower_values = values("lower", lower.couplings.size());
    m_upper_values = values("upper", upper.couplings.size());
    // As wide as a matrix may be.
    std::size_t most = 0;
    for (std::size_t c = 0; c < count; ++c) most = std::max(most, m_lower_begin[c + 1] - m_lower_begin[c]);
    m_diagonals = Kokkos::View<Scalar*, typename Exec::memory_space>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::MultiBlock::diagonals"), most * n * n);
    if (m_remote) m_remote->connect(exec, upper, m_upper_begin, m_upper_values);
    m_lower_points = std::move(lower.points);
    m_upper_points = std::move(upper.points);
  }

  /// What other processes have of the couplings; null where there is no other one.
  const Remote* remote() const { return m_remote.get(); }

  /// Calls factor() for the grid blocks of a colour, with what their neighbours of lower colours subtract from the
  /// diagonal blocks of A, and keeps the coefficients of the couplings. A is afterwards what it was, also where
  /// factor() throws.
  template <class MatrixStorage, class Factor>
  void factor(const Exec& exec, int rank, MatrixStorage* a, const Factor& factor) const {
    using Matrix = InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n>;
    using Record = typename SingularPivotRecord<Exec>::Ref;
    Matrix const matrix(a);
    auto const lower = lower_part(rank), upper = upper_part(rank);
    auto* const diagonals = reinterpret_cast<MatrixStorage*>(m_diagonals.data());
    constexpr double bytes = 2.0 * n * n * sizeof(MatrixStorage);
    run("Hyperplane::MultiBlock::factor::subtract", exec, lower.size, n * bytes,
        SubtractLowerNeighbours<Scalar, n, Storage, MatrixStorage, vector_length, Record>{
            lower.points,
            lower.couplings,
            matrix,
            m_upper_values.data(),
            m_lower_values.data(),
            diagonals,
            m_upper.couplings.data(),
            {m_record.ref(), first_number(rank, false)}});
    auto const restore = [&] {
      run("Hyperplane::MultiBlock::factor::restore", exec, lower.size, bytes,
          RestoreDiagonals<n, MatrixStorage, vector_length>{lower.points, matrix, diagonals});
    };
    try {
      factor();
    } catch (...) {
      restore();
      throw;
    }
    restore();
    run("Hyperplane::MultiBlock::factor::scale", exec, upper.size, n * bytes,
        ScaleUpperNeighbours<Scalar, n, Storage, MatrixStorage, vector_length, Record>{
            upper.points,
            upper.couplings,
            matrix,
            m_factors.data(),
            m_upper_values.data(),
            {m_record.ref(), first_number(rank, true)}});
  }

  /// After all colours: gets ready for failure(), and for the next factorization.
  void conclude(const Exec& exec) const { m_record.conclude(exec, FaceDiagnosis{}); }

  /// The first coupling of the last factorization that is not finite or cannot be stored. Waits for the instance.
  std::optional<FaceFailure> failure(const Exec& exec) const {
    auto const found = m_record.find(exec);
    if (!found) return std::nullopt;
    FaceFailure result;
    while (found->number >= first_number(result.rank + 1, false)) ++result.rank;
    result.upper = found->number >= first_number(result.rank, true);
    auto const place = as_size(found->number - first_number(result.rank, result.upper));
    auto const rank = as_size(result.rank);
    auto const& point =
        result.upper ? m_upper_points[m_upper_begin[rank] + place] : m_lower_points[m_lower_begin[rank] + place];
    result.block = point.block;
    result.status.failure = found->finding.failure;
    SlabMap<vector_length>(m_grid.block(point.block)).find_point(point.pack, point.slot.lane, result.status.point);
    if (result.status.failure == FactorFailure::not_finite) {
      result.status.block = BlockPlace{result.status.point, static_cast<Direction>(found->finding.index)};
      result.status.points_out = true;
    }
    return result;
  }

  /// r_p -= sum of C_pq y_q, before the forward sweep of a colour.
  void subtract_lower(const Exec& exec, int rank, Scalar* x) const {
    couple<true, Scalar, n, vector_length>("Hyperplane::MultiBlock::solve::lower", exec, lower_part(rank),
                                           KeptCoefficients<Storage, n>{m_lower_values.data()}, donors(x), x);
  }
  /// y_p -= sum of d_p^-1 C_pq x_q, before the backward sweep of a colour.
  void subtract_upper(const Exec& exec, int rank, Scalar* x) const {
    couple<true, Scalar, n, vector_length>("Hyperplane::MultiBlock::solve::upper", exec, upper_part(rank),
                                           KeptCoefficients<Storage, n>{m_upper_values.data()}, donors(x), x);
  }

 private:
  using Values = Kokkos::View<Storage*, typename Exec::memory_space>;

  DonorValues<Scalar, n, vector_length> donors(Scalar* x) const {
    if (!m_remote) return DonorValues<Scalar, n, vector_length>(x);
    return {x, m_remote->ghosts(), m_own_packs};
  }

  void list_couplings(const std::vector<int>& ranks, std::size_t count, FaceCouplingList& lower,
                      FaceCouplingList& upper) {
    BlockPacks<vector_length> const packs(m_grid);
    std::vector<std::vector<FaceCouplingEntry>> to_lower(count), to_higher(count);
    for (std::size_t c = 0; m_remote && c < count; ++c) {
      to_lower[c] = m_remote->lower(static_cast<int>(c));
      to_higher[c] = m_remote->upper(static_cast<int>(c));
    }
    for (auto const& interface : m_grid.interfaces()) {
      int const own = ranks[as_size(interface.block)], other = ranks[as_size(interface.donor)];
      if (other == own) continue;
      append_entries(m_grid, packs, interface, (other < own ? to_lower : to_higher)[as_size(own)]);
    }
    for (std::size_t c = 0; c < count; ++c) {
      append_face_couplings(std::move(to_lower[c]), lower);
      append_face_couplings(std::move(to_higher[c]), upper);
      m_lower_begin.push_back(lower.points.size());
      m_upper_begin.push_back(upper.points.size());
    }
    find_reverses(ranks, lower, upper);
  }

  /// All couplings to lower colours have their reverse: interfaces are listed from both sides. Those that other
  /// processes have come after the list's own. Throws Error where there are too many.
  void find_reverses(const std::vector<int>& ranks, FaceCouplingList& lower, FaceCouplingList& upper) const {
    if (m_remote) check_coupling_count(upper.couplings.size() + m_remote->reverses().size());
    int const own = static_cast<int>(upper.couplings.size());
    for (auto& coupling : lower.couplings) {
      if (coupling.donor.pack >= m_own_packs) {
        coupling.reverse_begin += own;
        coupling.reverse_end += own;
        continue;
      }
      auto const rank = as_size(ranks[as_size(coupling.donor_block)]);
      auto const points = std::span<const FacePoint>(upper.points)
                              .subspan(m_upper_begin[rank], m_upper_begin[rank + 1] - m_upper_begin[rank]);
      auto const& donor = find_point(points, coupling.donor);
      coupling.reverse_begin = donor.begin;
      coupling.reverse_end = donor.end;
    }
    if (!m_remote) return;
    auto const& more = m_remote->reverses();
    upper.couplings.insert(upper.couplings.end(), more.begin(), more.end());
  }

  template <class Kernel>
  static void run(const char* label, const Exec& exec, std::int64_t points, double bytes, const Kernel& kernel) {
    if (points == 0) return;
    launch(label, LongIndexRange<Exec>(exec, 0, points), bytes, kernel);
  }
  FacePart lower_part(int rank) const {
    return m_lower.part(m_lower_begin[as_size(rank)], m_lower_begin[as_size(rank) + 1]);
  }
  FacePart upper_part(int rank) const {
    return m_upper.part(m_upper_begin[as_size(rank)], m_upper_begin[as_size(rank) + 1]);
  }
  /// Points of colours one after the other, of each those with lower neighbours first.
  std::int64_t first_number(int rank, bool upper) const {
    auto const lower_points = m_lower_begin[std::min(as_size(rank) + (upper ? 1 : 0), m_lower_begin.size() - 1)];
    auto const upper_points = m_upper_begin[std::min(as_size(rank), m_upper_begin.size() - 1)];
    return static_cast<std::int64_t>(lower_points + upper_points);
  }

  MultiBlockGrid m_grid;
  std::shared_ptr<Remote> m_remote;
  std::int64_t m_own_packs;
  Kokkos::View<Factors*, typename Exec::memory_space> m_factors;
  SingularPivotRecord<Exec> m_record;
  /// Points in the order of the colours; here on the host for messages.
  FaceCouplings<Exec> m_lower, m_upper;
  std::vector<FacePoint> m_lower_points, m_upper_points;
  std::vector<std::size_t> m_lower_begin{0}, m_upper_begin{0};
  Values m_lower_values, m_upper_values;
  Kokkos::View<Scalar*, typename Exec::memory_space> m_diagonals;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
