import Domain
import EventLoop
import EventStore
import HTTP
import TestSupport
import Testing

@testable import API

/// Answers with what a store says whose caller goes away in the middle of the question.
private func leave() -> EventStoreError {
    withUnsafeCurrentTask { $0?.cancel() }
    return .unavailable(detail: "the call was cancelled")
}

private struct LeftProjections: ForwardingProjectionStore {
    let base: any ProjectionStore

    func changes(
        _: TenantID, after _: ActivityChange.Place, _: Int, isFollowing _: Bool
    ) async throws(EventStoreError) -> ActivityChanges { throw leave() }
}

private struct LeftLog: ForwardingEventLog {
    let base: any EventLog

    func head(_: TenantID) async throws(EventStoreError) -> Int64 { 1 }

    func select(
        _: TenantID, _: EventFilter, _: ClosedRange<Int64>, _: Int
    ) async throws(EventStoreError) -> [RecordedEvent] { throw leave() }
}

@Test(.timeLimit(.minutes(1)), arguments: ["/v1/stream", "/v1/events/stream"])
func `a reader who leaves in the middle of a question is no complaint for the log`(
    path: String
) async throws {
    let complaints = Lock(0)
    let fake = FakeStore()
    await fake.grant(
        "key",
        KeyGrant(tenant: Tenant(id: Harness.mine, name: "mine"), scopes: [.activitiesRead]))
    var store = fake.store
    store.projections = LeftProjections(base: store.projections)
    store.log = LeftLog(base: store.log)
    let handler = API.service(
        store: store,
        environment: APIEnvironment(
            now: { Moment(unixSeconds: 1_800_000_000) }, version: "test",
            report: { _, _ in complaints.withLock { $0 += 1 } })
    ).handler
    let response = await handler(
        Request(method: "GET", target: path, headers: ["authorization": "Bearer key"]))
    let reading = Task { () -> Message? in
        var reader = try StreamReader(response)
        return try await reader.next()
    }
    let message = try await reading.value
    #expect(message == nil)
    #expect(response.status == 200)
    #expect(complaints.value == 0)
}
