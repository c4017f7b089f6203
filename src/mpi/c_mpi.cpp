// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane_mpi.h>

#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/richardson.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "agree_status.hpp"
#include "c_krylov_options.hpp"
#include "c_library.hpp"
#include "c_storage_options.hpp"
#include "chosen_rank_storage.hpp"
#include "compiled_blocks.hpp"
#include "find_size.hpp"
#include "rank_objects.hpp"
#include "rank_solvers.hpp"

// The C interface over ranks: objects of the library's, made on grid blocks over ranks.
using namespace hyperplane;
using namespace hyperplane::c;

namespace {

/// Calls use(setting) with that of the context's backend. All ranks throw Failure where the build of one has not the
/// block size, and Error where they differ in it.
template <class Use>
void with_setting(const HeldRankGrid& held, int n, const Use& use) {
  using Groups = std::make_integer_sequence<int, HYPERPLANE_RANK_GROUPS>;
  auto const& context = *held.context;
  run_time::for_each_backend([&]<class Exec>(std::type_identity<Exec>, const std::string& name) {
    if (name != context.backend()) return;
    auto const& communicator = held.grid->grid().communicator();
    auto const& sized = *agree_status(communicator, [&] { return &run_time::sized_factory<Exec>(n); });
    communicator.require_same("the numbers of unknowns", std::array{static_cast<std::uint64_t>(n)});
    auto const& over_ranks =
        *run_time::find_in_groups([&]<int group>() { return run_time::find_rank_factory<group, Exec>(n); }, Groups{});
    use(run_time::RankSetting<Exec>{&context,
                                    static_cast<const run_time::Instance<Exec>*>(context.instance())->exec,
                                    held.grid,
                                    {held.grid->grid(), n},
                                    sized,
                                    over_ranks});
  });
}

/// The grid that an object is made on. Where nothing is made, the object's handle is NULL.
template <class Handle>
std::shared_ptr<HeldRankGrid> grid_for(hyperplane_mpi_grid grid, Handle* handle, const char* argument) {
  if (handle != nullptr) *handle = nullptr;
  auto held = registry().get(grid, "grid");
  agree_status(held->grid->grid().communicator(), [&] { require_pointer(handle, argument); });
  return held;
}

template <class Handle, class Object>
Handle add(const ContextPointer& context, std::unique_ptr<Object> object) {
  auto made = std::make_shared<Held<Object>>();
  *made = {context, std::move(object)};
  return registry().add<Handle>(std::move(made));
}

}  // namespace

hyperplane_status hyperplane_mpi_vector_create(hyperplane_mpi_grid grid, int n, hyperplane_vector* vector) {
  return guarded(__func__, [&] {
    auto const held = grid_for(grid, vector, "vector");
    with_setting(*held, n, [&]<class Exec>(const run_time::RankSetting<Exec>& setting) {
      std::unique_ptr<run_time::Vector> made = std::make_unique<run_time::RankVectorOn<Exec>>(setting);
      *vector = add<hyperplane_vector>(held->context, std::move(made));
    });
  });
}

hyperplane_status hyperplane_mpi_matrix_create(hyperplane_mpi_grid grid, int n, hyperplane_matrix* matrix) {
  return guarded(__func__, [&] {
    auto const held = grid_for(grid, matrix, "matrix");
    with_setting(*held, n, [&]<class Exec>(const run_time::RankSetting<Exec>& setting) {
      std::unique_ptr<run_time::Matrix> made = std::make_unique<run_time::RankMatrixOn<Exec>>(setting);
      *matrix = add<hyperplane_matrix>(held->context, std::move(made));
    });
  });
}

