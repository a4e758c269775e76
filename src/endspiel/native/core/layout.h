// Made by tools/native_layout.py of the structures in Python: change them there.
#pragma once
#include <stdint.h>

namespace columns {  // see kernels/board_arrays.py

enum Meta {
  SIZE = 0,
  LINES = 1,
  DECISIONS = 2,
  FIRST = 3,
  ACTIONS = 4,
  PARENT = 5,
  OUT = 6,
  SHOWN = 7,
  FOLDS = 8,
  TILES = 9,
  LANE_FROM = 10,
  SHOW_TO = 11,
  FOLD_TO = 12,
  SHOW_STAKE = 13,
  FOLD_STAKE = 14,
  START = 15,
  COUNT = 16,
  HANDS = 17,
  ENDS = 18,
  BELOW = 19,
  CHILD = 20,
  GROUP = 21,
  IMAGES = 22,
  STORED = 23,
  LOCKED = 24,
  ROOT = 25,
  REACH = 26,
  SIGMA = 27,
  GAIN = 28,
  LANES_IN = 29,
  SHOW = 30,
  FOLD = 31,
  MASS = 32,
  EDGE = 33,
  ROWS = 34,
  ABOVE = 35,
  WEIGHT = 36,
  CLASSES = 37,
  BUCKETS = 38,
  PICKED = 39,
  TIED = 40,
  META_COLUMNS = 41
};

enum Schedule {
  POSITIVE = 0,
  NEGATIVE = 1,
  AVERAGE = 2,
  FRESH = 4,
  SCHEDULE_COLUMNS = 6,
};

}  // namespace columns

namespace products {  // see blueprint/train_products.py

constexpr int TILE = 512;
constexpr int COLUMNS = 64;

}  // namespace products

struct Tables {
  int64_t* meta;
  int64_t meta_size;
  int64_t* ints;
  int64_t ints_size;
  float* stakes;
  int64_t stakes_size;
  uint8_t* low;
  int64_t low_size;
  uint8_t* high;
  int64_t high_size;
  int32_t* above;
  int64_t above_size;
  int32_t* same;
  int64_t same_size;
  int32_t* ends;
  int64_t ends_size;
  int32_t* below;
  int64_t below_size;
  float* root;
  int64_t root_size;
};

struct KernelStore {
  float* regret;
  int64_t regret_size;
  float* average;
  int64_t average_size;
  uint8_t* locked;
  int64_t locked_size;
  float* new_regret;
  int64_t new_regret_size;
  float* new_average;
  int64_t new_average_size;
};

struct BoardWalk {
  int64_t mode;
  KernelStore sums;
  float* work;
  int64_t work_size;
  float* result;
  int64_t result_size;
};

struct StrengthTables {
  uint64_t* keys;
  int64_t keys_size;
  uint16_t* flush;
  int64_t flush_size;
  uint16_t* offsets;
  int64_t offsets_size;
  uint16_t* slots;
  int64_t slots_size;
  int64_t row_shift;
  int64_t slot_mask;
};

struct Evaluator {
  StrengthTables tables;
  int64_t num_cards;
};

struct BoardSide {
  int64_t* above;
  int64_t above_size;
  int64_t* start;
  int64_t start_size;
  int64_t* left;
  int64_t left_size;
  int64_t* end;
  int64_t end_size;
};

struct RankSets {
  int64_t* binomial;
  int64_t binomial_size;
  int16_t* number;
  int64_t number_size;
  int64_t* first;
  int64_t first_size;
  int64_t* ranks;
  int64_t ranks_size;
};

struct RoundTables {
  int64_t* groups;
  int64_t groups_size;
  int64_t* slots;
  int64_t slots_size;
  int64_t* offset;
  int64_t offset_size;
  int64_t* coarse;
  int64_t coarse_size;
  int64_t coarse_shift;
  int64_t* runs;
  int64_t runs_size;
  int64_t* shapes;
  int64_t shapes_size;
  int64_t* arrangements;
  int64_t arrangements_size;
};

struct RiverLimits {
  int64_t* first;
  int64_t first_size;
  uint16_t* limit;
  int64_t limit_size;
};

struct Family {
  int64_t* first;
  int64_t first_size;
  float* centers;
  int64_t centers_size;
  float* sums;
  int64_t sums_size;
  uint16_t* number;
  int64_t number_size;
};

struct NearBuckets {
  int16_t* buckets;
  int64_t buckets_size;
  float* shares;
  int64_t shares_size;
  int64_t near;
};

struct Slots {
  int64_t cards;
  int64_t spill;
  int64_t* main;
  int64_t main_size;
  int64_t* place;
  int64_t place_size;
};

struct Filled {
  int16_t* hand;
  int64_t hand_size;
  uint16_t* scatter;
  int64_t scatter_size;
  uint16_t* gather;
  int64_t gather_size;
  uint16_t* same;
  int64_t same_size;
  uint16_t* end;
  int64_t end_size;
  uint32_t* lists;
  int64_t lists_size;
};

struct Dealt {
  uint8_t* cards;
  int64_t cards_size;
  uint8_t* held;
  int64_t held_size;
  int64_t last;
};

struct BoardLinks {
  int64_t* parent;
  int64_t parent_size;
  int64_t* child;
  int64_t child_size;
  int64_t* relabeling;
  int64_t relabeling_size;
  int64_t uppers;
  int64_t width;
  int64_t upper_width;
};
