// Catalogs: models by place and by name, what is refused, messages, threads.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cf_guard.h"
#include "cf_test.h"

#include "base/catalog.h"

typedef struct {
  double weight;
  const char* name;
} fruit;

static const fruit apple = {1, "apple"}, pear = {2, "pear"};
static const void* const own_fruits[] = {&apple, &pear};


static const char* fruitName(const void* model) {
  return ((const fruit*)model)->name;
}


#define FRUITS CF_CATALOG_INIT("fruit", fruitName, own_fruits)


CF_TEST(catalog__own_and_added__by_place_and_by_exact_name) {
  static cfCatalog fruits = FRUITS;
  static const fruit plum = {3, "plum"}, other = {4, "Plum"};
  CF_TRUE(cfi_modelAt(&fruits, 0) == &apple && cfi_modelAt(&fruits, 1) == &pear);
  CF_TRUE(!cfi_modelAt(&fruits, 2) && !cfi_modelAt(&fruits, -1));
  CF_TRUE(!cfi_modelNamed(&fruits, "plum"));
  CF_TRUE(!cfi_nameFault(&fruits, &plum) && cfi_addModel(&fruits, &plum, NULL));
  CF_TRUE(!cfi_nameFault(&fruits, &other) && cfi_addModel(&fruits, &other, NULL));
  CF_TRUE(cfi_modelAt(&fruits, 2) == &plum && cfi_modelAt(&fruits, 3) == &other);
  CF_TRUE(!cfi_modelAt(&fruits, 4));
  CF_TRUE(cfi_modelNamed(&fruits, "plum") == &plum && cfi_modelNamed(&fruits, "Plum") == &other);
  CF_TRUE(cfi_modelNamed(&fruits, "pear") == &pear && !cfi_modelNamed(&fruits, "Pear"));
  CF_TRUE(!cfi_modelNamed(&fruits, NULL) && !cfi_modelNamed(&fruits, ""));
}


CF_TEST(catalog__unknown_name__message_lists_the_known) {
  static cfCatalog fruits = FRUITS;
  char error[200] = "", names[8];
  CF_TRUE(cfi_needModel(&fruits, "pear", error, sizeof(error)) == &pear);
  CF_EQ_STR(error, "");
  CF_TRUE(!cfi_needModel(&fruits, "%s%n", error, sizeof(error)));
  CF_EQ_STR(error, "unknown fruit '%s%n'; known are apple, pear");
  CF_TRUE(!cfi_needModel(&fruits, NULL, error, sizeof(error)));
  CF_EQ_STR(error, "unknown fruit ''; known are apple, pear");
  CF_TRUE(!cfi_needModel(&fruits, "fig", NULL, 0));
  cfi_listModels(&fruits, names, sizeof(names));
  CF_EQ_STR(names, "apple, ");
}


CF_TEST(catalog__what_cannot_be_added__warning_says_why) {
  static cfCatalog fruits = FRUITS;
  char long_name[CF_MODEL_NAME_MAX + 2];
  memset(long_name, 'x', sizeof(long_name));
  long_name[CF_MODEL_NAME_MAX + 1] = 0;
  const fruit bad[] = {{1, NULL}, {1, ""}, {1, "pear"}, {1, long_name}};
  static const char* const fault[] = {"needs a name", "needs a name", "there is one of that name",
                                      "longer than 200"};
  for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
    cf_guardClear();
    CF_TRUE(!cfi_addModel(&fruits, bad + k, cfi_nameFault(&fruits, bad + k)));
    CF_EQ_INT(cf_warning_count, 1);
    CF_HAS_STR(cf_warning_text, fault[k]);
  }
  CF_HAS_STR(cfi_nameFault(&fruits, NULL), "needs a name");
  long_name[CF_MODEL_NAME_MAX] = 0;
  CF_TRUE(!cfi_nameFault(&fruits, bad + 3));

  // a fault of the caller's; a name that another thread was faster with
  static const fruit fig = {1, "fig"}, again = {2, "fig"};
  cf_guardClear();
  CF_TRUE(!cfi_addModel(&fruits, &fig, "it is not ripe"));
  CF_EQ_STR(cf_warning_text, "fruit 'fig' is not registered: it is not ripe");
  CF_TRUE(cfi_addModel(&fruits, &fig, NULL));
  CF_TRUE(!cfi_addModel(&fruits, &again, NULL));
  CF_HAS_STR(cf_warning_text, "'fig' is already registered");
  CF_TRUE(!cfi_addModel(&fruits, &fig, NULL));
  CF_TRUE(cfi_modelNamed(&fruits, "fig") == &fig && !cfi_modelAt(&fruits, 3));
  mju_user_warning = NULL;
}


enum { CROWD = 100, THREADS = 4 };

static cfCatalog crowded = FRUITS;
static char crowd_name[CROWD][8];
static fruit crowd[THREADS][CROWD];


static void ignoreWarning(const char* text) {
  (void)text;
}


// how many of all names this thread was the first to add
static void* addCrowd(void* thread) {
  size_t added = 0;
  for (int k = 0; k < CROWD; k++) {
    fruit* model = crowd[(size_t)thread] + (k + 25 * (int)(size_t)thread) % CROWD;
    added += cfi_addModel(&crowded, model, NULL);
    if (!cfi_modelNamed(&crowded, model->name)) {
      return (void*)1000;
    }
  }
  return (void*)added;
}


CF_TEST(catalog__four_threads__each_name_is_added_once) {
  for (int k = 0; k < CROWD; k++) {
    snprintf(crowd_name[k], sizeof(crowd_name[k]), "f%d", k);
    for (int t = 0; t < THREADS; t++) {
      crowd[t][k] = (fruit){t, crowd_name[k]};
    }
  }
  mju_user_warning = ignoreWarning;
  pthread_t thread[THREADS];
  for (size_t t = 0; t < THREADS; t++) {
    CF_EQ_INT(pthread_create(&thread[t], NULL, addCrowd, (void*)t), 0);
  }
  size_t total = 0;
  for (int t = 0; t < THREADS; t++) {
    void* added;
    pthread_join(thread[t], &added);
    total += (size_t)added;
  }
  mju_user_warning = NULL;
  CF_EQ_INT(total, CROWD);
  CF_TRUE(cfi_modelAt(&crowded, 2 + CROWD - 1) && !cfi_modelAt(&crowded, 2 + CROWD));
}


CF_TEST_MAIN("base/catalog")
