// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factorization of BILU(0) of a box over devices
// (include/hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_*.hpp, with the words of
// include/hyperplane/sweep/part_window_cuda.hpp): tickets, progress words inside of a device, blocks and a word that
// go to the device above, the word by which that one says that it has read them, and the last cluster to leave.
//
// A device has LAYERS layers of the box, and its launches in a stream: factorizations and, in between, solves, of
// which there is only who waits for whom. Behind a factorization the stream looks once more at the blocks that were
// received and says that they have been read. Streams wait for one another in kernels alone. A cluster is one
// process, with a slab layer for each of its BLOCKS thread blocks, which advance in any order; some of the clusters
// of a launch are resident at a time, at least one. The order of the tickets is any topological one, of each device
// for itself.
//
// explore.py gives the sizes, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_ANY_ORDER     tickets in an order that is not topological
//   FAULT_NO_TICKETS    tiles by the number of the cluster, resident or not
//   FAULT_NO_LAG        the next slab does not wait for the steps that it is behind
//   FAULT_NO_NUMBER     the word with the steps does not say of which factorization they are
//   FAULT_WORD_FIRST    it is stored before the blocks
//   FAULT_NO_LAST_WORD  it is not stored after the last step
//   FAULT_NO_READ       blocks are overwritten whether they were read or not
//   FAULT_READ_EARLY    they are said to be read before the last look at them
//   FAULT_READ_OF_THIS  they are overwritten when those of this factorization have been read
//   FAULT_LAUNCH_ORDER  the last device has the launches in another order
//   FAULT_EARLY_RESET   the first cluster to leave resets the words
//   FAULT_NO_RESET      nobody does

#ifndef BLOCKS
#define BLOCKS 1
#endif
#define LANES 2
#define STEPS (POINTS + LANES - 1)
#define STEPS_TO_SLAB 2    // after so many the next slab is told
#define STEPS_TO_DEVICE 2  // and the device above
#define RING 2             // steps that a slab layer may be ahead of the one above it in the cluster
#define TILES_K ((LAYERS + BLOCKS - 1) / BLOCKS)
#define TILES (SLABS * TILES_K)
#define ROWS (SLABS * LAYERS)

#define FACTORIZATION 0
#define SOLVE 1

#define ROW(device, slab, layer) ((device) * ROWS + (slab) + SLABS * (layer))

// In the place of a block: the factorization that wrote it, counted from 1. By device, slab layer and step; and those
// in the window of a device, by slab and step.
byte blocks[DEVICES * ROWS * STEPS];
byte received[DEVICES * SLABS * STEPS];

// The words of a device, and those in its window.
byte ticket[DEVICES];
byte exited[DEVICES];
byte progress[DEVICES * ROWS];
typedef Progress {
  byte factorization;
  byte steps;
};
Progress received_progress[DEVICES * SLABS];
byte read_above[DEVICES];

// Solves that have passed a device upwards, and downwards.
byte passed_up[DEVICES];
byte passed_down[DEVICES];

// Do not change once they are made.
byte order[DEVICES * TILES];
bit kind[LAUNCHES];

// The machine: how many clusters a device holds, holds now, has seen leave; which factorization it has begun.
byte capacity[DEVICES];
byte resident[DEVICES];
byte left[DEVICES];
byte begun[DEVICES];

// Steps that have really been computed of each slab layer, in the factorization of its device.
byte computed[DEVICES * ROWS];

#define IS_FIRST_OF_PART(layer) ((layer) == 0 && d > 0)
#define IS_LAST_OF_PART(layer) ((layer) == LAYERS - 1 && d < DEVICES - 1)

#ifdef FAULT_NO_NUMBER
#define STEPS_OF_DEVICE received_progress[d * SLABS + slab].steps
#else
#define STEPS_OF_DEVICE \
  (received_progress[d * SLABS + slab].factorization == number -> received_progress[d * SLABS + slab].steps : 0)
#endif
#ifdef FAULT_NO_LAG
#define LAG 0
#else
#define LAG (LANES - 1)
#endif
#if defined(FAULT_NO_READ)
#define HAS_ROOM_ABOVE true
#elif defined(FAULT_READ_OF_THIS)
#define HAS_ROOM_ABOVE (read_above[d] >= number)
#else
#define HAS_ROOM_ABOVE (read_above[d] + 1 >= number)
#endif
#ifdef FAULT_NO_LAST_WORD
#define IS_TOLD_TO_DEVICE(steps) ((steps) % STEPS_TO_DEVICE == 0)
#else
#define IS_TOLD_TO_DEVICE(steps) ((steps) % STEPS_TO_DEVICE == 0 || (steps) == STEPS)
#endif

