#pragma once

// The only C that HTTPServer sees: libmicrohttpd, and its functions with variable arguments, which Swift cannot call.

#include <microhttpd.h>

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
    int listening, unsigned int connections, size_t memory, unsigned int timeout,
    const struct cmicrohttpd_callbacks *callbacks) {
  return MHD_start_daemon(
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
static inline int cmicrohttpd_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/// What was kept for a connection when it began.
static inline void *cmicrohttpd_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : 0;
}

/// The socket of a connection, or -1.
static inline int cmicrohttpd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}
