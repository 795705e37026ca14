// The functions of libcurl for Swift.
//
// libcurl is loaded on demand, because its thirty shared libraries cost more than the whole start of a command without
// transfers. Variadic functions get one typed wrapper per kind of argument; constants come from libcurl's header.
#ifndef CCURL_H
#define CCURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

// libcurl's own macros are casts, which Swift cannot import.
static const long CCURL_AUTH_BASIC = (long)CURLAUTH_BASIC;
static const long CCURL_AUTH_DIGEST = (long)CURLAUTH_DIGEST;
static const long CCURL_AUTH_NTLM = (long)CURLAUTH_NTLM;
static const long CCURL_AUTH_NEGOTIATE = (long)CURLAUTH_NEGOTIATE;
static const long CCURL_AUTH_BEARER = (long)CURLAUTH_BEARER;

// Loads libcurl once; NULL on success, otherwise an error text with static lifetime. Thread-safe. Call no other
// function here before this has succeeded.
const char *ccurl_load(void);

// The file from which libcurl was loaded; NULL if unknown. The text has static lifetime.
const char *ccurl_path(void);
const curl_version_info_data *ccurl_version_info(void);
const char *ccurl_easy_strerror(CURLcode code);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *handle);
void ccurl_easy_reset(CURL *handle);
// Pauses both directions, which libcurl, unlike the pause of one, takes for no reason to read or send at once.
CURLcode ccurl_easy_pause_all(CURL *handle);
// Resumes both directions.
CURLcode ccurl_easy_resume(CURL *handle);
// Makes the multi handle process this handle soon, whatever it waits for.
void ccurl_easy_wake(CURL *handle);
// Write to and read from the connection of a handle with CURLOPT_CONNECT_ONLY, without waiting.
CURLcode ccurl_easy_send(CURL *handle, const void *bytes, size_t count, size_t *sent);
CURLcode ccurl_easy_recv(CURL *handle, void *bytes, size_t count, size_t *received);

typedef size_t (*ccurl_write_fn)(char *bytes, size_t size, size_t count, void *user);
typedef size_t (*ccurl_read_fn)(char *bytes, size_t size, size_t count, void *user);
typedef int (*ccurl_seek_fn)(void *user, curl_off_t offset, int origin);
typedef int (*ccurl_debug_fn)(CURL *handle, curl_infotype type, char *bytes, size_t count, void *user);
typedef int (*ccurl_prereq_fn)(void *user, char *remote, char *local, int remote_port, int local_port);
typedef int (*ccurl_resolver_fn)(void *state, void *reserved, void *user);
typedef curl_socket_t (*ccurl_opensocket_fn)(void *user, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*ccurl_closesocket_fn)(void *user, curl_socket_t socket);
typedef int (*ccurl_progress_fn)(void *user, curl_off_t download_total, curl_off_t downloaded, curl_off_t upload_total,
                                 curl_off_t uploaded);

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value);
// Sets the URL, and its parts in `parts` (CURLOPT_CURLU), which the handle uses until its next URL: without them
// libcurl takes the URL apart and puts it together anew, a fortieth of a small transfer. NULL for a handle whose paths
// libcurl may change (no CURLOPT_PATH_AS_IS).
CURLcode ccurl_set_url(CURL *handle, CURLU *parts, const char *url);
CURLU *ccurl_url_new(void);
void ccurl_url_free(CURLU *parts);
// The URL to which a reference from `url` leads, for ccurl_free; NULL if there is none.
char *ccurl_resolve(const char *url, const char *reference);
void ccurl_free(void *text);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value);
CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode ccurl_set_write(CURL *handle, ccurl_write_fn function, void *user);
CURLcode ccurl_set_header(CURL *handle, ccurl_write_fn function, void *user);
CURLcode ccurl_set_read(CURL *handle, ccurl_read_fn function, void *user);
CURLcode ccurl_set_seek(CURL *handle, ccurl_seek_fn function, void *user);
CURLcode ccurl_set_debug(CURL *handle, ccurl_debug_fn function, void *user);
CURLcode ccurl_set_prereq(CURL *handle, ccurl_prereq_fn function, void *user);
CURLcode ccurl_set_resolver(CURL *handle, ccurl_resolver_fn function, void *user);
CURLcode ccurl_set_opensocket(CURL *handle, ccurl_opensocket_fn function, void *user);
CURLcode ccurl_set_closesocket(CURL *handle, ccurl_closesocket_fn function, void *user);
// Called while CURLOPT_NOPROGRESS is 0.
CURLcode ccurl_set_progress(CURL *handle, ccurl_progress_fn function, void *user);
CURLcode ccurl_set_ssl_context(CURL *handle, curl_ssl_ctx_callback function, void *user);

CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value);
CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value);
// *value belongs to the handle.
CURLcode ccurl_get_string(CURL *handle, CURLINFO info, const char **value);

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text);
void ccurl_slist_free_all(struct curl_slist *list);

typedef int (*ccurl_socket_fn)(CURL *handle, curl_socket_t socket, int what, void *user, void *socket_user);
typedef int (*ccurl_timer_fn)(CURLM *multi, long timeout_ms, void *user);

CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode ccurl_multi_set_socket(CURLM *multi, ccurl_socket_fn function, void *user);
CURLMcode ccurl_multi_set_timer(CURLM *multi, ccurl_timer_fn function, void *user);
CURLMcode ccurl_multi_add(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_remove(CURLM *multi, CURL *handle);
// events: CURL_CSELECT_IN | CURL_CSELECT_OUT | CURL_CSELECT_ERR.
CURLMcode ccurl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events);
CURLMcode ccurl_multi_timeout_action(CURLM *multi);
// The next finished handle and its result; NULL if there is none.
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result);

// OpenSSL's data about the handle's connection: the protocol version (0x0304), and the cipher suite's IANA number and
// name. Returns 0 for another TLS library or without TLS. `session` becomes OpenSSL's object, and `has_protocol`
// whether the server chose a protocol (ALPN, RFC 7301).
int ccurl_tls_facts(CURL *handle, int *version, unsigned *suite, const char **suite_name, const void **session,
                    int *has_protocol);
// Whether OpenSSL has unread bytes of the handle's connection; 0 for another TLS library.
int ccurl_tls_has_unread(CURL *handle);
// The SSL around that of the connection just opened by the handle, for a tunnel through an https proxy. NULL if there
// is none. Valid until the connection's socket is closed.
struct ccurl_trust;
const void *ccurl_tls_outer(CURL *handle, const struct ccurl_trust *trust);
// Whether OpenSSL has unread bytes of an SSL.
int ccurl_ssl_has_unread(const void *connection);
// Whether ALPN chose a protocol with streams (h2, h3) for the handle's connection; -1 if unknown.
int ccurl_tls_has_streams(CURL *handle);

// The kernel's data about a TCP connection: the time since the last data and the last acknowledgement, and the bytes
// that the peer acknowledged. Returns 0 for another kind of socket.
typedef struct {
    uint32_t since_received_ms, since_acknowledged_ms;
    uint64_t acknowledged;
    // The bytes that this process has read.
    uint64_t read;
} ccurl_socket_facts;
int ccurl_socket_progress(int socket, ccurl_socket_facts *facts);

// Why OpenSSL rejected a certificate, and the certificate's data.
typedef struct {
    // X509_V_ERR_…
    int error;
    // 0 is the server's certificate, 1 its issuer's, and so on.
    int depth;
    // Seconds since 1970; INT64_MIN if missing.
    int64_t not_before, not_after;
    // The issuer's common name as the peer wrote it; empty if missing.
    char issuer[128];
} ccurl_certificate_fault;

// Watches the TLS of a handle's connections. NULL unless the TLS library is OpenSSL 3.
struct ccurl_trust *ccurl_trust_new(void);
// The handle must not open another connection.
void ccurl_trust_release(struct ccurl_trust *trust);
CURLcode ccurl_set_trust(CURL *handle, struct ccurl_trust *trust);
void ccurl_trust_clear(struct ccurl_trust *trust);
// NULL if no certificate was rejected since the last clear; otherwise valid until the next one.
const ccurl_certificate_fault *ccurl_trust_fault(const struct ccurl_trust *trust);
// Whether a server has asked for a client certificate since the last clear.
int ccurl_trust_was_asked(const struct ccurl_trust *trust);
// Whether the last server that asked has not accepted the handshake.
int ccurl_trust_was_shut_out(const struct ccurl_trust *trust);
// Writes the names and addresses, each with a newline, of the last server certificate whose chain was accepted since
// the last clear; returns the number of bytes, 0 without one.
size_t ccurl_trust_names(const struct ccurl_trust *trust, char *text, size_t size);
// Notes the connection of the next request, which another handle may have opened.
void ccurl_trust_use(struct ccurl_trust *trust, const void *session);
// Uses the next connection whose TLS begins, which is that for a file of FTP.
void ccurl_trust_use_next(struct ccurl_trust *trust);
// Whether the server closed that connection without a close notification; 0 also if unknown.
int ccurl_trust_lacks_close_notify(const struct ccurl_trust *trust);

