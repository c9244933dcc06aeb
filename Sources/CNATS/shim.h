#pragma once

// The only C that JetStream sees, and only in a build with the trait NATS.

#include <nats/nats.h>
#include <stdlib.h>
#include <string.h>

/// Gives a connection the servers to choose from, parted by commas.
static inline natsStatus cnats_set_servers(natsOptions *_Nonnull options, const char *_Nonnull list) {
  char *copy = strdup(list);
  if (!copy) return NATS_NO_MEMORY;
  size_t count = 1;
  for (const char *c = copy; *c; c++) count += *c == ',';
  const char **servers = malloc(count * sizeof(char *));
  natsStatus status = NATS_NO_MEMORY;
  if (servers) {
    char *rest = copy;
    for (size_t i = 0; i < count; i++) {
      servers[i] = rest;
      rest = strchr(rest, ',');
      if (rest) *rest++ = 0;
    }
    status = natsOptions_SetServers(options, servers, (int)count);
  }
  free(servers);
  free(copy);
  return status;
}
