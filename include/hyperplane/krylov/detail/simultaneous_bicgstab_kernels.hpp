// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/krylov/detail/bicgstab_kernels.hpp>
#include <hyperplane/krylov/detail/simultaneous_kernels.hpp>

/// The kernels of BiCGStab for several right-hand sides: those of one, for each of them; where a recursion has ended,
/// they leave its values as they are, without a branch, so that hosts have vectors of the processor.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The scalars of all recursions as kernels read them, and those of each.
template <class Scalar, int vectors>
struct SimultaneousScalars {
  Scalar m_alpha[std::size_t{vectors}], m_omega[std::size_t{vectors}], m_beta[std::size_t{vectors}];
  Scalar m_scale[std::size_t{vectors}];
  Scalar m_running[std::size_t{vectors}];  ///< 1 or 0
  BiCgStabScalars m_own[std::size_t{vectors}];
};

/// What ends a reduction of BiCGStab for one right-hand side, for each of them.
template <class Finish, int count, class Scalar, int vectors>
struct SimultaneousFinish {
  SimultaneousRef<SimultaneousScalars<Scalar, vectors>, vectors> m_ref;

  KOKKOS_FUNCTION void operator()(const double* sums, int j) const {
    auto& scalars = *m_ref.m_scalars;
    auto const& progress = m_ref.m_progress[j];
    auto& own = scalars.m_own[j];
    if (m_ref.m_goes_on[j]) {
      Sums<count> of_one;
      for (int v = 0; v < count; ++v) of_one.m_values[v] = sums[v * vectors + j];
      Finish{progress, &own}(of_one);
    }
    scalars.m_alpha[j] = static_cast<Scalar>(own.m_alpha);
    scalars.m_omega[j] = static_cast<Scalar>(own.m_omega);
    scalars.m_beta[j] = static_cast<Scalar>(own.m_beta);
    scalars.m_scale[j] = static_cast<Scalar>(progress.scale());
    scalars.m_running[j] = static_cast<Scalar>(m_ref.m_goes_on[j] && progress.running() ? 1 : 0);
  }
};

/// r = (b - A x) / scale of the recursions that begin; shadow and p begin with r.
template <class Scalar, int vectors>
struct SimultaneousStart {
  const Scalar* m_b;
  const Scalar* m_product;  ///< A x
  Scalar* m_r;
  Scalar* m_shadow;
  Scalar* m_p;
  Scalar m_factor[std::size_t{vectors}];
  bool m_begins[std::size_t{vectors}];

  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e, int j) const {
    if (!m_begins[j]) return {};
    Scalar const r = (m_b[e] - m_product[e]) * m_factor[j];
    m_r[e] = r;
    m_shadow[e] = r;
    m_p[e] = r;
    return {{static_cast<double>(r) * r}};
  }
};

/// BiCgStabRenewBody of the recursions that go on with the residual of x.
template <class Scalar, int vectors>
struct SimultaneousRenew {
  const Scalar* m_b;
  const Scalar* m_product;  ///< A x
  const Scalar* m_shadow;
  Scalar* m_r;
  Scalar m_factor[std::size_t{vectors}];
  bool m_renews[std::size_t{vectors}];

  KOKKOS_FUNCTION Sums<2> operator()(std::int64_t e, int j) const {
    if (!m_renews[j]) return {};
    return BiCgStabRenewBody<Scalar>{m_b, m_product, m_shadow, m_r, m_factor[j]}(e);
  }
};

/// r becomes s = r - alpha v
template <class Scalar, int vectors>
struct SimultaneousHalfStep {
  const SimultaneousScalars<Scalar, vectors>* m_scalars;
  const Scalar* m_v;
  Scalar* m_r;
  KOKKOS_FUNCTION void operator()(std::int64_t e, int j) const {
    Scalar const r = m_r[e], s = r - m_scalars->m_alpha[j] * m_v[e];
    m_r[e] = m_scalars->m_running[j] != Scalar(0) ? s : r;
  }
};

/// (t, s), (t, t)
template <class Scalar>
struct SimultaneousOmega {
  const Scalar* m_t;
  const Scalar* m_s;
  KOKKOS_FUNCTION Sums<2> operator()(std::int64_t e, int /*j*/) const {
    double const t = m_t[e];
    return {{t * m_s[e], t * t}};
  }
};

/// x += scale (alpha z + omega zs), r = s - omega t; (r, r), (shadow, r)
template <class Scalar, int vectors>
struct SimultaneousUpdate {
  const SimultaneousScalars<Scalar, vectors>* m_scalars;
  const Scalar* m_z;
  const Scalar* m_zs;
  const Scalar* m_t;
  const Scalar* m_shadow;
  Scalar* m_x;
  Scalar* m_r;
  KOKKOS_FUNCTION Sums<2> operator()(std::int64_t e, int j) const {
    auto const& scalars = *m_scalars;
    bool const running = scalars.m_running[j] != Scalar(0);
    Scalar const alpha = scalars.m_alpha[j], omega = scalars.m_omega[j], x = m_x[e], s = m_r[e];
    Scalar const next_x = x + scalars.m_scale[j] * (alpha * m_z[e] + omega * m_zs[e]);
    Scalar const r = s - omega * m_t[e];
    m_x[e] = running ? next_x : x;
    m_r[e] = running ? r : s;
    return {{static_cast<double>(r) * r, static_cast<double>(m_shadow[e]) * r}};
  }
};

/// p = r + beta (p - omega v)
template <class Scalar, int vectors>
struct SimultaneousDirection {
  const SimultaneousScalars<Scalar, vectors>* m_scalars;
  const Scalar* m_r;
  const Scalar* m_v;
  Scalar* m_p;
  KOKKOS_FUNCTION void operator()(std::int64_t e, int j) const {
    Scalar const p = m_p[e], next_p = m_r[e] + m_scalars->m_beta[j] * (p - m_scalars->m_omega[j] * m_v[e]);
    m_p[e] = m_scalars->m_running[j] != Scalar(0) ? next_p : p;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
