// Newton's equations along a public tree; see kernels/tree_newton.py.
//
// Matrices lie in square slots of width W, of which a block uses the upper left part.
#include "export.h"
#include "layout.h"
#include "spans.h"

namespace {

struct Matrix {
  double* at;
  Int width;

  double* operator[](Int row) const { return at + row * width; }
};

// Space for one decision's factors on their way.
struct Work {
  Matrix one, two, one_B, two_B, apart, stack, rows;
  double* reflector;
};

struct Shape {
  Int K, O;  // states of the player who acts, and of the other
};

INLINE Shape shape_of(const TreeArrays& tree, Int n) {
  return {tree.sizes[tree.player[n]], tree.sizes[1 - tree.player[n]]};
}

INLINE Matrix slot(double* all, Int number, Int width) {
  return {all + number * width * width, width};
}

// Add or take off the rows of a matrix, each times its scale: to [length]. Four rows at a time, which
// are read from end to end.
template <int sign>
INLINE void add_rows(const double* scales, Int step, Int count, Matrix rows, Int first, Int length,
                     double* to) {
  Int i = 0;
  for (; i + 4 <= count; i += 4) {
    const double *r = rows[first + i], *s = scales + i * step;
    const Int width = rows.width;
    const double a = sign * s[0], b = sign * s[step], c = sign * s[2 * step], d = sign * s[3 * step];
    along<double>(length, [&](Int k, auto n) {
      const auto one = read<n>(r + k) * a + read<n>(r + width + k) * b;
      const auto two = read<n>(r + 2 * width + k) * c + read<n>(r + 3 * width + k) * d;
      write(to + k, read<n>(to + k) + (one + two));
    });
  }
  for (; i < count; i++) {
    const double *r = rows[first + i], scale = sign * scales[i * step];
    along<double>(length, [&](Int k, auto n) {
      write(to + k, read<n>(to + k) + read<n>(r + k) * scale);
    });
  }
}

// Turn m rows of K into the triangle R: R'R grows by rows'rows. The rows are used up.
void absorb(Matrix R, Matrix rows, Int m, Int K, double* reflector) {
  for (Int j = 0; j < K; j++) {
    double squares[4] = {};
    Int used = 0;
    for (Int i = 0; i < m; i++) {
      const double value = reflector[i] = rows[i][j];
      squares[i & 3] += value * value;
      if (value != 0) used = i + 1;
    }
    const double square = (squares[0] + squares[2]) + (squares[1] + squares[3]);
    if (square == 0) continue;
    const double head = R[j][j], norm = __builtin_sqrt(head * head + square);
    const double top = head >= 0 ? head + norm : head - norm;
    const double beta = 2 / (1 + square / (top * top));  // the reflector is (1, rows / top)
    for (Int i = 0; i < used; i++) reflector[i] /= top;
    R[j][j] = head >= 0 ? -norm : norm;
    along<double>(K - j - 1, [&](Int at, auto n) {
      const Int k = j + 1 + at;
      Held<double, n> even = read<n>(R[j] + k), odd = {};
      Int i = 0;
      for (; i + 1 < used; i += 2) {
        even += read<n>(rows[i] + k) * reflector[i];
        odd += read<n>(rows[i + 1] + k) * reflector[i + 1];
      }
      if (i < used) even += read<n>(rows[i] + k) * reflector[i];
      const Held<double, n> part = (even + odd) * beta;
      write(R[j] + k, read<n>(R[j] + k) - part);
      for (i = 0; i < used; i++) write(rows[i] + k, read<n>(rows[i] + k) - part * reflector[i]);
    });
  }
}

// One action's root into L and bilinear part into B; its part in y goes to the decision. Returns
// whether L is diagonal.
bool take_action(const TreeArrays& tree, const double* forms, const double* diagonal,
                 const Factors& out, Int n, Int a, Matrix L, Matrix B, const Work& work) {
  const auto [K, O] = shape_of(tree, n);
  const Int W = L.width, child = tree.child[a];
  const double* roots = diagonal + tree.seq[a] * K;
  if (child < 0) {
    const double* form = forms + (2 * tree.player[n] + tree.kind[a]) * W * W;
    for (Int i = 0; i < K; i++) {
      L[0][i] = __builtin_sqrt(roots[i]);
      for (Int j = 0; j < O; j++) B[i][j] = tree.stake[a] * form[i * W + j];
    }
    return true;
  }
  const Matrix rows = work.rows, below_Y = slot(out.Y, child, W), below_L = slot(out.L, child, W);
  const Matrix below_B = slot(out.B, child, W);
  for (Int i = 0; i < K; i++) {
    for (Int j = 0; j < K; j++) L[i][j] = 0, rows[i][j] = below_Y[i][j];
    L[i][i] = __builtin_sqrt(roots[i]);
    for (Int j = 0; j < O; j++) B[i][j] = -below_B[j][i];
  }
  absorb(L, rows, K, K, work.reflector);
  for (Int i = 0; i < O; i++) {
    for (Int j = 0; j < O; j++) rows[i][j] = out.plain[child] ? 0 : below_L[i][j];
    if (out.plain[child]) rows[i][i] = below_L[0][i];
  }
  absorb(slot(out.Y, n, W), rows, O, O, work.reflector);
  return false;
}

// Merge two terminals.
void merge_plain(const Factors& out, Int a, Shape shape, const Work& work) {
  const Int W = work.one.width;
  const Matrix root = slot(out.root, a, W), pull = slot(out.pull, a, W), push = slot(out.push, a, W);
  for (Int i = 0; i < shape.K; i++) {
    const double A = work.one[0][i], B = work.two[0][i], size = __builtin_sqrt(A * A + B * B);
    out.first[a * W + i] = A < B;
    root[0][i] = 1 / size;
    pull[0][i] = A < B ? A * (A / size) : -B * (B / size);
    work.one[0][i] = A * (B / size);
    for (Int j = 0; j < shape.O; j++) push[i][j] = work.apart[i][j] / size;
  }
}

// A diagonal in the first row to its place.
void spread(Matrix L, Int K) {
  for (Int i = 1; i < K; i++) {
    for (Int j = 0; j < K; j++) L[i][j] = 0;
    L[i][i] = L[0][i];
    L[0][i] = 0;
  }
}

// The inverse of an upper triangle.
void invert(Matrix R, Int K, Matrix X) {
  for (Int i = K - 1; i >= 0; i--) {
    for (Int j = 0; j < K; j++) X[i][j] = i == j;
    add_rows<-1>(R[i] + i + 1, 1, K - i - 1, {X.at + i, X.width}, i + 1, K - i, X[i] + i);
    for (Int j = i; j < K; j++) X[i][j] /= R[i][i];
  }
}

// Merge two actions of which one goes on; the new root comes into the first.
void merge(const Factors& out, Int a, Shape shape, const Work& work) {
  const auto [K, O] = shape;
  const Matrix one = work.one, two = work.two, stack = work.stack, rows = work.rows;
  const Int W = one.width;
  Int* first = out.first + a * W;
  for (Int j = 0; j < K; j++) {
    double A = 0, B = 0;
    for (Int i = 0; i <= j; i++) A += one[i][j] * one[i][j], B += two[i][j] * two[i][j];
    first[j] = A < B;
  }
  for (Int i = 0; i < K; i++)
    for (Int j = 0; j < K; j++) {
      stack[i][j] = one[i][j], stack[i][K + j] = first[j] ? one[i][j] : 0;
      stack[K + i][j] = stack[K + i][K + j] = 0;
      rows[i][j] = -two[i][j], rows[i][K + j] = first[j] ? 0 : two[i][j];
    }
  absorb(stack, rows, K, 2 * K, work.reflector);
  const Matrix root = slot(out.root, a, W), pull = slot(out.pull, a, W), push = slot(out.push, a, W);
  for (Int i = 0; i < K; i++)
    for (Int j = 0; j < K; j++) pull[i][j] = stack[i][K + j], one[i][j] = stack[K + i][K + j];
  invert(stack, K, root);
  for (Int i = 0; i < K; i++) {
    for (Int j = 0; j < O; j++) push[i][j] = 0;
    add_rows<1>(root.at + i, W, i + 1, work.apart, 0, O, push[i]);
  }
}

// Add what the merge's variable adds to the bilinear part.
void mix(const Factors& out, Int a, Shape shape, Matrix B) {
  const Int W = B.width;
  const Matrix pull = slot(out.pull, a, W), push = slot(out.push, a, W);
  for (Int i = 0; i < shape.K; i++) {
    if (out.merge_plain[a])
      add_rows<1>(pull[0] + i, 0, 1, push, i, shape.O, B[i]);
    else
      add_rows<1>(pull.at + i, W, shape.K, push, 0, shape.O, B[i]);
  }
}

// Fold a decision's actions, those below it folded before.
void fold(const TreeArrays& tree, const double* forms, const double* diagonal, const Factors& out,
          Int n, const Work& work) {
  const Shape shape = shape_of(tree, n);
  const Int W = work.one.width, begin = tree.start[n];
  const Matrix Y = slot(out.Y, n, W);
  for (Int at = 0; at < W * W; at++) Y.at[at] = 0;
  bool plain = take_action(tree, forms, diagonal, out, n, begin, work.one, work.one_B, work);
  for (Int a = begin + 1; a < tree.start[n + 1]; a++) {
    const bool next = take_action(tree, forms, diagonal, out, n, a, work.two, work.two_B, work);
    for (Int i = 0; i < shape.K; i++)
      for (Int j = 0; j < shape.O; j++) work.apart[i][j] = work.two_B[i][j] - work.one_B[i][j];
    out.merge_plain[a] = plain && next;
    if (plain && next) {
      merge_plain(out, a, shape, work);
    } else {
      if (plain) spread(work.one, shape.K);
      if (next) spread(work.two, shape.K);
      merge(out, a, shape, work);
      plain = false;
    }
    for (Int i = 0; i < shape.K; i++)
      if (!out.first[a * W + i])
        for (Int j = 0; j < shape.O; j++) work.one_B[i][j] = work.two_B[i][j];
    mix(out, a, shape, work.one_B);
    const Matrix push = slot(out.push, a, W);
    for (Int i = 0; i < shape.K; i++)
      for (Int j = 0; j < shape.O; j++) work.rows[i][j] = push[i][j];
    absorb(Y, work.rows, shape.K, shape.O, work.reflector);
  }
  out.plain[n] = plain;
  __builtin_memcpy(slot(out.L, n, W).at, work.one.at, sizeof(double) * W * W);
  __builtin_memcpy(slot(out.B, n, W).at, work.one_B.at, sizeof(double) * W * W);
}

void times(Matrix M, bool plain, Int K, const double* v, double* out) {
  for (Int i = 0; i < K; i++) out[i] = plain ? M[0][i] * v[i] : dot(M[i], v, K);
}

void times_transposed(Matrix M, bool plain, Int K, const double* v, double* out) {
  for (Int i = 0; i < K; i++) out[i] = plain ? M[0][i] * v[i] : 0;
  if (!plain) add_rows<1>(v, 1, K, M, 0, K, out);
}

// L'L v.
void square(Matrix L, bool plain, Int K, const double* v, double* spare, double* out) {
  times(L, plain, K, v, spare);
  times_transposed(L, plain, K, spare, out);
}

// What passes along the tree in `solve`.
struct Passed {
  double *kept, *total, *mine, *theirs, *part, *spare, *more;
};

// The linear part of a decision's form: in its own sequence, and in the other's.
void gather(const TreeArrays& tree, const Factors& by, const double* linear, const double* missing,
            Int n, Int W, const Passed& passed) {
  const auto [K, O] = shape_of(tree, n);
  const double* left = missing + tree.number[n] * K;
  double *sum = passed.total + n * W, *h = passed.theirs + n * W;
  double *part = passed.part, *spare = passed.spare;
  for (Int a = tree.start[n]; a < tree.start[n + 1]; a++) {
    const Int child = tree.child[a];
    for (Int i = 0; i < K; i++) part[i] = linear[tree.seq[a] * K + i];
    if (child >= 0) {
      for (Int i = 0; i < K; i++) part[i] += passed.theirs[child * W + i];
      for (Int j = 0; j < O; j++) h[j] += passed.mine[child * W + j];
    }
    if (a == tree.start[n]) {
      for (Int i = 0; i < K; i++) sum[i] = part[i];
      continue;
    }
    double* changed = passed.kept + a * W;
    for (Int i = 0; i < K; i++) {
      spare[i] = part[i] - sum[i];
      if (!by.first[a * W + i]) sum[i] = part[i];
    }
    times_transposed(slot(by.root, a, W), by.merge_plain[a], K, spare, changed);
    times_transposed(slot(by.pull, a, W), by.merge_plain[a], K, changed, spare);
    for (Int i = 0; i < K; i++) sum[i] += spare[i];
    add_rows<-1>(changed, 1, K, slot(by.push, a, W), 0, O, h);
  }
  square(slot(by.L, n, W), by.plain[n], K, left, part, spare);
  for (Int i = 0; i < K; i++) passed.mine[n * W + i] = sum[i] + spare[i];
  add_rows<1>(left, 1, K, slot(by.B, n, W), 0, O, h);
}

// Share out the changes of a decision's player among its actions; find the values of its states.
void share_out(const TreeArrays& tree, const Factors& by, const double* missing, double* own,
               const double* y, double* values, Int n, Int W, const Passed& passed) {
  const auto [K, O] = shape_of(tree, n);
  const Int d = tree.number[n];
  double *part = passed.part, *spare = passed.spare, *more = passed.more;
  for (Int i = 0; i < K; i++) part[i] = own[tree.own[n] * K + i] - missing[d * K + i];
  square(slot(by.L, n, W), by.plain[n], K, part, spare, more);
  const Matrix B = slot(by.B, n, W);
  for (Int i = 0; i < K; i++)
    values[d * K + i] = passed.total[n * W + i] - more[i] + dot(B[i], y, O);
  for (Int a = tree.start[n + 1] - 1; a > tree.start[n]; a--) {
    const Matrix push = slot(by.push, a, W);
    const Int* first = by.first + a * W;
    times(slot(by.pull, a, W), by.merge_plain[a], K, part, spare);
    for (Int i = 0; i < K; i++) spare[i] += passed.kept[a * W + i] + dot(push[i], y, O);
    times(slot(by.root, a, W), by.merge_plain[a], K, spare, more);
    double* changes = own + tree.seq[a] * K;
    for (Int i = 0; i < K; i++) {
      changes[i] = first[i] ? more[i] : part[i] + more[i];
      part[i] = first[i] ? part[i] - more[i] : -more[i];
    }
  }
  for (Int i = 0; i < K; i++) own[tree.seq[tree.start[n]] * K + i] = part[i];
}

}  // namespace

