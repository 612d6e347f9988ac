import EventLoop
import TLS

/// Opens one connection within one time limit and reports once. Loop-bound; kept alive by what it
/// waits for.
final class HTTP2Dialer {
    private let connection: HTTP2Connection
    private let timeout: Duration
    private var done: ((HTTPError?) -> Void)?
    private var timer: LoopTimer?
    private var tunnel: HTTP1Tunnel?

    /// - Parameter done: nil means that the connection stands.
    init(
        _ connection: HTTP2Connection, timeout: Duration, done: @escaping (HTTPError?) -> Void
    ) {
        self.connection = connection
        self.timeout = timeout
        self.done = done
    }

    func dial(host: String, port: Int, through proxy: HTTPProxy?, tls: TLSContext) {
        timer = connection.loop.schedule(after: timeout) {
            self.finish(.deadlineExceeded)
            self.tunnel?.abandon()
            self.connection.pump?.abort(.deadlineExceeded)
        }
        let session: TLSSession
        do throws(TLSError) {
            session = try TLSSession(client: tls, serverName: host)
        } catch {
            return finish(HTTPError(error))
        }
        let (nextHost, nextPort) = proxy.map { ($0.host, $0.port) } ?? (host, port)
        connection.loop.connect(host: nextHost, port: nextPort, timeout: timeout) { result in
            switch result {
            case .failure(let error):
                let name = proxy == nil ? "" : "the proxy "
                self.finish(.cannotConnect("\(name)\(nextHost):\(nextPort): \(error)"))
            case .success(let socket) where self.done == nil: socket.close()
            case .success(let socket):
                guard let proxy else { return self.start(socket, session) }
                let target = HTTP2Connection.name(host: host) + ":\(port)"
                let tunnel = HTTP1Tunnel(socket, through: proxy, to: target)
                self.tunnel = tunnel
                tunnel.open { failure in
                    self.tunnel = nil
                    if let failure { self.finish(failure) } else { self.start(socket, session) }
                }
            }
        }
    }

    private func start(_ socket: Socket, _ session: TLSSession) {
        connection.start(socket, TLSFilter(session)) { self.finish($0) }
    }

    private func finish(_ error: HTTPError?) {
        timer?.cancel()
        timer = nil
        done?(error)
        done = nil
    }
}
