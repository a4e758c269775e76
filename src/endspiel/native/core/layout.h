// Made by tools/native_layout.py of the structures in Python: change them there.
#pragma once
#include <stdint.h>

namespace columns {  // see kernels/board_arrays.py

enum Schedule {
  POSITIVE = 0,
  NEGATIVE = 1,
  AVERAGE = 2,
  DITHER = 3,
  FRESH = 4,
  GROWN = 6,
  SCHEDULE_COLUMNS = 7,
};

}  // namespace columns

namespace kinds {  // of nodes, see betting/tree.py

enum Node {
  DECISION = 0,
  CHANCE = 1,
  SHOWDOWN = 2,
  FOLD = 3,
};

}  // namespace kinds

constexpr int64_t BOARD_HANDS = 1088;  // see kernels/sampled_arrays.py

namespace products {  // see blueprint/train_products.py

constexpr int TILE = 512;
constexpr int COLUMNS = 64;

}  // namespace products

struct Meta {
  int64_t size;
  int64_t lines;
  int64_t rows;
  int64_t decisions;
  int64_t first;
  int64_t actions;
  int64_t parent;
  int64_t out;
  int64_t shown;
  int64_t folds;
  int64_t tied;
  int64_t tiles;
  int64_t lane_from;
  int64_t show_to;
  int64_t fold_to;
  int64_t show_stake;
  int64_t fold_stake;
  int64_t start;
  int64_t count;
  int64_t hands;
  int64_t ends;
  int64_t below;
  int64_t classes;
  int64_t buckets;
  int64_t child;
  int64_t group;
  int64_t images;
  int64_t above;
  int64_t weight;
  int64_t stored;
  int64_t locked;
  int64_t root;
  int64_t reach;
  int64_t sigma;
  int64_t gain;
  int64_t lanes_in;
  int64_t show;
  int64_t fold;
  int64_t mass;
  int64_t edge;
  int64_t picked;
  int64_t powers;
};

struct Lane {
  int64_t street;
  int64_t rows;
  int64_t decisions;
  int64_t first;
  int64_t actions;
  int64_t parent;
  int64_t ends;
  int64_t end_from;
  int64_t show_to;
  int64_t fold_to;
  int64_t show_stake;
  int64_t fold_stake;
  int64_t outs;
  int64_t out_from;
  int64_t out_to;
  int64_t used;
  int64_t stored;
};

struct Room {
  int64_t own;
  int64_t other;
  int64_t shown;
  int64_t value;
  int64_t mass;
  int64_t sigma;
  int64_t plan;
  int64_t theirs;
  int64_t gain;
};

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

struct ShortSums {
  int16_t* numbers;
  int64_t numbers_size;
  uint8_t* powers;
  int64_t powers_size;
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
  ShortSums short_regret;
  ShortSums short_average;
};

struct BoardWalk {
  int64_t mode;
  KernelStore sums;
  float* work;
  int64_t work_size;
  float* result;
  int64_t result_size;
};

struct PlexArrays {
  int64_t* first;
  int64_t first_size;
  int64_t* states;
  int64_t states_size;
  int64_t* actions;
  int64_t actions_size;
  int64_t* base;
  int64_t base_size;
  int64_t* map_at;
  int64_t map_at_size;
  int64_t* maps;
  int64_t maps_size;
  int64_t* stride;
  int64_t stride_size;
};

struct Discounts {
  double positive;
  double negative;
  double average;
  double predict;
};

struct CompressedRows {
  int64_t* indptr;
  int64_t indptr_size;
  uint32_t* indices;
  int64_t indices_size;
  double* data;
  int64_t data_size;
};

struct DenseEnds {
  int64_t* own;
  int64_t own_size;
  int64_t* other;
  int64_t other_size;
  int64_t* states;
  int64_t states_size;
  int64_t* others;
  int64_t others_size;
  int64_t* form;
  int64_t form_size;
  double* stakes;
  int64_t stakes_size;
  double* entries;
  int64_t entries_size;
};

