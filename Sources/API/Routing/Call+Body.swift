import HTTP

extension Call {
    /// The body as a JSON object.
    /// - Parameter problem: when it is JSON and no object.
    func object(
        _ problem: Problem, _ allowance: Allowance
    ) throws(ProblemDocument) -> JSON {
        let media = request.headers["content-type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard media == "application/json" else {
            throw ProblemDocument(
                .unsupportedMediaType, "This path takes a body of application/json.")
        }
        try allowance.check(body: request)
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
