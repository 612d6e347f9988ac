import COpenSSL

/// The settings that many sessions share: whom to trust or which certificate to show, and what to
/// speak. TLS 1.2 or later, with forward secrecy and authenticated ciphers only.
///
/// `@unchecked Sendable` without a lock of ours: the `SSL_CTX` is not changed after `init`, and
/// OpenSSL guards what sessions do to it (reference count, certificate store) with its own locks.
public final class TLSContext: @unchecked Sendable {
    public enum Trust: Hashable, Sendable {
        /// The machine's own store.
        case system
        /// A file of PEM certificates.
        case file(String)
        /// PEM certificates.
        case pem(String)
    }

    enum Role {
        case client, server
    }

    let pointer: OpaquePointer
    let role: Role
    /// The protocols that this side speaks, most wanted first, in the form that ALPN puts on the
    /// wire: each name after one byte with its length.
    private let protocols: [UInt8]
    /// Of a server: a client that offers only other protocols is sent away.
    private let refusesOthers: Bool
    /// Of a server: when its certificate ends, in seconds of Unix time; nil if it does not say.
    public private(set) var certificateEnd: Int64?

    private init(
        role: Role, protocols: [String], refusesOthers: Bool = true
    ) throws(TLSError) {
        let method = role == .client ? TLS_client_method() : TLS_server_method()
        let context = try OpenSSLErrors.check(SSL_CTX_new(method))
        pointer = context
        self.role = role
        self.refusesOthers = refusesOthers
        self.protocols = protocols.flatMap { name -> [UInt8] in
            precondition((1...255).contains(name.utf8.count), "not an ALPN name: \(name)")
            return [UInt8(name.utf8.count)] + name.utf8
        }
        try OpenSSLErrors.check(
            islet_SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
                // What HTTP/2 allows of TLS 1.2 (RFC 9113, 9.2.2); 1.3 has its own list.
                && SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1)
        SSL_CTX_set_options(context, islet_SSL_OP_NO_RENEGOTIATION())
        // Connections live for hours: resumption would save nothing and keep secrets in memory.
        _ = islet_SSL_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_num_tickets(context, 0)
        // A server's idle connections, which may be thousands, give their record buffers back.
        if role == .server {
            _ = islet_SSL_CTX_set_mode(context, Int(SSL_MODE_RELEASE_BUFFERS))
        }
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// - Parameter alpn: protocols to offer, most wanted first.
    /// - Throws: `TLSError.trustUnreadable`.
    public static func client(
        trust: Trust, alpn: [String] = ["h2"]
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(role: .client, protocols: alpn)
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        try context.load(trust)
        if !alpn.isEmpty {
            let names = context.protocols
            SSL_CTX_set_alpn_protos(context.pointer, names, UInt32(names.count))
        }
        return context
    }

    /// - Parameters:
    ///   - certificateChainPEM: the server's certificate, then those between it and the authority.
    ///   - alpn: protocols to accept, most wanted first.
    ///   - refusesOthers: false to let in a client that offers only others, without agreement.
    /// - Throws: `TLSError.certificateUnreadable`, `.privateKeyUnreadable`.
    public static func server(
        certificateChainPEM: String, privateKeyPEM: String, alpn: [String] = ["h2"],
        refusesOthers: Bool = true
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(
            role: .server, protocols: alpn, refusesOthers: refusesOthers)
        let chain = try Certificate.read(pem: certificateChainPEM)
        let key = try EVPKey.readPrivate(pem: privateKeyPEM)
        OpenSSLErrors.clear()
        guard SSL_CTX_use_certificate(context.pointer, chain[0].pointer) == 1 else {
            throw .certificateUnreadable(OpenSSLErrors.takeReason())
        }
        context.certificateEnd = chain[0].end
        for issuer in chain.dropFirst() {
            X509_up_ref(issuer.pointer)
            guard islet_SSL_CTX_add0_chain_cert(context.pointer, issuer.pointer) == 1 else {
                X509_free(issuer.pointer)
                throw .certificateUnreadable(OpenSSLErrors.takeReason())
            }
        }
        // Refuses a key that is not the certificate's.
        guard SSL_CTX_use_PrivateKey(context.pointer, key.pointer) == 1 else {
            throw .privateKeyUnreadable(OpenSSLErrors.takeReason())
        }
        // That compares only keys of one type, and keeps one of another beside the certificate.
        guard SSL_CTX_check_private_key(context.pointer) == 1 else {
            OpenSSLErrors.clear()
            throw .privateKeyUnreadable("it is of another type than the certificate's key")
        }
        if !alpn.isEmpty { context.selectProtocols() }
        return context
    }

    /// When the first certificate of a chain ends, in seconds of Unix time; nil if it does not say.
    /// - Throws: `TLSError.certificateUnreadable`.
    public static func certificateEnd(chainPEM: String) throws(TLSError) -> Int64? {
        try Certificate.read(pem: chainPEM)[0].end
    }

    /// Refuses clients that offer protocols of which this side speaks none, or says nothing to
    /// their offer. Sessions keep the context, whose address OpenSSL hands back.
    private func selectProtocols() {
        SSL_CTX_set_alpn_select_cb(
            pointer,
            { _, chosen, chosenCount, offered, offeredCount, argument in
                guard let argument, let chosen, let chosenCount, let offered else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                let own = Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
                return own.protocols.withUnsafeBufferPointer { names in
                    var found: UnsafeMutablePointer<UInt8>?
                    let outcome = SSL_select_next_proto(
                        &found, chosenCount, names.baseAddress, UInt32(names.count), offered,
                        offeredCount)
                    guard outcome == OPENSSL_NPN_NEGOTIATED, let found else {
                        return own.refusesOthers
                            ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_NOACK
                    }
                    // It points into `names`, which live for as long as the context.
                    chosen.pointee = UnsafePointer(found)
                    return SSL_TLSEXT_ERR_OK
                }
            },
            Unmanaged.passUnretained(self).toOpaque())
    }

    private func load(_ trust: Trust) throws(TLSError) {
        OpenSSLErrors.clear()
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw .trustUnreadable(OpenSSLErrors.takeReason())
            }
        case .file(let path):
            guard SSL_CTX_load_verify_locations(pointer, path, nil) == 1 else {
                throw .trustUnreadable("\(path): \(OpenSSLErrors.takeReason())")
            }
        case .pem(let text):
            let certificates: [Certificate]
            do {
                certificates = try Certificate.read(pem: text)
            } catch {
                throw .trustUnreadable("no certificate in the text")
            }
            let store = SSL_CTX_get_cert_store(pointer)
            for certificate in certificates {
                guard X509_STORE_add_cert(store, certificate.pointer) == 1 else {
                    throw .trustUnreadable(OpenSSLErrors.takeReason())
                }
            }
        }
    }
}
