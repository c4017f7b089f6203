// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane_mpi.h>

#include <hyperplane/mpi/transport.hpp>

#include <memory>
#include <string>

#include "agree_status.hpp"
#include "c_library.hpp"
#include "rank_grid.hpp"
#include "transported.hpp"

// The C interface over ranks: how values come from rank to rank.
using namespace hyperplane;
using namespace hyperplane::c;

static_assert(static_cast<int>(Transport::automatic) == HYPERPLANE_TRANSPORT_AUTOMATIC &&
              static_cast<int>(Transport::host) == HYPERPLANE_TRANSPORT_HOST &&
              static_cast<int>(Transport::gpu_aware) == HYPERPLANE_TRANSPORT_GPU_AWARE &&
              static_cast<int>(Transport::peer) == HYPERPLANE_TRANSPORT_PEER);

namespace {

/// Of an object over ranks. Throws Failure where it is of one grid.
template <class Handle>
const run_time::Transported& transported(const char* argument, Handle handle) {
  auto const held = registry().get(handle, argument);
  auto const* const found = dynamic_cast<const run_time::Transported*>(held->object.get());
  if (found == nullptr) throw Failure(HYPERPLANE_INVALID_ARGUMENT, std::string(argument) + " is not over ranks");
  return *found;
}

}  // namespace

hyperplane_status hyperplane_mpi_grid_set_transport(hyperplane_mpi_grid grid, hyperplane_transport transport) {
  return guarded(__func__, [&] {
    auto const held = registry().get(grid, "grid");
    auto const chosen = agree_status(held->grid->grid().communicator(), [&] {
      return enumerator<Transport>(transport, HYPERPLANE_TRANSPORT_PEER, "transport");
    });
    held->grid = std::make_shared<const run_time::RankGrid>(held->grid->with_transport(chosen));
  });
}

hyperplane_status hyperplane_mpi_matrix_transport(hyperplane_matrix a, hyperplane_transport* transport) {
  return guarded(__func__, [&] {
    auto const& found = transported("a", a);
    require_pointer(transport, "transport");
    *transport = static_cast<hyperplane_transport>(found.transport());
  });
}

hyperplane_status hyperplane_mpi_preconditioner_transport(hyperplane_preconditioner preconditioner,
                                                          hyperplane_transport* transport, int* through_devices) {
  return guarded(__func__, [&] {
    auto const& found = transported("preconditioner", preconditioner);
    require_pointer(transport, "transport");
    require_pointer(through_devices, "through_devices");
    *transport = static_cast<hyperplane_transport>(found.transport());
    *through_devices = found.goes_through_devices() ? 1 : 0;
  });
}
