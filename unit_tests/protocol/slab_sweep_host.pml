// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// host::SlabSweep (include/hyperplane/host/slab_sweep.hpp): tickets, progress words, and the last worker to leave, which
// makes the words ready for the next sweep. Several sweeps follow one another, each by a team or by the calling thread
// alone. Of a team any number of threads, one included, really runs; they share the calls of work() in any way.
//
// With STRIPS > 1 each slab is cut into so many strips. What is called a slab here is then a strip, a step is a row, and
// LAG is 0.
//
// explore.py gives the sizes, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_NO_SKEW          tiles are cut at equal steps of all slabs, and depend on higher tickets
//   FAULT_SLABS_BACKWARDS  in a layer the last slab has the lowest ticket
//   FAULT_NO_LAG           a step does not wait for the steps of the slab before that lanes are behind
//   FAULT_NO_REACH         a strip waits for the same strip of the slab before alone
//   FAULT_NO_STRIP_BEFORE  a strip does not wait for the strip before it
//   FAULT_EARLY_PROGRESS   steps are published before they are computed
//   FAULT_EARLY_RESET      the first worker to leave resets the words
//   FAULT_NO_RESET         nobody does

#ifndef SLABS_1
#define SLABS_1 0  // one grid
#define STEPS_1 0
#endif
#ifndef STRIPS
#define STRIPS 1
#define REACH 0
#endif
#define SLABS (SLABS_0 + SLABS_1)
#define LENGTH (BLOCK * BLOCKS_IN_TILE)  // steps of a tile
#define WORKERS (THREADS < SLABS -> THREADS : SLABS)
#define MAX_LAYERS(steps, slabs) (((steps) + ((slabs)-1) * (LAG + 1) + LENGTH - 1) / LENGTH)
#define MAX_TILES (SLABS_0 * MAX_LAYERS(STEPS_0, SLABS_0) + SLABS_1 * MAX_LAYERS(STEPS_1, SLABS_1))
#ifdef FAULT_NO_SKEW
#define SKEW(slab) 0
#else
#define SKEW(slab) ((slab) * (LAG + 1))
#endif
#define MIN(a, b) ((a) < (b) -> (a) : (b))

typedef Tile {
  byte grid;
  byte layer;
  byte slab;
};
// In the order of the tickets; does not change once it is listed.
Tile tiles[MAX_TILES];
byte tile_count;

// The words.
byte ticket;
byte finished_workers;
byte progress[SLABS];

// What has really been computed in this sweep: steps of each slab. They are computed in order.
byte computed[SLABS];

byte running;  // threads of the team

inline list_layer(of_grid, of_slabs) {
  slab = 0;
  do
  :: slab < of_slabs ->
    tiles[tile_count].grid = of_grid;
    tiles[tile_count].layer = layer;
#ifdef FAULT_SLABS_BACKWARDS
    tiles[tile_count].slab = of_slabs - 1 - slab;
#else
    tiles[tile_count].slab = slab;
#endif
    tile_count++;
    slab++
  :: else -> break
  od
}

// A group of both grids if the first alone has less than two slabs for each thread, otherwise one after the other.
inline list_tiles() {
  together = SLABS_0 < 2 * THREADS;
  do
  :: layer < MAX_LAYERS(STEPS_0, SLABS_0) || (together && SLABS_1 > 0 && layer < MAX_LAYERS(STEPS_1, SLABS_1)) ->
    if
    :: layer < MAX_LAYERS(STEPS_0, SLABS_0) -> list_layer(0, SLABS_0)
    :: else
    fi;
    if
    :: together && SLABS_1 > 0 && layer < MAX_LAYERS(STEPS_1, SLABS_1) -> list_layer(1, SLABS_1)
    :: else
    fi;
    layer++
  :: else -> break
  od;
  layer = 0;
  do
  :: !together && SLABS_1 > 0 && layer < MAX_LAYERS(STEPS_1, SLABS_1) -> list_layer(1, SLABS_1); layer++
  :: else -> break
  od
}

// Where the steps of a tile begin and end, not below 0.
#define BEGIN(layer, slab) ((layer)*LENGTH > SKEW(slab) -> (layer)*LENGTH - SKEW(slab) : 0)
#define END(layer, slab, steps) \
  (((layer) + 1) * LENGTH > SKEW(slab) -> MIN(((layer) + 1) * LENGTH - SKEW(slab), steps) : 0)

// The strip of a slab, and the word of the one that is `reach` strips farther in the slab before.
#define STRIP (slab % STRIPS)
#define BEFORE(reach) (word - STRIP - STRIPS + MIN(STRIP + (reach), STRIPS - 1))

// What a range of steps needs is there, and it has not been computed yet.
inline check(first, behind_last) {
  assert(computed[word] == first);
  assert(STRIP == 0 || computed[word - 1] >= MIN(behind_last + LAG, steps));
  assert(slab < STRIPS || computed[BEFORE(REACH)] >= MIN(behind_last + LAG, steps))
}

