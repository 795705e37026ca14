#include "ccurl.h"
#include "libraries.h"

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
};
struct ccurl_trust {
    int holders;
    ccurl_certificate_fault fault;
    // Whether a server has asked for a client certificate.
    int was_asked;
    // The connection of the last request; NULL before the first.
    struct connection *used;
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
    int (*name_text)(void *, int, char *, int);
    void (*set_certificate_callback)(void *, int (*)(void *, void *), void *);
    void (*set_info_callback)(void *, void (*)(const void *, int, int));
} api;

// The index of our data in an SSL_CTX; negative without OpenSSL.
static int data_index = -1;

static const int common_name = 13;    // NID_commonName
static const int class_of_contexts = 1; // CRYPTO_EX_INDEX_SSL_CTX
static const int verify_none = 0;       // SSL_VERIFY_NONE
static const int read_alert = 0x4004;   // SSL_CB_READ_ALERT
static const int handshake_start = 0x10; // SSL_CB_HANDSHAKE_START
static const int close_notify = 0;      // SSL_AD_CLOSE_NOTIFY

static void release(struct ccurl_trust *trust);

static void release_connection(struct connection *connection) {
    if (!connection || --connection->holders > 0) return;
    release(connection->trust);
    free(connection);
}

static void release(struct ccurl_trust *trust) {
    if (trust && --trust->holders == 0) free(trust);
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

static int did_verify(int is_good, void *store) {
    if (is_good) return is_good;
    struct connection *connection = connection_of(api.store_data(store, api.store_index()));
    if (!connection) return is_good;

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
    if (connection) connection->trust->was_asked = 1;
    return 1;
}

// Later messages also count as a handshake, but open no new layer.
static void note_layer(const void *session) {
    const void *context = api.context_of(session);
    struct connection *connection = connection_of(session);
    if (!connection || connection->trust->context != context) return;
    connection->trust->context = NULL;
    connection->trust->layers[1] = connection->trust->layers[0];
    connection->trust->layers[0] = session;
}

// Called for handshake steps and alerts, not for data.
static void did_step(const void *session, int what, int value) {
    if (what & handshake_start) note_layer(session);
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
    trust->was_asked = 0;
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

int ccurl_trust_was_asked(const struct ccurl_trust *trust) { return trust->was_asked; }

int ccurl_trust_lacks_close_notify(const struct ccurl_trust *trust) {
    return trust->used && !trust->used->has_close_notify;
}

const void *ccurl_trust_outer(const struct ccurl_trust *trust, const void *inner) {
    return inner && trust->layers[0] == inner ? trust->layers[1] : NULL;
}

const ccurl_certificate_fault *ccurl_trust_fault(const struct ccurl_trust *trust) {
    return trust->fault.error ? &trust->fault : NULL;
}
