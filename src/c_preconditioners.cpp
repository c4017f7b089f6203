// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/sweep/choose_storage_options.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "c_library.hpp"
#include "c_option_texts.hpp"
#include "c_storage_options.hpp"
#include "table_option.hpp"

// Preconditioners of the C interface.
using namespace hyperplane;
using namespace hyperplane::c;

static_assert(HYPERPLANE_PATH_CUDA_GRAPH == static_cast<int>(SweepPath::cuda_graph) &&
              HYPERPLANE_PATH_CUDA_GRAPH + 1 == static_cast<int>(sweep_paths.size()));

static_assert(HYPERPLANE_STORAGE_DOUBLE == static_cast<int>(StorageKind::double_precision) &&
              HYPERPLANE_STORAGE_FLOAT == static_cast<int>(StorageKind::single_precision) &&
              HYPERPLANE_STORAGE_HALF == static_cast<int>(StorageKind::half) &&
              HYPERPLANE_STORAGE_BFLOAT16 == static_cast<int>(StorageKind::bfloat16) &&
              HYPERPLANE_STORAGE_QUARTER == static_cast<int>(StorageKind::quarter) &&
              HYPERPLANE_STORAGE_AUTOMATIC == static_cast<int>(storage_kinds.size()));

static_assert(HYPERPLANE_COUPLING_NONE == static_cast<int>(Coupling::none) &&
              HYPERPLANE_COUPLING_COLOURED == static_cast<int>(Coupling::coloured) &&
              HYPERPLANE_COUPLING_NATURAL == static_cast<int>(Coupling::natural) &&
              HYPERPLANE_COUPLING_NATURAL + 1 == static_cast<int>(all_couplings.size()));

namespace {

/// What an option is by itself, of the first preconditioner that has it.
const std::string& standard_of(const std::string& name) {
  for (auto const& preconditioner : run_time::preconditioners()) {
    for (auto const& option : preconditioner.options) {
      if (option.name == name) return option.standard;
    }
  }
  throw Error("internal error: no preconditioner has the option " + name);
}

/// The same as a number, whatever the locale of the program.
template <class Number>
Number number_of(const std::string& name) {
  return run_time::OptionText<Number>::read(name, standard_of(name));
}

bool has_option(const run_time::PreconditionerDescription& preconditioner, const std::string& name) {
  return std::ranges::any_of(preconditioner.options, [&](const auto& option) { return option.name == name; });
}

/// What the preconditioner has not is ignored; but who asks for parts wants to know where there are none.
void require_no_parts(const run_time::PreconditionerDescription& preconditioner,
                      const hyperplane_preconditioner_options& options) {
  auto const parts = std::to_array(options.parts);
  if (has_option(preconditioner, "parts") || parts == std::array{1, 1, 1}) return;
  throw Failure(HYPERPLANE_INVALID_ARGUMENT, "parts is " + run_time::OptionText<std::array<int, 3>>::write(parts) +
                                                 ", and " + preconditioner.name + " has no parts");
}

/// Of the struct, what the preconditioner has.
run_time::PreconditionerSettings settings_of(const hyperplane_preconditioner_options& options) {
  require_initialized(options, "hyperplane_preconditioner_options");
  auto const all = run_time::preconditioners();
  run_time::PreconditionerSettings settings{
      .kind = enumerator<int>(options.kind, static_cast<int>(all.size()) - 1, "kind")};
  set_storage(settings, options);
  auto const write = [](const auto& value) {
    return run_time::OptionText<std::remove_cvref_t<decltype(value)>>::write(value);
  };
  std::pair<const char*, std::string> const members[] = {
      {"relaxation", write(options.relaxation)},
      {"alpha", write(options.alpha)},
      {"line_directions", write(line_directions(options))},
      {"line_sweeps", write(options.line_sweeps)},
      {"path", name(sweep_path(options.path))},
      {"right_hand_sides", write(options.right_hand_sides)},
      {"parts", write(std::to_array(options.parts))},
      {"coupling", name(enumerator<Coupling>(options.coupling, HYPERPLANE_COUPLING_NATURAL, "coupling"))},
      {"folded", write(folded_directions(options))}};
  auto const& preconditioner = all[static_cast<std::size_t>(settings.kind)];
  // What options of one's own mean, their preconditioner alone knows: they are given by name.
  if (options.kind > HYPERPLANE_BILU0) return settings;
  require_no_parts(preconditioner, options);
  for (auto const& option : preconditioner.options) {
    for (auto const& [name, text] : members) {
      if (option.name == name) settings.options.emplace_back(name, text);
    }
  }
  return settings;
}

/// Of "relaxation=1.2,storage=float".
run_time::PreconditionerSettings settings_of(const char* name, std::string_view options) {
  run_time::PreconditionerSettings settings{.kind = run_time::find_preconditioner(name)};
  settings.options = option_texts(options);
  take_storage(settings.options, settings);
  return settings;
}

/// Of the settings that `get()` returns.
template <class Get>
void make(hyperplane_context context, hyperplane_grid grid, int n, hyperplane_preconditioner* preconditioner,
          const Get& get) {
  require_pointer(preconditioner, "preconditioner");
  *preconditioner = nullptr;
  auto& objects = registry();
  auto const where = objects.get(context, "context")->context;
  auto made = std::make_shared<Held<run_time::Preconditioner>>();
  *made = {where, where->make_preconditioner(shape(grid, n), get())};
  *preconditioner = objects.add<hyperplane_preconditioner>(std::move(made));
}

}  // namespace

