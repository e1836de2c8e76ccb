// A model inside the page of `make web`: one HTML file that simulates it in a browser.
//
// The page reads its model from a script element right before its visible part: JSON with the name
// of the model and the bytes of all its files in base 64, named from the folder that holds them
// all.
#include "webpage.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "view/view.h"

// where the visible part of the page begins
static const char visible[] = "<main id=\"app\">";


// the whole of a file, with a zero after it; NULL with a message
static char* readFile(const char* path, size_t* size) {
  cfFileInfo info;
  FILE* in = cfi_fileInfo(path, &info) && info.is_regular ? cfi_fileOpen(path, "rb") : NULL;
  char* bytes = in ? malloc((size_t)info.size + 1) : NULL;
  *size = bytes ? fread(bytes, 1, (size_t)info.size, in) : 0;
  if (in) {
    fclose(in);
  }
  if (!bytes) {
    cli_error("cannot read %s", path);
    return NULL;
  }
  bytes[*size] = '\0';
  return bytes;
}


// the page beside this program, in a build, or where it is installed; false with a message
static bool findPage(char path[CF_PATH_MAX]) {
  static const char* const places[] = {"web", "../web", "../share/cortenforge"};
  char own[CF_PATH_MAX];
  const char* slash = cli_ownProgram(own) ? strrchr(own, '/') : NULL;
  for (size_t k = 0; slash && k < sizeof(places) / sizeof(places[0]); k++) {
    snprintf(path, CF_PATH_MAX, "%.*s/%s/cortenforge.html", (int)(slash - own), own, places[k]);
    if (cfi_fileIsReadable(path)) {
      return true;
    }
  }
  cli_error("there is no page for browsers beside this program; 'make web' makes one");
  return false;
}


// text as JSON that is safe inside a script element
static void writeText(FILE* out, const char* text) {
  fputc('"', out);
  for (const unsigned char* c = (const unsigned char*)text; *c; c++) {
    if (*c < ' ' || *c == '"' || *c == '\\' || *c == '<') {
      fprintf(out, "\\u%04x", *c);
    } else {
      fputc(*c, out);
    }
  }
  fputc('"', out);
}


static bool writeBytes(FILE* out, const char* bytes, size_t size) {
  char* text = malloc(4 * (size / 3 + 1) + 1);
  if (text) {
    mju_encodeBase64(text, (const uint8_t*)bytes, size);
    fprintf(out, "\"%s\"", text);
  }
  free(text);
  return text;
}


static bool writeMember(FILE* out, const char* name, const char* bytes, size_t size) {
  writeText(out, name);
  fputc(':', out);
  return writeBytes(out, bytes, size);
}


// characters of the folder that holds all files, with its slash; their paths become full ones
static size_t commonFolder(viewWatch* files) {
  size_t common = 0;
  for (int k = 0; k < files->count; k++) {
    char real[CF_PATH_MAX];
    char* full = cfi_realPath(files->file[k].path, real) ? strdup(real) : NULL;
    if (full) {
      free(files->file[k].path);
      files->file[k].path = full;
    }
    const char *first = files->file[0].path, *path = files->file[k].path;
    size_t same = 0;
    for (size_t i = 0; first[i] && first[i] == path[i]; i++) {
      same = first[i] == '/' ? i + 1 : same;
    }
    common = k == 0 || same < common ? same : common;
  }
  return common;
}


//---------------------------------- recordings ----------------------------------------------------

bool cli_startRecording(cliRecording* r, const mjModel* m, const mjData* d) {
  *r = (cliRecording){.nstate = mj_stateSize(m, mjSTATE_INTEGRATION), .nctrl = (int)m->nu};
  r->timestep = m->opt.timestep;
  r->state = malloc(sizeof(mjtNum) * (size_t)(r->nstate + 1));
  if (r->state) {
    mj_getState(m, d, r->state, mjSTATE_INTEGRATION);
  }
  return r->state;
}


bool cli_recordStep(cliRecording* r, const mjData* d) {
  const size_t row = (size_t)r->nctrl;
  if (r->steps == r->room) {
    const size_t room = 2 * r->room + 1000;
    mjtNum* grown = realloc(r->ctrl, sizeof(mjtNum) * room * (row + 1));
    if (!grown) {
      return false;
    }
    r->ctrl = grown;
    r->room = room;
  }
  if (row) {
    memcpy(r->ctrl + r->steps * row, d->ctrl, sizeof(mjtNum) * row);
  }
  r->steps++;
  return true;
}


