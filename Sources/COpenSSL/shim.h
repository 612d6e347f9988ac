#ifndef ISLET_COPENSSL_SHIM_H
#define ISLET_COPENSSL_SHIM_H

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Swift sees neither function-like macros nor variadic functions, and much of OpenSSL is one or the
// other. Each function below is one such macro with its types written out, and nothing more.

static inline int islet_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline long islet_SSL_CTX_set_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_mode(context, mode);
}

static inline long islet_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}

/// Takes ownership of the certificate when it returns 1.
static inline int islet_SSL_CTX_add0_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add0_chain_cert(context, certificate);
}

static inline int islet_SSL_set_tlsext_host_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

/// A new key on the curve P-256, or null.
static inline EVP_PKEY *islet_EVP_EC_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

/// The bytes that wait in a memory BIO, left in place.
static inline long islet_BIO_get_mem_data(BIO *bio, unsigned char **start) {
    return BIO_get_mem_data(bio, start);
}

static inline void islet_BIO_reset(BIO *bio) { (void)BIO_reset(bio); }

static inline uint64_t islet_SSL_OP_NO_RENEGOTIATION(void) { return SSL_OP_NO_RENEGOTIATION; }

/// Builds one X.509 extension from its textual form; null when the text does not parse.
static inline X509_EXTENSION *islet_X509_extension(
    X509 *issuer, X509 *subject, int identifier, const char *text) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, subject, NULL, NULL, 0);
    return X509V3_EXT_conf_nid(NULL, &context, identifier, text);
}

#endif
