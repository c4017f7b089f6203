// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c_library.hpp"

#include <hyperplane/version.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string_view>
#include <utility>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cuda/check.hpp>
#endif

namespace hyperplane::c {

namespace {

thread_local char last_error[1024] = "";
thread_local char kept_error[sizeof(last_error)] = "";
thread_local hyperplane_status kept_status = HYPERPLANE_SUCCESS;

/// Kokkos says by its words alone that there is no memory, and so does what another rank has thrown.
bool is_out_of_memory(std::string_view message) {
  constexpr std::string_view words[] = {"failed to allocate", "std::bad_alloc", "cudaErrorMemoryAllocation"};
  return std::ranges::any_of(words,
                             [&](std::string_view some) { return message.find(some) != std::string_view::npos; });
}

/// Frees all objects, and reports the times of kernels. What runs then may be of the program: no lock is held.
void end_library(Library& lib) {
  std::unique_ptr<run_time::EnvironmentTimers> timers;
  {
    std::lock_guard const lock(lib.mutex);
    timers = std::move(lib.timers);
  }
  lib.registry.clear();
  timers = nullptr;
  Timers::stop();
}

#ifdef KOKKOS_ENABLE_OPENMP
constexpr bool has_openmp = true;
#else
constexpr bool has_openmp = false;
#endif

void initialize_kokkos(Library& lib) {
  if (has_openmp && !Kokkos::is_initialized()) require_no_region();
  if (Kokkos::is_finalized()) {
    throw Failure(HYPERPLANE_NOT_AVAILABLE, "Kokkos has been finalized, and cannot be initialized again in a process");
  }
  // All that may be refused comes before what cannot be taken back.
  auto timers = std::make_unique<run_time::EnvironmentTimers>();
  auto const settings = run_time::kokkos_settings();
  if (!Kokkos::is_initialized()) {
    Kokkos::initialize(settings);
    lib.owns_kokkos = true;
  } else if (settings.has_device_id() && settings.get_device_id() != Kokkos::device_id()) {
    throw Failure(HYPERPLANE_NOT_AVAILABLE, "HYPERPLANE_DEVICE: the program has initialized Kokkos on device " +
                                                std::to_string(Kokkos::device_id()));
  }
  timers->start();
  lib.timers = std::move(timers);
  // Objects go before Kokkos, whoever finalizes it.
  if (lib.has_hook) return;
  lib.has_hook = true;
  Kokkos::push_finalize_hook([] {
    auto& left = library();
    {
      std::lock_guard const lock(left.mutex);
      left.users = 0;
    }
    end_library(left);
  });
}

void require_running(const Library& lib) {
  if (lib.users > 0) return;
  throw Failure(HYPERPLANE_NOT_INITIALIZED, lib.has_hook ? "the library has been finalized already"
                                                         : "hyperplane_initialize() has not been called");
}

}  // namespace

Library& library() {
  static auto& lib = *new Library;
  return lib;
}

int& call_depth() noexcept {
  thread_local int depth = 0;
  return depth;
}

Registry& registry() {
  auto& lib = library();
  std::lock_guard const lock(lib.mutex);
  require_running(lib);
  return lib.registry;
}

namespace {

/// Without the C++ class or function that the message begins with, as in "BlockIlu0::solve: ": who calls C does not
/// know it. Words in capitals are variables of the environment.
std::string_view without_place(std::string_view message) {
  auto const end = message.find(": ");
  if (end == std::string_view::npos) return message;
  auto const place = message.substr(0, end);
  auto const is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
  };
  bool const is_name = std::ranges::all_of(place, is_of_name);
  bool const has_lower_case = std::ranges::any_of(place, [](char c) { return c >= 'a' && c <= 'z'; });
  bool const is_call_of_cuda = place.starts_with("cuda");
  return is_name && has_lower_case && !is_call_of_cuda ? message.substr(end + 2) : message;
}

/// "rank 2: ", with which what another rank has thrown begins; else empty.
std::string_view rank_of(std::string_view message) {
  constexpr std::string_view word = "rank ", colon = ": ";
  auto const end = message.find(colon);
  if (!message.starts_with(word) || end == std::string_view::npos) return message.substr(0, 0);
  bool const is_number =
      std::ranges::all_of(message.substr(word.size(), end - word.size()), [](char c) { return c >= '0' && c <= '9'; });
  return message.substr(0, is_number ? end + colon.size() : 0);
}

hyperplane_status note_error(const char* function, std::string_view message, hyperplane_status status) noexcept {
  auto const rank = rank_of(message);
  auto const words = without_place(message.substr(rank.size()));
  std::snprintf(last_error, sizeof(last_error), "%s: %.*s%.*s", function, static_cast<int>(rank.size()), rank.data(),
                static_cast<int>(words.size()), words.data());
  return status;
}

}  // namespace

