// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/detail/colour_lists.hpp>
#include <hyperplane/blocks/detail/coloured_factor_kernels.hpp>
#include <hyperplane/blocks/detail/kept_diagonals.hpp>
#include <hyperplane/blocks/detail/transposed_factors.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/outside_faces.hpp>
#include <hyperplane/blocks/remote_colours.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What Coupling::coloured adds to the factors of the grid blocks: C_pq for neighbours of lower colours, d_p^-1 C_pq
/// for those of higher ones, times the scale of the rule, Ilu0Couplings or SsorCouplings. Colours are ranks here: 0, 1,
/// ... without gaps. What is to be done is done by stages.
///
/// Where the colours are those of parts of a box in its natural order, and grid blocks are swept by slabs on a host, it
/// is `in_order`: factorizations and sweeps of the grid blocks take their couplings themselves, each at its place among
/// the neighbours of a point. So they have the bits of the box. This then tells them what is outside. (What else there
/// is for the bits of the box is BoxesInOrder.)
template <class Rule, class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length>
class ColouredCouplings {
 public:
  /// Whether neighbours subtract from the diagonal blocks: factor() then writes into A, and ranks bring coefficients.
  static constexpr bool subtracts = Rule::subtracts;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using Remote = RemoteColours<Scalar, Exec, Storage>;
  using Values = Kokkos::View<Storage*, typename Exec::memory_space>;

  /// `factors` are those of the grid blocks. `others`: what other processes have, which is that of `remote`, or other
  /// parts of this process: vectors go on there, and what CoefficientCopies brings comes to the end of lower_values()
  /// and upper_values(). To be followed by forget_lists(), and with other parts, where it is in_order(), by
  /// set_factors_of_donors(). Waits for the instance.
  ColouredCouplings(const Exec& exec, const MultiBlockGrid& grid, const Colouring& colouring,
                    const std::vector<Factors>& factors, const Rule& rule, std::shared_ptr<Remote> remote,
                    bool in_order, RemoteLists others)
      : m_rule(rule),
        m_remote(std::move(remote)),
        m_lists(exec, grid, colouring, std::move(others)),
        m_factors(to_space(exec, "Hyperplane::MultiBlock::factors", factors)),
        m_first_packs(to_space(exec, "Hyperplane::MultiBlock::first_packs", first_packs(grid, in_order))),
        m_lower_values(unset(exec, "Hyperplane::MultiBlock::lower", in_order ? 0 : m_lists.lower_coefficients())),
        m_upper_values(unset(exec, "Hyperplane::MultiBlock::upper",
                             in_order && !subtracts ? 0 : m_lists.upper_list().couplings.size())),
        m_diagonals(exec, in_order || !subtracts ? 0 : m_lists.lower_points()) {
    if (in_order) m_faces.emplace(exec, grid, m_lists.lower_list(), m_lists.upper_list(), subtracts);
    if (subtracts && m_remote) m_remote->connect(exec, m_lists.upper_list(), m_lists.upper_begin(), m_upper_values);
    m_given_to_lower = given_to(exec, colouring.ranks, Remote::Colours::lower);
    m_given_to_higher = given_to(exec, colouring.ranks, Remote::Colours::higher);
  }

  /// The coefficients of couplings to lower and to higher colours, and behind them those of reverses that others have.
  const Values& lower_values() const { return m_lower_values; }
  const Values& upper_values() const { return m_upper_values; }
  /// The number among them of a point's coupling. Before forget_lists().
  int number(bool upper, int rank, const Slot& slot, Direction direction) const {
    return m_lists.number(upper, rank, slot, direction);
  }
  void forget_lists() { m_lists.forget_couplings(); }
  /// Where it is in_order(): the factors of the grid blocks, and behind them those of donors that other parts have, and
  /// the first SIMD groups of all, for solves with M^T. Waits for the instance.
  void set_factors_of_donors(const Exec& exec, const std::vector<Factors>& factors,
                             const std::vector<std::int64_t>& first_packs) {
    m_factors = to_space(exec, "Hyperplane::MultiBlock::factors", factors);
    m_first_packs = to_space(exec, "Hyperplane::MultiBlock::first_packs", first_packs);
  }

  bool in_order() const { return m_faces.has_value(); }
  /// Outside of a grid block, where it is in_order(): for a factorization, and for sweeps of x.
  auto factors_outside(int block) const {
    return m_faces->template factors_outside<Scalar, n>(block, m_upper_values.data());
  }
  auto values_outside(int block, Scalar* x) const {
    return m_faces->template values_outside<Scalar, n>(block, donors(x));
  }

