#include "ccurl.h"
#include "libraries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// TLS over bytes that the caller moves, for a connection that begins TLS in its middle. libcurl begins TLS only when
// it opens a connection. The functions are those of the OpenSSL that libcurl has loaded.
static struct {
    const void *(*method)(void);
    void *(*context_new)(const void *);
    void (*context_free)(void *);
    long (*context_ctrl)(void *, int, long, void *);
    uint64_t (*context_options)(void *, uint64_t);
    void (*context_verify)(void *, int, void *);
    int (*default_paths)(void *);
    int (*ca_file)(void *, const char *);
    int (*chain_file)(void *, const char *);
    int (*key_file)(void *, const char *, int);
    int (*use_certificate)(void *, void *);
    int (*use_key)(void *, void *);
    void (*password_callback)(void *, int (*)(char *, int, int, void *));
    void (*password_data)(void *, void *);
    void *(*session_new)(void *);
    void (*session_free)(void *);
    void (*set_bio)(void *, void *, void *);
    void (*set_connect)(void *);
    long (*ctrl)(void *, int, long, void *);
    int (*set_host)(void *, const char *);
    void *(*param)(void *);
    int (*handshake)(void *);
    int (*read)(void *, void *, int);
    int (*write)(void *, const void *, int);
    int (*get_error)(const void *, int);
    int (*shutdown)(void *);
    long (*verify_result)(const void *);
    int (*version)(const void *);
    const void *(*cipher)(const void *);
    uint16_t (*cipher_id)(const void *);
    const char *(*cipher_name)(const void *);
    void *(*peer)(const void *);
    // libcrypto
    void *(*bio_new)(const void *);
    const void *(*bio_memory)(void);
    void *(*bio_file)(const char *, const char *);
    int (*bio_free)(void *);
    int (*bio_read)(void *, void *, int);
    int (*bio_write)(void *, const void *, int);
    size_t (*bio_pending)(void *);
    unsigned long (*next_error)(void);
    const char *(*error_reason)(unsigned long);
    void (*clear_errors)(void);
    const char *(*verify_text)(long);
    int (*set_address)(void *, const char *);
    void *(*public_key)(const void *);
    int (*encode_key)(const void *, unsigned char **);
    void (*certificate_free)(void *);
    void (*key_free)(void *);
    void *(*read_pkcs12)(void *, void **);
    int (*parse_pkcs12)(void *, const char *, void **, void **, void **);
    void (*pkcs12_free)(void *);
    void (*free)(void *, const char *, int);
} api;

static int is_loaded;

static const int ctrl_host_name = 55, ctrl_minimum = 123, ctrl_maximum = 124; // SSL_CTRL_…
static const int verify_peer = 1;                                             // SSL_VERIFY_PEER
static const int error_want_read = 2, error_want_write = 3, error_zero_return = 6; // SSL_ERROR_…
static const int pem = 1;                                                     // SSL_FILETYPE_PEM
static const uint64_t no_renegotiation = (uint64_t)1 << 30;                   // SSL_OP_NO_RENEGOTIATION

struct ccurl_channel {
    void *context, *session;
    // Bytes from the peer, and bytes for it. Both belong to the session.
    void *input, *output;
    // The acceptable hashes, as in CURLOPT_PINNEDPUBLICKEY; NULL for any key.
    char *pins;
    char fault[256];
};

