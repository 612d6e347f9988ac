import EventLoop

/// Asks a proxy for a way to a host; after that the socket is as good as one that leads there.
///
/// Loop-bound; kept alive by its socket.
final class HTTP1Tunnel {
    private let socket: Socket
    private let proxy: HTTPProxy
    /// Host and port.
    private let target: String
    /// What has come of the answer.
    private var answer: [UInt8] = []
    private var done: ((HTTPError?) -> Void)?

    init(_ socket: Socket, through proxy: HTTPProxy, to target: String) {
        self.socket = socket
        self.proxy = proxy
        self.target = target
    }

    /// - Parameter done: called once; with an error the socket is closed.
    func open(_ done: @escaping (HTTPError?) -> Void) {
        self.done = done
        socket.onBytes = {
            self.answer += $0
            self.readAnswer()
        }
        socket.onClose = { _ in
            self.fail("the proxy \(self.proxy) closed the connection without an answer")
        }
        var request = "CONNECT \(target) HTTP/1.1\r\nhost: \(target)\r\n"
        if let authorization = proxy.authorization {
            request += "proxy-authorization: \(authorization)\r\n"
        }
        socket.write(Array((request + "\r\n").utf8))
    }

    /// `done` is not called any more.
    func abandon() {
        guard done != nil else { return }
        done = nil
        letGo()
        socket.close()
    }

    /// Heads of 1xx may come before the one that counts. What follows its status tells us nothing,
    /// and is dropped.
    private func readAnswer() {
        var status = 100
        while (100..<200).contains(status) {
            guard "HTTP/1.".utf8.starts(with: answer.prefix(7)) else { return failAsNotHTTP() }
            guard let end = answer.firstRange(of: "\r\n\r\n".utf8)?.upperBound else {
                if answer.count > Limits.responseHeadBytesMax { failAsNotHTTP() }
                return
            }
            // As in "HTTP/1.1 200 OK".
            let code = String(decoding: answer.dropFirst(9).prefix(3), as: UTF8.self)
            guard let number = Int(code) else { return failAsNotHTTP() }
            status = number
            answer.removeFirst(end)
        }
        guard (200..<300).contains(status) else { return fail(refusal(status)) }
        let done = done
        self.done = nil
        letGo()
        done?(nil)
    }

    private func failAsNotHTTP() { fail("the proxy \(proxy) does not answer in HTTP") }

    private func refusal(_ status: Int) -> String {
        switch status {
        case 407: "the proxy \(proxy) wants another user and password (407)"
        case 403: "the proxy \(proxy) does not let us through to \(target) (403)"
        case 502...504: "the proxy \(proxy) cannot reach \(target) (\(status))"
        default: "the proxy \(proxy) answers CONNECT with status \(status)"
        }
    }

    private func fail(_ reason: String) {
        guard let done else { return }
        self.done = nil
        letGo()
        socket.close()
        done(.cannotConnect(reason))
    }

    private func letGo() {
        socket.onBytes = nil
        socket.onClose = nil
    }
}