  /// Calls factor() for a stage, with what neighbours of lower colours subtract from the diagonal blocks of A, and
  /// keeps the coefficients of the couplings. A has its diagonal blocks again after the last stage of their grid block.
  /// Where it throws, A has those of this stage again; abandon_factor() gives it those of the stages before.
  template <class MatrixStorage, class Factor>
  void factor(const Exec& exec, int stage, MatrixStorage* a, const Factor& factor) const {
    using Matrix = InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n>;
    using Record = typename SingularPivotRecord<Exec>::Ref;
    Matrix const matrix(a);
    auto const &lower = m_lists.lower_ranges(stage), &upper = m_lists.upper_ranges(stage);
    if (in_order()) {
      factor();
      for (auto const& range : lower) check<Record>(exec, m_lists.lower_part(range), matrix, range.first_number);
      for (auto const& range : upper) check<Record>(exec, m_lists.upper_part(range), matrix, range.first_number);
      return;
    }
    constexpr double bytes = 2.0 * n * n * n * sizeof(MatrixStorage);
    std::size_t kept = 0;
    try {
      for (auto const& range : lower) {
        auto const part = m_lists.lower_part(range);
        run(subtracts ? "Hyperplane::MultiBlock::factor::subtract" : "Hyperplane::MultiBlock::factor::keep", exec,
            part.size, bytes,
            TakeLowerNeighbours<Rule, Scalar, n, Storage, MatrixStorage, vector_length, Record>{
                m_rule,
                part.points,
                part.couplings,
                matrix,
                m_upper_values.data(),
                m_lower_values.data(),
                m_diagonals.template of<MatrixStorage>(range),
                m_lists.reverses(),
                {m_lists.record().ref(), range.first_number}});
        ++kept;
      }
      factor();
      for (auto const& range : upper) {
        auto const part = m_lists.upper_part(range);
        run("Hyperplane::MultiBlock::factor::scale", exec, part.size, bytes,
            ScaleUpperNeighbours<Rule, Scalar, n, Storage, MatrixStorage, vector_length, Record>{
                m_rule,
                part.points,
                part.couplings,
                matrix,
                m_factors.data(),
                m_upper_values.data(),
                {m_lists.record().ref(), range.first_number}});
      }
    } catch (...) {
      if constexpr (subtracts) m_diagonals.restore_first(exec, m_lists, stage, kept, a);
      throw;
    }
    if constexpr (subtracts) m_diagonals.restore(exec, m_lists, stage + 1, stage, a);
  }

  /// Where a factorization ends after so many stages: A has all its diagonal blocks again.
  template <class MatrixStorage>
  void abandon_factor(const Exec& exec, int stages, MatrixStorage* a) const {
    if constexpr (subtracts) {
      if (!in_order()) m_diagonals.restore_open(exec, m_lists, stages, a);
    }
  }

  /// After all colours: gets ready for failure(), and for the next factorization.
  void conclude(const Exec& exec) const { m_lists.record().conclude(exec, FaceDiagnosis{}); }

  /// The first coupling of the last factorization that is not finite or cannot be stored. Waits for the instance.
  std::optional<FaceFailure> failure(const Exec& exec) const { return m_lists.failure(exec); }

  /// r_p -= sum of C_pq y_q, before the forward sweep of a stage.
  void subtract_lower(const Exec& exec, int stage, Scalar* x) const {
    for (auto const& range : m_lists.lower_ranges(stage)) {
      couple<true, Scalar, n, vector_length>("Hyperplane::MultiBlock::solve::lower", exec, m_lists.lower_part(range),
                                             Terms{m_lower_values.data(), donors(x)}, x);
    }
  }
  /// y_p -= sum of d_p^-1 C_pq x_q, before the backward sweep of a stage.
  void subtract_upper(const Exec& exec, int stage, Scalar* x) const {
    for (auto const& range : m_lists.upper_ranges(stage)) {
      couple<true, Scalar, n, vector_length>("Hyperplane::MultiBlock::solve::upper", exec, m_lists.upper_part(range),
                                             Terms{m_upper_values.data(), donors(x)}, x);
    }
  }

  /// The same of M^T. z_p -= sum of (d_q^-1 C_qp)^T z_q, before the forward sweep of a stage.
  void subtract_lower_transposed(const Exec& exec, int stage, Scalar* x) const {
    for (auto const& range : m_lists.lower_ranges(stage)) {
      subtract_transposed("Hyperplane::MultiBlock::solve_transposed::lower", exec, m_lists.lower_part(range),
                          m_upper_values, x);
    }
  }
  /// z_p -= sum of C_qp^T x_q, before the backward sweep of a stage.
  void subtract_upper_transposed(const Exec& exec, int stage, Scalar* x) const {
    for (auto const& range : m_lists.upper_ranges(stage)) {
      subtract_transposed("Hyperplane::MultiBlock::solve_transposed::upper", exec, m_lists.upper_part(range),
                          m_lower_values, x);
    }
  }
  /// After the forward sweep of a stage with M^T, or after the backward one: sends what its points give to higher, or
  /// to lower colours of other processes, where there are any.
  void send_forward_transposed(const Exec& exec, int stage, Scalar* x) const {
    send_transposed("Hyperplane::MultiBlock::solve_transposed::give_forward", exec, Remote::Colours::higher, stage,
                    m_upper_values, x);
  }
  void send_backward_transposed(const Exec& exec, int stage, Scalar* x) const {
    send_transposed("Hyperplane::MultiBlock::solve_transposed::give_backward", exec, Remote::Colours::lower, stage,
                    m_lower_values, x);
  }

