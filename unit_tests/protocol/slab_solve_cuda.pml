// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sweeps of detail::CudaSlabSolve between clusters (include/hyperplane/sweep/detail/slab_solve_cuda_*.hpp): tickets,
// stamped packets, the count of forward tiles, and the last cluster to leave, which makes the words ready for the next
// launch. A cluster is one process here; slab_pipeline_cuda.pml has what is inside of it.
//
// Launches follow one another on a device, each of both sweeps or of one. Of the clusters of a launch only some are
// resident at a time, at least one, and they come in any order; a cluster leaves when it has drawn its last ticket. The
// order of the tickets is any topological one: all of them are explored.
//
// Several grids (detail::CudaGroupTiles), which the code has with all three:
//   GRIDS 2        grids that do not depend on one another share a launch: an entry of the order names grid and tile
//   COUNT_BY_GRID  the backward sweep of a grid waits for the forward tiles of that grid, not for those of the launch
//   MIXED          so its backward tiles may have lower tickets than forward tiles of another grid
//
// Several devices (BlockIlu0Part, SsorPart), which the code has with one grid and launches of both sweeps:
//   DEVICES 2      the layers of a grid are cut over devices, which start each launch when they like. Each has tickets and
//                  words of its own, in the order that all have in common. Packets are stored to the device that polls
//                  them
// Beyond the code, with that:
//   FLIPPED        the second grid has its first layers on the last device
//   AFTER_PEERS    launches of one sweep, too: a launch begins when the launch before has ended on all devices
//
// explore.py gives the sizes, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_ANY_ORDER         tickets in an order that is not topological
//   FAULT_NO_TICKETS        the order is dealt out by the number of the cluster, resident or not
//   FAULT_STAMPS            stamps without the epoch
//   FAULT_STAMP_FIRST       stamp and value of a packet are two words
//   FAULT_NO_FORWARD_COUNT  the backward sweep does not wait for the forward sweep
//   FAULT_EARLY_RESET       the first cluster to leave resets the words
//   FAULT_NO_RESET          nobody does
//   FAULT_COUNT_OF_LAUNCH   MIXED, with one count of forward tiles for the launch
//   FAULT_OWN_ORDERS        each device has a topological order of its own
//   FAULT_LAUNCH_ORDER      the second device has the launches in another order
//   FAULT_NO_WAIT_FOR_PEERS launches of one sweep that do not wait for the launch before on the other device
//
// STAMPS is how many different stamps there are before they begin again. With four, each is taken in every other launch,
// which is enough on one device: every sweep writes all packets that are read. On two devices the packets at a cut are written
// in one of the sweeps alone.

#ifndef GRIDS
#define GRIDS 1
#define SLABS_1 0
#define LAYERS_1 0
#endif
#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef KINDS
#define KINDS 7  // of launches: 1 forward + 2 backward + 4 both
#endif
#ifdef FAULT_STAMPS
#define STAMPS 2
#endif
#ifndef STAMPS
#define STAMPS 4
#endif
#ifdef FAULT_COUNT_OF_LAUNCH
#undef COUNT_BY_GRID
#endif
#ifdef FAULT_NO_WAIT_FOR_PEERS
#undef AFTER_PEERS
#endif
#define LANES 2
#define STEPS (POINTS + LANES - 1)
#define TILES_0 (SLABS_0 * LAYERS_0)
#define TILES (TILES_0 + SLABS_1 * LAYERS_1)
#define DEVICE_TILES (TILES / DEVICES)  // each device has as many layers of each grid
#define ORDERED (2 * TILES)             // forward tiles, then backward ones, which count mirrored slabs and layers

