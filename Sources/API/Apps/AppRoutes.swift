import EventStore
import HTTP
import JSON

/// Apps of a tenant: which keys they have, which of them pushes go with, and what stands in the
/// way. Keys come and go by the command line, which has the file and the master key.
struct AppRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] { [Route(.get, "/v1/apps", .activitiesRead, list)] }

    private func list(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let keys = try await environment.asked(
            "reading apps", try await store.operators.appKeys(caller.tenant))
        let alarms = try await environment.asked(
            "reading apps", try await store.operators.appAlarms(caller.tenant))
        let deferred = try await environment.asked(
            "reading apps", try await store.operators.deferredPhones(caller.tenant))
        return try await caller.answer(rows: keys.count + alarms.count + deferred.count) {
            .reading(
                call,
                [
                    "keys": .array(keys.map { AppDocument.key($0, among: keys) }),
                    "alarms": .array(alarms.map(AppDocument.alarm)),
                    "waiting": .array(deferred.map { AppDocument.waiting($0, alarms) }),
                ])
        }
    }
}