// Fold the tree from its leaves up. Needs 13 W^2 + 2 W numbers of work space.
BOARD_KERNEL(factor_tree)
(const TreeArrays* tree, const Factors* out, Int W, const double* forms, const double* D0,
 const double* D1, double* space) {
  const Int size = W * W;
  const Work work{{space, W},
                  {space + size, W},
                  {space + 2 * size, W},
                  {space + 3 * size, W},
                  {space + 4 * size, W},
                  {space + 5 * size, 2 * W},
                  {space + 9 * size, 2 * W},
                  space + 13 * size};
  for (Int n = tree->player_size - 1; n >= 0; n--)
    fold(*tree, forms, tree->player[n] ? D1 : D0, *out, n, work);
}

// Up the tree the linear parts are gathered, down it the changes are shared out. Needs
// (A + 3 N + 3) W numbers of work space, zeroed.
BOARD_KERNEL(solve_tree)
(const TreeArrays* tree, const Factors* by, Int W, const double* g0, const double* g1,
 const double* missing0, const double* missing1, double* x0, double* x1, double* u0, double* u1,
 double* space) {
  const Int N = tree->player_size, A = tree->seq_size;
  const double *const g[2] = {g0, g1}, *const missing[2] = {missing0, missing1};
  double *const x[2] = {x0, x1}, *const u[2] = {u0, u1};
  Passed passed;
  passed.kept = space;
  passed.total = passed.kept + A * W;
  passed.mine = passed.total + N * W;
  passed.theirs = passed.mine + N * W;
  passed.part = passed.theirs + N * W;
  passed.spare = passed.part + W;
  passed.more = passed.spare + W;
  for (Int n = N - 1; n >= 0; n--) {
    const Int player = tree->player[n];
    gather(*tree, *by, g[player], missing[player], n, W, passed);
  }
  for (Int n = 0; n < N; n++) {
    const Int player = tree->player[n], O = tree->sizes[1 - player];
    share_out(*tree, *by, missing[player], x[player], x[1 - player] + tree->other[n] * O, u[player],
              n, W, passed);
  }
}
