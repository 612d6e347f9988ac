import COpenSSL

/// One TLS connection without a socket: ciphertext goes in and comes out as bytes.
///
/// Belongs to one thread, as the connection that owns it does. After any error, send what
/// `drainCiphertext(into:)` still has (the alert that tells the peer why), then close.
public final class TLSSession {
    private let context: TLSContext
    private let session: OpaquePointer
    /// Owned by `session`: what the peer sent, of which a record that is not whole waits, some 17
    /// KB at most (in the handshake a message, which OpenSSL bounds at 100 KB); and what is to be
    /// sent to it, which the owner takes after each call.
    private let received: OpaquePointer
    private let outgoing: OpaquePointer
    public private(set) var isEstablished = false

    /// The server's side.
    public init(server context: TLSContext) throws(TLSError) {
        precondition(context.role == .server)
        self.context = context
        (session, received, outgoing) = try Self.open(context)
        SSL_set_accept_state(session)
    }

    /// The client's side.
    /// - Parameter serverName: the host name or IP address the server's certificate must be for.
    public init(client context: TLSContext, serverName: String) throws(TLSError) {
        precondition(context.role == .client)
        self.context = context
        (session, received, outgoing) = try Self.open(context)
        SSL_set_connect_state(session)
        guard !serverName.isEmpty, !serverName.utf8.contains(0) else {
            throw .hostUnusable(serverName)
        }
        let parameters = SSL_get0_param(session)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, serverName) == 1 { return }
        X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        guard X509_VERIFY_PARAM_set1_host(parameters, serverName, 0) == 1,
            islet_SSL_set_tlsext_host_name(session, serverName) == 1
        else {
            OpenSSLErrors.clear()
            throw .hostUnusable(serverName)
        }
    }

    private static func open(
        _ context: TLSContext
    ) throws(TLSError) -> (session: OpaquePointer, received: OpaquePointer, out: OpaquePointer) {
        guard let session = SSL_new(context.pointer), let received = BIO_new(BIO_s_mem()),
            let out = BIO_new(BIO_s_mem())
        else { throw .libraryFailed(OpenSSLErrors.takeReason()) }
        SSL_set_bio(session, received, out)
        return (session, received, out)
    }

    deinit {
        SSL_free(session)
    }

    /// The protocol that ALPN settled on; nil before the handshake's end or without agreement.
    public var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &name, &count)
        guard count > 0 else { return nil }
        return String(
            decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// Begins the handshake; for a client, produces its first flight.
    public func begin() throws(TLSError) {
        try advanceHandshake()
    }

    /// Takes ciphertext from the peer and hands on the plaintext in it, at most 16 KiB a call and
    /// as much as there is: small records come together.
    /// - Returns: false once the peer has said properly that it sends no more.
    /// - Throws: `TLSError.peerRefused`, `.handshakeFailed`, `.sessionFailed`.
    public func receive(
        _ ciphertext: UnsafeRawBufferPointer,
        _ onPlaintext: (UnsafeRawBufferPointer) -> Void
    ) throws(TLSError) -> Bool {
        guard !ciphertext.isEmpty else { return true }
        try OpenSSLErrors.check(
            BIO_write(received, ciphertext.baseAddress, Int32(ciphertext.count)) > 0)
        if !isEstablished {
            try advanceHandshake()
            if !isEstablished { return true }
        }
        let outcome = withUnsafeTemporaryAllocation(
            byteCount: Limits.recordPlaintextBytesMax, alignment: 16
        ) { buffer -> Int32 in
            var filled = 0
            while true {
                OpenSSLErrors.clear()
                let count = SSL_read(
                    session, buffer.baseAddress.map { $0 + filled }, Int32(buffer.count - filled))
                let error = count > 0 ? SSL_ERROR_NONE : SSL_get_error(session, count)
                filled += Int(max(0, count))
                if filled == buffer.count || (count <= 0 && filled > 0) {
                    onPlaintext(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
                    filled = 0
                }
                guard count > 0 else { return error }
            }
        }
        switch outcome {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return true
        case SSL_ERROR_ZERO_RETURN: return false
        // A client of TLS 1.3 is through with the handshake before the server refuses it.
        default: throw .sessionFailed(OpenSSLErrors.takeReason())
        }
    }

    /// Encrypts; `drainCiphertext(into:)` gives the result. Only once the session is established.
    public func send(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        precondition(isEstablished, "nothing can be sent before the handshake is done")
        guard !plaintext.isEmpty else { return }
        OpenSSLErrors.clear()
        // The buffer takes everything, so a write is never partial.
        var count = 0
        guard SSL_write_ex(session, plaintext.baseAddress, plaintext.count, &count) == 1,
            count == plaintext.count
        else { throw .sessionFailed(OpenSSLErrors.takeReason()) }
    }

    /// Tells the peer that nothing more will come.
    public func close() {
        guard isEstablished else { return }
        OpenSSLErrors.clear()
        SSL_shutdown(session)
        OpenSSLErrors.clear()
    }

    /// Appends what is to be sent to the peer now.
    public func drainCiphertext(into bytes: inout [UInt8]) {
        MemoryBIO.drain(outgoing, into: &bytes)
    }

    private func advanceHandshake() throws(TLSError) {
        OpenSSLErrors.clear()
        let outcome = SSL_do_handshake(session)
        if outcome == 1 {
            isEstablished = true
            return
        }
        switch SSL_get_error(session, outcome) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            return
        default:
            let reason = OpenSSLErrors.takeReason()
            let verdict = SSL_get_verify_result(session)
            guard verdict == X509_V_OK else {
                throw .peerRefused(String(cString: X509_verify_cert_error_string(verdict)))
            }
            throw .handshakeFailed(reason)
        }
    }
}
