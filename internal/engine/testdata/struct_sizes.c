// struct_sizes calls functions of a PJRT plugin with the sizes of go-xla's structures and null
// handles, each in a process of its own. A plugin checks the size first: it returns an error that
// names it if it wants a larger one. What happens after that check is of no interest, so a crash of
// the process means that the size was accepted.
//
//	struct_sizes PLUGIN.so MISSING
//
// MISSING bytes are taken off each size. A line is printed for each error: the function and what the
// plugin says. functions.h holds a line CALL(NAME) for each function.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pjrt_c_api.h"

static const PJRT_Api *api;

static void print_error(const char *name, PJRT_Error *error) {
  PJRT_Error_Message_Args message = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
  api->PJRT_Error_Message(&message);
  printf("%s: %.*s\n", name, (int)message.message_size, message.message);
  fflush(stdout);
}

// call runs a function in a process of its own. PJRT_LoadedExecutable_Execute checks the size of its
// options as well.
static void call(const char *name, PJRT_Error *(*function)(void *), size_t size, size_t missing) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (freopen("/dev/null", "w", stderr) == NULL) _exit(3);
    alarm(60);
    union {
      size_t struct_size;
      PJRT_LoadedExecutable_Execute_Args execute;
      char bytes[4096];
    } arguments;
    memset(&arguments, 0, sizeof arguments);
    PJRT_ExecuteOptions options;
    memset(&options, 0, sizeof options);
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE - missing;
    if (strcmp(name, "PJRT_LoadedExecutable_Execute") == 0) {
      arguments.execute.options = &options;
      if (getenv("OPTIONS_ONLY") != NULL) missing = 0;
    }
    arguments.struct_size = size - missing;
    PJRT_Error *error = function(&arguments);
    if (error != NULL) print_error(name, error);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
}

int main(int count, char **words) {
  if (count != 3) return 2;
  void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const PJRT_Api *(*get)(void) = (const PJRT_Api *(*)(void))dlsym(library, "GetPjrtApi");
  if (get == NULL) {
    fprintf(stderr, "there is no GetPjrtApi\n");
    return 1;
  }
  api = get();
  size_t missing = strtoul(words[2], NULL, 10);
  printf("version %d.%d\n", api->pjrt_api_version.major_version, api->pjrt_api_version.minor_version);
  if (api->struct_size < PJRT_Api_STRUCT_SIZE) printf("PJRT_Api: %zu bytes, %zu are expected\n", api->struct_size, (size_t)PJRT_Api_STRUCT_SIZE);
#define CALL(name) call(#name, (PJRT_Error * (*)(void *)) api->name, name##_Args_STRUCT_SIZE, missing);
#include "functions.h"
  return 0;
}
