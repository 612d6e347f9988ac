import Domain
import HTTP
import JSON
import Projections

/// What events may have, for editors, code generators and validators. The same for everybody.
struct SchemaRoutes: Sendable {
    var routes: [Route] {
        [
            Route(.get, "/v1/schemas", list),
            Route(.get, "/v1/schemas/{type}", schema)
                .acceptingQuery("version"),
        ]
    }

    private func list(_ call: Call) async throws(ProblemDocument) -> Response {
        let rows = ActivityCatalog.standard.eventTypes.map { type -> JSON in
            [
                "type": .string(type.name),
                "versions": .array((1...type.newestVersion).map { JSON.integer($0) }),
                "newest": .string(JSONSchema.path(of: type, version: type.newestVersion)),
            ]
        }
        return .json(200, ["schemas": .array(rows)])
    }

    private func schema(_ call: Call) async throws(ProblemDocument) -> Response {
        let name = call.path["type"] ?? ""
        guard let type = ActivityCatalog.standard.eventType(named: name) else {
            throw ProblemDocument(
                .unknownSchema,
                "`type` in the path: \(ActivityCatalog.standard.unknownType(name).detail).")
        }
        guard let number = try call.number("version", in: 1...Limits.versionMax) else {
            return answer(type, type.newestVersion)
        }
        let version = Int(number)
        guard type.fields(of: version) != nil else {
            throw ProblemDocument(
                .unknownSchema,
                "\(type.name) has schema versions 1 to \(type.newestVersion).")
        }
        return answer(type, version)
    }

    private func answer(_ type: EventType, _ version: Int) -> Response {
        Response(
            status: 200, headers: ["content-type": "application/schema+json"],
            body: .bytes(JSONSchema.schema(of: type, version: version).bytes))
    }
}
