import EventStore
import HTTP
import JSON

/// Whether the process lives, and whether this node can do its work, for load balancers and people.
///
/// What concerns all nodes alike, such as a tenant whose log is not folded, is asked elsewhere: to
/// take one node out of service for it, or all of them, would help nobody.
struct HealthRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [
            Route(.get, "/livez", live), Route(.get, "/readyz", ready),
            Route(.get, "/healthz", ready),
        ]
    }

    private func live(_ call: Call) async throws(ProblemDocument) -> Response {
        await answer(environment.liveChecks)
    }

    private func ready(_ call: Call) async throws(ProblemDocument) -> Response {
        await answer([storeCheck] + environment.healthChecks)
    }

    private func answer(_ all: [HealthCheck]) async -> Response {
        var isHealthy = true
        var checks: [JSON.Member] = []
        for check in all {
            let (isWell, detail) =
                switch await check.probe() {
                case .healthy(let detail): (true, detail)
                case .unhealthy(let detail): (false, detail)
                }
            isHealthy = isHealthy && isWell
            checks.append(
                .init(
                    name: check.name,
                    value: [
                        "status": isWell ? "healthy" : "unhealthy", "detail": .string(detail),
                    ]))
        }
        var response = Response.json(
            isHealthy ? 200 : 503,
            [
                "status": isHealthy ? "healthy" : "unhealthy",
                "version": .string(environment.version), "checks": .object(checks),
            ])
        response.headers.append("cache-control", "no-store")
        return response
    }

    /// A look-up of a key that nobody has: one row by its index, on the way every request takes.
    /// One that waits in a long line says less than the calls that were carried out meanwhile.
    var storeCheck: HealthCheck {
        HealthCheck(name: "store") {
            let error = await firstOf(
                withinSeconds: Limits.healthAnswerSecondsMax,
                otherwise: EventStoreError.unavailable(detail: "no answer in time")
            ) {
                do throws(EventStoreError) {
                    _ = try await store.tenants.lookUp(
                        key: [UInt8](repeating: 0, count: 32))
                    return nil
                } catch { return error }
            }
            guard let error else { return .healthy("answers") }
            if environment.hasStoreWorked() {
                return .healthy("busy: calls are carried out, but a look-up had to wait")
            }
            environment.report(error, "checking the health of the store")
            return .unhealthy(error.sqlState.map { "answers \($0)" } ?? "does not answer")
        }
    }
}

extension API {
    /// Where a node says how it is, to supervisors and load balancers.
    public static let healthPaths = ["/livez", "/readyz", "/healthz"]
}