namespace {

/// The grid block of an object over ranks as an object of one grid. OnRanks<Exec> is its type.
template <template <class> class OnRanks, class Handle>
Handle block_of(const char* argument, Handle handle, int block) {
  auto const held = registry().get(handle, argument);
  Handle part = nullptr;
  run_time::for_each_backend([&]<class Exec>(std::type_identity<Exec>, const std::string&) {
    auto const* const found = dynamic_cast<const OnRanks<Exec>*>(held->object.get());
    if (found == nullptr) return;
    part = add<Handle>(held->context, found->part(found->setting().shape.local_number(block)));
  });
  if (part == nullptr) throw Failure(HYPERPLANE_INVALID_ARGUMENT, std::string(argument) + " is not over ranks");
  return part;
}

/// Of a preconditioner over ranks whose factors can be narrower than its matrix, and of 8 bits, or not.
void require_storage(const std::string& name, bool has_short_factors, bool has_quarter_factors,
                     const run_time::BlocksSettings& settings) {
  if (!settings.storage_fraction && settings.storage == StorageKind::double_precision) return;
  bool const is_quarter = !settings.storage_fraction && settings.storage == StorageKind::quarter;
  if (is_quarter ? has_quarter_factors : has_short_factors) return;
  throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                std::string("storage is '") +
                    (settings.storage_fraction ? run_time::automatic_storage : hyperplane::name(settings.storage)) +
                    "', which " + name + " has not over ranks, but " +
                    (is_quarter ? "ssor and bilu0" : "jacobi and ssor and sip and bilu0"));
}

/// Of the struct, what there is over ranks: a preconditioner, or none where kind is HYPERPLANE_IDENTITY.
std::optional<run_time::BlocksSettings> blocks_settings_of(const hyperplane_preconditioner_options* options) {
  if (options == nullptr) return run_time::BlocksSettings{};
  require_initialized(*options, "hyperplane_preconditioner_options");
  if (!std::ranges::all_of(options->parts, [](int count) { return count == 1; }))
    throw Failure(HYPERPLANE_INVALID_ARGUMENT, "parts is not 1, 1, 1: grid blocks are not cut");
  run_time::BlocksSettings settings;
  set_storage(settings, *options);
  auto const coupling = enumerator<Coupling>(options->coupling, HYPERPLANE_COUPLING_NATURAL, "coupling");
  auto const path = sweep_path(options->path);
  auto const folded = folded_directions(*options);
  auto const directions = line_directions(*options);
  auto const coupled = [&]<class Options>(const Options& block) {
    using Blocks = run_time::BlocksOf<Options>;
    require_storage(Blocks::name, Blocks::has_short_factors, Blocks::has_quarter_factors, settings);
    settings.options = MultiBlockOptions<Options>{.coupling = coupling, .block = block};
    return settings;
  };
  switch (options->kind) {
    case HYPERPLANE_IDENTITY: require_storage("identity", false, false, settings); return std::nullopt;
    case HYPERPLANE_JACOBI: return coupled(BlockJacobiOptions{});
    case HYPERPLANE_SSOR:
      return coupled(SsorOptions{.relaxation = options->relaxation, .path = path, .folded = folded});
    case HYPERPLANE_SIP: return coupled(SipOptions{.alpha = options->alpha, .path = path});
    case HYPERPLANE_LINES:
      return coupled(LineImplicitOptions{
          .directions = directions, .sweeps = options->line_sweeps, .relaxation = options->relaxation});
    case HYPERPLANE_BILU0: return coupled(BlockIlu0Options{.path = path, .folded = folded});
  }
  throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                "kind is " + std::to_string(options->kind) + ", expected 0 to " + std::to_string(HYPERPLANE_BILU0));
}

/// All ranks have the same kind, and of it the same numbers, or throw Error.
void require_same_options(const Communicator& communicator, const std::optional<run_time::BlocksSettings>& settings) {
  communicator.require_same("the kinds of preconditioners",
                            std::array{settings ? settings->options.index() + std::uint64_t{1} : std::uint64_t{0}});
  if (!settings) return;
  auto const bits = [](double value) { return std::array{std::bit_cast<std::uint64_t>(value)}; };
  communicator.require_same("the storages", std::array{static_cast<std::uint64_t>(settings->storage),
                                                       std::uint64_t{settings->storage_fraction.has_value()}});
  if (settings->storage_fraction) communicator.require_same("the storage_fractions", bits(*settings->storage_fraction));
  auto const compare = [&]<class Block>(const MultiBlockOptions<Block>& of) {
    if constexpr (std::is_same_v<Block, SsorOptions>) {
      communicator.require_same("the relaxations of ssor", bits(of.block.relaxation));
    } else if constexpr (std::is_same_v<Block, SipOptions>) {
      communicator.require_same("the alphas of sip", bits(of.block.alpha));
    } else if constexpr (std::is_same_v<Block, LineImplicitOptions>) {
      communicator.require_same("the relaxations of lines", bits(of.block.relaxation));
      communicator.require_same("the sweeps of lines", std::array{static_cast<std::uint64_t>(of.block.sweeps)});
      // Three at most: a digit each.
      std::uint64_t digits = 0;
      for (auto const direction : of.block.directions) digits = 4 * digits + static_cast<std::uint64_t>(direction) + 1;
      communicator.require_same("the directions of lines", std::array{digits});
    }
  };
  std::visit(compare, settings->options);
}

