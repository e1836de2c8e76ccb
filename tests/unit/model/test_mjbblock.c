// Extensions in binary models: round trip, MuJoCo loads and keeps them, everything that can be
// wrong.
#include "cf_guard.h"
#include "cf_models.h"
#include "cf_reference.h"
#include "cf_test.h"

#include <unistd.h>

#include <cortenforge/flex.h>

#include "model/extension.h"
#include "model/mjbblock.h"

enum { FOOTER = 24 };

typedef struct {
  char* bytes;
  size_t nbyte, end_of_block;
  mjtSize nblock;
} savedModel;

static mjModel* loadSheet(void) {
  return mj_loadModel(CF_SOURCE_DIR "/tests/data/flex/sheet.mjb", NULL);
}


// a sheet with models of ours, as bytes
static savedModel saveSheet(void) {
  mjModel* m = loadSheet();
  CF_TRUE(cf_setFlexBending(m, 0, "bridson", NULL, 0));
  CF_TRUE(cf_setFlexElasticity(m, 0, "neo_hookean", NULL, 0));
  savedModel saved = {.nbyte = (size_t)mj_sizeModel(m), .nblock = cfi_blockBytes(m)};
  saved.bytes = malloc(saved.nbyte);
  mj_saveModel(m, NULL, saved.bytes, (int)saved.nbyte);
  for (size_t k = 8; k <= saved.nbyte && !saved.end_of_block; k++) {
    saved.end_of_block = memcmp(saved.bytes + k - 8, "CFBLOCK1", 8) ? 0 : k;
  }
  CF_TRUE(saved.nblock > FOOTER && saved.end_of_block > 0);
  mj_deleteModel(m);
  return saved;
}


static char* blockOf(savedModel saved) {
  return saved.bytes + saved.end_of_block - saved.nblock;
}


// make the checksum right again
static void signBlock(savedModel saved) {
  uint64_t sum = 14695981039346656037u;
  for (int k = 0; k < saved.nblock - FOOTER; k++) {
    sum = (sum ^ (unsigned char)blockOf(saved)[k]) * 1099511628211u;
  }
  memcpy(blockOf(saved) + saved.nblock - 16, &sum, sizeof(sum));
}


// the bytes are refused with one warning that holds the phrase
static void refuse(savedModel saved, const char* phrase) {
  cf_guardClear();
  CF_TRUE(mj_loadModelBuffer(saved.bytes, (int)saved.nbyte) == NULL);
  CF_EQ_INT(cf_warning_count, 1);
  CF_HAS_STR(cf_warning_text, phrase);
  free(saved.bytes);
}


CF_TEST(mjbBlock__models_of_a_flex__come_back_with_the_same_numbers) {
  savedModel saved = saveSheet();
  mjModel *plain = loadSheet(), *m = mj_loadModelBuffer(saved.bytes, (int)saved.nbyte);
  CF_TRUE(m != NULL);
  CF_EQ_STR(cf_flexBending(m, 0), "bridson");
  CF_EQ_STR(cf_flexElasticity(m, 0), "neo_hookean");

  // but for the extensions it is the model without them
  CF_EQ_INT(m->npaths, plain->npaths);
  CF_EQ_INT(m->nbuffer, plain->nbuffer);
  CF_EQ_INT(mj_sizeModel(m), saved.nbyte);
  CF_EQ_INT(mj_sizeModel(plain) + saved.nblock, saved.nbyte);
  char* again = malloc(saved.nbyte);
  mj_saveModel(m, NULL, again, (int)saved.nbyte);
  CF_EQ_BYTES(again, saved.bytes, saved.nbyte);

  // constants were made again: the same forces
  CF_TRUE(cf_setFlexBending(plain, 0, "bridson", NULL, 0));
  CF_TRUE(cf_setFlexElasticity(plain, 0, "neo_hookean", NULL, 0));
  mjData *a = mj_makeData(m), *b = mj_makeData(plain);
  for (int k = 0; k < m->nq; k++) {
    a->qpos[k] = b->qpos[k] = 0.01 * sin(k);
  }
  mj_forward(m, a);
  mj_forward(plain, b);
  CF_TRUE(mju_norm(a->qfrc_spring, (int)m->nv) > 0);
  CF_EQ_BYTES(a->qfrc_spring, b->qfrc_spring, sizeof(mjtNum) * (size_t)m->nv);

  // MuJoCo's choice again: MuJoCo's file again
  CF_TRUE(cf_setFlexBending(m, 0, NULL, NULL, 0));
  CF_TRUE(cf_setFlexElasticity(m, 0, NULL, NULL, 0));
  CF_EQ_INT(cfi_blockBytes(m), 0);
  mj_deleteData(a);
  mj_deleteData(b);
  mj_deleteModel(m);
  mj_deleteModel(plain);
  free(again);
  free(saved.bytes);
}


CF_TEST(mjbBlock__through_a_file__kept) {
  savedModel saved = saveSheet();
  mjModel* m = mj_loadModelBuffer(saved.bytes, (int)saved.nbyte);
  char path[] = "/tmp/cf_mjbXXXXXX";
  close(mkstemp(path));
  mj_saveModel(m, path, NULL, 0);
  mjModel* again = mj_loadModel(path, NULL);
  CF_TRUE(again != NULL);
  CF_EQ_STR(cf_flexBending(again, 0), "bridson");
  CF_RAISES(mj_saveModel(m, NULL, saved.bytes, (int)saved.nbyte - 1), "outside model buffer");
  unlink(path);
  mj_deleteModel(m);
  mj_deleteModel(again);
  free(saved.bytes);
}


