import HTTP

/// A file that is the same for everybody, as it is and packed. It is packed once: anybody may ask
/// for it without a key, as often as they like, and packing it takes longer than all else.
struct SharedFile: Sendable {
    let plain: Response
    private let packed: [ContentCoding: Response]

    init(_ file: Response) {
        var plain = file
        plain.isShared = true
        self.plain = plain
        var packed: [ContentCoding: Response] = [:]
        if case .bytes(let bytes) = plain.body, bytes.count >= Limits.packedBytesMin {
            for coding in ContentCoding.allCases {
                guard let body = coding.packed(bytes), body.count < bytes.count else { continue }
                var response = plain
                response.headers.append("vary", "accept-encoding")
                response.headers.append("content-encoding", coding.rawValue)
                response.body = .bytes(body)
                packed[coding] = response
            }
        }
        self.packed = packed
    }

    func answer(to request: Request) -> Response {
        ContentCoding.wanted(by: request).flatMap { packed[$0] } ?? plain
    }
}
