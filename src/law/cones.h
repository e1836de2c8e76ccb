// Law of elliptic cones: cost of the rows of a contact whose friction is bounded by an ellipse.
//
// In the space where the cone is circular with slope mu, N is the residual of the normal and T the
// length of the tangents'.  Its polar cone and the cone itself make three zones:
//   top       N >= mu*T        no force
//   bottom    mu*N + T <= 0    every row by itself, D/2 x^2
//   middle    else             Dm/2 (N - mu*T)^2
#ifndef CF_LAW_CONES_H
#define CF_LAW_CONES_H

#include "law/rowcost.h"

// a contact at residuals x
typedef struct {
  cfNum mu, Dm;  // known before
  cfNum N, T;
} lawCone;


// Weight of the middle zone; D: of the normal row.
CF_LAW_LEAF cfNum lawConeWeight(cfNum D, cfNum mu) {
  return D / (mu * mu * (1 + mu * mu));
}


// Place a cone whose slope and weight are known; friction: of the tangents.  The dimension is a
// constant where this and what follows is inlined, and the numbers stay in registers.
CF_LAW_LEAF void lawPlaceCone(lawCone* c, const cfNum* x, const cfNum* friction, const int dim) {
  CF_ASSERT(dim > 1 && dim <= 6);
  cfNum sum = numOf(0);
  for (int k = 1; k < dim; k++) {
    const cfNum u = x[k] * friction[k - 1];
    sum = sum + u * u;
  }
  c->N = x[0] * c->mu;
  c->T = numSqrt(sum);
}


// The zone: top, bottom, else the middle.
CF_LAW_LEAF void lawConeZone(const lawCone* c, cfIs* is_top, cfIs* is_low) {
  const cfIs is_axis = c->T <= 0;
  *is_top = numOr(c->N >= c->mu * c->T, numAnd(is_axis, c->N >= 0));
  *is_low = numAnd(numNot(*is_top), numOr(c->mu * c->N + c->T <= 0, numAnd(is_axis, c->N < 0)));
}


// Cost of the bottom zone.
CF_LAW_LEAF cfNum lawLowCost(const cfNum* x, const cfNum* D, const int dim) {
  cfNum cost = numOf(0);
  for (int k = 0; k < dim; k++) {
    cost = cost + (cfReal)0.5 * D[k] * x[k] * x[k];
  }
  return cost;
}


// Forces and cost, with the zone.  Forces are not computed where only the cost is wanted.
CF_LAW_LEAF cfNum lawUpdateCone(const lawCone* c, const cfNum* x, const cfNum* D,
                                const cfNum* friction, const int dim, cfNum* force,
                                const bool is_cost, cfIs* is_top, cfIs* is_low) {
  const cfNum zero = numOf(0);
  lawConeZone(c, is_top, is_low);
  if (CF_LAW_SOONER(*is_top)) {
    for (int k = 0; k < dim && !is_cost; k++) {
      force[k] = zero;
    }
    return zero;
  }
  if (CF_LAW_SOONER(*is_low)) {
    for (int k = 0; k < dim && !is_cost; k++) {
      force[k] = -D[k] * x[k];
    }
    return lawLowCost(x, D, dim);
  }
  const cfNum gap = c->N - c->mu * c->T, push = -c->Dm * gap * c->mu;
  const cfNum cost = (cfReal)0.5 * c->Dm * gap * gap;
  if (!is_cost) {
    force[0] = numChoose(*is_top, zero, numChoose(*is_low, -D[0] * x[0], push));
  }
  for (int k = 1; k < dim && !is_cost; k++) {
    const cfNum mu = friction[k - 1];
    force[k] =
        numChoose(*is_top, zero, numChoose(*is_low, -D[k] * x[k], -push / c->T * (x[k] * mu) * mu));
  }
  if (numNone(*is_low)) {
    return numChoose(*is_top, zero, cost);
  }
  return numChoose(*is_top, zero, numChoose(*is_low, lawLowCost(x, D, dim), cost));
}


