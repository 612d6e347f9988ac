import EventLoop
import TLS

/// Opens one connection within one time limit and reports once. Loop-bound; kept alive by what it
/// waits for.
final class HTTP2Dialer {
    private let core: HTTP2ClientCore
    private let timeout: Duration
    private var done: ((HTTPError?) -> Void)?
    private var timer: LoopTimer?

    /// - Parameter done: nil means that the connection stands.
    init(core: HTTP2ClientCore, timeout: Duration, done: @escaping (HTTPError?) -> Void) {
        self.core = core
        self.timeout = timeout
        self.done = done
    }

    func dial(host: String, port: Int, tls: TLSContext) {
        timer = core.loop.schedule(after: timeout) {
            self.finish(.deadlineExceeded)
            self.core.pump?.abort(.deadlineExceeded)
        }
        let session: TLSSession
        do throws(TLSError) {
            session = try TLSSession(client: tls, serverName: host)
        } catch {
            return finish(HTTPError(error))
        }
        core.loop.connect(host: host, port: port, timeout: timeout) { result in
            switch result {
            case .failure(let error): self.finish(.cannotConnect("\(host):\(port): \(error)"))
            case .success(let socket) where self.done == nil: socket.close()
            case .success(let socket): self.core.start(socket, session) { self.finish($0) }
            }
        }
    }

    private func finish(_ error: HTTPError?) {
        timer?.cancel()
        timer = nil
        done?(error)
        done = nil
    }
}
