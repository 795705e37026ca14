// Linux calls that Swift's Glibc module lacks, as plain functions without types of the C library.
#ifndef CSYSTEM_H
#define CSYSTEM_H
#include <stdbool.h>
#include <stdint.h>

// The arguments of main. Swift's own list is read from /proc/self/cmdline, which some sandboxes lack.
int csystem_argument_count(void);
// The argument at an index below that count.
const char *csystem_argument(int index);
// The program's path as given to execve(2); NULL if the kernel does not say (AT_EXECFN of getauxval(3)).
const char *csystem_started_path(void);

// Whether a text may have scalars for invalid bytes, U+10FF80 to U+10FFFF, which need conversion.
int csystem_may_hold_foreign(const char *text);
// Replaces those scalars by their bytes.
void csystem_restore(char *text);

// All names and paths below are converted in this way.

// open(2) and openat(2), which are variadic; flags as in <fcntl.h>.
int csystem_open(const char *path, int flags, unsigned mode);
int csystem_openat(int folder, const char *path, int flags, unsigned mode);
// Opens a path below the folder `root`: a link or `..` that leads out fails with EXDEV (openat2(2), RESOLVE_BENEATH).
int csystem_open_beneath(const char *root, const char *path, int flags);
// An unnamed file for reading and writing in a folder (O_TMPFILE).
int csystem_open_unnamed(int folder, unsigned mode);

// A file in memory, which ends with its last descriptor (memfd_create(2)).
int csystem_open_memory(const char *name);

// Gives an open file a name in a folder (linkat(2) with AT_EMPTY_PATH).
int csystem_link(int descriptor, int folder, const char *name);

// Renames within a folder; EEXIST when the new name is taken (renameat2(2) with RENAME_NOREPLACE).
int csystem_rename_to_free(int folder, const char *from, const char *to);
// Renames within a folder and replaces an existing file (renameat(2)).
int csystem_rename(int folder, const char *from, const char *to);
// Exchanges two names of a folder (renameat2(2) with RENAME_EXCHANGE).
int csystem_exchange(int folder, const char *from, const char *to);
// linkat(2), flags as in <fcntl.h>.
int csystem_link_name(int start, const char *from, int flags, int folder, const char *name);
// symlinkat(2).
int csystem_symlink(const char *target, int folder, const char *name);
// mkdirat(2).
int csystem_make_folder(int folder, const char *name, unsigned mode);
// Writes the file system of an open file to the disk (syncfs(2)).
int csystem_sync_all(int descriptor);
// unlinkat(2) of an empty folder.
int csystem_remove_folder(int folder, const char *name);
// unlinkat(2) of a file.
int csystem_unlink(int folder, const char *name);

// Copies the access control list of a folder's file to an open file (acl(5)): 1, 0 if it has none, -1 on failure.
int csystem_copy_access_list(int folder, const char *name, int descriptor);

// An abstract socket with a name of at most 107 bytes, which one process of the machine can have; -1 with EADDRINUSE when
// another one has it (unix(7)).
int csystem_name_socket(const char *name);

// The type of a folder's file system, a number of <linux/magic.h>; 0 if unknown (fstatfs(2)).
uint32_t csystem_file_system(int folder);

// The unique number of an open file's mount; 0 if the kernel does not say (statx(2) with STATX_MNT_ID_UNIQUE, Linux
// 6.8).
uint64_t csystem_mount(int descriptor);

// Whether the wall clock is synchronized, and its largest error in microseconds (adjtimex(2)).
int csystem_clock_is_synchronized(long *error);

// Names the calling thread; at most 15 bytes.
void csystem_name_thread(const char *name);

// An epoll event without the pointer in its union.
struct csystem_event {
    uint64_t tag;
    uint32_t events;
};
#define CSYSTEM_EVENTS 256
// The events of epoll: EPOLLIN, EPOLLOUT, EPOLLERR | EPOLLHUP.
extern const uint32_t csystem_readable, csystem_writable, csystem_failed;

// pipe2(2) with O_CLOEXEC: the read end, then the write end.
int csystem_pipe(int ends[2]);

// Starts a program without a shell, in its own process group and in a folder; a name without a slash is looked up in
// PATH. Its standard streams are `input`, or /dev/null if that is negative, `output` and `error`; it inherits no other
// open files and no blocked signals, and gets the default SIGPIPE and SIGXFSZ. Without an environment it gets that of
// this process. Returns 0 or an errno value.
int csystem_spawn(char *const arguments[], char *const environment[], const char *folder, int input, int output,
                  int error, int *process);
// Whether a child process has ended; does not collect its end (waitid(2), WNOWAIT).
bool csystem_has_ended(int process);
// Starts a program in its own session, which outlives this process. It gets /dev/null, `output` twice and `pipe` as
// descriptor 3, and no other open files. Returns 0 or an errno value.
int csystem_spawn_detached(char *const arguments[], int output, int pipe, int *process);
// Prevents dumping and tracing of this process by other processes of the user (PR_SET_DUMPABLE of prctl(2)).
void csystem_hide_memory(void);
// A descriptor that becomes readable when a child ends (pidfd_open(2)); -1 if the kernel has none.
int csystem_pidfd(int process);
// Sends a signal to the process of such a descriptor (pidfd_send_signal(2)): 0, or -1 with errno.
int csystem_pidfd_signal(int descriptor, int signal);

// A lock on the whole file that ends with the process (fcntl(2), F_SETLK): 0, or EAGAIN if another process has it.
int csystem_lock(int descriptor);
// The process that has that lock, 0 if it is not visible from here; -1 if no other process has the lock.
int csystem_lock_holder(int descriptor);

int csystem_eventfd(void);
void csystem_eventfd_signal(int descriptor);
void csystem_eventfd_drain(int descriptor);
int csystem_epoll_create(void);
int csystem_epoll_add(int set, int descriptor, uint32_t events, uint64_t tag);
int csystem_epoll_modify(int set, int descriptor, uint32_t events, uint64_t tag);
void csystem_epoll_delete(int set, int descriptor);

// A socket to a kernel family (netlink(7)), NETLINK_… `protocol`; `groups` are the bits of unsolicited messages. It
// waits at most two seconds for an answer. -1 on failure.
int csystem_netlink(int protocol, uint32_t groups);
// One datagram of the kernel, at most `size` bytes of it; 0 for another sender's, -1 on failure.
int64_t csystem_netlink_receive(int socket, void *bytes, uint64_t size, int waits);

// Fills at most CSYSTEM_EVENTS events; returns their number or -1.
int csystem_epoll_wait(int set, struct csystem_event *out, int timeout);

#endif
