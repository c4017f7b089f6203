// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/apply.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "context_checks.hpp"
#include "memory.hpp"
#include "rank_setting.hpp"
#include "transported.hpp"
#include "typed_rank_objects.hpp"

/// Vectors and matrices of a context over ranks, with the faces of those of one grid. What they have of each grid block
/// of this rank is a vector or a matrix of one grid.
namespace hyperplane::run_time {

/// Calls use(part, the first of its values) for all parts, which have so many values each.
template <class Parts, class Count, class Value, class Use>
void for_each_part(Parts& parts, Value* values, const Count& count, const Use& use) {
  for (auto& part : parts) {
    use(*part, values);
    values += count(*part);
  }
}

template <class Exec>
class RankVectorOn final : public Vector {
 public:
  explicit RankVectorOn(const RankSetting<Exec>& setting)
      : m_setting(setting), m_vector(setting.exec, setting.shape, "Hyperplane::Vector") {
    auto const& local = setting.shape.local();
    for (int l = 0; l < local.block_count(); ++l) m_parts.push_back(part(l));
  }

  const RankSetting<Exec>& setting() const { return m_setting; }
  const RankVector<Exec>& typed_vector() const { return m_vector; }
  std::int64_t points() const override { return m_setting.shape.points(); }
  std::int64_t rows() const override { return m_setting.shape.rows(); }

  /// A vector with the values of a grid block of this rank, by its number there.
  std::unique_ptr<Vector> part(int number) const {
    auto const vector = m_vector.part(number);
    return m_setting.context->wrap_vector(vector.grid(), &vector.flat());
  }

  void set(const double* values, MemorySpace space) override {
    for_each_part(m_parts, values, rows_of, [&](auto& part, auto* first) { part.set(first, space); });
  }
  void get(double* values, MemorySpace space) const override {
    for_each_part(m_parts, values, rows_of, [&](auto& part, auto* first) { part.get(first, space); });
  }
  void fill(double value) override {
    for (auto& part : m_parts) part->fill(value);
  }
  void set_box(const Box&, const Array&, const Point&) override { refuse_box(); }
  void get_box(const Box&, const Array&, const Point&) const override { refuse_box(); }
  void mask(const std::int8_t* points, MemorySpace space) override {
    for_each_part(
        m_parts, points, [](const Vector& part) { return part.points(); },
        [&](auto& part, auto* first) { part.mask(first, space); });
  }

 private:
  static std::int64_t rows_of(const Vector& part) { return part.rows(); }

  RankSetting<Exec> m_setting;
  RankVector<Exec> m_vector;
  std::vector<std::unique_ptr<Vector>> m_parts;
};

template <class Exec>
class RankMatrixOn final : public Matrix, public Transported {
 public:
  explicit RankMatrixOn(const RankSetting<Exec>& setting)
      : m_setting(setting),
        m_packs(setting.shape.local()),
        m_matrix(setting.over_ranks.make_matrix(setting.exec, setting.shape)) {
    for (int l = 0; l < setting.shape.local().block_count(); ++l) {
      m_parts.push_back(part(l));
      m_blocks.push_back(setting.sized.wrap_matrix(setting.shape.local().block(l), values_of_block(l)));
    }
  }

  const RankSetting<Exec>& setting() const { return m_setting; }
  bool is_transpose() const { return m_is_transpose; }
  /// Throws Error where this is a transpose.
  const TypedRankMatrix<Exec>& typed_matrix() const {
    require_no_transpose(m_is_transpose);
    return *m_matrix;
  }
  Transport transport() const override { return m_matrix->transport(); }
  std::int64_t points() const override { return m_setting.shape.points(); }
  std::int64_t value_count() const override {
    return m_setting.shape.rows() * m_setting.shape.block_size * stencil7_size;
  }

  /// A matrix with the blocks of a grid block of this rank, by its number there. Throws Error where this is a
  /// transpose.
  std::unique_ptr<Matrix> part(int number) const {
    require_no_transpose(m_is_transpose);
    auto const values = values_of_block(number);
    return m_setting.context->wrap_matrix({m_setting.shape.local().block(number), m_setting.shape.block_size}, &values);
  }

