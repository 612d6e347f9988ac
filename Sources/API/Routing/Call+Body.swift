import HTTP
import JSON

extension Call {
    /// The body as a JSON object.
    /// - Parameter problem: when it is JSON and no object.
    func object(
        _ problem: Problem, _ caller: Caller
    ) async throws(ProblemDocument) -> JSON {
        try checkMedia()
        try caller.allowance.check(body: request)
        guard request.body.count <= Limits.objectBytesMax else {
            throw ProblemDocument(
                .bodyTooLarge,
                "The body of this path must not be longer than \(Limits.objectBytesMax) bytes.")
        }
        return try await caller.largeWork.bodies.read(
            bytes: request.body.count, of: caller.tenant
        ) { () throws(ProblemDocument) in try object(problem) }
    }

    /// The same, for what may have several errors.
    func fields(
        _ problem: Problem, _ caller: Caller
    ) async throws(ProblemDocument) -> BodyFields {
        BodyFields(body: try await object(problem, caller), problem: problem)
    }

    /// The one member that a body may have; nil without it, and without a body.
    func bodyNumber(
        _ name: String, in range: ClosedRange<Int>, _ problem: Problem, _ caller: Caller
    ) async throws(ProblemDocument) -> Int? {
        guard !request.body.isEmpty else { return nil }
        var body = try await fields(problem, caller)
        body.refuseOthers(than: [name])
        try body.check()
        let number = body.number(name, in: range)
        try body.check()
        return number
    }

    /// Reads a body of any size, and makes something of it, off the loop.
    /// - Parameter make: may take much longer than to read it.
    func largeObject<Content: Sendable>(
        _ problem: Problem, _ caller: Caller,
        _ make: @Sendable (JSON) throws(ProblemDocument) -> Content
    ) async throws(ProblemDocument) -> Content {
        try checkMedia()
        try caller.allowance.check(body: request)
        return try await caller.largeWork.bodies.readOffLoop(of: caller.tenant) {
            () throws(ProblemDocument) in try make(try object(problem))
        }
    }

    private func checkMedia() throws(ProblemDocument) {
        let media = request.headers["content-type"].map(MediaType.init)
        guard media?.name == "application/json", media?.isUTF8 == true else {
            throw ProblemDocument(
                .unsupportedMediaType, "This path takes a body of application/json in UTF-8.")
        }
    }

    private func object(_ problem: Problem) throws(ProblemDocument) -> JSON {
        let body: JSON
        do { body = try JSONParser.parse(request.body) } catch {
            throw ProblemDocument(error, in: request.body)
        }
        guard case .object = body else {
            throw ProblemDocument(
                problem, pointer: "", "The body must be an object, not \(body.kind).")
        }
        return body
    }
}