struct Side {
  PlexArrays plex;
  CompressedRows payoffs;
  DenseEnds ends;
  double* gradient;
  int64_t gradient_size;
  double* regret;
  int64_t regret_size;
  double* behavior;
  int64_t behavior_size;
  double* plan;
  int64_t plan_size;
  double* average;
  int64_t average_size;
};

struct StreetLines {
  int32_t* kind;
  int64_t kind_size;
  int32_t* parent;
  int64_t parent_size;
  int32_t* entry;
  int64_t entry_size;
  int32_t* leaving;
  int64_t leaving_size;
  int32_t* mine;
  int64_t mine_size;
  int64_t* row;
  int64_t row_size;
  float* stake;
  int64_t stake_size;
};

struct BoardHands {
  uint8_t* low;
  int64_t low_size;
  uint8_t* high;
  int64_t high_size;
  uint16_t* bucket;
  int64_t bucket_size;
  int32_t* ends;
  int64_t ends_size;
};

struct HeldHands {
  int64_t* strength;
  int64_t strength_size;
  uint64_t* mask;
  int64_t mask_size;
  double* weight;
  int64_t weight_size;
  int64_t* bucket;
  int64_t bucket_size;
};

struct TreeArrays {
  int64_t* player;
  int64_t player_size;
  int64_t* number;
  int64_t number_size;
  int64_t* own;
  int64_t own_size;
  int64_t* other;
  int64_t other_size;
  int64_t* start;
  int64_t start_size;
  int64_t* seq;
  int64_t seq_size;
  int64_t* child;
  int64_t child_size;
  int64_t* kind;
  int64_t kind_size;
  double* stake;
  int64_t stake_size;
  int64_t* sizes;
  int64_t sizes_size;
};

struct Factors {
  int64_t* plain;
  int64_t plain_size;
  double* L;
  int64_t L_size;
  double* B;
  int64_t B_size;
  double* Y;
  int64_t Y_size;
  int64_t* merge_plain;
  int64_t merge_plain_size;
  int64_t* first;
  int64_t first_size;
  double* root;
  int64_t root_size;
  double* pull;
  int64_t pull_size;
  double* push;
  int64_t push_size;
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

struct PackedShape {
  int64_t* starts;
  int64_t starts_size;
  int64_t* hands;
  int64_t hands_size;
  int64_t rows;
};

struct LaneTables {
  int64_t* meta;
  int64_t meta_size;
  int64_t* ints;
  int64_t ints_size;
  float* stakes;
  int64_t stakes_size;
  int64_t* room;
  int64_t room_size;
};

struct BoardDeal {
  uint8_t* low;
  int64_t low_size;
  uint8_t* high;
  int64_t high_size;
  int32_t* ends;
  int64_t ends_size;
  int32_t* place;
  int64_t place_size;
  int32_t* order;
  int64_t order_size;
  int32_t* first;
  int64_t first_size;
  int32_t* ids;
  int64_t ids_size;
  int64_t* num;
  int64_t num_size;
};

struct Lines {
  float* reach;
  int64_t reach_size;
  float* value;
  int64_t value_size;
};

struct Rivers {
  uint8_t* low;
  int64_t low_size;
  uint8_t* high;
  int64_t high_size;
  int32_t* ends;
  int64_t ends_size;
  int64_t* strengths;
  int64_t strengths_size;
  int32_t* at;
  int64_t at_size;
  int32_t* place;
  int64_t place_size;
  int32_t* order;
  int64_t order_size;
  int32_t* first;
  int64_t first_size;
  int32_t* ids;
  int64_t ids_size;
  int64_t* num;
  int64_t num_size;
  int64_t* kept;
  int64_t kept_size;
  int64_t block;
  float* share;
  int64_t share_size;
};