 private:
  using Lists = ColourLists<Exec, vector_length>;
  using Terms = KeptTerms<Scalar, n, vector_length, Storage>;
  using Given = std::vector<Kokkos::View<FaceCoupling*, typename Exec::memory_space>>;

  DonorValues<Scalar, n, vector_length> donors(Scalar* x) const {
    if (!m_remote) return DonorValues<Scalar, n, vector_length>(x);
    return {x, m_remote->ghosts(), m_lists.own_packs()};
  }

  static Values unset(const Exec& exec, const std::string& label, std::size_t blocks) {
    return Values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), blocks * n * n);
  }

  template <class Record, class MatrixStorage>
  void check(const Exec& exec, const FacePart& part,
             const InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n>& a, std::int64_t first) const {
    run("Hyperplane::MultiBlock::factor::check", exec, part.size, 2.0 * n * n * sizeof(MatrixStorage),
        CheckCouplings<Rule, Scalar, n, Storage, MatrixStorage, vector_length, Record>{
            m_rule, part.points, part.couplings, a, m_factors.data(), {m_lists.record().ref(), first}});
  }

  /// The first SIMD group of each grid block, where factors have their couplings in order.
  static std::vector<std::int64_t> first_packs(const MultiBlockGrid& grid, bool in_order) {
    std::vector<std::int64_t> result;
    BlockPacks<vector_length> const packs(grid);
    for (int b = 0; in_order && b < grid.block_count(); ++b) result.push_back(packs.first(b));
    return result;
  }

  template <class Coefficients>
  using TransposedTermsOf = TransposedTerms<Scalar, n, vector_length, Coefficients>;

  /// `kept`: the coefficients of the couplings back, unless they are in order.
  template <class Function>
  void with_transposed_terms(const Values& kept, Scalar* x, const Function& function) const {
    using InOrder = TransposedFactors<Storage, n, vector_length>;
    using Kept = KeptTransposes<Storage, n>;
    if constexpr (HostExecutionSpace<Exec>) {
      if (in_order()) {
        return function(TransposedTermsOf<InOrder>{{m_factors.data(), m_first_packs.data()}, donors(x)});
      }
    }
    function(TransposedTermsOf<Kept>{{kept.data()}, donors(x)});
  }
  void subtract_transposed(const char* label, const Exec& exec, const FacePart& part, const Values& kept,
                           Scalar* x) const {
    with_transposed_terms(
        kept, x, [&](const auto& terms) { couple<true, Scalar, n, vector_length>(label, exec, part, terms, x); });
  }
  void send_transposed(const char* label, const Exec& exec, typename Remote::Colours colours, int stage,
                       const Values& kept, Scalar* x) const {
    if (!m_remote) return;
    auto const& couplings = (colours == Remote::Colours::higher ? m_given_to_higher : m_given_to_lower)[as_size(stage)];
    auto const values = static_cast<std::int64_t>(couplings.size()) * n;
    with_transposed_terms(kept, x, [&]<class Coefficients>(const TransposedTermsOf<Coefficients>& terms) {
      run(label, exec, values, 2.0 * sizeof(Scalar),
          GiveTransposedTerms<Scalar, n, vector_length, Coefficients>{{couplings.data(), terms},
                                                                      m_remote->room_to_give(colours, stage)});
    });
    m_remote->send_given(exec, colours, stage);
  }
  Given given_to(const Exec& exec, const std::vector<int>& ranks, typename Remote::Colours colours) const {
    Given result;
    for (int stage = 0; m_remote && stage < m_remote->stages().count(); ++stage) {
      auto const couplings =
          m_lists.with_reverses(m_remote->given_to(colours, stage), ranks, colours == Remote::Colours::higher);
      result.push_back(to_space(exec, "Hyperplane::MultiBlock::given", couplings));
    }
    return result;
  }

  template <class Kernel>
  static void run(const char* label, const Exec& exec, std::int64_t indices, double bytes, const Kernel& kernel) {
    if (indices == 0) return;
    launch(label, LongIndexRange<Exec>(exec, 0, indices), bytes, kernel);
  }

  Rule m_rule;
  std::shared_ptr<Remote> m_remote;
  Lists m_lists;
  Kokkos::View<Factors*, typename Exec::memory_space> m_factors;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> m_first_packs;
  Values m_lower_values, m_upper_values;
  Given m_given_to_lower, m_given_to_higher;  ///< of each stage
  KeptDiagonals<Scalar, n, Exec, vector_length> m_diagonals;
  std::optional<OutsideFaces<Exec, vector_length>> m_faces;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