template <class Exec>
std::unique_ptr<run_time::Preconditioner> make_preconditioner(const run_time::RankSetting<Exec>& setting,
                                                              const std::optional<run_time::BlocksSettings>& settings) {
  std::unique_ptr<run_time::TypedRankBlocks<Exec>> blocks;
  if (settings && settings->storage_fraction) {
    auto const make = [setting, given = *settings](StorageKind storage) {
      auto stored = given;
      stored.storage = storage;
      return setting.over_ranks.make_blocks(setting.exec, setting.shape, stored);
    };
    blocks = std::make_unique<run_time::ChosenRankStorage<Exec>>(setting, *settings->storage_fraction, make);
  } else if (settings) {
    blocks = setting.over_ranks.make_blocks(setting.exec, setting.shape, *settings);
  }
  return std::make_unique<run_time::RankPreconditionerOn<Exec>>(setting, std::move(blocks));
}

template <class Exec>
std::unique_ptr<run_time::Krylov> make_krylov(const run_time::RankSetting<Exec>& setting, run_time::Method method,
                                              const KrylovOptions& options) {
  using run_time::RankKrylovOn;
  switch (method) {
    case run_time::Method::richardson: return std::make_unique<RankKrylovOn<Exec, Richardson>>(setting, options);
    case run_time::Method::bicgstab: return std::make_unique<RankKrylovOn<Exec, BiCgStab>>(setting, options);
    case run_time::Method::fgmres: return std::make_unique<RankKrylovOn<Exec, Fgmres>>(setting, options);
    case run_time::Method::fgcrodr: return std::make_unique<RankKrylovOn<Exec, Fgcrodr>>(setting, options);
  }
  throw Error("there is no such Krylov method");
}

}  // namespace

hyperplane_status hyperplane_mpi_vector_block(hyperplane_vector vector, int block, hyperplane_vector* part) {
  return guarded(__func__, [&] {
    require_pointer(part, "part");
    *part = nullptr;
    *part = block_of<run_time::RankVectorOn>("vector", vector, block);
  });
}

hyperplane_status hyperplane_mpi_matrix_block(hyperplane_matrix matrix, int block, hyperplane_matrix* part) {
  return guarded(__func__, [&] {
    require_pointer(part, "part");
    *part = nullptr;
    *part = block_of<run_time::RankMatrixOn>("matrix", matrix, block);
  });
}

hyperplane_status hyperplane_mpi_preconditioner_create(hyperplane_mpi_grid grid, int n,
                                                       const hyperplane_preconditioner_options* options,
                                                       hyperplane_preconditioner* preconditioner) {
  return guarded(__func__, [&] {
    auto const held = grid_for(grid, preconditioner, "preconditioner");
    auto const& communicator = held->grid->grid().communicator();
    auto const chosen = agree_status(communicator, [&] { return blocks_settings_of(options); });
    require_same_options(communicator, chosen);
    with_setting(*held, n, [&](const auto& setting) {
      *preconditioner = add<hyperplane_preconditioner>(held->context, make_preconditioner(setting, chosen));
    });
  });
}

hyperplane_status hyperplane_mpi_krylov_create(hyperplane_mpi_grid grid, int n,
                                               const hyperplane_krylov_options* options, hyperplane_krylov* krylov) {
  return guarded(__func__, [&] {
    auto const held = grid_for(grid, krylov, "krylov");
    auto const& communicator = held->grid->grid().communicator();
    auto const [method, chosen] =
        agree_status(communicator, [&] { return std::pair(method_of(options), krylov_options_of(options)); });
    communicator.require_same("the Krylov methods", std::array{static_cast<std::uint64_t>(method)});
    auto object = std::make_unique<KrylovObject>();
    with_setting(*held, n, [&](const auto& setting) {
      object->method = make_krylov(setting, method, chosen);
      object->identity = make_preconditioner(setting, std::nullopt);
    });
    object->limits = chosen.limits();
    *krylov = add<hyperplane_krylov>(held->context, std::move(object));
  });
}
