#pragma once

#include <libpq-fe.h>

#ifdef __linux__
#include <linux/memfd.h>

// Declared in <sys/mman.h> only with _GNU_SOURCE, which clashes with the Glibc module.
int memfd_create(const char *, unsigned int);

/// Opens a file in memory, without a name, which no child inherits.
static inline int cpostgres_memory_file(void) {
    return memfd_create("islet", MFD_CLOEXEC);
}
#endif
