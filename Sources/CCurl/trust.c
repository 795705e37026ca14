#include "ccurl.h"
#include "libraries.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// OpenSSL discards a rejected certificate, and libcurl reports only the error number. So a callback, which OpenSSL
// calls for each fault, records the data of the certificate.
//
// A watch belongs to an easy handle and to each connection that the handle opened; the last owner frees it. libcurl
// makes an SSL_CTX for each connection, which stores the connection's record. A handle that uses the connection also
// holds the record. All of them live on one thread.
//
// libcurl gives access to the SSL of the innermost layer only. The outer SSL of a tunnel through an https proxy is
// recorded when its handshake begins.
struct connection {
    int holders;
    struct ccurl_trust *trust;
    int has_close_notify;
    // Whether the handshake of this side is complete; with TLS 1.3 the server may still refuse it.
    int is_ready;
};
struct ccurl_trust {
    int holders;
    ccurl_certificate_fault fault;
    // Whether a server has asked for a client certificate.
    int was_asked;
    // The SSL of the server that asked last, until that server has accepted the handshake.
    const void *asker;
    // The last server certificate whose chain was accepted; owned.
    void *leaf;
    // The connection of the last request; NULL before the first.
    struct connection *used;
    // Whether the next connection whose TLS begins takes that place.
    int uses_next;
    // The SSL_CTX of the layer being opened, until its handshake begins.
    const void *context;
    // The SSLs of the last two opened layers, the newest first.
    const void *layers[2];
};

// Functions for OpenSSL's X509 objects.
static struct {
    int (*new_index)(int, long, void *, void *, void *, void (*)(void *, void *, void *, int, long, void *));
    int (*set_data)(void *, int, void *);
    void *(*get_data)(const void *, int);
    void (*set_verify)(void *, int, int (*)(int, void *));
    int (*verify_mode)(const void *);
    void *(*context_of)(const void *);
    int (*store_index)(void);
    void *(*store_data)(const void *, int);
    int (*store_error)(const void *);
    int (*store_depth)(const void *);
    void *(*store_certificate)(const void *);
    const void *(*not_before)(const void *);
    const void *(*not_after)(const void *);
    int (*to_tm)(const void *, struct tm *);
    void *(*issuer)(const void *);
    void *(*subject)(const void *);
    int (*retain)(void *);
    void (*free)(void *);
    void *(*extension)(const void *, int, int *, int *);
    void (*free_names)(void *);
    int (*count)(const void *);
    void *(*element)(const void *, int);
    void *(*name_value)(const void *, int *);
    const unsigned char *(*bytes)(const void *);
    int (*length)(const void *);
    int (*version)(const void *);
    int (*name_text)(void *, int, char *, int);
    void (*set_certificate_callback)(void *, int (*)(void *, void *), void *);
    void (*set_info_callback)(void *, void (*)(const void *, int, int));
} api;

// The index of our data in an SSL_CTX; negative without OpenSSL.
static int data_index = -1;

static const int common_name = 13;    // NID_commonName
static const int alternative_names = 85; // NID_subject_alt_name
static const int dns_name = 2;          // GEN_DNS
static const int address_name = 7;      // GEN_IPADD
static const int tls_1_3 = 0x0304;      // TLS1_3_VERSION
static const int class_of_contexts = 1; // CRYPTO_EX_INDEX_SSL_CTX
static const int verify_none = 0;       // SSL_VERIFY_NONE
static const int read_alert = 0x4004;   // SSL_CB_READ_ALERT
static const int handshake_start = 0x10; // SSL_CB_HANDSHAKE_START
static const int handshake_done = 0x20; // SSL_CB_HANDSHAKE_DONE
static const int handshake_step = 0x01; // SSL_CB_LOOP
static const int close_notify = 0;      // SSL_AD_CLOSE_NOTIFY

static void release(struct ccurl_trust *trust);

static void release_connection(struct connection *connection) {
    if (!connection || --connection->holders > 0) return;
    release(connection->trust);
    free(connection);
}

static void drop_leaf(struct ccurl_trust *trust) {
    if (trust->leaf) api.free(trust->leaf);
    trust->leaf = NULL;
}

static void release(struct ccurl_trust *trust) {
    if (!trust || --trust->holders > 0) return;
    drop_leaf(trust);
    free(trust);
}

static void did_free_context(void *context, void *connection, void *data, int index, long number, void *user) {
    (void)context, (void)data, (void)index, (void)number, (void)user;
    release_connection(connection);
}

// The record of an SSL's connection; NULL if it is not watched.
static struct connection *connection_of(const void *session) {
    void *context = session && data_index >= 0 ? api.context_of(session) : NULL;
    return context ? api.get_data(context, data_index) : NULL;
}