#ifdef FAULT_NO_LAG
#define NEEDED block_end
#else
#define NEEDED MIN(block_end + LAG, steps)
#endif
#ifdef FAULT_NO_REACH
#define WAITED_FOR BEFORE(0)
#else
#define WAITED_FOR BEFORE(REACH)
#endif
#ifdef FAULT_NO_STRIP_BEFORE
#define HAS_STRIP_BEFORE false
#else
#define HAS_STRIP_BEFORE (STRIP > 0)
#endif

inline run_tile() {
  d_step {
    slab = tiles[tile].slab;
    word = slab + (tiles[tile].grid == 0 -> 0 : SLABS_0);
    steps = (tiles[tile].grid == 0 -> STEPS_0 : STEPS_1);
    step = BEGIN(tiles[tile].layer, slab);
    end = END(tiles[tile].layer, slab, steps)
  }
  do
  :: step < end ->
    block_end = MIN(step + BLOCK, end);
    // All waits, and what is computed after them, are one step: nobody sees how far a thread is in it.
    atomic {
      progress[word] >= step && (!HAS_STRIP_BEFORE || progress[word - 1] >= NEEDED) &&
        (slab < STRIPS || progress[WAITED_FOR] >= NEEDED);
      check(step, block_end);
#ifdef FAULT_EARLY_PROGRESS
      progress[word] = block_end
    };
    computed[word] = block_end;
#else
      computed[word] = block_end
    };
    progress[word] = block_end;
#endif
    step = block_end
  :: else -> break
  od
}

inline work() {
  do
  :: true ->
    atomic { tile = ticket; ticket++ };
    if
    :: tile < tile_count -> run_tile()
    :: else -> break
    fi
  od;
  // What a call had at hand is nothing to the next.
  atomic {
    left_before = finished_workers;
    finished_workers++;
    tile = 0; slab = 0; word = 0; steps = 0; step = 0; end = 0; block_end = 0
  };
#ifdef FAULT_EARLY_RESET
  if
  :: left_before == 0 ->
#elif defined(FAULT_NO_RESET)
  if
  :: false ->
#else
  if
  :: left_before == WORKERS - 1 ->
#endif
    ticket = 0;
    finished_workers = 0;
    word = 0;
    do
    :: word < SLABS -> progress[word] = 0; word++
    :: else -> break
    od
  :: else
  fi
}

// A thread that really runs, with as many of the calls of work() as have fallen to it.
proctype thread(byte calls) {
  byte tile, slab, word, steps, step, end, block_end, left_before;
  do
  :: calls > 0 -> work(); calls--
  :: else -> break
  od;
  running--
}

// work_alone(): whole tiles, grid by grid, without words.
inline sweep_alone() {
  grid = 0;
  do
  :: grid < (SLABS_1 > 0 -> 2 : 1) ->
    layer = 0;
    steps = (grid == 0 -> STEPS_0 : STEPS_1);
    slabs = (grid == 0 -> SLABS_0 : SLABS_1);
    do
    :: layer < MAX_LAYERS(steps, slabs) ->
      slab = 0;
      do
      :: slab < slabs ->
        word = slab + (grid == 0 -> 0 : SLABS_0);
        step = BEGIN(layer, slab);
        end = END(layer, slab, steps);
        if
        :: step < end -> check(step, end); computed[word] = end
        :: else
        fi;
        slab++
      :: else -> break
      od;
      layer++
    :: else -> break
    od;
    grid++
  :: else -> break
  od
}

inline sweep_as_team() {
  calls_left = WORKERS;
  do
  :: calls_left > 0 ->
    // Any number of calls for each thread.
    calls = 1;
    do
    :: calls < calls_left -> calls++
    :: true -> break
    od;
    running++;
    calls_left = calls_left - calls;
    run thread(calls)
  :: else -> break
  od;
  running == 0
}

// Everything is computed, once, and the words are ready for the next sweep.
inline check_sweep() {
  assert(ticket == 0 && finished_workers == 0);
  word = 0;
  do
  :: word < SLABS ->
    assert(progress[word] == 0);
    assert(computed[word] == (word < SLABS_0 -> STEPS_0 : STEPS_1));
    computed[word] = 0;
    word++
  :: else -> break
  od
}

init {
  byte sweep, calls_left, calls, word, grid, layer, slabs, slab, steps, step, end;
  bool together;
  d_step { layer = 0; list_tiles(); layer = 0; slab = 0 };
  do
  :: sweep < SWEEPS ->
    if
    :: WORKERS > 1 -> atomic { sweep_as_team() }
    :: true -> d_step { calls = 0; sweep_alone(); grid = 0 }
    fi;
    atomic { check_sweep(); word = 0; grid = 0; layer = 0; slabs = 0; slab = 0; steps = 0; step = 0; end = 0 };
    sweep++
  :: else -> break
  od
}
