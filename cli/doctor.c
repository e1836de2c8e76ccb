// cortenforge doctor: what a user, or whoever helps him, wants to know first.
#include <stdlib.h>
#include <string.h>

#include <cortenforge/cortenforge.h>

#include "offscreen.h"
#include "package.h"
#include "view/glfwwindow.h"

// what the report is made of
typedef struct {
  char cpu[200];
  char library[CLI_PATH_MAX];  // empty: not found
  char plugins[1000];
  char pictures[256], windows[256];
  int nplugin;
  long cores;
  cliPackage package;
  bool has_package;
  bool is_simulating;
} diagnosis;


static void listCpu(char text[200]) {
  text[0] = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  snprintf(text, 200, "x86-64%s%s%s%s", __builtin_cpu_supports("avx") ? " avx" : "",
           __builtin_cpu_supports("avx2") ? " avx2" : "",
           __builtin_cpu_supports("fma") ? " fma" : "",
           __builtin_cpu_supports("avx512f") ? " avx512f" : "");
#elif defined(__aarch64__)
  snprintf(text, 200, "aarch64 neon");
#else
  snprintf(text, 200, "unknown");
#endif
}


static void listPlugins(diagnosis* d) {
  d->nplugin = mjp_pluginCount();
  for (int i = 0; i < d->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(i);
    const size_t used = strlen(d->plugins);
    snprintf(d->plugins + used, sizeof(d->plugins) - used, "%s%s", used ? " " : "",
             plugin ? plugin->name : "?");
  }
}


// one second of the embedded model
static bool simulates(void) {
  cliExit code;
  mjModel* m = cli_load(NULL, &code);
  mjData* d = m ? mj_makeData(m) : NULL;
  bool is_ok = d != NULL;
  while (is_ok && d->time < 1) {
    mj_step(m, d);
    is_ok = !cli_countWarnings(d);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return is_ok;
}


// what pictures and windows would be made by, or what is missing
static void listDrawing(diagnosis* d) {
  cliOffscreen gl;
  if (cli_openOffscreen(&gl, 0, 0, d->pictures)) {
    snprintf(d->pictures, sizeof(d->pictures), "OpenGL by %s", gl.is_egl ? "EGL" : "OSMesa");
    cli_closeOffscreen(&gl);
  }
  const char* display = cfi_environment("DISPLAY");
  display = display && display[0] ? display : cfi_environment("WAYLAND_DISPLAY");
  const bool has_display = display && display[0];
  snprintf(d->windows, sizeof(d->windows), "%s, %s%.100s",
           cli_windowLibrary() ? "GLFW 3" : "no GLFW 3 (libglfw3)",
           has_display ? "display " : "no display", has_display ? display : "");
}


// whose library the package has, and what can be done about it
static const char* adviceFor(const diagnosis* d) {
  static char text[200];
  if (d->package.is_adopted) {
    return "ours; 'cortenforge adopt --undo' puts MuJoCo's back";
  }
  if (strcmp(d->package.version, mj_versionString()) != 0) {
    snprintf(text, sizeof(text),
             "MuJoCo's; ours stands in for mujoco %s alone (pip install mujoco==%s)",
             mj_versionString(), mj_versionString());
    return text;
  }
  return d->library[0] ? "MuJoCo's; 'cortenforge adopt' puts ours in its place"
                       : "MuJoCo's; ours is not here to be put in its place";
}


static void printReport(const diagnosis* d) {
  const cliPackage* p = &d->package;
  printf("version     %s, API of MuJoCo %s\n", cf_versionString(), mj_versionString());
  printf("library     %s\n",
         d->library[0] ? d->library : "the file that stands in for MuJoCo's is not here");
  printf("processor   %s, %ld cores\n", d->cpu, d->cores);
  printf("plugins     %d%s%s\n", d->nplugin, d->nplugin ? ": " : "", d->plugins);
  printf("simulation  %s\n",
         d->is_simulating ? "one second of the humanoid without a warning" : "FAILED");
  printf("pictures    %s\n", d->pictures);
  printf("windows     %s\n", d->windows);
  if (d->has_package) {
    printf("python      %s, mujoco %s in %s\n", p->python, p->version, p->folder);
    printf("            its library is %s\n", adviceFor(d));
  } else {
    printf("python      %s: %s\n", p->python,
           p->python_status ? "cannot be asked" : "no package mujoco");
  }
}


static void printReportJson(const diagnosis* d) {
  cliJson j = {.out = stdout};
  cli_jsonOpen(&j, NULL, '{');
  cli_jsonText(&j, "version", cf_versionString());
  cli_jsonText(&j, "mujoco_api", mj_versionString());
  cli_jsonText(&j, "library", d->library);
  cli_jsonText(&j, "processor", d->cpu);
  cli_jsonInt(&j, "cores", d->cores);
  cli_jsonInt(&j, "plugins", d->nplugin);
  cli_jsonText(&j, "plugin_names", d->plugins);
  cli_jsonInt(&j, "simulation_ok", d->is_simulating);
  cli_jsonText(&j, "pictures", d->pictures);
  cli_jsonText(&j, "windows", d->windows);
  cli_jsonText(&j, "python", d->package.python);
  cli_jsonText(&j, "package_version", d->package.version);
  cli_jsonText(&j, "package_folder", d->package.folder);
  cli_jsonInt(&j, "package_adopted", d->package.is_adopted);
  cli_jsonClose(&j, '}');
  printf("\n");
}


static const cliOption option_table[] = {{"--json", NULL, 0}};


static int runDoctor(int argc, char** argv) {
  bool as_json = false;
  const int nargument = cli_parse(&cli_doctor, argc, argv, &as_json);
  if (nargument < 0 || nargument > 1) {
    cli_usage(&cli_doctor);
    return CLI_USAGE;
  }
  diagnosis* d = calloc(1, sizeof(diagnosis));
  if (!d) {
    return CLI_IO;
  }
  listCpu(d->cpu);
  listPlugins(d);
  d->cores = cfi_processors();
  if (!cli_ownLibrary(d->library)) {
    d->library[0] = 0;
  }
  d->is_simulating = simulates();
  listDrawing(d);
  d->has_package = cli_findPackage(&d->package, nargument ? argv[0] : NULL);
  if (as_json) {
    printReportJson(d);
  } else {
    printReport(d);
  }
  const int code = d->is_simulating ? CLI_OK : CLI_UNSTABLE;
  free(d);
  return code;
}


const cliCommand cli_doctor = {
    "doctor",
    "[--json] [VENV]",
    "say what is installed and whether it works",
    "DESCRIPTION\n"
    "  Prints the version, where the library is, what the processor offers, the plugins that are\n"
    "  registered, whether a second of simulation runs, what pictures and windows are made by, and the Python package mujoco of the active\n"
    "  virtual environment, or of VENV: its version, and whether its library is ours.\n"
    "\n"
    "OPTIONS\n"
    "  --json  the same as JSON\n",
    runDoctor,
    CLI_OPTIONS(option_table)};
