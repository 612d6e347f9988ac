@testable import HTTP

enum HTTPTargets {
    /// The first byte says in what pieces the others come, and whether the body is streamed.
    @Sendable static func request(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let limits = ServerLimits.standard
        let parser = RequestParser(limits)
        var rest = bytes[1...]
        var heads = 0
        while !rest.isEmpty {
            let piece = Array(rest.prefix(max(1, Int(first & 0x7F))))
            let (used, step) = piece.withUnsafeBytes { parser.feed($0) }
            require(used <= piece.count, "more was taken than there was")
            rest = rest.dropFirst(used)
            switch step {
            case .more:
                require(used == piece.count, "bytes are left and more are wanted")
                if heads > 0, first & 0x80 != 0 { _ = parser.takeBodyPart() }
            case .head:
                heads += 1
                require(heads < 1000, "heads without end")
                var head = parser.head()
                _ = head.bodyBytes
                try? head.check()
                if first & 0x80 != 0 { parser.streamBody() }
            case .done:
                if first & 0x80 != 0 { _ = parser.takeBodyPart() } else { _ = parser.body() }
                parser.reset()
            case .rejected: return
            }
        }
    }
}
