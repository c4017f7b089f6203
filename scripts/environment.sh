# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Where the library is built: the machine itself, if it has Kokkos, or a private Debian root. Sourced by `run`.

readonly repository=$PWD
readonly deps=$repository/.deps
readonly needed_megabytes=3000
# What was compiled in a root before, in this clone or another, for ccache; and where a root has it.
readonly compiled=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/hyperplane
readonly compiled_inside=/var/cache/hyperplane

# flavour -> machine | root
declare -A environment

# CGNS is in one of them, so that the flow example is tested with and without it.
readonly -A kokkos_packages=(
  [openmp]="libkokkos-dev libcgns-dev clang-format-19"
  [serial]="libtrilinos-kokkos-dev libtrilinos-kokkos-kernels-dev"
)
readonly common_packages="g++ gfortran cmake ninja-build ccache git ca-certificates pkgconf libgtest-dev libgmock-dev libbenchmark-dev libcli11-dev \
nlohmann-json3-dev libfmt-dev libopenmpi-dev openmpi-bin python3-matplotlib"

say() { printf 'run: %s\n' "$*"; }
die() {
  printf 'run: error: %s\n' "$*" >&2
  exit 1
}

# Whether CMake finds a Kokkos on the machine itself.
machine_has_kokkos() {
  command -v cmake >/dev/null || return 1
  mkdir -p "$deps"
  # A folder of its own: several commands may run at once.
  local probe found=0
  probe=$(mktemp -d "$deps/probe.XXXXXX")
  printf '%s\n' 'cmake_minimum_required(VERSION 3.24)' 'project(probe CXX)' \
    'find_package(Kokkos 4.5...<6 CONFIG REQUIRED)' >"$probe/CMakeLists.txt"
  cmake -S "$probe" -B "$probe/build" >"$probe/log" 2>&1 || found=1
  rm -rf "$probe"
  return "$found"
}

# The mirror that the machine's own apt uses.
debian_mirror() {
  local mirror
  mirror=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
    /etc/apt/mirrors/*.list 2>/dev/null |
    grep -vE '^[[:space:]]*#' | grep -oE '(https?|file|ftp)://[^[:space:]]+/debian(/[^[:space:]]*)?([[:space:]]|$)' |
    head -n 1 || true)
  [[ -n $mirror ]] || die "no Debian mirror in /etc/apt; install Kokkos >= 4.5 (Spack, conda-forge, apt) and set Kokkos_ROOT"
  printf '%s' "${mirror%%[[:space:]]*}"
}

# provide FLAVOUR: makes sure that inside FLAVOUR works.
provide() {
  local flavour=$1
  [[ -z ${environment[$flavour]:-} ]] || return 0
  if [[ $flavour == openmp ]] && machine_has_kokkos; then
    environment[$flavour]=machine
    say "using this machine's Kokkos"
    return
  fi
  environment[$flavour]=root
  [[ $(id -u) == 0 ]] ||
    die "no Kokkos >= 4.5 found on this machine, and using one of its own in .deps/ needs root rights (sudo ./run ...)"
  unshare --mount true 2>/dev/null ||
    die "no Kokkos >= 4.5 found on this machine, and this container may not mount, which one in .deps/ needs"
  local root=$deps/kokkos-$flavour
  # A root of an older list of packages is made again.
  if ! is_complete "$flavour"; then
    mkdir -p "$deps"
    # One set-up at a time; the second finds what the first has made.
    exec 9>"$deps/lock"
    flock 9
    is_complete "$flavour" || make_root "$flavour" "$root"
    exec 9>&-
  fi
}

# Whether the root of a flavour holds the packages of today's list.
is_complete() {
  [[ $(cat "$deps/kokkos-$1/packages" 2>/dev/null) == "$common_packages ${kokkos_packages[$1]}" ]]
}

make_root() {
  local flavour=$1 root=$2
  local free
  free=$(df -Pm "$repository" | awk 'NR == 2 { print $4 }')
  ((free >= needed_megabytes)) || die "setting up Kokkos in .deps/ needs $needed_megabytes MB of disk, $free MB are free"
  mkdir -p "$deps"
  local log=$deps/kokkos-$flavour.log
  if ! command -v mmdebstrap >/dev/null; then
    command -v apt-get >/dev/null || die "no Kokkos >= 4.5 found on this machine, and no apt-get to set one up"
    say "installing mmdebstrap"
    { apt-get update && apt-get install -y mmdebstrap; } >"$log" 2>&1 || die "cannot install mmdebstrap; see $log"
  fi
  local mirror
  mirror=$(debian_mirror)
  say "setting up Kokkos ($flavour) from Debian's packages in .deps/kokkos-$flavour, about a minute; log in $log"
  # Made under another name and renamed when complete, so that an interrupted set-up is done again.
  local partial=$root.partial
  rm -rf --one-file-system "$partial"
  # The release file of a mirror that is a snapshot may have lapsed.
  mmdebstrap --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' \
    --include="$(tr -s ' ' ',' <<<"$common_packages ${kokkos_packages[$flavour]}")" \
    sid "$partial" "$mirror" >"$log" 2>&1 ||
    die "setting up .deps/kokkos-$flavour failed ($(tail -n 1 "$log")); see $log"
  local libraries library
  libraries=/usr/lib/$(chroot "$partial" gcc -print-multiarch)
  if [[ $flavour == openmp ]]; then
    # libkokkos-dev 5.2 names two header-only libraries in its CMake files and does not ship their archives.
    for library in libkokkosalgorithms libkokkossimd; do
      compgen -G "$partial$libraries/$library.*" >/dev/null || chroot "$partial" ar cr "$libraries/$library.a"
    done
  fi
  mkdir -p "$partial$repository"
  printf '%s\n' "$common_packages ${kokkos_packages[$flavour]}" >"$partial/packages"
  rm -rf --one-file-system "$root"
  mv "$partial" "$root"
  # What was configured with the root before may name packages that this one lacks.
  rm -f "$repository"/build/"$flavour"-*/CMakeCache.txt "$repository"/build/bench/CMakeCache.txt
}

