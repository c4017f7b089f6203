// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Several vectors of n unknowns for each of a number of points, as of several right-hand sides: unknown c of point p
/// of vector j at (p * n + c) * count + j, so that what is read of a matrix for one of them serves all.
///
/// A shared handle with the semantics of a Kokkos::View. Memory: n * count values per point.
template <Real Scalar, int n, int count, ExecutionSpace Exec>
class PointVectors {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(count >= 1 && count <= max_vectors);
  using scalar_type = Scalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  using Flat = Kokkos::View<Scalar*, memory_space>;
  static constexpr int block_size = n;
  static constexpr int vectors = count;
  /// Where methods find value e of vector j: at e * count + j.
  static constexpr bool side_by_side = true;

  /// Allocates and sets to zero.
  PointVectors(const Exec& exec, std::int64_t points, const std::string& label = "Hyperplane::PointVectors")
      : m_flat(Kokkos::view_alloc(exec, label), detail::as_size(checked(points) * n * count)) {}
  /// Takes memory that the caller has. Throws Error where the number of values is no multiple of n * count.
  explicit PointVectors(const Flat& values) : m_flat(values) {
    if (values.size() % (std::size_t{n} * count) != 0) {
      fail("PointVectors: " + std::to_string(values.size()) + " values are not " + std::to_string(n) + " of " +
           std::to_string(count) + " vectors for each of some points");
    }
  }

  std::int64_t points() const { return static_cast<std::int64_t>(m_flat.size()) / (n * count); }
  const Flat& flat() const { return m_flat; }

 private:
  static std::int64_t checked(std::int64_t points) {
    if (points < 0) fail("PointVectors: " + std::to_string(points) + " points are not possible");
    return points;
  }

  Flat m_flat;
};

namespace detail {

/// Refuses a vector that there is not, and a single one of another size.
template <class Vectors, class View>
void check_one_of(const char* function, const Vectors& vectors, int number, const View& one) {
  if (number < 0 || number >= Vectors::vectors) {
    fail(std::string(function) + ": vector " + std::to_string(number) + " is not one of " +
         std::to_string(Vectors::vectors));
  }
  auto const expected = vectors.points() * Vectors::block_size;
  if (static_cast<std::int64_t>(one.extent(0)) != expected) {
    fail(std::string(function) + ": the single vector has " + std::to_string(one.extent(0)) + " rows, expected " +
         std::to_string(expected));
  }
}

template <class Scalar>
struct CopySpread {
  const Scalar* m_from;
  int m_from_step;
  Scalar* m_to;
  int m_to_step;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_to[e * m_to_step] = m_from[e * m_from_step]; }
};

/// to[e * to_step] = from[e * from_step]
template <class Exec, class Scalar>
void copy_spread(const char* label, const Exec& exec, std::int64_t size, const Scalar* from, int from_step, Scalar* to,
                 int to_step) {
  launch(label, LongIndexRange<Exec>(exec, 0, size), 2.0 * sizeof(Scalar),
         CopySpread<Scalar>{from, from_step, to, to_step});
}

}  // namespace detail

/// Vector `number` of several becomes a copy of a single one, a PointVector or its view. Throws Error where there is no
/// such vector, or the single one has another size. One launch; asynchronous on the instance.
template <class Scalar, int n, int count, ExecutionSpace Exec>
void set_vector(const Exec& exec, const PointVectors<Scalar, n, count, Exec>& vectors, int number,
                const std::type_identity_t<Kokkos::View<Scalar*, typename Exec::memory_space>>& one) {
  detail::check_one_of("set_vector", vectors, number, one);
  detail::copy_spread("Hyperplane::PointVectors::set_vector", exec, vectors.points() * n, one.data(), 1,
                      vectors.flat().data() + number, count);
}

/// The other way: the single vector becomes a copy of vector `number`. See set_vector().
template <class Scalar, int n, int count, ExecutionSpace Exec>
void get_vector(const Exec& exec, const PointVectors<Scalar, n, count, Exec>& vectors, int number,
                const std::type_identity_t<Kokkos::View<Scalar*, typename Exec::memory_space>>& one) {
  detail::check_one_of("get_vector", vectors, number, one);
  detail::copy_spread("Hyperplane::PointVectors::get_vector", exec, vectors.points() * n,
                      vectors.flat().data() + number, count, one.data(), 1);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
