// cortenforge info: sizes, options, memory and names of a model.
#include <string.h>

#include <mujoco/mjxmacro.h>

#include <cortenforge/batch.h>

#include "cli.h"

// object types that have names worth listing
static const int named_types[] = {mjOBJ_BODY,   mjOBJ_JOINT,    mjOBJ_GEOM,    mjOBJ_SITE,
                                  mjOBJ_CAMERA, mjOBJ_LIGHT,    mjOBJ_MESH,    mjOBJ_HFIELD,
                                  mjOBJ_TENDON, mjOBJ_ACTUATOR, mjOBJ_SENSOR,  mjOBJ_EQUALITY,
                                  mjOBJ_KEY,    mjOBJ_TEXTURE,  mjOBJ_MATERIAL};
enum { TYPE_COUNT = sizeof(named_types) / sizeof(named_types[0]) };


static int countOf(const mjModel* m, int type) {
  switch (type) {
    case mjOBJ_BODY:
      return (int)m->nbody;
    case mjOBJ_JOINT:
      return (int)m->njnt;
    case mjOBJ_GEOM:
      return (int)m->ngeom;
    case mjOBJ_SITE:
      return (int)m->nsite;
    case mjOBJ_CAMERA:
      return (int)m->ncam;
    case mjOBJ_LIGHT:
      return (int)m->nlight;
    case mjOBJ_MESH:
      return (int)m->nmesh;
    case mjOBJ_HFIELD:
      return (int)m->nhfield;
    case mjOBJ_TENDON:
      return (int)m->ntendon;
    case mjOBJ_ACTUATOR:
      return (int)m->nu;
    case mjOBJ_SENSOR:
      return (int)m->nsensor;
    case mjOBJ_EQUALITY:
      return (int)m->neq;
    case mjOBJ_KEY:
      return (int)m->nkey;
    case mjOBJ_TEXTURE:
      return (int)m->ntex;
    case mjOBJ_MATERIAL:
      return (int)m->nmat;
    default:
      return 0;
  }
}


// bytes that one more world of a batch takes; 0: there is no memory for a batch
static long long worldBytes(const mjModel* m) {
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.nthread = options.nlane = 1;
  cfBatch* batch = cf_makeBatch(m, 1, &options, NULL, 0);
  const long long bytes = batch ? (long long)cf_batchWorldBytes(batch) : 0;
  cf_freeBatch(batch);
  return bytes;
}


static void printJson(const mjModel* m, const mjData* d) {
  cliJson j = {.out = stdout};
  cli_jsonOpen(&j, NULL, '{');
  cli_jsonText(&j, "model", m->names);
  cli_jsonOpen(&j, "sizes", '{');
#define X(name) cli_jsonInt(&j, #name, (long long)m->name);
  MJMODEL_SIZES
#undef X
  cli_jsonClose(&j, '}');
  cli_jsonOpen(&j, "memory", '{');
  cli_jsonInt(&j, "model_bytes", (long long)mj_sizeModel(m));
  cli_jsonInt(&j, "data_buffer_bytes", (long long)d->nbuffer);
  cli_jsonInt(&j, "data_arena_bytes", (long long)d->narena);
  cli_jsonInt(&j, "batch_world_bytes", worldBytes(m));
  cli_jsonClose(&j, '}');
  cli_jsonParts(&j, m);
  cli_jsonOpen(&j, "names", '{');
  for (int t = 0; t < TYPE_COUNT; t++) {
    cli_jsonOpen(&j, mju_type2Str(named_types[t]), '[');
    for (int i = 0; i < countOf(m, named_types[t]); i++) {
      const char* name = mj_id2name(m, named_types[t], i);
      cli_jsonText(&j, NULL, name ? name : "");
    }
    cli_jsonClose(&j, ']');
  }
  cli_jsonClose(&j, '}');
  cli_jsonClose(&j, '}');
}


static void printText(const mjModel* m, const mjData* d, bool with_names) {
  static const char* const solvers[] = {"PGS", "CG", "Newton"};
  double mass = 0;
  for (int b = 0; b < m->nbody; b++) {
    mass += m->body_mass[b];
  }

  printf("model        %s\n", m->names);
  printf("coordinates  nq %d, nv %d, nu %d, na %d, %d trees\n", (int)m->nq, (int)m->nv, (int)m->nu,
         (int)m->na, (int)m->ntree);
  printf("mass         %g kg in %d bodies\n", mass, (int)m->nbody);
  printf("step         %g s, %s, %s, %s cones\n", m->opt.timestep,
         cli_integratorName(m->opt.integrator), solvers[m->opt.solver % 3],
         m->opt.cone == mjCONE_PYRAMIDAL ? "pyramidal" : "elliptic");
  printf("memory       model %.1f kB, data %.1f kB, arena %.1f kB, a world of a batch %.1f kB\n",
         mj_sizeModel(m) / 1e3, d->nbuffer / 1e3, d->narena / 1e3, (double)worldBytes(m) / 1e3);
  cli_printParts(m);
  for (int t = 0; t < TYPE_COUNT; t++) {
    const int n = countOf(m, named_types[t]);
    if (!n) {
      continue;
    }
    printf("%-12s %d\n", mju_type2Str(named_types[t]), n);
    for (int i = 0; with_names && i < n; i++) {
      char name[64];
      printf("  %4d  %s\n", i, cli_nameOf(m, named_types[t], i, name));
    }
  }
}


typedef struct {
  bool as_json, with_names;
} infoRequest;

static const cliOption option_table[] = {{"--json", NULL, offsetof(infoRequest, as_json)},
                                         {"--names", NULL, offsetof(infoRequest, with_names)}};


static int runInfo(int argc, char** argv) {
  infoRequest request = {false, false};
  const int n = cli_parse(&cli_info, argc, argv, &request);
  if (n < 0 || n > 1) {
    if (n > 1) {
      cli_error("one model at a time");
    }
    return CLI_USAGE;
  }

  cliExit code;
  mjModel* m = cli_load(n ? argv[0] : NULL, &code);
  if (!m) {
    return code;
  }
  mjData* d = mj_makeData(m);
  if (request.as_json) {
    printJson(m, d);
  } else {
    printText(m, d, request.with_names);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return CLI_OK;
}


const cliCommand cli_info = {
    "info",
    "MODEL [--names] [--json]",
    "sizes, memory and names of a model",
    "DESCRIPTION\n"
    "  Loads MODEL (MJCF, URDF or MJB; - is standard input; without one the embedded humanoid) and prints what it contains.\n\n"
    "OPTIONS\n"
    "  --names  list the name of every body, joint, geom, ...\n"
    "  --json   every size, memory and names as one JSON object\n",
    runInfo,
    CLI_OPTIONS(option_table)};
