import Domain
import EventStore
import HTTP
import TestSupport
import Testing

@testable import API

/// Gives nothing of an activity for as long as it is held.
private struct HeldLog: ForwardingEventLog {
    let base: any EventLog
    let reads: Lever<Int>
    let isHeld: Lever<Bool>

    func readActivity(
        _ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        reads.update { $0 += 1 }
        while isHeld.value { try? await Task.sleep(for: .milliseconds(5)) }
        return try await base.readActivity(tenant, activity, after, limit)
    }
}

@Test(.timeLimit(.minutes(1)))
func `a tenant's activities are folded again one at a time, and few requests wait for that`()
    async throws
{
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    let (reads, isHeld) = (Lever(0), Lever(true))
    var store = api.fake.store
    store.log = HeldLog(base: store.log, reads: reads, isHeld: isHeld)
    let service = API.service(
        store: store,
        environment: APIEnvironment(
            now: { Moment(unixSeconds: 1_800_000_000) }, sha256: { $0.reversed() }, seal: .fake,
            version: "test"))
    let admitted = 1 + Limits.foldsWaitingMax
    let others = 5
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<(admitted + others) {
            group.addTask {
                await service.handler(
                    Request(
                        method: "GET", target: "/v1/activities/o-1/state?version=1",
                        headers: ["authorization": "Bearer all"])
                ).status
            }
        }
        var statuses: [Int] = []
        // As long as nothing is read, only those are answered for whom there is no place.
        for _ in 0..<others {
            if let status = try await group.next() { statuses.append(status) }
        }
        #expect(statuses == Array(repeating: 503, count: others))
        try await waitUntil { reads.value > 0 }
        #expect(reads.value == 1)
        isHeld.value = false
        for try await status in group { statuses.append(status) }
        return statuses
    }
    #expect(statuses.count { $0 == 200 } == admitted)
}
