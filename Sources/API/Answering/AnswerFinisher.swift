import HTTP

/// What answers have in common, whichever route gave them: a name, a coding, and who may see them.
struct AnswerFinisher: Sendable {
    let cors: CORSPolicy

    /// - Parameter answer: runs with the request's name as the current one.
    func answer(
        _ request: Request, _ answer: @Sendable (Request) async -> Response
    ) async -> Response {
        let id = RequestID.of(request)
        var response = await RequestID.$current.withValue(id) { await answer(request) }
        finish(&response, of: request, id)
        if isWorthPacking(response, of: request) { await pack(&response, for: request) }
        return response
    }

    /// What is not admitted is answered here as well.
    func admission(
        _ request: Request, _ admit: @Sendable (Request) async -> Admission
    ) async -> Admission {
        let id = RequestID.of(request)
        let admission = await RequestID.$current.withValue(id) { await admit(request) }
        guard case .refused(var response) = admission else { return admission }
        finish(&response, of: request, id)
        if isWorthPacking(response, of: request) { await pack(&response, for: request) }
        return .refused(response)
    }

    private func finish(_ response: inout Response, of request: Request, _ id: String) {
        response.headers.append(RequestID.field, id)
        response.forbidSniffing()
        cors.add(to: &response, of: request)
        // As the answer with a body would have (RFC 9110, 15.4.5): caches go by the newest.
        if response.status == 304 { response.headers.append("vary", "accept-encoding") }
    }

    /// The answer to a write may have a secret, such as a ticket's or a webhook's. A client that
    /// has text of its own packed together with a secret learns of the secret from the length.
    private func isWorthPacking(_ response: Response, of request: Request) -> Bool {
        guard request.method == "GET" || request.method == "HEAD",
            case .bytes(let bytes) = response.body, bytes.count >= Limits.packedBytesMin
        else { return false }
        return response.headers["content-encoding"] == nil && Self.isText(response)
    }

    private func pack(_ response: inout Response, for request: Request) async {
        response.headers.append("vary", "accept-encoding")
        guard case .bytes(let bytes) = response.body,
            let coding = ContentCoding.wanted(by: request),
            let packed = await Self.packed(bytes, coding), packed.count < bytes.count
        else { return }
        response.headers.append("content-encoding", coding.rawValue)
        response.body = .bytes(packed)
        response.isShared = false
    }

    private static func isText(_ response: Response) -> Bool {
        guard let type = response.headers["content-type"] else { return false }
        return type.hasPrefix("text/") || type.hasPrefix("application/")
    }

    private static func packed(_ bytes: [UInt8], _ coding: ContentCoding) async -> [UInt8]? {
        guard bytes.count > Limits.packedOnLoopBytesMax else { return coding.packed(bytes) }
        return await OffLoop.run { coding.packed(bytes) }
    }
}

extension Response {
    /// A browser is to take it as what it says it is, whatever it looks like.
    mutating func forbidSniffing() { headers.append("x-content-type-options", "nosniff") }
}