void ccurl_trust_load(void *libssl, void *libcrypto) {
    const struct ccurl_symbol ssl_symbols[] = {
        {&api.set_data, "SSL_CTX_set_ex_data"},    {&api.get_data, "SSL_CTX_get_ex_data"},
        {&api.set_verify, "SSL_CTX_set_verify"},   {&api.verify_mode, "SSL_CTX_get_verify_mode"},
        {&api.context_of, "SSL_get_SSL_CTX"},      {&api.store_index, "SSL_get_ex_data_X509_STORE_CTX_idx"},
        {&api.set_certificate_callback, "SSL_CTX_set_cert_cb"},
        {&api.set_info_callback, "SSL_CTX_set_info_callback"},
        {&api.version, "SSL_version"},
    };
    const struct ccurl_symbol crypto_symbols[] = {
        {&api.new_index, "CRYPTO_get_ex_new_index"},
        {&api.store_data, "X509_STORE_CTX_get_ex_data"},
        {&api.store_error, "X509_STORE_CTX_get_error"},
        {&api.store_depth, "X509_STORE_CTX_get_error_depth"},
        {&api.store_certificate, "X509_STORE_CTX_get_current_cert"},
        {&api.not_before, "X509_get0_notBefore"},
        {&api.not_after, "X509_get0_notAfter"},
        {&api.to_tm, "ASN1_TIME_to_tm"},
        {&api.issuer, "X509_get_issuer_name"},
        {&api.name_text, "X509_NAME_get_text_by_NID"},
        {&api.subject, "X509_get_subject_name"},
        {&api.retain, "X509_up_ref"},
        {&api.free, "X509_free"},
        {&api.extension, "X509_get_ext_d2i"},
        {&api.free_names, "GENERAL_NAMES_free"},
        {&api.count, "OPENSSL_sk_num"},
        {&api.element, "OPENSSL_sk_value"},
        {&api.name_value, "GENERAL_NAME_get0_value"},
        {&api.bytes, "ASN1_STRING_get0_data"},
        {&api.length, "ASN1_STRING_length"},
    };
    if (ccurl_bind(libssl, ssl_symbols, CCURL_COUNT(ssl_symbols))) return;
    if (ccurl_bind(libcrypto, crypto_symbols, CCURL_COUNT(crypto_symbols))) return;
    data_index = api.new_index(class_of_contexts, 0, NULL, NULL, NULL, did_free_context);
}

static int64_t seconds(const void *time) {
    struct tm parts;
    if (!time || api.to_tm(time, &parts) != 1) return INT64_MIN;
    return timegm(&parts);
}

// libcurl compares the names of a certificate after its chain, and reports only that none matches.
static void keep_leaf(struct ccurl_trust *trust, void *certificate) {
    if (!certificate || certificate == trust->leaf || api.retain(certificate) != 1) return;
    drop_leaf(trust);
    trust->leaf = certificate;
}

static int did_verify(int is_good, void *store) {
    if (is_good && api.store_depth(store) > 0) return is_good;
    struct connection *connection = connection_of(api.store_data(store, api.store_index()));
    if (!connection) return is_good;
    if (is_good) {
        keep_leaf(connection->trust, api.store_certificate(store));
        return is_good;
    }

    ccurl_certificate_fault *fault = &connection->trust->fault;
    memset(fault, 0, sizeof *fault);
    fault->error = api.store_error(store);
    fault->depth = api.store_depth(store);
    fault->not_before = fault->not_after = INT64_MIN;
    void *certificate = api.store_certificate(store);
    if (!certificate) return is_good;
    fault->not_before = seconds(api.not_before(certificate));
    fault->not_after = seconds(api.not_after(certificate));
    void *issuer = api.issuer(certificate);
    if (!issuer || api.name_text(issuer, common_name, fault->issuer, sizeof fault->issuer) < 0) fault->issuer[0] = 0;
    return is_good;
}

static int did_ask_for_certificate(void *session, void *user) {
    (void)user;
    struct connection *connection = connection_of(session);
    if (connection) {
        connection->trust->was_asked = 1;
        connection->trust->asker = session;
    }
    return 1;
}

// Before TLS 1.3 the server has the last word in the handshake. After a handshake of TLS 1.3, only a message of the
// server, such as a ticket, says that it has accepted the client's certificate, or its absence.
static void note_acceptance(const void *session, int what) {
    struct connection *connection = connection_of(session);
    if (!connection) return;
    int is_accepted = connection->is_ready;
    if (what & handshake_done) {
        connection->is_ready = 1;
        is_accepted = api.version(session) != tls_1_3;
    }
    if (is_accepted && connection->trust->asker == session) connection->trust->asker = NULL;
}

// Later messages also count as a handshake, but open no new layer.
static void note_layer(const void *session) {
    const void *context = api.context_of(session);
    struct connection *connection = connection_of(session);
    if (!connection || connection->trust->context != context) return;
    connection->trust->context = NULL;
    connection->trust->layers[1] = connection->trust->layers[0];
    connection->trust->layers[0] = session;
    if (connection->trust->uses_next) ccurl_trust_use(connection->trust, session);
}

