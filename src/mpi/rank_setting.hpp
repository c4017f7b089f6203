// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/core/function_ref.hpp>

#include <memory>
#include <string>

#include "agree_status.hpp"
#include "errors.hpp"
#include "instance.hpp"
#include "rank_grid.hpp"
#include "typed_rank_objects.hpp"

namespace hyperplane::run_time {

/// What objects over ranks of a block size are made with.
template <class Exec>
struct RankSetting {
  const Context* context;
  Exec exec;
  std::shared_ptr<const RankGrid> grid;
  RankShape shape;
  const SizedFactory<Exec>& sized;
  const RankFactory<Exec>& over_ranks;
};

[[noreturn]] inline void refuse_box() {
  throw Error(
      "a box of points is of one grid block: take that with hyperplane_mpi_vector_block() or "
      "hyperplane_mpi_matrix_block()");
}

[[noreturn]] inline void refuse_narrowed() {
  throw Error("a matrix over ranks has no copy in float, one of one process has");
}

/// The object, where it is one over ranks, of the same context and on the same grid blocks.
template <class OnRanks, class Exec, class Object>
const OnRanks& on_ranks(const char* function, const char* argument, const Object& object,
                        const RankSetting<Exec>& setting) {
  auto const* const found = dynamic_cast<const OnRanks*>(&object);
  if (found == nullptr) refuse(function, argument, "is not over ranks, or is of another backend");
  if (found->setting().context != setting.context) {
    refuse(function, argument, "belongs to another context");
  }
  if (!(found->setting().shape == setting.shape)) {
    auto const is = to_string(found->setting().shape), expected = to_string(setting.shape);
    throw SizeMismatch(std::string(function) + ": " + argument + " is on " + is +
                       (is == expected ? ", of another grid over ranks" : ", expected " + expected));
  }
  return *found;
}

/// What look() throws on a rank, all ranks throw.
template <class Exec>
void agree_of(const RankSetting<Exec>& setting, detail::FunctionRef<> look) {
  c::agree_status(setting.shape.communicator(), look);
}

}  // namespace hyperplane::run_time
