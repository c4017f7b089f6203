// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>

#include <memory>
#include <string>

#include "errors.hpp"
#include "instance.hpp"

/// What all objects of a context ask of one another.
namespace hyperplane::run_time {

template <class Typed, class Exec, class Object>
const Typed& typed(const char* function, const char* argument, const Object& object, const Instance<Exec>& instance) {
  auto const* const found = dynamic_cast<const Typed*>(&object);
  if (found == nullptr)
    refuse(function, argument,
           "is over ranks, of other points (of a grid or of compressed rows), or of another backend");
  if (found->instance().context != instance.context) refuse(function, argument, "belongs to another context");
  return *found;
}

template <class Object, class Shape>
void check_shape(const char* function, const char* argument, const Object& object, const Shape& expected) {
  if (object.shape() == expected) return;
  throw SizeMismatch(std::string(function) + ": " + argument + " is " + to_string(object.shape()) + ", expected " +
                     to_string(expected));
}

/// A plan with its factors, which an object and its transposes share.
template <class Plan>
struct Factors {
  std::unique_ptr<Plan> plan;
  bool is_factored = false;
};

/// Of a matrix.
inline void require_no_transpose(bool is_transpose) {
  if (is_transpose) throw Error("the matrix is a transpose, which has no blocks of its own");
}
inline void require_own_blocks(bool is_transpose, bool is_narrowed) {
  require_no_transpose(is_transpose);
  if (is_narrowed) throw Error("the matrix is narrowed: its blocks are those of the one that it was made of");
}
/// Of what is factored: "the preconditioner".
inline void require_own_factors(const char* what, bool is_transpose) {
  if (is_transpose) throw Error(std::string(what) + " is a transpose: factor the one that it was made of");
}

}  // namespace hyperplane::run_time