void ccurl_channel_load(void *libssl, void *libcrypto) {
    const struct ccurl_symbol ssl_symbols[] = {
        {&api.method, "TLS_client_method"},
        {&api.context_new, "SSL_CTX_new"},
        {&api.context_free, "SSL_CTX_free"},
        {&api.context_ctrl, "SSL_CTX_ctrl"},
        {&api.context_options, "SSL_CTX_set_options"},
        {&api.context_verify, "SSL_CTX_set_verify"},
        {&api.default_paths, "SSL_CTX_set_default_verify_paths"},
        {&api.ca_file, "SSL_CTX_load_verify_file"},
        {&api.chain_file, "SSL_CTX_use_certificate_chain_file"},
        {&api.key_file, "SSL_CTX_use_PrivateKey_file"},
        {&api.use_certificate, "SSL_CTX_use_certificate"},
        {&api.use_key, "SSL_CTX_use_PrivateKey"},
        {&api.password_callback, "SSL_CTX_set_default_passwd_cb"},
        {&api.password_data, "SSL_CTX_set_default_passwd_cb_userdata"},
        {&api.session_new, "SSL_new"},
        {&api.session_free, "SSL_free"},
        {&api.set_bio, "SSL_set_bio"},
        {&api.set_connect, "SSL_set_connect_state"},
        {&api.ctrl, "SSL_ctrl"},
        {&api.set_host, "SSL_set1_host"},
        {&api.param, "SSL_get0_param"},
        {&api.handshake, "SSL_do_handshake"},
        {&api.read, "SSL_read"},
        {&api.write, "SSL_write"},
        {&api.get_error, "SSL_get_error"},
        {&api.shutdown, "SSL_shutdown"},
        {&api.verify_result, "SSL_get_verify_result"},
        {&api.version, "SSL_version"},
        {&api.cipher, "SSL_get_current_cipher"},
        {&api.cipher_id, "SSL_CIPHER_get_protocol_id"},
        {&api.cipher_name, "SSL_CIPHER_standard_name"},
        {&api.peer, "SSL_get1_peer_certificate"},
    };
    const struct ccurl_symbol crypto_symbols[] = {
        {&api.bio_new, "BIO_new"},
        {&api.bio_memory, "BIO_s_mem"},
        {&api.bio_file, "BIO_new_file"},
        {&api.bio_free, "BIO_free"},
        {&api.bio_read, "BIO_read"},
        {&api.bio_write, "BIO_write"},
        {&api.bio_pending, "BIO_ctrl_pending"},
        {&api.next_error, "ERR_get_error"},
        {&api.error_reason, "ERR_reason_error_string"},
        {&api.clear_errors, "ERR_clear_error"},
        {&api.verify_text, "X509_verify_cert_error_string"},
        {&api.set_address, "X509_VERIFY_PARAM_set1_ip_asc"},
        {&api.public_key, "X509_get_X509_PUBKEY"},
        {&api.encode_key, "i2d_X509_PUBKEY"},
        {&api.certificate_free, "X509_free"},
        {&api.key_free, "EVP_PKEY_free"},
        {&api.read_pkcs12, "d2i_PKCS12_bio"},
        {&api.parse_pkcs12, "PKCS12_parse"},
        {&api.pkcs12_free, "PKCS12_free"},
        {&api.free, "CRYPTO_free"},
    };
    is_loaded = !ccurl_bind(libssl, ssl_symbols, CCURL_COUNT(ssl_symbols))
                && !ccurl_bind(libcrypto, crypto_symbols, CCURL_COUNT(crypto_symbols));
}

// Keeps OpenSSL's first reason, or the given one.
static void note(ccurl_channel *channel, const char *what) {
    unsigned long error = api.next_error();
    const char *reason = error ? api.error_reason(error) : NULL;
    snprintf(channel->fault, sizeof channel->fault, "%s%s%s", what, reason ? ": " : "", reason ? reason : "");
    api.clear_errors();
}

static int give_password(char *buffer, int size, int is_writing, void *user) {
    (void)is_writing;
    if (!user) return 0;
    size_t count = strlen(user);
    if (count > (size_t)size) return 0;
    memcpy(buffer, user, count);
    return (int)count;
}