hyperplane_status note_exception(const char* function) noexcept {
  auto const note = [&](std::string_view message, hyperplane_status status) {
    return note_error(function, message, status);
  };
  try {
    throw;
  } catch (const Failure& failure) {
    return note(failure.what(), failure.status());
  } catch (const run_time::NotAvailable& error) {
    return note(error.what(), HYPERPLANE_NOT_AVAILABLE);
  } catch (const run_time::SizeMismatch& error) {
    return note(error.what(), HYPERPLANE_SIZE_MISMATCH);
  } catch (const run_time::Overflow& error) {
    return note(error.what(), HYPERPLANE_OVERFLOW);
#ifdef KOKKOS_ENABLE_CUDA
  } catch (const cuda::CudaError& error) {
    return note(error.what(),
                error.status() == cudaErrorMemoryAllocation ? HYPERPLANE_OUT_OF_MEMORY : HYPERPLANE_INTERNAL_ERROR);
#endif
  } catch (const Error& error) {
    // What another rank throws arrives as Error.
    return note(error.what(), is_out_of_memory(error.what()) ? HYPERPLANE_OUT_OF_MEMORY : HYPERPLANE_INVALID_ARGUMENT);
  } catch (const std::bad_alloc&) {
    return note("out of memory", HYPERPLANE_OUT_OF_MEMORY);
  } catch (const std::exception& error) {
    return note(error.what(), is_out_of_memory(error.what()) ? HYPERPLANE_OUT_OF_MEMORY : HYPERPLANE_INTERNAL_ERROR);
  } catch (...) {
    return note("something that is no std::exception was thrown", HYPERPLANE_INTERNAL_ERROR);
  }
}

}  // namespace hyperplane::c

using namespace hyperplane;
using namespace hyperplane::c;

const char* hyperplane_last_error_message() { return last_error; }

void hyperplane_keep_error(hyperplane_status status) {
  if (status == HYPERPLANE_SUCCESS || kept_status != HYPERPLANE_SUCCESS) return;
  kept_status = status;
  std::ranges::copy(last_error, kept_error);
}

hyperplane_status hyperplane_take_error(const char** message) {
  if (message != nullptr) *message = kept_status == HYPERPLANE_SUCCESS ? "" : kept_error;
  return std::exchange(kept_status, HYPERPLANE_SUCCESS);
}

const char* hyperplane_status_name(hyperplane_status status) {
  switch (status) {
    case HYPERPLANE_SUCCESS: return "HYPERPLANE_SUCCESS";
    case HYPERPLANE_NOT_INITIALIZED: return "HYPERPLANE_NOT_INITIALIZED";
    case HYPERPLANE_NULL_POINTER: return "HYPERPLANE_NULL_POINTER";
    case HYPERPLANE_INVALID_HANDLE: return "HYPERPLANE_INVALID_HANDLE";
    case HYPERPLANE_INVALID_ARGUMENT: return "HYPERPLANE_INVALID_ARGUMENT";
    case HYPERPLANE_SIZE_MISMATCH: return "HYPERPLANE_SIZE_MISMATCH";
    case HYPERPLANE_NOT_AVAILABLE: return "HYPERPLANE_NOT_AVAILABLE";
    case HYPERPLANE_SINGULAR_PIVOT: return "HYPERPLANE_SINGULAR_PIVOT";
    case HYPERPLANE_OUT_OF_MEMORY: return "HYPERPLANE_OUT_OF_MEMORY";
    case HYPERPLANE_INTERNAL_ERROR: return "HYPERPLANE_INTERNAL_ERROR";
    case HYPERPLANE_NOT_FINITE: return "HYPERPLANE_NOT_FINITE";
    case HYPERPLANE_OVERFLOW: return "HYPERPLANE_OVERFLOW";
  }
  return "no hyperplane_status";
}

const char* hyperplane_version() { return HYPERPLANE_VERSION_STRING; }

const char* hyperplane_backends() {
  static const std::string* const list = []() noexcept -> const std::string* {
    try {
      return new std::string(run_time::backend_list());
    } catch (...) {
      return nullptr;
    }
  }();
  return list == nullptr ? "" : list->c_str();
}

int hyperplane_has_block_size(int n) { return std::ranges::count(run_time::block_sizes(), n) > 0 ? 1 : 0; }

hyperplane_status hyperplane_initialize() {
  return guarded(__func__, [] {
    auto& lib = library();
    std::lock_guard const lock(lib.mutex);
    if (lib.users == 0) initialize_kokkos(lib);
    lib.registry.begin_process();
    ++lib.users;
  });
}

hyperplane_status hyperplane_finalize() {
  return guarded(__func__, [] {
    auto& lib = library();
    if (call_depth() > 1) {
      throw Failure(HYPERPLANE_INVALID_ARGUMENT, "hyperplane_finalize() was called while another call was in progress");
    }
    {
      std::lock_guard const lock(lib.mutex);
      require_running(lib);
      bool const is_last = lib.users == 1 && !lib.registry.is_forked();
      if (has_openmp && is_last && lib.owns_kokkos) require_no_region();
      if (--lib.users > 0) return;
    }
    // What is left, and the report of the timers, belong to the parent.
    if (lib.registry.is_forked()) {
      static_cast<void>(lib.timers.release());  // NOLINT(bugprone-unused-return-value)
      return;
    }
    end_library(lib);
    if (lib.owns_kokkos) Kokkos::finalize();
  });
}

int hyperplane_is_initialized() {
  int users = 0;
  static_cast<void>(guarded(__func__, [&] {
    auto& lib = library();
    std::lock_guard const lock(lib.mutex);
    users = lib.users;
  }));
  return users > 0 ? 1 : 0;
}

hyperplane_status hyperplane_retain(void* handle) {
  return guarded(__func__, [&] { registry().retain(handle); });
}

hyperplane_status hyperplane_free(void* handle) {
  return guarded(__func__, [&] {
    if (handle != nullptr) registry().release(handle);
  });
}
