// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/krylov/detail/progress.hpp>

/// The kernels of BiCGStab: templates on the scalar alone, so that they are compiled once for all block sizes.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// KrylovRun::m_fall where products have relative errors. They make the residual differ from that of x by about the
/// rounding times the largest one since that was computed: when it has fallen this far, by less than a tenth of the
/// root of the rounding, as a share of it. Where it falls further, iterations become more (docs/notes/krylov.md).
inline double bicgstab_fall(double rounding) { return std::min(10.0 * std::sqrt(rounding), 0.1); }

struct BiCgStabScalars {
  double m_rho, m_alpha, m_omega, m_beta;
};

/// Zero or not finite: the recursion cannot go on.
KOKKOS_FUNCTION inline bool unusable(double value) { return value == 0.0 || !Kokkos::isfinite(value); }

/// rho = (shadow, r) of the newest residual, and beta for the direction that it is to give.
KOKKOS_FUNCTION inline void turn(const ProgressRef& progress, BiCgStabScalars& scalars, double rho) {
  if (!progress.running()) return;
  scalars.m_beta = rho / scalars.m_rho * (scalars.m_alpha / scalars.m_omega);
  scalars.m_rho = rho;
  if (unusable(scalars.m_beta)) progress.break_down();
}

/// r = (b - A x) / scale; shadow and p begin with r.
template <class Scalar>
struct BiCgStabStartBody {
  const Scalar* m_b;
  Scalar* m_r;  // holds A x
  Scalar* m_shadow;
  Scalar* m_p;
  Scalar m_factor;
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const {
    Scalar const r = (m_b[e] - m_r[e]) * m_factor;
    m_r[e] = r;
    m_shadow[e] = r;
    m_p[e] = r;
    return {{static_cast<double>(r) * r}};
  }
};

struct BiCgStabStartFinish {
  ProgressRef m_progress;
  BiCgStabScalars* m_scalars;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    m_scalars->m_rho = sums.m_values[0];
    m_progress.start(sums.m_values[0]);
  }
};

template <class Scalar>
struct DotBody {
  const Scalar* m_x;
  const Scalar* m_y;
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const { return {{static_cast<double>(m_x[e]) * m_y[e]}}; }
};

/// alpha = rho / (shadow, v)
struct BiCgStabAlphaFinish {
  ProgressRef m_progress;
  BiCgStabScalars* m_scalars;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    if (!m_progress.running()) return;
    m_scalars->m_alpha = m_scalars->m_rho / sums.m_values[0];
    if (unusable(m_scalars->m_alpha)) m_progress.break_down();
  }
};

/// r becomes s = r - alpha v
template <class Scalar>
struct BiCgStabHalfStep {
  ProgressRef m_progress;
  const BiCgStabScalars* m_scalars;
  const Scalar* m_v;
  Scalar* m_r;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    if (m_progress.running()) m_r[e] -= static_cast<Scalar>(m_scalars->m_alpha) * m_v[e];
  }
};

/// (t, s), (t, t)
template <class Scalar>
struct BiCgStabOmegaBody {
  const Scalar* m_t;
  const Scalar* m_s;
  KOKKOS_FUNCTION Sums<2> operator()(std::int64_t e) const {
    double const t = m_t[e];
    return {{t * m_s[e], t * t}};
  }
};

struct BiCgStabOmegaFinish {
  ProgressRef m_progress;
  BiCgStabScalars* m_scalars;
  KOKKOS_FUNCTION void operator()(const Sums<2>& sums) const {
    if (!m_progress.running()) return;
    // t = 0 where s = 0: the half step has solved the system, and the update below says so.
    m_scalars->m_omega = sums.m_values[1] == 0.0 ? 0.0 : sums.m_values[0] / sums.m_values[1];
    if (!Kokkos::isfinite(m_scalars->m_omega)) m_progress.break_down();
  }
};

/// x += scale (alpha z + omega zs), r = s - omega t; (r, r), (shadow, r)
template <class Scalar>
struct BiCgStabUpdateBody {
  ProgressRef m_progress;
  const BiCgStabScalars* m_scalars;
  const Scalar* m_z;
  const Scalar* m_zs;
  const Scalar* m_t;
  const Scalar* m_shadow;
  Scalar* m_x;
  Scalar* m_r;
  KOKKOS_FUNCTION Sums<2> operator()(std::int64_t e) const {
    if (!m_progress.running()) return {};
    auto const alpha = static_cast<Scalar>(m_scalars->m_alpha);
    auto const omega = static_cast<Scalar>(m_scalars->m_omega);
    m_x[e] += static_cast<Scalar>(m_progress.scale()) * (alpha * m_z[e] + omega * m_zs[e]);
    Scalar const r = m_r[e] - omega * m_t[e];
    m_r[e] = r;
    return {{static_cast<double>(r) * r, static_cast<double>(m_shadow[e]) * r}};
  }
};

struct BiCgStabUpdateFinish {
  ProgressRef m_progress;
  BiCgStabScalars* m_scalars;
  KOKKOS_FUNCTION void operator()(const Sums<2>& sums) const {
    if (!m_progress.running()) return;
    m_progress.advance(sums.m_values[0]);
    turn(m_progress, *m_scalars, sums.m_values[1]);
  }
};

/// r = (b - A x) / scale, in place of that of the recursion; (r, r), (shadow, r)
template <class Scalar>
struct BiCgStabRenewBody {
  const Scalar* m_b;
  const Scalar* m_product;  ///< A x
  const Scalar* m_shadow;
  Scalar* m_r;
  Scalar m_factor;
  KOKKOS_FUNCTION Sums<2> operator()(std::int64_t e) const {
    Scalar const r = (m_b[e] - m_product[e]) * m_factor;
    m_r[e] = r;
    return {{static_cast<double>(r) * r, static_cast<double>(m_shadow[e]) * r}};
  }
};

struct BiCgStabRenewFinish {
  ProgressRef m_progress;
  BiCgStabScalars* m_scalars;
  KOKKOS_FUNCTION void operator()(const Sums<2>& sums) const {
    m_progress.start(sums.m_values[0]);
    turn(m_progress, *m_scalars, sums.m_values[1]);
  }
};

/// p = r + beta (p - omega v)
template <class Scalar>
struct BiCgStabDirection {
  ProgressRef m_progress;
  const BiCgStabScalars* m_scalars;
  const Scalar* m_r;
  const Scalar* m_v;
  Scalar* m_p;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    if (!m_progress.running()) return;
    m_p[e] =
        m_r[e] + static_cast<Scalar>(m_scalars->m_beta) * (m_p[e] - static_cast<Scalar>(m_scalars->m_omega) * m_v[e]);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