static int use_pkcs12(ccurl_channel *channel, const ccurl_channel_options *options) {
    int is_used = 0;
    void *file = api.bio_file(options->certificate, "rb");
    void *bundle = file ? api.read_pkcs12(file, NULL) : NULL;
    void *key = NULL, *certificate = NULL;
    if (bundle && api.parse_pkcs12(bundle, options->password, &key, &certificate, NULL) == 1) {
        is_used = certificate && key && api.use_certificate(channel->context, certificate) == 1
                  && api.use_key(channel->context, key) == 1;
    }
    if (key) api.key_free(key);
    if (certificate) api.certificate_free(certificate);
    if (bundle) api.pkcs12_free(bundle);
    if (file) api.bio_free(file);
    return is_used;
}

static int use_certificate(ccurl_channel *channel, const ccurl_channel_options *options) {
    if (options->is_pkcs12) return use_pkcs12(channel, options);
    api.password_callback(channel->context, give_password);
    api.password_data(channel->context, (void *)options->password);
    int is_used = api.chain_file(channel->context, options->certificate) == 1
                  && api.key_file(channel->context, options->key, pem) == 1;
    api.password_data(channel->context, NULL);
    return is_used;
}

// The settings of the context; returns what failed, or NULL.
static const char *configure(ccurl_channel *channel, const ccurl_channel_options *options) {
    void *context = channel->context;
    api.context_options(context, no_renegotiation);
    if (api.context_ctrl(context, ctrl_minimum, options->minimum_version, NULL) != 1) return "the minimum version";
    if (options->maximum_version && api.context_ctrl(context, ctrl_maximum, options->maximum_version, NULL) != 1) {
        return "the maximum version";
    }
    if (options->is_verified) {
        int has_roots = options->ca_file ? api.ca_file(context, options->ca_file) : api.default_paths(context);
        if (has_roots == 1 && !options->ca_file && options->system_file) {
            has_roots = api.ca_file(context, options->system_file);
        }
        if (has_roots != 1) return "the trusted certificates cannot be read";
        api.context_verify(context, verify_peer, NULL);
    }
    if (options->certificate && !use_certificate(channel, options)) return "the client certificate cannot be used";
    return NULL;
}

// Makes the session; returns what failed, or NULL.
static const char *begin(ccurl_channel *channel, const ccurl_channel_options *options) {
    static const char *const memory = "no memory";
    channel->session = api.session_new(channel->context);
    if (!channel->session) return memory;
    channel->input = api.bio_new(api.bio_memory());
    channel->output = api.bio_new(api.bio_memory());
    if (!channel->input || !channel->output) {
        if (channel->input) api.bio_free(channel->input);
        if (channel->output) api.bio_free(channel->output);
        return memory;
    }
    api.set_bio(channel->session, channel->input, channel->output);
    if (options->is_address) {
        if (api.set_address(api.param(channel->session), options->host) != 1) return "the address";
    } else {
        if (api.set_host(channel->session, options->host) != 1) return "the host name";
        if (api.ctrl(channel->session, ctrl_host_name, 0, (void *)options->host) != 1) return "the host name";
    }
    api.set_connect(channel->session);
    return NULL;
}

ccurl_channel *ccurl_channel_new(const ccurl_channel_options *options, char *fault, size_t size) {
    if (!is_loaded) {
        snprintf(fault, size, "TLS in the middle of a connection needs OpenSSL 3 (libssl.so.3)");
        return NULL;
    }
    ccurl_channel *channel = calloc(1, sizeof *channel);
    if (!channel) return NULL;
    api.clear_errors();
    channel->context = api.context_new(api.method());
    const char *what = channel->context ? configure(channel, options) : "no memory";
    if (!what) what = begin(channel, options);
    if (!what && options->pins && !(channel->pins = strdup(options->pins))) what = "no memory";
    if (!what) return channel;
    note(channel, what);
    snprintf(fault, size, "%s", channel->fault);
    ccurl_channel_free(channel);
    return NULL;
}

void ccurl_channel_free(ccurl_channel *channel) {
    if (channel->session) api.session_free(channel->session);
    if (channel->context) api.context_free(channel->context);
    free(channel->pins);
    free(channel);
    api.clear_errors();
}

