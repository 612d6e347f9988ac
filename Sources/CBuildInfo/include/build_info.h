#ifndef ISLET_BUILD_INFO_H
#define ISLET_BUILD_INFO_H

/// The commit that the program was built from; empty when the build does not know it.
const char *islet_build_commit(void);

#endif
