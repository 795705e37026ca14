#define _GNU_SOURCE
#include "csystem.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int csystem_open(const char *path, int flags, unsigned mode) { return open(path, flags, mode); }
int csystem_openat(int folder, const char *path, int flags, unsigned mode) {
    return openat(folder, path, flags, mode);
}
int csystem_open_unnamed(int folder, unsigned mode) {
    return openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int csystem_link(int descriptor, int folder, const char *name) {
    return linkat(descriptor, "", folder, name, AT_EMPTY_PATH);
}

int csystem_rename_to_free(int folder, const char *from, const char *to) {
    return renameat2(folder, from, folder, to, RENAME_NOREPLACE);
}

void csystem_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

const uint32_t csystem_readable = EPOLLIN, csystem_writable = EPOLLOUT, csystem_failed = EPOLLERR | EPOLLHUP;

int csystem_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
void csystem_eventfd_signal(int descriptor) { eventfd_write(descriptor, 1); }
void csystem_eventfd_drain(int descriptor) {
    eventfd_t count;
    eventfd_read(descriptor, &count);
}
int csystem_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int set, int operation, int descriptor, uint32_t events, uint64_t tag) {
    struct epoll_event event = {.events = events, .data.u64 = tag};
    return epoll_ctl(set, operation, descriptor, &event);
}
int csystem_epoll_add(int set, int descriptor, uint32_t events, uint64_t tag) {
    return control(set, EPOLL_CTL_ADD, descriptor, events, tag);
}
int csystem_epoll_modify(int set, int descriptor, uint32_t events, uint64_t tag) {
    return control(set, EPOLL_CTL_MOD, descriptor, events, tag);
}
void csystem_epoll_delete(int set, int descriptor) { control(set, EPOLL_CTL_DEL, descriptor, 0, 0); }

int csystem_epoll_wait(int set, struct csystem_event *out, int timeout) {
    struct epoll_event events[CSYSTEM_EVENTS];
    int count = epoll_wait(set, events, CSYSTEM_EVENTS, timeout);
    for (int i = 0; i < count; i++) {
        out[i].tag = events[i].data.u64;
        out[i].events = events[i].events;
    }
    return count;
}
