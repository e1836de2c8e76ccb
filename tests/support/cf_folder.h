// Every model file of a folder and of the folders in it, in the order of their names.
#ifndef CF_FOLDER_H
#define CF_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef void cfVisitModel(const char* path, void* context);

static inline void cf_visitModels(const char* folder, cfVisitModel* visit, void* context) {
  struct dirent** list;
  const int n = scandir(folder, &list, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char path[2000];
    struct stat info;
    const char* name = list[i]->d_name;
    const char* extension = strrchr(name, '.');
    const int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (name[0] != '.' && length < (int)sizeof(path) && !stat(path, &info)) {
      if (S_ISDIR(info.st_mode)) {
        cf_visitModels(path, visit, context);
      } else if (extension && (!strcmp(extension, ".xml") || !strcmp(extension, ".urdf"))) {
        visit(path, context);
      }
    }
    free(list[i]);
  }
  if (n >= 0) {
    free(list);
  }
}

#endif  // CF_FOLDER_H