hyperplane_status hyperplane_preconditioner_options_init(hyperplane_preconditioner_options* options) {
  return guarded(__func__, [&] {
    require_pointer(options, "options");
    run_time::PreconditionerSettings const standard;
    *options = {.struct_size = sizeof(*options),
                .kind = static_cast<hyperplane_preconditioner_kind>(standard.kind),
                .storage = static_cast<hyperplane_storage>(standard.storage),
                .storage_fraction = ChooseStorageOptions{}.fraction,
                .relaxation = number_of<double>("relaxation"),
                .alpha = number_of<double>("alpha"),
                .line_direction_count = 1,
                .line_directions = {0, 0, 0},
                .line_sweeps = number_of<int>("line_sweeps"),
                .path = HYPERPLANE_PATH_AUTOMATIC,
                .right_hand_sides = number_of<int>("right_hand_sides"),
                .parts = {1, 1, 1},
                .coupling = HYPERPLANE_COUPLING_NONE,
                .folded = {0, 0, 0}};
  });
}

hyperplane_status hyperplane_preconditioner_create(hyperplane_context context, hyperplane_grid grid, int n,
                                                   const hyperplane_preconditioner_options* options,
                                                   hyperplane_preconditioner* preconditioner) {
  return guarded(__func__, [&] {
    make(context, grid, n, preconditioner,
         [&] { return options == nullptr ? run_time::PreconditionerSettings{} : settings_of(*options); });
  });
}

hyperplane_status hyperplane_preconditioner_create_named(hyperplane_context context, hyperplane_grid grid, int n,
                                                         const char* name, const char* options,
                                                         hyperplane_preconditioner* preconditioner) {
  return guarded(__func__, [&] {
    make(context, grid, n, preconditioner, [&] {
      require_pointer(name, "name");
      return settings_of(name, options == nullptr ? "" : options);
    });
  });
}

hyperplane_status hyperplane_preconditioner_factor(hyperplane_preconditioner preconditioner, hyperplane_matrix a) {
  return guarded(__func__, [&] {
    auto& objects = registry();
    auto const held = objects.get(preconditioner, "preconditioner");
    std::shared_ptr<Held<run_time::Matrix>> matrix;
    held->object->agree([&] { matrix = objects.get(a, "a"); });
    held->object->factor(*matrix->object);
  });
}

hyperplane_status hyperplane_preconditioner_check(hyperplane_preconditioner preconditioner) {
  return guarded(__func__,
                 [&] { require_factors(registry().get(preconditioner, "preconditioner")->object->problem()); });
}

hyperplane_status hyperplane_preconditioner_solve(hyperplane_preconditioner preconditioner, hyperplane_vector rhs,
                                                  hyperplane_vector x) {
  return guarded(__func__, [&] {
    auto& objects = registry();
    auto const held = objects.get(preconditioner, "preconditioner");
    held->object->solve(*objects.get(rhs, "rhs")->object, *objects.get(x, "x")->object);
  });
}

hyperplane_status hyperplane_preconditioner_transpose(hyperplane_preconditioner preconditioner,
                                                      hyperplane_preconditioner* transpose) {
  return guarded(__func__, [&] { make_transpose(preconditioner, "preconditioner", transpose); });
}

hyperplane_status hyperplane_preconditioner_storage(hyperplane_preconditioner preconditioner,
                                                    hyperplane_storage* storage) {
  return guarded(__func__, [&] {
    auto const held = registry().get(preconditioner, "preconditioner");
    require_pointer(storage, "storage");
    *storage = static_cast<hyperplane_storage>(held->object->storage());
  });
}

hyperplane_status hyperplane_preconditioner_measure(hyperplane_preconditioner preconditioner) {
  return guarded(__func__, [&] { registry().get(preconditioner, "preconditioner")->object->measure(); });
}

hyperplane_status hyperplane_preconditioner_seconds(hyperplane_preconditioner preconditioner, double* seconds,
                                                    int64_t capacity, int64_t* count) {
  return guarded(__func__, [&] {
    auto const held = registry().get(preconditioner, "preconditioner");
    require_pointer(count, "count");
    copy_doubles(held->object->seconds(), "seconds", seconds, capacity, *count);
  });
}
