// Medians, members and masses of clusters; see abstraction/clustering_kernels.py.
#include <stdint.h>
#include "export.h"

namespace {

typedef int64_t Int;
constexpr uint16_t DEAD = 0xFFFF;  // the label of points that count nowhere

template <typename Count>
void move(const Count* points, const Int* weight, const int32_t* labels, Int count, Int gaps,
          Int levels, int32_t* before, int32_t* held) {
  for (Int i = 0; i < count; i++, points += gaps) {
    const Int now = labels[i], old = before[i];
    if (now == old) continue;
    const int32_t own = (int32_t)weight[i];
    for (Int gap = 0; gap < gaps; gap++) {
      held[(now * gaps + gap) * levels + points[gap]] += own;
      if (old >= 0) held[(old * gaps + gap) * levels + points[gap]] -= own;
    }
    before[i] = (int32_t)now;
  }
}

template <typename Count>
void find_medians(const int32_t* held, Int clusters, Int gaps, Int levels, Count* centers) {
  for (Int cluster = 0; cluster < clusters; cluster++, held += gaps * levels, centers += gaps) {
    Int mass = 0;
    for (Int level = 0; level < levels; level++) mass += held[level];
    if (mass == 0) continue;
    for (Int gap = 0; gap < gaps; gap++) {
      const int32_t* row = held + gap * levels;
      Int level = 0;
      for (Int passed = row[0]; 2 * passed < mass;) passed += row[++level];
      centers[gap] = (Count)level;
    }
  }
}

// A number drawn by splitmix64, whose state moves on.
inline uint64_t drawn(uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

}  // namespace

// Bring the weight of each cluster at each level of each coordinate up to date, held [clusters, gaps,
// levels]: points that kept their label cost nothing. Points take one byte a coordinate or two.
EXPORT void move_members(const void* points, Int bytes, const Int* weight, const int32_t* labels,
                         Int count, Int gaps, Int levels, int32_t* before, int32_t* held) {
  if (bytes == 1)
    move((const uint8_t*)points, weight, labels, count, gaps, levels, before, held);
  else
    move((const uint16_t*)points, weight, labels, count, gaps, levels, before, held);
}

// The median of each coordinate of every cluster that is not empty: centers [clusters, gaps].
EXPORT void fill_medians(const int32_t* held, Int clusters, Int gaps, Int levels, void* centers,
                         Int bytes) {
  if (bytes == 1)
    find_medians(held, clusters, gaps, levels, (uint8_t*)centers);
  else
    find_medians(held, clusters, gaps, levels, (uint16_t*)centers);
}

// A uniform sample of the places of each label, members [labels, most], by reservoirs; how many have
// each label, found [labels].
EXPORT void sample_members(const uint16_t* labels, Int count, Int seed, Int num_labels, Int most,
                           Int* members, Int* found) {
  uint64_t state = (uint64_t)seed;
  for (Int label = 0; label < num_labels; label++) found[label] = 0;
  for (Int i = 0; i < count; i++) {
    const uint16_t label = labels[i];
    if (label == DEAD) continue;
    const Int seen = found[label]++;
    if (seen < most) {
      members[label * most + seen] = i;
      continue;
    }
    const uint64_t slot = drawn(state) % (uint64_t)(seen + 1);
    if (slot < (uint64_t)most) members[label * most + (Int)slot] = i;
  }
}

// Add up weights, and weights times distances, by label; one weight for every block of points.
EXPORT void sum_by_label(const uint16_t* labels, Int count, const Int* weight, Int block,
                         const float* far, Int* mass, double* distance) {
  for (Int first = 0; first < count; first += block, weight++)
    for (Int i = first; i < count && i < first + block; i++)
      if (labels[i] != DEAD) {
        mass[labels[i]] += *weight;
        distance[labels[i]] += (double)*weight * (double)far[i];
      }
}