void cli_freeRecording(cliRecording* r) {
  free(r->state);
  free(r->ctrl);
  *r = (cliRecording){0};
}


// thirty states per second are shown again
static bool writeRecording(FILE* out, const cliRecording* r) {
  const double stride = 1 / (30 * r->timestep);
  fprintf(out, ",\"recording\":{\"steps\":%zu,\"stride\":%.0f,\"hash\":\"%s\",\"state\":", r->steps,
          stride > 1 ? stride : 1, r->hash);
  bool is_written = writeBytes(out, (const char*)r->state, sizeof(mjtNum) * (size_t)r->nstate);
  fputs(",\"ctrl\":", out);
  const size_t nctrl = r->steps * (size_t)r->nctrl;
  is_written = writeBytes(out, (const char*)r->ctrl, sizeof(mjtNum) * nctrl) && is_written;
  fputc('}', out);
  return is_written;
}


//---------------------------------- the page ------------------------------------------------------

static cliExit writeFiles(FILE* out, viewWatch* files) {
  const size_t common = commonFolder(files);
  fputs("{\"name\":", out);
  writeText(out, files->file[0].path + common);
  fputs(",\"files\":{", out);
  for (int k = 0; k < files->count; k++) {
    size_t size;
    char* bytes = readFile(files->file[k].path, &size);
    fputs(k ? "," : "", out);
    const bool is_written = bytes && writeMember(out, files->file[k].path + common, bytes, size);
    free(bytes);
    if (!is_written) {
      return CLI_IO;
    }
  }
  fputc('}', out);
  return CLI_OK;
}


static cliExit writeModel(FILE* out, const char* model) {
  if (!model) {
    fputs("{\"name\":\"humanoid.xml\",\"files\":{", out);
    const bool is_written = writeMember(out, "humanoid.xml", cli_humanoid, strlen(cli_humanoid));
    fputc('}', out);
    return is_written ? CLI_OK : CLI_IO;
  }
  const char* file = cli_isStream(model) ? cli_streamFile(model) : model;
  viewWatch files = {NULL, 0, 0};
  if (file) {
    cli_watchModel(&files, file);
  }
  const cliExit code = files.count ? writeFiles(out, &files) : CLI_IO;
  cli_watchFree(&files);
  return code;
}


cliExit cli_writePage(const char* model, const char* page, const cliRecording* recording) {
  char path[CF_PATH_MAX];
  size_t size;
  char* text = findPage(path) ? readFile(path, &size) : NULL;
  const char* middle = text ? strstr(text, visible) : NULL;
  FILE* out = middle ? cfi_fileOpen(page, "wb") : NULL;
  if (text && !out) {
    cli_error(middle ? "cannot write %s" : "%s is not the page of 'make web'",
              middle ? page : path);
  }
  cliExit code = CLI_IO;
  if (out) {
    fwrite(text, 1, (size_t)(middle - text), out);
    fputs("<script type=\"application/json\" id=\"cortenforge-model\">", out);
    code = writeModel(out, model);
    if (code == CLI_OK && recording && !writeRecording(out, recording)) {
      cli_error("not enough memory for the recording");
      code = CLI_IO;
    }
    fputs("}</script>", out);
    fwrite(middle, 1, size - (size_t)(middle - text), out);
    const bool is_broken = ferror(out) || code != CLI_OK;
    if ((fclose(out) != 0 || is_broken) && code == CLI_OK) {
      cli_error("cannot write %s", page);
      code = CLI_IO;
    }
  }
  free(text);
  return code;
}


bool cli_openPage(const char* page) {
  char output[400];
#if defined(_WIN32)
  const char* words[] = {"cmd", "/c", "start", "", page, NULL};
#elif defined(__APPLE__)
  const char* words[] = {"open", page, NULL};
#else
  if (!cfi_environment("DISPLAY") && !cfi_environment("WAYLAND_DISPLAY")) {
    return false;
  }
  const char* words[] = {"xdg-open", page, NULL};
#endif
  return cli_runProgram(words, output, sizeof(output)) == 0;
}
