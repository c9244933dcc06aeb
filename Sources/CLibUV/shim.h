#pragma once

// The only C that EventLoop sees: libuv, and the few kernel interfaces that libuv does not
// wrap and that Swift's Glibc module leaves out.

#include <uv.h>

#if defined(__linux__)
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <time.h>

/// Adds, changes or removes `fd` in `set`. A function, since Swift cannot name the union inside.
static inline int clibuv_epoll_control(int set, int operation, int fd, unsigned int events) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = events;
  event.data.fd = fd;
  return epoll_ctl(set, operation, fd, &event);
}

/// The kind of file system under `path` (its magic number), or -1.
static inline long long clibuv_file_system_magic(const char *path) {
  struct statfs answer;
  if (statfs(path, &answer) != 0) return -1;
  return (long long)(unsigned long)answer.f_type;
}

/// Names the calling thread; the kernel cuts the name after 15 bytes.
static inline int clibuv_name_thread(const char *name) {
  return prctl(PR_SET_NAME, name, 0, 0, 0);
}

/// A timer that counts from now, once, in nanoseconds; 0 stops it.
static inline int clibuv_timerfd_arm(int fd, long long nanoseconds) {
  struct itimerspec when;
  memset(&when, 0, sizeof when);
  when.it_value.tv_sec = nanoseconds / 1000000000;
  when.it_value.tv_nsec = nanoseconds % 1000000000;
  return timerfd_settime(fd, 0, &when, 0);
}

/// Takes the next connection of a listening socket, non-blocking and closed on exec from the start.
static inline int clibuv_accept(int fd) {
  int accept4(int, struct sockaddr *, socklen_t *, int);
  return accept4(fd, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// Who was at the other end of a local socket when it was connected: process, user and group.
static inline int clibuv_peer(int fd, int *process, unsigned int *user, unsigned int *group) {
  struct {
    int process;
    unsigned int user;
    unsigned int group;
  } peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  *process = peer.process;
  *user = peer.user;
  *group = peer.group;
  return 0;
}
#endif
