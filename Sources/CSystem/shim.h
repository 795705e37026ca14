// Linux calls that Swift's Glibc module does not carry, and macros that Swift cannot read.
#ifndef CSYSTEM_SHIM_H
#define CSYSTEM_SHIM_H
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// __O_TMPFILE | O_DIRECTORY: an unnamed file in a folder (open(2)); the header hides it without _GNU_SOURCE.
static const int csystem_o_tmpfile = 020000000 | 0200000;

// pthread_t is unsigned long in glibc; <pthread.h> itself hides this function without _GNU_SOURCE.
int pthread_setname_np(unsigned long thread, const char *name);

static inline int csystem_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int csystem_openat(int folder, const char *path, int flags, mode_t mode) {
    return openat(folder, path, flags, mode);
}

// An epoll event without the pointer in its union.
struct csystem_event {
    uint64_t tag;
    uint32_t events;
};
#define CSYSTEM_EVENTS 256
static const uint32_t csystem_readable = EPOLLIN;
static const uint32_t csystem_writable = EPOLLOUT;
static const uint32_t csystem_failed = EPOLLERR | EPOLLHUP;

static inline int csystem_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int csystem_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline int csystem_epoll_control(int set, int operation, int descriptor, uint32_t events, uint64_t tag) {
    struct epoll_event event = {.events = events, .data.u64 = tag};
    return epoll_ctl(set, operation, descriptor, &event);
}
// Fills at most CSYSTEM_EVENTS events; returns their number or -1.
static inline int csystem_epoll_wait(int set, struct csystem_event *out, int timeout) {
    struct epoll_event events[CSYSTEM_EVENTS];
    int count = epoll_wait(set, events, CSYSTEM_EVENTS, timeout);
    for (int i = 0; i < count; i++) {
        out[i].tag = events[i].data.u64;
        out[i].events = events[i].events;
    }
    return count;
}
#endif
