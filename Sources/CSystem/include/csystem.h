// Linux calls that Swift's Glibc module does not carry, as plain functions: no type of the C library leaves here.
#ifndef CSYSTEM_H
#define CSYSTEM_H
#include <stdint.h>

// What main was given. Swift's own list is read from /proc/self/cmdline, which is not there in every sandbox.
int csystem_argument_count(void);
// The one at an index below that count.
const char *csystem_argument(int index);
// The path of the program as execve(2) was given it; NULL when the kernel does not tell (AT_EXECFN of getauxval(3)).
const char *csystem_started_path(void);

// Whether a text may have scalars that stand for bytes which are not UTF-8, U+10FF80 to U+10FFFF: only such texts need more care.
int csystem_may_hold_foreign(const char *text);
// Puts the bytes in the places of those scalars.
void csystem_restore(char *text);

// All names and paths below are taken with their bytes restored.

// open(2) and openat(2), which are variadic; flags as in <fcntl.h>.
int csystem_open(const char *path, int flags, unsigned mode);
int csystem_openat(int folder, const char *path, int flags, unsigned mode);
// An unnamed file for reading and writing in a folder (O_TMPFILE).
int csystem_open_unnamed(int folder, unsigned mode);

// Gives an open file a name in a folder (linkat(2) with AT_EMPTY_PATH).
int csystem_link(int descriptor, int folder, const char *name);

// Renames within a folder; EEXIST when the new name is taken (renameat2(2) with RENAME_NOREPLACE).
int csystem_rename_to_free(int folder, const char *from, const char *to);
// The same, replacing what has the new name (renameat(2)).
int csystem_rename(int folder, const char *from, const char *to);
// linkat(2), flags as in <fcntl.h>.
int csystem_link_name(int start, const char *from, int flags, int folder, const char *name);
// unlinkat(2) of a file.
int csystem_unlink(int folder, const char *name);

// The type of a folder's file system, a number of <linux/magic.h>; 0 when it cannot be told (fstatfs(2)).
uint32_t csystem_file_system(int folder);

// Which mount an open file is on, a number that is never given twice; 0 when the kernel does not tell (statx(2) with
// STATX_MNT_ID_UNIQUE, Linux 6.8).
uint64_t csystem_mount(int descriptor);

// Whether something keeps the wall clock in step, and its largest error in microseconds (adjtimex(2)).
int csystem_clock_is_synchronized(long *error);

// Names the calling thread; at most 15 bytes.
void csystem_name_thread(const char *name);

// An epoll event without the pointer in its union.
struct csystem_event {
    uint64_t tag;
    uint32_t events;
};
#define CSYSTEM_EVENTS 256
// What epoll calls EPOLLIN, EPOLLOUT, EPOLLERR | EPOLLHUP.
extern const uint32_t csystem_readable, csystem_writable, csystem_failed;

// pipe2(2) with O_CLOEXEC: the end to read from, then the one to write to.
int csystem_pipe(int ends[2]);

// Starts a program without a shell, in a process group of its own and in a folder; the name of the program is looked up
// in PATH when it has no slash. It gets /dev/null, `output` and `error` as its standard streams and nothing else that
// is open, no blocked signals, and SIGPIPE and SIGXFSZ as a program expects them. Without an environment it gets that of this process. Returns
// 0 or an errno value.
int csystem_spawn(char *const arguments[], char *const environment[], const char *folder, int output, int error,
                  int *process);
// Starts a program that goes on when this process ends, in a session of its own; it gets /dev/null, `output` twice and, under
// the number 3, `pipe`, and nothing else that is open. Returns 0 or an errno value.
int csystem_spawn_detached(char *const arguments[], int output, int pipe, int *process);
// Keeps this process from being dumped or traced by others of its user (PR_SET_DUMPABLE of prctl(2)).
void csystem_hide_memory(void);
// A descriptor that becomes readable when a child ends (pidfd_open(2)); -1 where the kernel has none.
int csystem_pidfd(int process);
// Sends a signal to the process of such a descriptor (pidfd_send_signal(2)): 0, or -1 with errno.
int csystem_pidfd_signal(int descriptor, int signal);

// A lock of the whole file that ends with the process (fcntl(2), F_SETLK): 0, or EAGAIN when another process has it.
int csystem_lock(int descriptor);
// The process that has that lock, 0 when it cannot be seen from here; -1 when no other process has it.
int csystem_lock_holder(int descriptor);

int csystem_eventfd(void);
void csystem_eventfd_signal(int descriptor);
void csystem_eventfd_drain(int descriptor);
int csystem_epoll_create(void);
int csystem_epoll_add(int set, int descriptor, uint32_t events, uint64_t tag);
int csystem_epoll_modify(int set, int descriptor, uint32_t events, uint64_t tag);
void csystem_epoll_delete(int set, int descriptor);

// A socket that talks with a part of the kernel (netlink(7)), NETLINK_… `protocol`; `groups` are bits of what it hears of.
// It waits two seconds for an answer and no longer. -1 on failure.
int csystem_netlink(int protocol, uint32_t groups);
// One datagram of the kernel, at most `size` bytes of it; 0 for one of somebody else, -1 on failure.
int64_t csystem_netlink_receive(int socket, void *bytes, uint64_t size, int waits);

// Fills at most CSYSTEM_EVENTS events; returns their number or -1.
int csystem_epoll_wait(int set, struct csystem_event *out, int timeout);

#endif
