import EventLoop

/// A client that has connected and is still in the TLS handshake, which says what it will speak.
/// Loop-bound.
final class Arrival: ServerConnection {
    let id: UInt64
    let account: BodyAccounts.Account
    let isOfProxy: Bool
    let waitingSinceMillis: UInt64
    private let socket: Socket
    private let server: HTTP1Server
    private let tls: TLSFilter

    init(
        id: UInt64, socket: Socket, server: HTTP1Server, account: BodyAccounts.Account,
        isOfProxy: Bool, tls: TLSFilter
    ) {
        self.id = id
        self.socket = socket
        self.server = server
        self.account = account
        self.isOfProxy = isOfProxy
        self.tls = tls
        waitingSinceMillis = server.loop.nowMillis
        socket.readBytesMax = HTTP2Limits.requestBytesReadMax
        socket.onClose = { _ in socket.close() }
        socket.onReleased = { [self] in
            tls.onEstablished = nil
            server.forget(self)
        }
        tls.onEstablished = { [self] in server.settle(self, socket, tls) }
        do throws(HTTPError) { try tls.begin(on: socket) } catch { socket.close() }
    }

    var own: [BodyAccounts.Account] { [account] }
    var isSpare: Bool { true }

    func spareRank(nowMillis: UInt64) -> Int {
        waitingSinceMillis + Limits.freshHeadMillis <= nowMillis ? 0 : 2
    }

    func checkDeadlines(nowMillis: UInt64, patience: Double) {
        let wait = UInt64(server.limits.headTimeoutSeconds * 1_000 * min(1, patience))
        if waitingSinceMillis + wait <= nowMillis { socket.close() }
    }

    func announceEnd() {}

    func drain() { cut() }

    func endWait() {}

    func cut() { socket.close() }
}
