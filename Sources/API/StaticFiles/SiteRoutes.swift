import HTTP

/// What is the same for everybody: the dashboard, the API's description, and explained problems.
struct SiteRoutes: Sendable {
    private let assets = Assets.shipped

    var routes: [Route] {
        [
            Route(.get, "/", toDashboard),
            Route(.get, "/dashboard", dashboard),
            Route(.get, "/dashboard/{asset}", dashboard),
            Route(.get, "/docs", docs),
            Route(.get, "/docs/{asset}", docs),
            Route(.get, "/openapi.json", openAPI),
            Route(.get, "/problems/{name}", problem),
        ]
    }

    private func toDashboard(_ call: Call) async throws(ProblemDocument) -> Response {
        Response(status: 302, headers: ["location": "/dashboard"])
    }

    /// - Parameter files: by their names; the first page of each is `index.html`.
    private static func file(
        of files: [String: SharedFile], _ call: Call
    ) throws(ProblemDocument) -> Response {
        guard let file = files[call.path["asset"] ?? "index.html"] else {
            throw ProblemDocument(.unknownRoute, "There is no such file.")
        }
        return file.answer(to: call.request)
    }

    private func dashboard(_ call: Call) async throws(ProblemDocument) -> Response {
        try Self.file(of: assets.dashboard, call)
    }

    private func docs(_ call: Call) async throws(ProblemDocument) -> Response {
        try Self.file(of: assets.docs, call)
    }

    private func openAPI(_ call: Call) async throws(ProblemDocument) -> Response {
        guard assets.openAPITag.isNamed(by: call.request) else {
            return assets.openAPI.answer(to: call.request)
        }
        return Response(
            status: 304, headers: ["etag": assets.openAPITag.text, "cache-control": "no-cache"])
    }

    private func problem(_ call: Call) async throws(ProblemDocument) -> Response {
        guard let problem = call.path["name"].flatMap(Problem.init(rawValue:)) else {
            throw ProblemDocument(.unknownRoute, "No problem has this name.")
        }
        let text = """
            \(problem.title)

            Type:   \(problem.type)
            Status: \(problem.status)

            \(problem.remedy)

            """
        return Response(
            status: 200, headers: ["content-type": "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8)))
    }
}