// Called for handshake steps and alerts, not for data.
static void did_step(const void *session, int what, int value) {
    if (what & handshake_start) note_layer(session);
    if (what & (handshake_done | handshake_step)) note_acceptance(session, what);
    if (what != read_alert || (value & 0xff) != close_notify) return;
    struct connection *connection = connection_of(session);
    if (connection) connection->has_close_notify = 1;
}

static CURLcode did_make_context(CURL *handle, void *context, void *user) {
    (void)handle;
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) return CURLE_OUT_OF_MEMORY;
    if (api.set_data(context, data_index, connection) != 1) {
        free(connection);
        return CURLE_OK;
    }
    connection->holders = 1;
    connection->trust = user;
    connection->trust->holders++;
    connection->trust->context = context;
    api.set_certificate_callback(context, did_ask_for_certificate, NULL);
    api.set_info_callback(context, did_step);
    if (api.verify_mode(context) != verify_none) api.set_verify(context, api.verify_mode(context), did_verify);
    return CURLE_OK;
}

struct ccurl_trust *ccurl_trust_new(void) {
    if (data_index < 0) return NULL;
    struct ccurl_trust *trust = calloc(1, sizeof *trust);
    if (trust) trust->holders = 1;
    return trust;
}

void ccurl_trust_release(struct ccurl_trust *trust) {
    release_connection(trust->used);
    trust->used = NULL;
    release(trust);
}

CURLcode ccurl_set_trust(CURL *handle, struct ccurl_trust *trust) {
    return ccurl_set_ssl_context(handle, did_make_context, trust);
}

void ccurl_trust_clear(struct ccurl_trust *trust) {
    memset(&trust->fault, 0, sizeof trust->fault);
    trust->was_asked = trust->uses_next = 0;
    trust->asker = NULL;
    drop_leaf(trust);
    trust->context = trust->layers[0] = trust->layers[1] = NULL;
    release_connection(trust->used);
    trust->used = NULL;
}

void ccurl_trust_use(struct ccurl_trust *trust, const void *session) {
    struct connection *connection = connection_of(session);
    if (connection) connection->holders++;
    release_connection(trust->used);
    trust->used = connection;
}

void ccurl_trust_use_next(struct ccurl_trust *trust) { trust->uses_next = 1; }

int ccurl_trust_was_asked(const struct ccurl_trust *trust) { return trust->was_asked; }

int ccurl_trust_was_shut_out(const struct ccurl_trust *trust) { return trust->asker != NULL; }

// The writer of names, each with a newline; names that do not fit are left out.
struct names {
    char *text;
    size_t size, used;
};

static void add_name(struct names *names, const char *name, size_t length) {
    if (length == 0 || names->used + length + 1 > names->size) return;
    for (size_t index = 0; index < length; index++) {
        // A newline would become another name.
        char letter = name[index];
        names->text[names->used++] = letter > 0x20 && letter < 0x7f ? letter : '?';
    }
    names->text[names->used++] = '\n';
}

static void add_alternative(struct names *names, const void *name) {
    int kind = 0;
    const void *value = api.name_value(name, &kind);
    if (!value || (kind != dns_name && kind != address_name)) return;
    const unsigned char *bytes = api.bytes(value);
    int length = api.length(value);
    if (!bytes || length <= 0) return;
    char text[INET6_ADDRSTRLEN];
    if (kind == dns_name) {
        add_name(names, (const char *)bytes, (size_t)length);
    } else if (length == 4 || length == 16) {
        int family = length == 4 ? AF_INET : AF_INET6;
        if (inet_ntop(family, bytes, text, sizeof text)) add_name(names, text, strlen(text));
    }
}

size_t ccurl_trust_names(const struct ccurl_trust *trust, char *text, size_t size) {
    struct names names = {text, size, 0};
    if (!trust->leaf) return 0;
    void *list = api.extension(trust->leaf, alternative_names, NULL, NULL);
    for (int index = 0; list && index < api.count(list); index++) add_alternative(&names, api.element(list, index));
    if (list) {
        api.free_names(list);
        return names.used;
    }
    char name[256];
    void *subject = api.subject(trust->leaf);
    // A cut name is longer than any host's.
    int length = subject ? api.name_text(subject, common_name, name, sizeof name) : -1;
    if (length > 0 && (size_t)length < sizeof name) add_name(&names, name, (size_t)length);
    return names.used;
}

int ccurl_trust_lacks_close_notify(const struct ccurl_trust *trust) {
    return trust->used && !trust->used->has_close_notify;
}

const void *ccurl_trust_outer(const struct ccurl_trust *trust, const void *inner) {
    return inner && trust->layers[0] == inner ? trust->layers[1] : NULL;
}

const ccurl_certificate_fault *ccurl_trust_fault(const struct ccurl_trust *trust) {
    return trust->fault.error ? &trust->fault : NULL;
}