# provide_more FLAVOUR WHAT PACKAGE ...: what some commands need beside Kokkos, into the root of a flavour; going on without it
# where it cannot be had.
provide_more() {
  local flavour=$1 what=$2
  shift 2
  [[ ${environment[$flavour]} == root ]] || return 0
  # The last one names what is installed: the others may be there for other packages' sake.
  [[ ! -e $deps/kokkos-$flavour/usr/share/doc/${*: -1} ]] || return 0
  local log=$deps/kokkos-$flavour-${*: -1}.log
  say "installing $what beside Kokkos in .deps/kokkos-$flavour; log in $log"
  inside "$flavour" bash -c "apt-get -o Acquire::Check-Valid-Until=false update &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $*" >"$log" 2>&1 ||
    say "$what could not be installed ($log); going on without it"
}

# The libraries that benchmarks compare with, and that an example is for.
provide_peers() {
  provide_more openmp PETSc petsc-dev
  provide_more openmp hypre libhypre-dev
}

# What makes the mesh of a wing that a benchmark can run on.
provide_mesher() { provide_more openmp gmsh gmsh; }

# A second compiler, its sanitizers, what names the lines in their reports, and the checker of sources.
provide_clang() { provide_more openmp Clang clang-19 llvm-19 libclang-rt-19-dev libomp-19-dev clang-tidy-19; }

# The second compiler for the second Kokkos.
provide_clang_serial() { provide_more serial Clang clang-19; }

# What explores the models of the protocols between threads.
provide_spin() { provide_more openmp SPIN spin; }

# inside FLAVOUR COMMAND [ARG ...]: runs a command in the repository, where the library builds.
inside() {
  local flavour=$1
  shift
  if [[ ${environment[$flavour]} == machine ]]; then
    HYPERPLANE_COMMIT=$(commit_name) "$@"
    return
  fi
  local -a variables=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8)
  # The root has Ninja and no make, which CMake would take by itself.
  variables+=(TERM="${TERM:-dumb}" CMAKE_GENERATOR=Ninja)
  # Ranks are on this machine alone. Libraries for networks take two seconds of each start of an MPI program: UCX patches
  # functions of the C library, and Open MPI's component for libfabric sleeps before it says that it finds no network.
  variables+=(UCX_MEM_EVENTS=n OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,sm)
  # Commands are root's in a private root, whom Open MPI starts no ranks for unless it is told to.
  variables+=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  # Clones in other folders compile the same.
  variables+=(CCACHE_DIR="$compiled_inside" CCACHE_BASEDIR="$repository" CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=2G)
  local kept=$compiled
  if ! mkdir -p "$kept" 2>/dev/null; then
    say "cannot make $kept: what is compiled is kept in .deps/ccache, for this clone alone"
    kept=$deps/ccache
    mkdir -p "$kept"
  fi
  # Settings of the caller that a command inside should see.
  local name
  for name in $(compgen -e | grep -E '^(OMP_|HYPERPLANE_|CI$|CTEST_|CCACHE_DISABLE$|CMAKE_BUILD_PARALLEL_LEVEL$)' || true); do
    variables+=("$name=${!name}")
  done
  variables+=(HYPERPLANE_COMMIT="$(commit_name)")
  # A mount namespace of its own: nothing stays mounted, and several commands may run at once.
  unshare --mount --propagation private bash -c '
    set -euo pipefail
    root=$1 repository=$2 kept=$3 compiled_inside=$4
    shift 4
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount -t proc proc "$root/proc"
    mkdir -p "$root$repository"
    mount --rbind "$repository" "$root$repository"
    mkdir -p "$root$compiled_inside"
    mount --bind "$kept" "$root$compiled_inside"
    exec chroot "$root" /usr/bin/env -C "$repository" "$@"' \
    inside "$deps/kokkos-$flavour" "$repository" "$kept" "$compiled_inside" -i "${variables[@]}" "$@" ||
    return $?
}

commit_name() {
  git -C "$repository" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown
}
