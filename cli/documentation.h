/* documentation.h: where the built documentation is. */
#ifndef CLI_DOCUMENTATION_H
#define CLI_DOCUMENTATION_H

#include <stddef.h>

/* The folder of the site that belongs to this program: beside it in the build folder, or installed in share/doc. Returns
 * `folder`, or NULL if there is none. */
const char *cli_documentation(char *folder, size_t size);

#endif
