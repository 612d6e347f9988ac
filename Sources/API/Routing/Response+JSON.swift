import HTTP

extension Response {
    static func json(_ status: Int, _ value: JSON) -> Response {
        Response(
            status: status, headers: ["content-type": "application/json"],
            body: .bytes(value.bytes))
    }

    /// The answer to HEAD: the head says how long the body would be, where that is known.
    var withoutBody: Response {
        var head = self
        head.body = .bytes([])
        if case .bytes(let bytes) = body { head.headers.append("content-length", "\(bytes.count)") }
        return head
    }
}