#define SLABS(grid) ((grid) == 0 -> SLABS_0 : SLABS_1)
#define LAYERS_OF_DEVICE(grid) (((grid) == 0 -> LAYERS_0 : LAYERS_1) / DEVICES)
#define GRID_OF(tile) ((tile) < TILES_0 -> 0 : 1)
#define IN_GRID(tile) ((tile) < TILES_0 -> (tile) : (tile)-TILES_0)
#define SLAB_OF(tile) (IN_GRID(tile) % SLABS(GRID_OF(tile)))
#define LAYER_OF(tile) (IN_GRID(tile) / SLABS(GRID_OF(tile)))
// The device whose turn is first, second, ... in a sweep through a grid, and the one that has a tile.
#ifdef FLIPPED
#define DEVICE_AT(turn, sweep, grid) ((sweep) == (grid) -> (turn) : DEVICES - 1 - (turn))
#else
#define DEVICE_AT(turn, sweep, grid) ((sweep) == 0 -> (turn) : DEVICES - 1 - (turn))
#endif
#define DEVICE_OF(tile, sweep) DEVICE_AT(LAYER_OF(tile) / LAYERS_OF_DEVICE(GRID_OF(tile)), sweep, GRID_OF(tile))
// The place of a tile among those of its device.
#define FIRST_OF_GRID(grid) ((grid) == 0 -> 0 : TILES_0 / DEVICES)
#define PLACE_OF(tile) \
  (FIRST_OF_GRID(GRID_OF(tile)) + SLAB_OF(tile) + \
   SLABS(GRID_OF(tile)) * (LAYER_OF(tile) % LAYERS_OF_DEVICE(GRID_OF(tile))))
#define PACKETS_OF(tile, sweep, length) ((DEVICE_OF(tile, sweep) * DEVICE_TILES + PLACE_OF(tile)) * (length))

#ifdef COUNT_BY_GRID
#define COUNTER(grid) (grid)
#define NEEDED(grid) (SLABS(grid) * LAYERS_OF_DEVICE(grid))
#define COUNTERS GRIDS
#else
#define COUNTER(grid) 0
#define NEEDED(grid) DEVICE_TILES
#define COUNTERS 1
#endif

#define FORWARD 0
#define BACKWARD 1
#define BOTH 2
#define NOWHERE 255

// In the place of a value: the sweep that wrote it, all sweeps of all launches numbered from 1 on.
typedef Packet {
  byte stamp;
  byte value;
};
Packet south[DEVICES * DEVICE_TILES * POINTS];
Packet bottom[DEVICES * DEVICE_TILES * STEPS];

// The words of each device.
byte ticket[DEVICES];
byte forward_finished[DEVICES * COUNTERS];
byte exited[DEVICES];
byte epoch[DEVICES];

// The list that tickets are places in, for each device; does not change once it is made.
byte order[DEVICES * 2 * DEVICE_TILES];
byte kind[LAUNCHES];

// The machine: how many clusters a device holds, holds now, and has seen leave.
byte capacity[DEVICES];
byte resident[DEVICES];
byte left[DEVICES];

// What has really been computed, by number of the sweep: all tiles, and forward tiles of a device and a grid.
byte computed[ORDERED];
byte forward_results[DEVICES * GRIDS];

// Whether what a tile needs in its sweep comes before it in the order.
#define IS_AFTER_SOUTH (slab == 0 || listed[entry - 1])
#define IS_AFTER_BOTTOM (layer == 0 || listed[entry - SLABS(grid)])
#ifdef MIXED
#define IS_AFTER_FORWARD (sweep == FORWARD || listed_forward[grid] == SLABS(grid) * LAYERS_OF_DEVICE(grid) * DEVICES)
#else
#define IS_AFTER_FORWARD (sweep == FORWARD || listed_tiles == TILES)
#endif
#if defined(FAULT_ANY_ORDER)
#define MAY_FOLLOW true
#elif defined(FAULT_OWN_ORDERS)
#define NEEDS_PEER (layer > 0 && DEVICE_OF(tile, sweep) != DEVICE_OF(tile - SLABS(grid), sweep))
#define MAY_FOLLOW (IS_AFTER_SOUTH && (NEEDS_PEER || IS_AFTER_BOTTOM))
#else
#define MAY_FOLLOW (IS_AFTER_SOUTH && IS_AFTER_BOTTOM)
#endif

inline describe(number) {
  entry = number;
  sweep = entry / TILES;
  tile = entry % TILES;
  grid = GRID_OF(tile);
  slab = SLAB_OF(tile);
  layer = LAYER_OF(tile)
}