int ccurl_channel_feed(ccurl_channel *channel, const void *bytes, size_t count) {
    return count == 0 || api.bio_write(channel->input, bytes, (int)count) == (int)count;
}

size_t ccurl_channel_pending(ccurl_channel *channel) { return api.bio_pending(channel->output); }

size_t ccurl_channel_take(ccurl_channel *channel, void *bytes, size_t count) {
    int taken = count == 0 ? 0 : api.bio_read(channel->output, bytes, (int)count);
    return taken > 0 ? (size_t)taken : 0;
}

static int fail(ccurl_channel *channel, int result, const char *what) {
    int error = api.get_error(channel->session, result);
    if (error == error_want_read || error == error_want_write) return 0;
    if (error == error_zero_return) return CCURL_CHANNEL_CLOSED;
    note(channel, what);
    return CCURL_CHANNEL_FAILED;
}

// Base64 of a SHA-256.
static void encode(const unsigned char *digest, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < 33; i += 3) {
        unsigned bits = (unsigned)digest[i] << 16;
        if (i + 1 < 32) bits |= (unsigned)digest[i + 1] << 8;
        if (i + 2 < 32) bits |= digest[i + 2];
        for (int place = 0; place < 4; place++) *text++ = digits[bits >> (18 - 6 * place) & 63];
    }
    text[-1] = '=';
    *text = 0;
}

static int has_pinned_key(ccurl_channel *channel) {
    void *certificate = api.peer(channel->session);
    if (!certificate) return 0;
    unsigned char *key = NULL, digest[32];
    char text[64] = "sha256//";
    int count = api.encode_key(api.public_key(certificate), &key);
    int is_hashed = count > 0 && ccurl_sha256(key, (size_t)count, digest);
    api.free(key, "", 0);
    api.certificate_free(certificate);
    if (!is_hashed) return 0;
    encode(digest, text + strlen(text));
    for (const char *pin = channel->pins; pin;) {
        const char *end = strchr(pin, ';');
        size_t length = end ? (size_t)(end - pin) : strlen(pin);
        if (length == strlen(text) && !strncmp(pin, text, length)) return 1;
        pin = end ? end + 1 : NULL;
    }
    return 0;
}

int ccurl_channel_handshake(ccurl_channel *channel) {
    api.clear_errors();
    int result = api.handshake(channel->session);
    if (result != 1) return fail(channel, result, "the TLS handshake failed");
    if (channel->pins && !has_pinned_key(channel)) {
        snprintf(channel->fault, sizeof channel->fault, "the server's public key is not one of `pinnedPublicKeys`");
        return CCURL_CHANNEL_FAILED;
    }
    return 1;
}

int ccurl_channel_read(ccurl_channel *channel, void *bytes, size_t count) {
    api.clear_errors();
    int result = api.read(channel->session, bytes, (int)count);
    return result > 0 ? result : fail(channel, result, "the TLS connection is broken");
}

int ccurl_channel_write(ccurl_channel *channel, const void *bytes, size_t count) {
    if (count == 0) return 0;
    api.clear_errors();
    int result = api.write(channel->session, bytes, (int)count);
    return result > 0 ? result : fail(channel, result, "the TLS connection is broken");
}

void ccurl_channel_close(ccurl_channel *channel) {
    api.clear_errors();
    api.shutdown(channel->session);
    api.clear_errors();
}

const char *ccurl_channel_fault(const ccurl_channel *channel) { return channel->fault; }

long ccurl_channel_verify_result(const ccurl_channel *channel) { return api.verify_result(channel->session); }

const char *ccurl_channel_verify_text(const ccurl_channel *channel) {
    return api.verify_text(api.verify_result(channel->session));
}

int ccurl_channel_facts(const ccurl_channel *channel, unsigned *suite, const char **suite_name) {
    const void *cipher = api.cipher(channel->session);
    *suite = cipher ? api.cipher_id(cipher) : 0;
    *suite_name = cipher ? api.cipher_name(cipher) : NULL;
    return api.version(channel->session);
}