// Second derivative of the cost in the middle zone, dim rows of `stride` numbers.
CF_LAW_LEAF void lawConeHessian(cfNum* H, const int stride, const lawCone* c, const cfNum* x,
                                const cfNum* friction, const int dim) {
  CF_ASSERT(dim <= 6 && dim <= stride);
  const cfNum along = c->mu * c->N / (c->T * c->T * c->T);
  const cfNum across = c->mu * c->mu - c->mu * c->N / c->T;
  cfNum u[6], scale[6];
  for (int k = 0; k < dim; k++) {
    scale[k] = k ? friction[k - 1] : c->mu;
    u[k] = x[k] * scale[k];
  }
  for (int i = 0; i < dim; i++) {
    for (int j = i; j < dim; j++) {
      cfNum h = numOf(1);
      if (i) {
        h = along * u[i] * u[j];
      } else if (j) {
        h = -c->mu / c->T * u[j];
      }
      if (i == j && i > 0) {
        h = h + across;
      }
      H[i * stride + j] = H[j * stride + i] = c->Dm * scale[i] * scale[j] * h;
    }
  }
}

// ---------------------------------------- along a line

typedef struct {
  cfNum u0, v0;      // normal: value, direction
  cfNum uu, uv, vv;  // tangents: dot products of value and direction
  cfNum mu, Dm;
  lawParabola low;  // all rows quadratic
} lawConeLine;


// A contact at residuals x that change by v per unit of the line.
CF_LAW_LEAF void lawOpenConeLine(lawConeLine* line, const cfNum* x, const cfNum* v, const cfNum* D,
                                 cfNum mu, const cfNum* friction, const int dim) {
  CF_ASSERT(dim > 1 && dim <= 6);
  const cfNum zero = numOf(0);
  line->mu = mu;
  line->u0 = x[0] * mu;
  line->v0 = v[0] * mu;
  line->uu = line->uv = line->vv = zero;
  line->low = (lawParabola){zero, zero, zero};
  for (int k = 0; k < dim; k++) {
    const cfNum Dx = D[k] * x[k];
    lawAddParabola(&line->low, x[k] * Dx, v[k] * Dx, v[k] * D[k] * v[k]);
    if (k > 0) {
      const cfNum u = x[k] * friction[k - 1], w = v[k] * friction[k - 1];
      line->uu = line->uu + u * u;
      line->uv = line->uv + u * w;
      line->vv = line->vv + w * w;
    }
  }
  line->low.c = line->low.c * (cfReal)0.5;
  line->low.a = line->low.a * (cfReal)0.5;
}


// Add the cost at a point of the line, with its derivatives: of the bottom zone to the parabolas,
// of the middle one to the numbers `at`.
CF_LAW_LEAF void lawSumCone(const lawConeLine* k, cfNum alpha, cfIs is_in, lawParabola* sum,
                            cfNum* cost, cfNum* slope, cfNum* curvature) {
  const cfNum N = k->u0 + alpha * k->v0, T2 = k->uu + alpha * (2 * k->uv + alpha * k->vv);
  const cfIs is_axis = T2 <= 0;
  const cfNum zero = numOf(0), T = numChoose(is_axis, zero, numSqrt(T2));
  const cfIs is_top =
      numOr(numAnd(is_axis, numNot(N < 0)), numAnd(numNot(is_axis), N >= k->mu * T));
  const cfIs is_rest = is_in & numNot(is_top);
  if (CF_LAW_SOONER(numNone(is_rest))) {
    return;
  }
  const cfIs is_low = numAnd(is_rest, numOr(is_axis, k->mu * N + T <= 0));
  const cfIs is_middle = is_rest & numNot(is_low);
  if (CF_LAW_SOONER(is_low)) {
    lawAddParabola(sum, k->low.c, k->low.b, k->low.a);
    return;
  }
  if (!CF_LAW_SOONER(true)) {
    lawAddParabola(sum, numChoose(is_low, k->low.c, zero), numChoose(is_low, k->low.b, zero),
                   numChoose(is_low, k->low.a, zero));
  }
  if (numNone(is_middle)) {
    return;
  }
  const cfNum along = k->uv + alpha * k->vv, T_1 = along / T,
              T_2 = k->vv / T - along * T_1 / (T * T);
  const cfNum gap = N - k->mu * T, gap_1 = k->v0 - k->mu * T_1;
  const cfNum rise = k->Dm * (gap_1 * gap_1 + gap * (-k->mu * T_2));
  *cost = *cost + numChoose(is_middle, (cfReal)0.5 * k->Dm * gap * gap, zero);
  *slope = *slope + numChoose(is_middle, k->Dm * gap * gap_1, zero);
  *curvature = *curvature + numChoose(is_middle, rise, zero);
}

#endif  // CF_LAW_CONES_H