// Any order of the first `entries` ones in which each comes after those that it needs.
inline list(entries) {
  left_to_list = entries;
  do
  :: left_to_list > 0 ->
    number = 0;
    do
    :: number < entries - 1 -> number++
    :: true -> break
    od;
    describe(number);
    // Where this one cannot be next, there is no such order, and nothing to explore.
end_without_order:
    !listed[entry] && MAY_FOLLOW && IS_AFTER_FORWARD;
    device = DEVICE_OF(tile, sweep);
    order[device * 2 * DEVICE_TILES + listed_of[device]] = entry;
    listed_of[device]++;
    listed[entry] = true;
    if
    :: sweep == FORWARD -> listed_forward[grid]++; listed_tiles++
    :: else
    fi;
    left_to_list--
  :: else -> break
  od
}

// Backward tiles in the order of the forward ones, as one list for both.
inline repeat_order() {
  device = 0;
  do
  :: device < DEVICES ->
    number = 0;
    do
    :: number < DEVICE_TILES ->
      order[device * 2 * DEVICE_TILES + DEVICE_TILES + number] = order[device * 2 * DEVICE_TILES + number] + TILES;
      number++
    :: else -> break
    od;
    device++
  :: else -> break
  od
}

inline store(packet, of_sweep) {
#ifdef FAULT_STAMP_FIRST
  packet.stamp = stamp;
  packet.value = of_sweep;
#else
  atomic {
    packet.stamp = stamp;
    packet.value = of_sweep
  };
#endif
}

// Waits for the stamp; the value that comes with it is of this sweep.
inline receive(packet, of_sweep) {
  atomic {
    packet.stamp == stamp;
    assert(packet.value == of_sweep)
  }
}

inline run_tile() {
  d_step {
    stamp = (2 * at_start + 1 + sweep) % STAMPS;
    this = 2 * launch + sweep + 1;
    from_south = PACKETS_OF(tile, sweep, POINTS);
    from_bottom = PACKETS_OF(tile, sweep, STEPS);
    to_north = (slab + 1 < SLABS(grid) -> PACKETS_OF(tile + 1, sweep, POINTS) : NOWHERE);
    to_top = (layer + 1 < LAYERS_OF_DEVICE(grid) * DEVICES -> PACKETS_OF(tile + SLABS(grid), sweep, STEPS) : NOWHERE);
    assert(computed[entry] < this);
    step = 0
  };
#ifndef FAULT_NO_FORWARD_COUNT
  (sweep == FORWARD || kind[launch] != BOTH || forward_finished[d * COUNTERS + COUNTER(grid)] == NEEDED(grid));
#endif
  assert(sweep == FORWARD || kind[launch] != BOTH ||
         forward_results[d * GRIDS + grid] == SLABS(grid) * LAYERS_OF_DEVICE(grid));
  do
  :: step < STEPS ->
    if
    :: slab > 0 && step < POINTS -> receive(south[from_south + step], this)
    :: else
    fi;
    if
    :: layer > 0 -> receive(bottom[from_bottom + step], this)
    :: else
    fi;
    if
    :: to_north != NOWHERE && step >= LANES - 1 -> store(south[to_north + step - (LANES - 1)], this)
    :: else
    fi;
    if
    :: to_top != NOWHERE -> store(bottom[to_top + step], this)
    :: else
    fi;
    step++
  :: else -> break
  od;
  atomic {
    computed[entry] = this;
    if
    :: sweep == FORWARD -> forward_results[d * GRIDS + grid]++
    :: else
    fi
  };
  if
  :: sweep == FORWARD -> forward_finished[d * COUNTERS + COUNTER(grid)]++
  :: else
  fi
}

inline draw() {
  atomic {
#ifdef FAULT_NO_TICKETS
    drawn = (first_draw -> c : drawn - (kind[launch] == BACKWARD -> DEVICE_TILES : 0) + CLUSTERS);
    first_draw = false;
#else
    drawn = ticket[d];
    ticket[d]++;
#endif
    drawn = drawn + (kind[launch] == BACKWARD -> DEVICE_TILES : 0)
  }
}

#if defined(FAULT_EARLY_RESET)
#define RESETS (exited_before == 0)
#elif defined(FAULT_NO_RESET)
#define RESETS false
#else
#define RESETS (exited_before == CLUSTERS - 1)
#endif

