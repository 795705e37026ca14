#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int argument_count = 0;
static char *const *arguments = NULL;

// The C library passes the arguments of main to every constructor.
__attribute__((constructor)) static void keep_arguments(int count, char **texts) {
    argument_count = count;
    arguments = texts;
}

int csystem_argument_count(void) { return argument_count; }
const char *csystem_argument(int index) { return arguments[index]; }
const char *csystem_started_path(void) { return (const char *)getauxval(AT_EXECFN); }

int csystem_may_hold_foreign(const char *text) { return strchr(text, 0xF4) != NULL; }

void csystem_restore(char *text) {
    const unsigned char *from = (const unsigned char *)text;
    unsigned char *to = (unsigned char *)text;
    while (*from != 0) {
        // U+10FF80 to U+10FFFF, as UTF-8.
        if (from[0] == 0xF4 && from[1] == 0x8F && (from[2] & 0xFE) == 0xBE) {
            *to++ = (unsigned char)((from[2] == 0xBE ? 0x80 : 0xC0) | (from[3] & 0x3F));
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

// The bytes of a path: the path itself if all are valid UTF-8. A path that does not fit into `room` is too long anyway.
static const char *real(const char *path, char room[PATH_MAX]) {
    if (!csystem_may_hold_foreign(path) || strlen(path) >= 4 * PATH_MAX) return path;
    char copy[4 * PATH_MAX];
    csystem_restore(strcpy(copy, path));
    return strlen(copy) < PATH_MAX ? strcpy(room, copy) : path;
}

int csystem_open(const char *path, int flags, unsigned mode) {
    char room[PATH_MAX];
    return open(real(path, room), flags, mode);
}
int csystem_openat(int folder, const char *path, int flags, unsigned mode) {
    char room[PATH_MAX];
    return openat(folder, real(path, room), flags, mode);
}
int csystem_open_beneath(const char *root, const char *path, int flags) {
    char room[PATH_MAX];
    int folder = open(real(root, room), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    int opened = (int)syscall(SYS_openat2, folder, real(path, room), &how, sizeof how);
    int reason = errno;
    close(folder);
    errno = reason;
    return opened;
}
int csystem_open_unnamed(int folder, unsigned mode) {
    return openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int csystem_open_memory(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int csystem_link(int descriptor, int folder, const char *name) {
    char room[PATH_MAX];
    return linkat(descriptor, "", folder, real(name, room), AT_EMPTY_PATH);
}

int csystem_rename_to_free(int folder, const char *from, const char *to) {
    char room[PATH_MAX], other[PATH_MAX];
    return renameat2(folder, real(from, room), folder, real(to, other), RENAME_NOREPLACE);
}
int csystem_rename(int folder, const char *from, const char *to) {
    char room[PATH_MAX], other[PATH_MAX];
    return renameat(folder, real(from, room), folder, real(to, other));
}
int csystem_exchange(int folder, const char *from, const char *to) {
    char room[PATH_MAX], other[PATH_MAX];
    return renameat2(folder, real(from, room), folder, real(to, other), RENAME_EXCHANGE);
}
int csystem_symlink(const char *target, int folder, const char *name) {
    char room[PATH_MAX], other[PATH_MAX];
    return symlinkat(real(target, room), folder, real(name, other));
}
int csystem_make_folder(int folder, const char *name, unsigned mode) {
    char room[PATH_MAX];
    return mkdirat(folder, real(name, room), mode);
}
int csystem_sync_all(int descriptor) { return syncfs(descriptor); }
int csystem_remove_folder(int folder, const char *name) {
    char room[PATH_MAX];
    return unlinkat(folder, real(name, room), AT_REMOVEDIR);
}
int csystem_link_name(int start, const char *from, int flags, int folder, const char *name) {
    char room[PATH_MAX], other[PATH_MAX];
    return linkat(start, real(from, room), folder, real(name, other), flags);
}
int csystem_unlink(int folder, const char *name) {
    char room[PATH_MAX];
    return unlinkat(folder, real(name, room), 0);
}

int csystem_copy_access_list(int folder, const char *name, int descriptor) {
    const char *const attribute = "system.posix_acl_access";
    char room[PATH_MAX], path[PATH_MAX + 64], list[4096];
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", folder, real(name, room));
    ssize_t size = lgetxattr(path, attribute, list, sizeof list);
    if (size < 0) return errno == ENODATA || errno == ENOTSUP || errno == ENOENT ? 0 : -1;
    return fsetxattr(descriptor, attribute, list, (size_t)size, 0) == 0 ? 1 : -1;
}

int csystem_name_socket(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    if (length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path + 1, name, length);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    if (bind(descriptor, (struct sockaddr *)&address, size) == 0) return descriptor;
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

uint32_t csystem_file_system(int folder) {
    struct statfs status;
    return fstatfs(folder, &status) == 0 ? (uint32_t)status.f_type : 0;
}

uint64_t csystem_mount(int descriptor) {
    // STATX_MNT_ID_UNIQUE, which older headers lack.
    const unsigned unique = 0x4000;
    struct statx status;
    if (statx(descriptor, "", AT_EMPTY_PATH, unique, &status) != 0) return 0;
    return status.stx_mask & unique ? status.stx_mnt_id : 0;
}

int csystem_clock_is_synchronized(long *error) {
    struct timex clock = {0};
    int state = adjtimex(&clock);
    *error = clock.maxerror;
    return state >= 0 && state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}

void csystem_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int csystem_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

// The differences between the two ways to start a program.
struct start {
    char *const *arguments, *const *environment;
    short session;
    // NULL keeps the current one.
    const char *folder;
    // Negative for an empty input.
    int input;
    int output, error;
    // Negative for none.
    int pipe;
};

static int set_attributes(posix_spawnattr_t *attributes, short session) {
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    int code = posix_spawnattr_setsigmask(attributes, &none);
    if (code == 0) code = posix_spawnattr_setsigdefault(attributes, &ignored);
    if (code == 0) code = posix_spawnattr_setpgroup(attributes, 0);
    if (code != 0) return code;
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | session);
}

static int add_actions(posix_spawn_file_actions_t *actions, const struct start *start, int input) {
    int last = STDERR_FILENO;
    int code = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    if (code == 0) code = posix_spawn_file_actions_adddup2(actions, start->output, STDOUT_FILENO);
    if (code == 0) code = posix_spawn_file_actions_adddup2(actions, start->error, STDERR_FILENO);
    if (code == 0 && start->pipe >= 0) code = posix_spawn_file_actions_adddup2(actions, start->pipe, ++last);
    // Not all sockets of libcurl have the close-on-exec flag.
    if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(actions, last + 1);
    if (code == 0 && start->folder != NULL) code = posix_spawn_file_actions_addchdir_np(actions, start->folder);
    return code;
}

// The read end of a pipe without a writer: unlike /dev/null it needs no file, which a container may lack.
static int open_empty(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    close(ends[1]);
    return ends[0];
}

static int spawn_reading(const struct start *start, int input, int *process) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int code = posix_spawnattr_init(&attributes);
    if (code != 0) return code;
    code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        code = set_attributes(&attributes, start->session);
        if (code == 0) code = add_actions(&actions, start, input);
        if (code == 0) {
            code = posix_spawnp(process, start->arguments[0], &actions, &attributes, start->arguments,
                                start->environment != NULL ? start->environment : environ);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return code;
}

static int spawn(const struct start *start, int *process) {
    if (start->input >= 0) return spawn_reading(start, start->input, process);
    int input = open_empty();
    if (input < 0) return errno;
    int code = spawn_reading(start, input, process);
    close(input);
    return code;
}

int csystem_spawn(char *const arguments[], char *const environment[], const char *folder, int input, int output,
                  int error, int *process) {
    char room[PATH_MAX];
    struct start start = {.arguments = arguments, .environment = environment, .session = POSIX_SPAWN_SETPGROUP,
                          .folder = folder == NULL ? NULL : real(folder, room), .input = input, .output = output,
                          .error = error, .pipe = -1};
    return spawn(&start, process);
}

int csystem_spawn_detached(char *const arguments[], int output, int pipe, int *process) {
    // The leader of a new session also leads its own process group.
    struct start start = {.arguments = arguments, .session = POSIX_SPAWN_SETSID, .input = -1, .output = output,
                          .error = output, .pipe = pipe};
    return spawn(&start, process);
}

void csystem_hide_memory(void) { prctl(PR_SET_DUMPABLE, 0); }

bool csystem_has_ended(int process) {
    siginfo_t found = {0};
    // An end that was collected elsewhere is an end, too.
    if (waitid(P_PID, (id_t)process, &found, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != EINTR;
    return found.si_pid == process;
}

int csystem_pidfd(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int csystem_pidfd_signal(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0);
}

const uint32_t csystem_readable = EPOLLIN, csystem_writable = EPOLLOUT, csystem_failed = EPOLLERR | EPOLLHUP;

int csystem_lock(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_SETLK, &lock) == 0) return 0;
    return errno == EACCES ? EAGAIN : errno;
}
int csystem_lock_holder(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return -1;
    return lock.l_pid > 0 ? lock.l_pid : 0;
}

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

int csystem_netlink(int protocol, uint32_t groups) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    struct timeval patience = {.tv_sec = 2};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

int64_t csystem_netlink_receive(int socket, void *bytes, uint64_t size, int waits) {
    struct sockaddr_nl sender = {0};
    socklen_t length = sizeof sender;
    ssize_t count = recvfrom(socket, bytes, size, waits ? 0 : MSG_DONTWAIT, (struct sockaddr *)&sender, &length);
    return count > 0 && sender.nl_pid != 0 ? 0 : count;
}
