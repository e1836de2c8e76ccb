// Many worlds at once: how far do humanoids fall forward whose masses differ?
//
//   batch [MODEL [WORLDS [SECONDS]]]        default models/humanoid.xml 256 1
//
// Each world scales the masses by a factor between 0.7 and 1.3.  After the time has passed the
// program prints the mean height of the first body for five ranges of the factor, and the worlds
// that were lost.
//
//   cc batch.c -lcortenforge -lm
#include <stdio.h>
#include <stdlib.h>

#include <cortenforge/batch.h>

enum { NRANGE = 5 };


static int fail(const char* text) {
  fprintf(stderr, "batch: %s\n", text);
  return 1;
}


// masses and inertias of every world times its factor
static int scaleMasses(cfBatch* batch, const mjModel* m, const double* factor, int nworld) {
  const size_t nbody = (size_t)m->nbody;
  mjtNum* mass = malloc(sizeof(mjtNum) * nbody * (size_t)nworld);
  mjtNum* inertia = malloc(sizeof(mjtNum) * 3 * nbody * (size_t)nworld);
  int is_good = mass && inertia;
  for (size_t w = 0; is_good && w < (size_t)nworld; w++) {
    for (size_t i = 0; i < nbody; i++) {
      mass[w * nbody + i] = factor[w] * m->body_mass[i];
    }
    for (size_t i = 0; i < 3 * nbody; i++) {
      inertia[w * 3 * nbody + i] = factor[w] * m->body_inertia[i];
    }
  }
  is_good = is_good && cf_batchSet(batch, "body_mass", NULL, nworld, CF_ORDER_WORLD, mass) &&
            cf_batchSet(batch, "body_inertia", NULL, nworld, CF_ORDER_WORLD, inertia);
  free(mass);
  free(inertia);
  return is_good;
}


// field by field: all heights stand side by side
static int printHeights(cfBatch* batch, const mjModel* m, const double* factor, int nworld) {
  mjtNum* xpos = malloc(sizeof(mjtNum) * 3 * (size_t)m->nbody * (size_t)nworld);
  if (!xpos || !cf_batchGet(batch, "xpos", NULL, nworld, CF_ORDER_FIELD, xpos)) {
    free(xpos);
    return 0;
  }
  const mjtNum* height = xpos + 5 * (size_t)nworld;  // z of body 1
  for (int k = 0; k < NRANGE; k++) {
    double sum = 0;
    int n = 0;
    for (int w = 0; w < nworld; w++) {
      if ((int)((factor[w] - 0.7) / 0.6 * NRANGE) == k) {
        sum += height[w];
        n++;
      }
    }
    printf("masses %.2f to %.2f: %4d worlds, mean height %.4f m\n", 0.7 + 0.6 / NRANGE * k,
           0.7 + 0.6 / NRANGE * (k + 1), n, n ? sum / n : 0);
  }
  free(xpos);
  return 1;
}


int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "models/humanoid.xml";
  const int nworld = argc > 2 ? atoi(argv[2]) : 256;
  const double seconds = argc > 3 ? atof(argv[3]) : 1;
  char error[500];
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    return fail(error);
  }
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs = "xpos";
  options.noise_scale = 0.2;
  options.noise_rate = 0.1;
  cfBatch* batch = m->nbody > 1 ? cf_makeBatch(m, nworld, &options, error, sizeof(error)) : NULL;
  if (!batch) {
    return fail(m->nbody > 1 ? error : "the model has no body");
  }
  double* factor = malloc(sizeof(double) * (size_t)nworld);
  for (int w = 0; factor && w < nworld; w++) {
    factor[w] = 0.7 + 0.6 * w / nworld;
  }
  const int is_good = factor && scaleMasses(batch, m, factor, nworld) &&
                      cf_batchStep(batch, (int)(seconds / m->opt.timestep)) &&
                      printHeights(batch, m, factor, nworld);
  if (is_good) {
    printf("%d worlds, %.3f s, %lld lost\n", nworld, seconds, (long long)cf_batchLost(batch));
  } else {
    fail(cf_batchError(batch));
  }
  free(factor);
  cf_freeBatch(batch);
  mj_deleteModel(m);
  return !is_good;
}
