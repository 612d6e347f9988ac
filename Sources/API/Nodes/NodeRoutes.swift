import Domain
import EventStore
import HTTP
import JSON

/// The processes that share the work, and what each of them is sending for the tenant.
struct NodeRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] { [Route(.get, "/v1/nodes", .activitiesRead, list)] }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let nodes = try await environment.asked(
            "looking for nodes", try await store.operators.nodes(caller.tenant))
        return .json(
            200,
            [
                "nodes": .array(
                    nodes.map { node in
                        [
                            "name": .string(node.name),
                            "connections": .integer(node.connections),
                            "since": .optional(node.since?.rfc3339),
                            "claims": .integer(node.claims),
                        ]
                    })
            ])
    }
}
