#include "build_info.h"

// Package.swift hands it on from the environment variable of the same name.
#ifndef ISLET_COMMIT
#define ISLET_COMMIT ""
#endif

const char *islet_build_commit(void) { return ISLET_COMMIT; }