// MuJoCo takes the block for asset paths that nothing refers to
CF_TEST(mjbBlock__file_in_the_reference__loads_steps_and_is_saved_with_the_block) {
  CF_NEED_REFERENCE();
  savedModel saved = saveSheet();
  mjModel* m = CF_REF(mj_loadModelBuffer)(saved.bytes, (int)saved.nbyte);
  CF_TRUE(m != NULL);
  mjData* d = CF_REF(mj_makeData)(m);
  CF_REF(mj_step)(m, d);
  CF_TRUE(d->time > 0);
  CF_EQ_INT(CF_REF(mj_sizeModel)(m), saved.nbyte);
  char* again = malloc(saved.nbyte);
  CF_REF(mj_saveModel)(m, NULL, again, (int)saved.nbyte);
  CF_EQ_BYTES(again, saved.bytes, saved.nbyte);
  CF_REF(mj_deleteData)(d);
  CF_REF(mj_deleteModel)(m);
  free(again);
  free(saved.bytes);
}


CF_TEST(mjbBlock__every_truncation__null_and_message) {
  savedModel saved = saveSheet();
  for (size_t cut = 20; cut < saved.nbyte; cut += cut < 1000 ? 61 : 499) {
    char* part = malloc(cut);
    memcpy(part, saved.bytes, cut);
    refuse((savedModel){part, cut, 0, 0}, "Truncated model file");
  }
  free(saved.bytes);
}


// every bit of the block; what hides the mark leaves strings without an end
CF_TEST(mjbBlock__changed_bits__null_and_message) {
  savedModel saved = saveSheet();
  for (int k = 0; k < 8 * saved.nblock; k += 3) {
    char* changed = malloc(saved.nbyte);
    memcpy(changed, saved.bytes, saved.nbyte);
    changed[saved.end_of_block - (size_t)saved.nblock + (size_t)k / 8] ^= (char)(1 << k % 8);
    refuse((savedModel){changed, saved.nbyte, 0, 0}, k / 8 < saved.nblock - 8
                                                         ? "block of extensions"
                                                         : "paths does not end with a zero byte");
  }
  free(saved.bytes);
}


// bytes with a right checksum that no library wrote
CF_TEST(mjbBlock__foreign_content__message_names_the_extension) {
  // section: int32 name bytes, version, int64 content bytes, "flex models", then int32 flex,
  // subject, name bytes, "bridson", ...
  static const struct {
    int place, value;
    const char* phrase;
  } changes[] = {
      {0, 65, "does not fit"},
      {0, -1, "does not fit"},
      {4, 2, "extension 'flex models' in version 2, this library knows versions 1 to 1"},
      {4, 0, "version 0"},
      {8, 1 << 20, "section 'flex models' at byte 0 does not fit"},
      {12, -1, "section 'flex models' at byte 0 does not fit"},
      {8, 0, "does not fit"},
      {20, 'x', "extension 'flex"},
      {27, 1, "extension 'flex models': there is no flex 1"},
      {27, -1, "there is no flex -1"},
      {31, 3, "flex 0 has a rigidity that is never written"},
      {31, 4, "there is no flex 0 with subject 4"},
      {31, 2, "flex 0 has a name that is never written"},
      {31, 1, "unknown model of elasticity 'bridson'; known are linear"},
      {35, 0, "an entry does not fit"},
      {35, 100, "an entry does not fit"},
      {39, 'r', "extension 'flex models': "},
  };
  for (size_t k = 0; k < sizeof(changes) / sizeof(changes[0]); k++) {
    savedModel saved = saveSheet();
    memcpy(blockOf(saved) + changes[k].place, &changes[k].value, 4);
    signBlock(saved);
    refuse(saved, changes[k].phrase);
  }
  savedModel saved = saveSheet();
  int64_t total = saved.nblock + 100000;
  memcpy(blockOf(saved) + saved.nblock - FOOTER, &total, sizeof(total));
  refuse(saved, "it says that it has");
}


// a section of another library, and one that comes twice
CF_TEST(mjbBlock__section_out_of_place__message_names_it) {
  savedModel saved = saveSheet();
  memcpy(blockOf(saved) + 16, "soft tissue", 11);
  signBlock(saved);
  refuse(saved, "Model has extension 'soft tissue' (version 1), which this library does not know");

  // the same section again, in place of the second entry
  saved = saveSheet();
  mjModel* m = mj_loadModelBuffer(saved.bytes, (int)saved.nbyte);
  const int nsection = (int)saved.nblock - FOOTER;
  char message[400] = "", *twice = malloc(2 * (size_t)saved.nblock);
  memcpy(twice, blockOf(saved), (size_t)nsection);
  memcpy(twice + nsection, blockOf(saved), (size_t)saved.nblock);
  CF_TRUE(!cfi_unpackBlock(m, twice, saved.nblock + nsection, message, sizeof(message)));
  CF_HAS_STR(message, "section 'flex models' comes twice");
  mj_deleteModel(m);
  free(twice);
  free(saved.bytes);
}


// what is kept has everything that keeping needs
CF_TEST(extensionClasses__each_of_the_table__is_complete_and_has_its_own_name) {
  for (int k = 0; k < CF_NEXTENSION; k++) {
    const cfExtensionClass* kind = cfi_extensionClasses[k];
    if (kind) {
      CF_TRUE(kind->copy && kind->free && kind->pack && kind->unpackEntry && kind->changes >= 0);
      for (int i = 0; i < k; i++) {
        CF_TRUE(!cfi_extensionClasses[i] || strcmp(cfi_extensionClasses[i]->name, kind->name));
      }
    }
  }
  CF_TRUE(cfi_extensionClasses[CF_EXTENSION_FLEX] != NULL);
}


CF_TEST_MAIN("model/mjbblock")