  void set(const double* values, BlockOrder order, MemorySpace space) override {
    require_no_transpose(m_is_transpose);
    for_each_part(m_parts, values, values_of, [&](auto& part, auto* first) { part.set(first, order, space); });
  }
  void get(double* values, BlockOrder order, MemorySpace space) const override {
    require_no_transpose(m_is_transpose);
    for_each_part(m_parts, values, values_of, [&](auto& part, auto* first) { part.get(first, order, space); });
  }
  void set(const Csr&, MemorySpace) override { throw Error("compressed rows are of one grid"); }
  void check_box(const Box&, const Array&, const Point&) const override { refuse_box(); }
  void set_box(const Box&, Direction, const Array&, const Point&, BlockOrder) override { refuse_box(); }
  void get_box(const Box&, Direction, const Array&, const Point&, BlockOrder) const override { refuse_box(); }
  void mask(const std::int8_t* visible, MemorySpace space) override {
    agree([&] {
      require_no_transpose(m_is_transpose);
      check_memory(m_setting.exec, visible, points(), space);
    });
    in_memory_of<false>(m_setting.exec, visible, points(), space,
                        [&](const std::int8_t* values) { m_matrix->mask(m_setting.exec, values); });
  }
  void agree(detail::FunctionRef<> look) const override { agree_of(m_setting, look); }
  void apply(const Vector& x, Vector& y) const override {
    auto const &from = operand("apply", "x", x), &to = operand("apply", "y", y);
    // Before messages are sent, and on ranks without grid blocks, too.
    require(&from != &to, "apply: the result must not be x");
    apply(m_setting.exec, from, to);
  }
  void residual(const Vector& b, const Vector& x, Vector& r) const override {
    auto const &rhs = operand("residual", "b", b), &from = operand("residual", "x", x),
               &to = operand("residual", "r", r);
    require(&from != &to, "residual: the result must not be x");
    multiply(m_setting.exec, &rhs, from, to);
  }
  std::unique_ptr<Matrix> transpose() const override {
    auto made = std::make_unique<RankMatrixOn>(*this);
    made->m_is_transpose = !m_is_transpose;
    return made;
  }
  std::unique_ptr<Matrix> narrowed(StorageKind) const override { refuse_narrowed(); }
  void narrow() override { refuse_narrowed(); }
  std::array<int, 3> choose_parts(int) const override { throw Error("the grid has been cut already"); }

  void apply(const Exec& exec, const RankVector<Exec>& x, const RankVector<Exec>& y) const {
    multiply(exec, nullptr, x, y);
  }

  // As the Krylov methods call them.
  friend void apply(const Exec& exec, const RankMatrixOn& a, const RankVector<Exec>& x, const RankVector<Exec>& y) {
    a.apply(exec, x, y);
  }
  friend std::string describe_not_finite(const Exec& exec, const RankMatrixOn& a) {
    auto const& shape = a.m_setting.shape;
    return detail::describe_first_grid_block(
        shape, [&](int number) { return a.m_blocks[detail::as_size(shape.local_number(number))]->not_finite(exec); });
  }

 private:
  static std::int64_t values_of(const Matrix& part) { return part.value_count(); }

  /// See TypedRankMatrix.
  void multiply(const Exec& exec, const RankVector<Exec>* b, const RankVector<Exec>& x,
                const RankVector<Exec>& y) const {
    if (m_is_transpose) return m_matrix->multiply_transposed(exec, b, x, y);
    m_matrix->multiply(exec, b, x, y);
  }
  typename RankVector<Exec>::Flat values_of_block(int number) const {
    int const n = m_setting.shape.block_size;
    return m_packs.part(m_matrix->flat(), number, stencil7_size * n * n * RankVector<Exec>::vector_length);
  }
  const RankVector<Exec>& operand(const char* function, const char* argument, const Vector& vector) const {
    return on_ranks<RankVectorOn<Exec>>(function, argument, vector, m_setting).typed_vector();
  }

  RankSetting<Exec> m_setting;
  detail::BlockPacks<RankVector<Exec>::vector_length> m_packs;
  std::shared_ptr<TypedRankMatrix<Exec>> m_matrix;  ///< that transposes share, with what is of its grid blocks
  std::vector<std::shared_ptr<Matrix>> m_parts;
  std::vector<std::shared_ptr<TypedMatrix<Exec>>> m_blocks;
  bool m_is_transpose = false;
};

}  // namespace hyperplane::run_time
