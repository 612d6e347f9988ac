import EventStore
import HTTP

/// Whether this node can do its work, for load balancers and people.
struct HealthRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] { [.get("/healthz", health)] }

    @Sendable
    private func health(_ call: Call) async throws(ProblemDocument) -> Response {
        var isHealthy = true
        var checks: [JSON.Member] = []
        for check in [storeCheck] + environment.healthChecks {
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
    private var storeCheck: HealthCheck {
        HealthCheck(name: "store") {
            do throws(EventStoreError) {
                _ = try await store.tenants.grant([UInt8](repeating: 0, count: 32))
                return .healthy("answers")
            } catch {
                environment.report(error, "checking the health of the store")
                return .unhealthy("does not answer")
            }
        }
    }
}