inline leave() {
  atomic { exited_before = exited[d]; exited[d]++ };
  if
  :: RESETS ->
    ticket[d] = 0;
    number = 0;
    do
    :: number < COUNTERS -> forward_finished[d * COUNTERS + number] = 0; number++
    :: else -> break
    od;
    exited[d] = 0;
    epoch[d] = epoch[d] + 1
  :: else
  fi
}

// When all clusters have left: each tile is computed once in each sweep, and the words are ready for the next launch.
inline check_launch() {
  assert(ticket[d] == 0 && exited[d] == 0 && epoch[d] == turn + 1);
  number = 0;
  do
  :: number < COUNTERS -> assert(forward_finished[d * COUNTERS + number] == 0); number++
  :: else -> break
  od;
  number = 0;
  do
  :: number < GRIDS -> forward_results[d * GRIDS + number] = 0; number++
  :: else -> break
  od;
  number = 0;
  do
  :: number < 2 * DEVICE_TILES ->
    entry = order[d * 2 * DEVICE_TILES + number];
    assert(kind[launch] == 1 - entry / TILES || computed[entry] == 2 * launch + entry / TILES + 1);
    number++
  :: else -> break
  od
}

#ifdef AFTER_PEERS
#define MAY_START (left[0] >= turn * CLUSTERS && left[DEVICES - 1] >= turn * CLUSTERS)
#else
#define MAY_START (left[d] >= turn * CLUSTERS)
#endif
#ifdef FAULT_LAUNCH_ORDER
#define LAUNCH_AT(turn) (d == 0 -> (turn) : LAUNCHES - 1 - (turn))
#define EPOCH launch
#else
#define LAUNCH_AT(turn) (turn)
#define EPOCH epoch[d]
#endif

// A cluster of each launch of a device.
proctype cluster(byte d, c) {
  byte turn, launch, at_start, drawn, entry, sweep, tile, grid, slab, layer, step, stamp, this;
  byte from_south, from_bottom, to_north, to_top, exited_before, number;
  bool first_draw;
  do
  :: turn < LAUNCHES ->
    atomic {
      MAY_START && resident[d] < capacity[d];
      resident[d]++;
      launch = LAUNCH_AT(turn);
      first_draw = true
    };
    at_start = EPOCH;
    do
    :: true ->
      draw();
      if
      :: drawn < (kind[launch] == FORWARD -> DEVICE_TILES : 2 * DEVICE_TILES) ->
        d_step { describe(order[d * 2 * DEVICE_TILES + drawn]) };
        run_tile()
      :: else -> break
      fi
    od;
    leave();
    atomic {
      d_step {
        drawn = 0; entry = 0; sweep = 0; tile = 0; grid = 0; slab = 0; layer = 0; step = 0; stamp = 0; this = 0;
        from_south = 0; from_bottom = 0; to_north = 0; to_top = 0; exited_before = 0; number = 0
      };
      resident[d]--;
      left[d]++;
      if
      :: left[d] == (turn + 1) * CLUSTERS -> check_launch()
      :: else
      fi;
      number = 0;
      entry = 0;
      turn++
    }
  :: else -> break
  od
}

init {
  byte number, device, entry, sweep, tile, grid, slab, layer, left_to_list, launch;
  bool listed[ORDERED];
  byte listed_forward[GRIDS];
  byte listed_tiles;
  byte listed_of[DEVICES];
  atomic {
#if DEVICES > 1 || defined(MIXED)
    list(ORDERED);
#else
    list(TILES);
    repeat_order();
#endif
    do
    :: launch < LAUNCHES ->
      if
      :: KINDS & 1 -> kind[launch] = FORWARD
      :: KINDS & 2 -> kind[launch] = BACKWARD
      :: KINDS & 4 -> kind[launch] = BOTH
      fi;
      launch++
    :: else -> break
    od;
    device = 0;
    do
    :: device < DEVICES ->
      capacity[device] = 1;
      do
      :: capacity[device] < CLUSTERS -> capacity[device]++
      :: true -> break
      od;
      number = 0;
      do
      :: number < CLUSTERS -> run cluster(device, number); number++
      :: else -> break
      od;
      device++
    :: else -> break
    od
  }
}
