// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/power_of_two.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Plain sums of squares that say what the norm is. Beyond them squares have overflowed, or so many have underflowed
/// that the sum is wrong.
inline constexpr double smallest_square = 1e-200;
inline constexpr double largest_square = 1e200;
KOKKOS_FUNCTION inline bool in_range(double sum_of_squares) {
  return sum_of_squares >= smallest_square && sum_of_squares <= largest_square;
}

/// The power of two to divide a vector of this norm by, so that its squares are in range; 1 where they are.
inline double scale_of(double norm) {
  if (norm >= 1e-99 && norm <= 1e99) return 1.0;
  // The reciprocal of the scale is a normal number as well.
  return std::ldexp(1.0, std::clamp(std::ilogb(norm), -1000, 1000));
}

template <class Scalar>
struct Magnitude {
  const Scalar* m_x;
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const { return {{Kokkos::abs(static_cast<double>(m_x[e]))}}; }
};

/// What a vector is multiplied by, so that its largest magnitude is at least 1/2 and less than 1: two powers of two,
/// because one alone may be too large for a double.
struct NormScale {
  double m_largest;
  double m_first, m_second;

  KOKKOS_FUNCTION static NormScale of(double largest) {
    if (!(largest > 0.0 && Kokkos::isfinite(largest))) return {largest, 1.0, 1.0};
    int const exponent = static_cast<int>(Kokkos::logb(largest)) + 1;
    return {largest, power_of_two(-(exponent / 2)), power_of_two(exponent / 2 - exponent)};
  }
  KOKKOS_FUNCTION double norm(double scaled_square) const {
    if (!Kokkos::isfinite(m_largest)) return m_largest > 0.0 || m_largest != m_largest ? m_largest : 0.0;
    return Kokkos::sqrt(scaled_square) * (1.0 / m_second) * (1.0 / m_first);
  }
};

struct NormScaleFinish {
  NormScale* m_scale;
  KOKKOS_FUNCTION void operator()(const Sums<1>& largest) const { *m_scale = NormScale::of(largest.m_values[0]); }
};

/// The square of a scaled value, in slices whose sums are exact, so that they do not depend on the order in which they
/// are added: each slice is what of a square is a multiple of the last place of 1.5 * 2^k, and 2^k is above any sum of
/// what the slices before leave of up to 2^32 values (J. Demmel, H. D. Nguyen, "Fast Reproducible Floating-Point
/// Summation", doi:10.1109/ARITH.2013.9). What the last slice leaves is at most 2^-84.
inline constexpr int square_slices = 4;
template <class Scalar>
struct SquareSlices {
  const Scalar* m_x;
  const NormScale* m_scale;
  KOKKOS_FUNCTION Sums<square_slices> operator()(std::int64_t e) const {
    constexpr double over[] = {0x1.8p+32, 0x1.8p+11, 0x1.8p-10, 0x1.8p-31};
    double const x = static_cast<double>(m_x[e]) * m_scale->m_first * m_scale->m_second;
    // Without its last bit: so no compiler can make one operation of a product and a sum, which would not round the
    // product, in some loops and not in others.
    double rest = Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x * x) & ~std::uint64_t{1});
    Sums<square_slices> slices;
    for (int s = 0; s < square_slices; ++s) {
      double const slice = (over[s] + rest) - over[s];
      slices.m_values[s] = slice;
      rest -= slice;
    }
    return slices;
  }
};

template <class Finish>
struct ScaledNormFinish {
  const NormScale* m_scale;
  Finish m_finish;
  KOKKOS_FUNCTION void operator()(const Sums<square_slices>& sums) const {
    auto const& slices = sums.m_values;
    m_finish(m_scale->norm(slices[0] + (slices[1] + (slices[2] + slices[3]))));
  }
};

struct StoreNorm {
  double* m_norm;
  KOKKOS_FUNCTION void operator()(double norm) const { *m_norm = norm; }
};

/// The 2-norm of a vector of any finite values: infinite only where it is beyond the largest number itself. Its bits
/// are a function of the values alone, not of their order, of how they are cut, of threads or ranks; for up to 2^32
/// values. An infinity or NaN among the values is the norm. A plan: the constructor allocates.
template <ExecutionSpace Exec>
class ScaledNorm {
 public:
  ScaledNorm(const Exec& exec, const std::string& label)
      : m_scale(Kokkos::view_alloc(exec, label + "::scale")),
        m_norm(Kokkos::view_alloc(exec, label)),
        m_host_norm(Kokkos::create_mirror_view(m_norm)) {}

  /// finish(norm of x). `magnitude(e)` is |x[e]|, and may write x[e]: a first pass finds the largest one, a second the
  /// norm. By a Reducer, or by one over the ranks of MPI; asynchronous where that is.
  template <class AnyReducer, class Magnitudes, class Scalar, class Finish>
  void run(const Exec& exec, const std::string& label, const AnyReducer& reducer, const Magnitudes& magnitude,
           const Scalar* x, const Finish& finish) const {
    reducer.template run<1, MaxJoin>(exec, label, magnitude, NormScaleFinish{m_scale.data()});
    reducer.template run<square_slices>(exec, label, SquareSlices<Scalar>{x, m_scale.data()},
                                        ScaledNormFinish<Finish>{m_scale.data(), finish});
  }

  /// Waits for the instance.
  template <class AnyReducer, class Scalar>
  double operator()(const Exec& exec, const AnyReducer& reducer, const Scalar* x) const {
    run(exec, m_norm.label(), reducer, Magnitude<Scalar>{x}, x, StoreNorm{m_norm.data()});
    Kokkos::deep_copy(exec, m_host_norm, m_norm);
    exec.fence("Hyperplane: a norm out of the ordinary");
    return m_host_norm();
  }

 private:
  Kokkos::View<NormScale, typename Exec::memory_space> m_scale;
  Kokkos::View<double, typename Exec::memory_space> m_norm;
  decltype(Kokkos::create_mirror_view(m_norm)) m_host_norm;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
