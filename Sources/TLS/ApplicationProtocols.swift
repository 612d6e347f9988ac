import COpenSSL

/// The protocols a side speaks, most wanted first, in the form that ALPN puts on the wire: each
/// name after one byte with its length.
///
/// A class because OpenSSL's callback is handed its address; `TLSContext` keeps it alive.
final class ApplicationProtocols: Sendable {
    let wire: [UInt8]
    /// Of a server: a client that offers only other protocols is sent away.
    private let refusesOthers: Bool

    init(_ names: [String], refusesOthers: Bool) {
        self.refusesOthers = refusesOthers
        var bytes: [UInt8] = []
        for name in names {
            precondition((1...255).contains(name.utf8.count), "not an ALPN name: \(name)")
            bytes.append(UInt8(name.utf8.count))
            bytes.append(contentsOf: name.utf8)
        }
        wire = bytes
    }

    func offer(in context: OpaquePointer) {
        guard !wire.isEmpty else { return }
        SSL_CTX_set_alpn_protos(context, wire, UInt32(wire.count))
    }

    /// Refuses clients that offer protocols of which this side speaks none, or says nothing to
    /// their offer.
    func select(in context: OpaquePointer) {
        guard !wire.isEmpty else { return }
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, chosenCount, offered, offeredCount, argument in
                guard let argument, let chosen, let chosenCount, let offered else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                let own = Unmanaged<ApplicationProtocols>.fromOpaque(argument)
                    .takeUnretainedValue()
                return own.wire.withUnsafeBufferPointer { wire in
                    var found: UnsafeMutablePointer<UInt8>?
                    let outcome = SSL_select_next_proto(
                        &found, chosenCount, wire.baseAddress, UInt32(wire.count), offered,
                        offeredCount)
                    guard outcome == OPENSSL_NPN_NEGOTIATED, let found else {
                        return own.refusesOthers
                            ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_NOACK
                    }
                    // It points into `wire`, which the context keeps for as long as the session.
                    chosen.pointee = UnsafePointer(found)
                    return SSL_TLSEXT_ERR_OK
                }
            },
            Unmanaged.passUnretained(self).toOpaque())
    }
}
