import EventLoop
import TLS

/// TLS between a socket and the protocol over it. Loop-bound.
final class TLSFilter: SocketFilter {
    private let session: TLSSession
    /// Why the connection came to nothing, or broke.
    private(set) var failure: HTTPError?
    /// Called once, before the first plaintext is handed on.
    var onEstablished: (() -> Void)?

    init(_ session: TLSSession) {
        self.session = session
    }

    var isEstablished: Bool { session.isEstablished }

    /// What ALPN settled on; nil without agreement.
    var applicationProtocol: String? { session.applicationProtocol }

    /// Begins the handshake on a socket.
    func begin(on socket: Socket) throws(HTTPError) {
        do throws(TLSError) { try session.begin() } catch { throw HTTPError(error) }
        socket.use(self)
    }

    func open(
        _ wire: UnsafeRawBufferPointer, _ onPlain: (UnsafeRawBufferPointer) -> Void
    ) -> SocketFilterVerdict {
        do throws(TLSError) {
            let isOpen = try session.receive(wire) { plain in
                announce()
                onPlain(plain)
            }
            if session.isEstablished { announce() }
            return isOpen ? .open : .endedByPeer
        } catch {
            failure = HTTPError(error)
            return .failed
        }
    }

    func seal(_ plain: UnsafeRawBufferPointer, into wire: inout [UInt8]) {
        if session.isEstablished, failure == nil {
            do throws(TLSError) { try session.send(plain) } catch { failure = HTTPError(error) }
        }
        session.drainCiphertext(into: &wire)
    }

    func close(into wire: inout [UInt8]) {
        if failure == nil { session.close() }
        session.drainCiphertext(into: &wire)
    }

    private func announce() {
        guard let onEstablished else { return }
        self.onEstablished = nil
        onEstablished()
    }
}

extension HTTPError {
    init(_ error: TLSError) {
        switch error {
        case .peerRefused(let reason): self = .tls("certificate refused: \(reason)")
        case .handshakeFailed(let reason): self = .tls("handshake failed: \(reason)")
        case .sessionFailed(let reason): self = .tls("session failed: \(reason)")
        case .hostUnusable(let host): self = .tls("not a host name: \(host)")
        case .privateKeyUnreadable(let reason), .publicKeyUnreadable(let reason),
            .certificateUnreadable(let reason), .trustUnreadable(let reason),
            .libraryFailed(let reason):
            self = .tls(reason)
        case .keyNotP256: self = .tls("not a P-256 key")
        }
    }
}
