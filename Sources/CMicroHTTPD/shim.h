#pragma once

// The only C that HTTPServer sees: libmicrohttpd, loaded when somebody serves, and its functions with variable
// arguments, which Swift cannot call.

#include <dlfcn.h>
#include <microhttpd.h>

#define CMICROHTTPD_FUNCTIONS(USE) \
  USE(start_daemon) USE(stop_daemon) USE(quiesce_daemon) USE(run) USE(get_timeout) USE(get_daemon_info) \
  USE(get_connection_info) USE(get_connection_values_n) USE(lookup_connection_value) \
  USE(suspend_connection) USE(resume_connection) USE(queue_response) USE(create_response_from_buffer) \
  USE(create_response_from_callback) USE(add_response_header) USE(destroy_response)

/// The functions of libmicrohttpd, each under its name without `MHD_`.
struct cmicrohttpd_library {
#define CMICROHTTPD_FIELD(name) __typeof__(&MHD_##name) _Nonnull name;
  CMICROHTTPD_FUNCTIONS(CMICROHTTPD_FIELD)
#undef CMICROHTTPD_FIELD
};

/// Loads the library for good; returns whether it is there and has all its functions.
static inline int cmicrohttpd_load(struct cmicrohttpd_library *library, const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define CMICROHTTPD_FIND(name) \
  void *name = dlsym(handle, "MHD_" #name); \
  if (!name) return 0; \
  library->name = (__typeof__(&MHD_##name))name;
  CMICROHTTPD_FUNCTIONS(CMICROHTTPD_FIND)
#undef CMICROHTTPD_FIND
  return 1;
}

/// The callbacks of a daemon, which all get the same context.
struct cmicrohttpd_callbacks {
  void *context;
  MHD_AcceptPolicyCallback accepts;
  MHD_NotifyConnectionCallback connection;
  void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
  MHD_AccessHandlerCallback request;
  MHD_RequestCompletedCallback completed;
};

/// Starts a daemon without threads, which takes connections at `listening` whenever it is run.
static inline struct MHD_Daemon *cmicrohttpd_start(
    const struct cmicrohttpd_library *library, int listening, unsigned int connections, size_t memory, unsigned int timeout,
    const struct cmicrohttpd_callbacks *callbacks) {
  return library->start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, callbacks->accepts, callbacks->context,
      callbacks->request, callbacks->context,
      MHD_OPTION_LISTEN_SOCKET, listening,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_CONNECTION_TIMEOUT, timeout,
      MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->context,
      MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, callbacks->context,
      MHD_OPTION_URI_LOG_CALLBACK, callbacks->target, callbacks->context,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
      MHD_OPTION_END);
}

/// The epoll set of a daemon, or -1.
static inline int cmicrohttpd_epoll(
    const struct cmicrohttpd_library *library, struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = library->get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/// What was kept for a connection when it began.
static inline void *cmicrohttpd_context(
    const struct cmicrohttpd_library *library, struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : 0;
}

/// The socket of a connection, or -1.
static inline int cmicrohttpd_descriptor(
    const struct cmicrohttpd_library *library, struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      library->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}