// TLS of a client over bytes that the caller moves, with OpenSSL 3. One thread at a time uses a channel.
typedef struct ccurl_channel ccurl_channel;
typedef struct {
    // The name or the address that the server's certificate must have.
    const char *host;
    int is_address;
    // 0x0303 or 0x0304; as a maximum, 0 is the newest.
    int minimum_version, maximum_version;
    // PEM; NULL for the system's roots.
    const char *ca_file;
    // One more file of the system's roots, or NULL: OpenSSL reads SSL_CERT_FILE and SSL_CERT_DIR itself.
    const char *system_file;
    // Whether the server's certificate is verified.
    int is_verified;
    // As CURLOPT_PINNEDPUBLICKEY; NULL accepts any key.
    const char *pins;
    // NULL for no certificate of the client. `key` is NULL only for PKCS #12.
    const char *certificate, *key, *password;
    int is_pkcs12;
} ccurl_channel_options;

enum { CCURL_CHANNEL_FAILED = -1, CCURL_CHANNEL_CLOSED = -2 };

// NULL with the reason in `fault`.
ccurl_channel *ccurl_channel_new(const ccurl_channel_options *options, char *fault, size_t size);
void ccurl_channel_free(ccurl_channel *channel);
// Gives the channel bytes of the peer; returns 0 without memory.
int ccurl_channel_feed(ccurl_channel *channel, const void *bytes, size_t count);
// The bytes for the peer, and takes the first of them.
size_t ccurl_channel_pending(ccurl_channel *channel);
size_t ccurl_channel_take(ccurl_channel *channel, void *bytes, size_t count);
// 1 when the handshake is complete, 0 when it needs more bytes, or a code from above.
int ccurl_channel_handshake(ccurl_channel *channel);
// The number of bytes, 0 when more bytes of the peer are needed, or a code from above.
int ccurl_channel_read(ccurl_channel *channel, void *bytes, size_t count);
int ccurl_channel_write(ccurl_channel *channel, const void *bytes, size_t count);
// Says that nothing more will be sent (close_notify).
void ccurl_channel_close(ccurl_channel *channel);
// Why the channel failed.
const char *ccurl_channel_fault(const ccurl_channel *channel);
// X509_V_ERR_… of the server's certificate, and its text; 0 for a good one.
long ccurl_channel_verify_result(const ccurl_channel *channel);
const char *ccurl_channel_verify_text(const ccurl_channel *channel);
// The version (0x0304) and the cipher suite's IANA number and name.
int ccurl_channel_facts(const ccurl_channel *channel, unsigned *suite, const char **suite_name);

// A SHA-2 digest of 256 or 512 bits, or MD5 (128), from libcrypto, which libcurl has loaded. NULL without libcrypto, and
// for MD5 where its rules forbid it.
void *ccurl_digest_new(int bits);
// Writes the 32 bytes of the SHA-256 of a buffer; returns 0 without libcrypto or memory.
int ccurl_sha256(const void *bytes, size_t count, unsigned char *digest);
int ccurl_digest_update(void *context, const void *bytes, size_t count);
// Writes the `bits / 8` bytes of the digest so far; more bytes may follow. Returns 1 or 0.
int ccurl_digest_current(void *context, unsigned char *digest);
// Writes the `bits / 8` bytes of the final digest; afterwards only ccurl_digest_free may be called.
int ccurl_digest_final(void *context, unsigned char *digest);
void ccurl_digest_free(void *context);

// Decoders of content codings, from libcurl's own decompression libraries.
typedef enum { CCURL_ZLIB, CCURL_BROTLI, CCURL_ZSTD } ccurl_coding;
typedef enum { CCURL_DECODER_MORE, CCURL_DECODER_ENDED, CCURL_DECODER_CORRUPT } ccurl_decoder_state;

// Whether the coding's library is available; loads it the first time. Thread-safe.
int ccurl_decoder_exists(ccurl_coding coding);
// CCURL_ZLIB decodes gzip and zlib. NULL without the library or memory.
void *ccurl_decoder_new(ccurl_coding coding);
// Decodes at most *in_count bytes from *in to at most *out_count bytes at out; updates both counts to what is left.
// ENDED means that the coding's end mark was read; further bytes are another stream of the same coding.
ccurl_decoder_state ccurl_decoder_run(void *decoder, const unsigned char **in, size_t *in_count,
                                      unsigned char *out, size_t *out_count);
void ccurl_decoder_free(void *decoder);

#endif