// What block r of the cluster waits for before its next step.
#define K(r) (first_layer + (r))
#define IS_THERE_BELOW(r) \
  ((r) > 0 -> step[(r)-1] > step[r] : \
   (K(r) > 0 -> progress[ROW(d, slab, K(r) - 1)] > step[r] : (d == 0 || STEPS_OF_DEVICE > step[r])))
#define IS_THERE_SOUTH(r) \
  (slab == 0 || step[r] >= POINTS || progress[ROW(d, slab - 1, K(r))] > step[r] + LAG)
#define IS_FREE_ABOVE(r) (!HAS_BLOCK_ABOVE(r) || step[r] < step[(r) + 1] + RING)
#define HAS_ROOM(r) (step[r] > 0 || !IS_LAST_OF_PART(K(r)) || HAS_ROOM_ABOVE)
#define HAS_BLOCK_ABOVE(r) ((r) + 1 < BLOCKS && K(r) + 1 < LAYERS)
#define MAY_STEP(r) \
  (K(r) < LAYERS && step[r] < STEPS && IS_THERE_BELOW(r) && IS_THERE_SOUTH(r) && IS_FREE_ABOVE(r) && HAS_ROOM(r))
// After how many steps the others on the device are told.
#define TOLD_EVERY(r) \
  (!HAS_BLOCK_ABOVE(r) && K(r) + 1 < LAYERS -> 1 : (slab + 1 < SLABS -> STEPS_TO_SLAB : STEPS))

inline tell_device(row) {
  if
  :: IS_LAST_OF_PART(K(row)) && IS_TOLD_TO_DEVICE(step[row] + 1) ->
    atomic {
      received_progress[(d + 1) * SLABS + slab].factorization = number;
      received_progress[(d + 1) * SLABS + slab].steps = step[row] + 1
    }
  :: else
  fi
}

// What it waited for is there; taking it is something else, and what it writes others may see before its words.
inline run_step(row) {
  if
  :: IS_FIRST_OF_PART(K(row)) -> assert(received[(d * SLABS + slab) * STEPS + step[row]] == number)
  :: else
  fi;
  d_step {
    at = ROW(d, slab, K(row));
    assert(K(row) == 0 || blocks[(at - SLABS) * STEPS + step[row]] == number);
    assert(slab == 0 || step[row] >= POINTS || blocks[(at - 1) * STEPS + step[row] + LANES - 1] == number);
    assert(computed[at] == step[row]);
    computed[at] = step[row] + 1;
    blocks[at * STEPS + step[row]] = number
  };
#ifdef FAULT_WORD_FIRST
  tell_device(row);
#endif
  if
  :: IS_LAST_OF_PART(K(row)) -> received[((d + 1) * SLABS + slab) * STEPS + step[row]] = number
  :: else
  fi;
  if
  :: (step[row] + 1) % TOLD_EVERY(row) == 0 || step[row] + 1 == STEPS -> progress[at] = step[row] + 1
  :: else
  fi;
#ifndef FAULT_WORD_FIRST
  tell_device(row);
#endif
  d_step { at = 0; step[row] = step[row] + 1 }
}

#define HAS_ENDED(r) (K(r) >= LAYERS || step[r] == STEPS)
#if BLOCKS == 1
#define HAVE_ENDED HAS_ENDED(0)
#else
#define HAVE_ENDED (HAS_ENDED(0) && HAS_ENDED(1))
#endif

inline draw() {
#ifdef FAULT_NO_TICKETS
  drawn = (first_draw -> c : drawn + CLUSTERS);
  first_draw = false
#else
  atomic { drawn = ticket[d]; ticket[d]++ }
#endif
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
    at = 0;
    do
    :: at < ROWS -> progress[d * ROWS + at] = 0; at++
    :: else -> break
    od;
    ticket[d] = 0;
    exited[d] = 0
  :: else
  fi
}

