// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/apply_several.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/convert.hpp>
#include <hyperplane/stencil/narrow.hpp>
#include <hyperplane/stencil/scaled_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <type_traits>

#include "typed_objects.hpp"

namespace hyperplane::run_time {

/// The products of an object that has a matrix, or a copy of one, whose block size and storage are known.
template <class Base, class Held>
class HeldStencil : public Base {
 public:
  using Stencil = Held;
  using Exec = typename Stencil::execution_space;
  using Vector = ShapedVector<Exec>;
  using Vectors = ShapedVectors<Exec>;

  HeldStencil(const Exec& exec, const Grid& grid) : m_stencil(exec, grid) {}
  explicit HeldStencil(const Stencil& stencil) : m_stencil(stencil) {}

  const Stencil& stencil() const { return m_stencil; }
  void apply(const Exec& exec, const Vector& x, const Vector& y) const override {
    hyperplane::apply(exec, m_stencil, x.template as<n>(), y.template as<n>());
  }
  void apply_transposed(const Exec& exec, const Vector& x, const Vector& y) const override {
    hyperplane::apply_transposed(exec, m_stencil, x.template as<n>(), y.template as<n>());
  }
  void apply(const Exec& exec, const Vectors& x, const Vectors& y) const override {
    hyperplane::apply(exec, m_stencil, x.template as<n>(), y.template as<n>());
  }
  void apply_transposed(const Exec& exec, const Vectors& x, const Vectors& y) const override {
    hyperplane::apply_transposed(exec, m_stencil, x.template as<n>(), y.template as<n>());
  }

 protected:
  Stencil m_stencil;

 private:
  static constexpr int n = Stencil::block_size;
};

/// A copy of a matrix in 16 bits.
template <int n, class Exec, class Short>
using StencilCopy = HeldStencil<TypedProducts<Exec>, ScaledStencil7<double, n, Exec, Short>>;

/// A matrix whose block size and storage are known.
template <int n, class Exec, class Storage>
class StencilMatrix final : public HeldStencil<TypedMatrix<Exec>, BlockStencil7<double, n, Exec, Storage>> {
  using Base = HeldStencil<TypedMatrix<Exec>, BlockStencil7<double, n, Exec, Storage>>;
  using Base::m_stencil;

 public:
  template <class T>
  using Values = typename TypedMatrix<Exec>::template Values<T>;
  using typename Base::Vector;

  using Base::Base;

  void pack_values(const Exec& exec, const Values<const double>& values) override { pack(exec, values, m_stencil); }
  void unpack_values(const Exec& exec, const Values<double>& values) const override { unpack(exec, m_stencil, values); }
  void* packed_values() const override { return m_stencil.flat().data(); }
  void residual(const Exec& exec, const Vector& b, const Vector& x, const Vector& r) const override {
    hyperplane::residual(exec, m_stencil, b.template as<n>(), x.template as<n>(), r.template as<n>());
  }
  void residual_transposed(const Exec& exec, const Vector& b, const Vector& x, const Vector& r) const override {
    hyperplane::residual_transposed(exec, m_stencil, b.template as<n>(), x.template as<n>(), r.template as<n>());
  }
  std::string not_finite(const Exec& exec) const override { return describe_not_finite(exec, m_stencil); }
  std::unique_ptr<TypedProducts<Exec>> make_copy(const Exec& exec, StorageKind storage) const override {
    std::unique_ptr<TypedProducts<Exec>> made;
    with_copy(storage, [&]<class Copy>() { made = std::make_unique<Copy>(exec, m_stencil.grid()); });
    return made;
  }
  std::string narrow(const Exec& exec, const TypedProducts<Exec>& copy, StorageKind storage) const override {
    std::string overflow;
    with_copy(storage, [&]<class Copy>() {
      overflow = detail::narrow_blocks(exec, m_stencil, static_cast<const Copy&>(copy).stencil());
    });
    return overflow;
  }
  std::string other_copy(const Exec& exec, const TypedProducts<Exec>& copy, StorageKind storage) const override {
    std::string other;
    with_copy(storage, [&]<class Copy>() {
      other = describe_other_copy(exec, m_stencil, static_cast<const Copy&>(copy).stencil());
    });
    return other;
  }

 private:
  /// use<Copy>() of the class that has a copy in this storage.
  template <class Use>
  static void with_copy([[maybe_unused]] StorageKind storage, [[maybe_unused]] const Use& use) {
    if constexpr (std::is_same_v<Storage, double>) {
      switch (storage) {
        case StorageKind::double_precision:
        case StorageKind::quarter: break;
        case StorageKind::single_precision: return use.template operator()<StencilMatrix<n, Exec, float>>();
        case StorageKind::half: return use.template operator()<StencilCopy<n, Exec, Half>>();
        case StorageKind::bfloat16: return use.template operator()<StencilCopy<n, Exec, BFloat16>>();
      }
    }
    throw Error("internal error: the copy is to be narrower than its matrix");
  }
};

}  // namespace hyperplane::run_time
