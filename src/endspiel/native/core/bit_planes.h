// The bits of sixteen whole numbers, rearranged. A bit plane is one bit of each of eight lanes: a
// byte. Eight planes, the lowest first, are a word.
#pragma once
#include "simd_ints.h"

namespace {

typedef uint16_t Eight __attribute__((vector_size(16)));
typedef uint8_t Sixteen __attribute__((vector_size(16)));
typedef uint64_t FourWords __attribute__((vector_size(32)));

// Bits 0 to 7 of numbers, and bits 8 to 15: a word of the lower eight lanes' planes and one of the
// upper ones'. The numbers have at most 16 bits.
struct ShortPlanes {
  TwoWords first, next;
};

// Eight bytes of eight bits each with rows and columns exchanged, in all words: first within
// squares of two bits, then of four, then of eight.
template <class Words>
INLINE Words transposed_bits(Words words) {
  Words odd = (words ^ words >> 7) & 0x00AA00AA00AA00AAu;
  words ^= odd ^ odd << 7;
  odd = (words ^ words >> 14) & 0x0000CCCC0000CCCCu;
  words ^= odd ^ odd << 14;
  odd = (words ^ words >> 28) & 0x00000000F0F0F0F0u;
  return words ^ odd ^ odd << 28;
}

#if defined(__AVX2__)
INLINE ShortPlanes transposed_words(__m256i rows) {
  const __m256i planes = (__m256i)transposed_bits((FourWords)rows);
  return {(TwoWords)_mm256_castsi256_si128(planes), (TwoWords)_mm256_extracti128_si256(planes, 1)};
}

INLINE ShortPlanes short_planes_of(const Numbers& n) {
#if defined(__AVX512F__)
  const __m512i all = (__m512i)n.part[0];
  const __m128i first = _mm512_cvtepi32_epi8(all);
  const __m128i next = _mm512_cvtepi32_epi8(_mm512_srli_epi32(all, 8));
  return transposed_words(_mm256_inserti128_si256(_mm256_castsi128_si256(first), next, 1));
#else
  const __m256i both = _mm256_packus_epi32((__m256i)n.part[0], (__m256i)n.part[1]);
  const __m256i low = both & _mm256_set1_epi16(0xff), high = _mm256_srli_epi16(both, 8);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  return transposed_words(_mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order));
#endif
}

INLINE Numbers from_short_planes(ShortPlanes planes) {
  const __m256i words = _mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)planes.first),
                                                (__m128i)planes.next, 1);
  const ShortPlanes rows = transposed_words(words);
  Numbers n;
#if defined(__AVX512F__)
  const __m512i next = _mm512_slli_epi32(_mm512_cvtepu8_epi32((__m128i)rows.next), 8);
  n.part[0] = (IntRegister)(_mm512_cvtepu8_epi32((__m128i)rows.first) | next);
#else
  const __m128i first = (__m128i)rows.first, next = (__m128i)rows.next;
  n.part[0] = (IntRegister)_mm256_cvtepu16_epi32(_mm_unpacklo_epi8(first, next));
  n.part[1] = (IntRegister)_mm256_cvtepu16_epi32(_mm_unpackhi_epi8(first, next));
#endif
  return n;
}
#else
// The lower sixteen bits of eight lanes.
INLINE Eight short_lanes(Four a, Four b) {
  return __builtin_shufflevector((Eight)a, (Eight)b, 0, 2, 4, 6, 8, 10, 12, 14);
}

INLINE Sixteen even_bytes(Eight a, Eight b) {
  return __builtin_shufflevector((Sixteen)a, (Sixteen)b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22,
                                 24, 26, 28, 30);
}

INLINE ShortPlanes short_planes_of(const Numbers& n) {
  const Eight low = short_lanes(n.part[0], n.part[1]), high = short_lanes(n.part[2], n.part[3]);
  return {transposed_bits((TwoWords)even_bytes(low, high)),
          transposed_bits((TwoWords)even_bytes(low >> 8, high >> 8))};
}

INLINE Numbers from_short_planes(ShortPlanes planes) {
  const Sixteen first = (Sixteen)transposed_bits(planes.first);
  const Sixteen next = (Sixteen)transposed_bits(planes.next);
  const Eight none = {};
  const Eight low = (Eight)__builtin_shufflevector(first, next, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                                   5, 21, 6, 22, 7, 23);
  const Eight high = (Eight)__builtin_shufflevector(first, next, 8, 24, 9, 25, 10, 26, 11, 27, 12,
                                                    28, 13, 29, 14, 30, 15, 31);
  return {{(Four)__builtin_shufflevector(low, none, 0, 8, 1, 9, 2, 10, 3, 11),
           (Four)__builtin_shufflevector(low, none, 4, 12, 5, 13, 6, 14, 7, 15),
           (Four)__builtin_shufflevector(high, none, 0, 8, 1, 9, 2, 10, 3, 11),
           (Four)__builtin_shufflevector(high, none, 4, 12, 5, 13, 6, 14, 7, 15)}};
}
#endif

// Bits `first` to `first` + 7 of all lanes.
INLINE TwoWords planes_of(Numbers n, int first) {
  EACH_PART n.part[p] = n.part[p] >> (uint32_t)first & 0xff;
  return short_planes_of(n).first;
}

// Numbers whose bits `first` to `first` + 7 are put in.
INLINE Numbers with_planes(Numbers n, TwoWords planes, int first) {
  const Numbers bits = from_short_planes({planes, TwoWords{}});
  EACH_PART n.part[p] |= bits.part[p] << (uint32_t)first;
  return n;
}

}  // namespace