// A cluster of each factorization of a device.
proctype cluster(byte d, c) {
  byte number = 1, drawn, slab, first_layer, at, exited_before;
  byte step[BLOCKS];
  bool first_draw;
end_without_factorization:
  do
  :: atomic {
      begun[d] >= number && resident[d] < capacity[d];
      resident[d]++;
      first_draw = true
    };
    do
    :: draw();
      if
      :: drawn < TILES ->
        d_step {
          slab = order[d * TILES + drawn] % SLABS;
          first_layer = order[d * TILES + drawn] / SLABS * BLOCKS;
          at = 0;
          do
          :: at < BLOCKS -> step[at] = 0; at++
          :: else -> break
          od;
          at = 0
        };
        do
        :: MAY_STEP(0) -> run_step(0)
#if BLOCKS > 1
        :: MAY_STEP(1) -> run_step(1)
#endif
        :: HAVE_ENDED -> break
        od
      :: else -> break
      fi
    od;
    leave();
    d_step {
      drawn = 0; slab = 0; first_layer = 0; at = 0; exited_before = 0; first_draw = false;
      resident[d]--;
      left[d]++;
      number++
    }
  od
}

inline factor() {
  number++;
  begun[d] = number;
  left[d] == number * CLUSTERS;
  // Each step is computed once, and the words are ready for the next factorization.
  d_step {
    assert(ticket[d] == 0 && exited[d] == 0);
    at = 0;
    do
    :: at < ROWS ->
      assert(progress[d * ROWS + at] == 0 && computed[d * ROWS + at] == STEPS);
      computed[d * ROWS + at] = 0;
      at++
    :: else -> break
    od;
    at = 0
  };
  if
  :: d > 0 ->
#ifdef FAULT_READ_EARLY
    read_above[d - 1] = number;
#endif
    do
    :: at < SLABS * STEPS -> assert(received[d * SLABS * STEPS + at] == number); at++
    :: else -> break
    od;
    at = 0;
    read_above[d - 1] = number
  :: else
  fi
}

inline solve() {
  (d == 0 || passed_up[d - 1] > solves);
  passed_up[d] = solves + 1;
  (d == DEVICES - 1 || passed_down[d + 1] > solves);
  passed_down[d] = solves + 1;
  solves++
}

#ifdef FAULT_LAUNCH_ORDER
#define LAUNCH_AT(turn) (d == DEVICES - 1 -> LAUNCHES - 1 - (turn) : (turn))
#else
#define LAUNCH_AT(turn) (turn)
#endif

proctype stream(byte d) {
  byte turn, number, solves, at;
  do
  :: turn < LAUNCHES ->
    if
    :: kind[LAUNCH_AT(turn)] == FACTORIZATION -> factor()
    :: else -> solve()
    fi;
    turn++
  :: else -> break
  od
}

// Any order in which each tile comes after those that it needs.
inline list() {
  listed_tiles = 0;
  do
  :: listed_tiles < TILES ->
    tile = 0;
    do
    :: tile < TILES - 1 -> tile++
    :: true -> break
    od;
    // Where this one cannot be next, there is no such order, and nothing to explore.
end_without_order:
#ifdef FAULT_ANY_ORDER
    !listed[tile];
#else
    !listed[tile] && (tile % SLABS == 0 || listed[tile - 1]) && (tile < SLABS || listed[tile - SLABS]);
#endif
    order[d * TILES + listed_tiles] = tile;
    listed[tile] = true;
    listed_tiles++
  :: else -> break
  od;
  tile = 0;
  do
  :: tile < TILES -> listed[tile] = false; tile++
  :: else -> break
  od
}

init {
  byte d, c, tile, listed_tiles, launch;
  bool listed[TILES];
  atomic {
    do
    :: launch < LAUNCHES ->
      if
      :: kind[launch] = FACTORIZATION
      :: kind[launch] = SOLVE
      fi;
      launch++
    :: else -> break
    od;
    do
    :: d < DEVICES ->
      list();
      capacity[d] = 1;
      do
      :: capacity[d] < CLUSTERS -> capacity[d]++
      :: true -> break
      od;
      d++
    :: else -> break
    od;
    d = 0;
    do
    :: d < DEVICES ->
      c = 0;
      do
      :: c < CLUSTERS -> run cluster(d, c); c++
      :: else -> break
      od;
      run stream(d);
      d++
    :: else -> break
    od
  }
}
