import HTTP

/// What is the same for everybody: the dashboard, the API's description, and explained problems.
struct SiteRoutes: Sendable {
    private let assets = Assets()

    var routes: [Route] {
        [
            .get("/", toDashboard),
            .get("/dashboard", dashboard),
            .get("/dashboard/{asset}", dashboardAsset),
            .get("/docs", docs),
            .get("/docs/{asset}", docsAsset),
            .get("/openapi.json", openAPI),
            .get("/problems/{name}", problem),
        ]
    }

    @Sendable
    private func toDashboard(_ call: Call) async throws(ProblemDocument) -> Response {
        Response(status: 302, headers: ["location": "/dashboard"])
    }

    @Sendable
    private func dashboard(_ call: Call) async throws(ProblemDocument) -> Response {
        guard let page = assets.dashboard["index.html"] else {
            throw ProblemDocument(.unknownRoute, "The dashboard is not installed.")
        }
        return page
    }

    @Sendable
    private func dashboardAsset(_ call: Call) async throws(ProblemDocument) -> Response {
        guard let name = call.path["asset"], let asset = assets.dashboard[name] else {
            throw ProblemDocument(.unknownRoute, "The dashboard has no such file.")
        }
        return asset
    }

    @Sendable
    private func docs(_ call: Call) async throws(ProblemDocument) -> Response {
        guard let page = assets.docs["index.html"] else {
            throw ProblemDocument(.unknownRoute, "The reference is not installed.")
        }
        return page
    }

    @Sendable
    private func docsAsset(_ call: Call) async throws(ProblemDocument) -> Response {
        guard let name = call.path["asset"], let asset = assets.docs[name] else {
            throw ProblemDocument(.unknownRoute, "The reference has no such file.")
        }
        return asset
    }

    @Sendable
    private func openAPI(_ call: Call) async throws(ProblemDocument) -> Response {
        guard assets.openAPITag.isNamed(by: call.request) else { return assets.openAPI }
        return Response(status: 304, headers: ["etag": assets.openAPITag.text])
    }

    @Sendable
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
