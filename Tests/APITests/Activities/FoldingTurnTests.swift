import Domain
import EventStore
import HTTP
import JSON
import TestSupport
import Testing

@testable import API

/// Gives nothing of an activity for as long as it is stopped.
private struct StoppedLog: ForwardingEventLog {
    let base: any EventLog
    let reads: Lever<Int>
    let isStopped: Lever<Bool>

    func readActivity(
        _ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        reads.update { $0 += 1 }
        while isStopped.value { try? await Task.sleep(for: .milliseconds(5)) }
        return try await base.readActivity(tenant, activity, after, limit)
    }
}

/// Has an activity of so many events, all like the first one of the log.
private struct LongLog: ForwardingEventLog {
    let base: any EventLog
    let versions: Int64

    func readActivity(
        _ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        let first = try await base.readActivity(tenant, activity, 0, 1)
        return first.flatMap { event in
            stride(from: after + 1, through: min(after + Int64(limit), versions), by: 1).map {
                RecordedEvent(
                    tenant: tenant, position: $0, version: $0, recordedAt: event.recordedAt,
                    event: event.event)
            }
        }
    }
}

private func serving(_ store: EventStore) -> API.Service {
    API.service(
        store: store,
        environment: APIEnvironment(
            now: { Moment(unixSeconds: 1_800_000_000) }, version: "test"))
}

private func asking(_ point: String) -> Request {
    Request(
        method: "GET", target: "/v1/activities/o-1/state?\(point)",
        headers: ["authorization": "Bearer all"])
}

@Test(.timeLimit(.minutes(3)))
func `the version that is the last to be folded again is given, and the next one is refused`()
    async throws
{
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    let (last, now) = (Limits.foldedAgainMax, "at=2027-01-15T08:00:00Z")
    for (versions, point, isGiven) in [
        (last, "version=\(last)", true), (last, now, true),
        (last + 1, "version=\(last)", true), (last + 1, "version=\(last + 1)", false),
        (last + 1, now, false),
    ] {
        var store = api.fake.store
        store.log = LongLog(base: store.log, versions: versions)
        let answer = Answer(response: await serving(store).handler(asking(point)))
        guard !isGiven else {
            #expect(answer.status == 200, "\(point) of \(versions): \(answer.text.prefix(300))")
            continue
        }
        let problem = try answer.expectProblem(.invalidParameter)
        let name = point.prefix { $0 != "=" }
        #expect(problem["detail"]?.text?.hasPrefix("`\(name)` ") == true, "\(point)")
    }
}

@Test(.timeLimit(.minutes(1)))
func `a tenant's activities are folded again one at a time, and few requests wait for that`()
    async throws
{
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    let (reads, isStopped) = (Lever(0), Lever(true))
    var store = api.fake.store
    store.log = StoppedLog(base: store.log, reads: reads, isStopped: isStopped)
    let service = serving(store)
    let admitted = 1 + Limits.foldsWaitingMax
    let others = 5
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<(admitted + others) {
            group.addTask {
                await service.handler(asking("version=1")).status
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
        isStopped.value = false
        for try await status in group { statuses.append(status) }
        return statuses
    }
    #expect(statuses.count { $0 == 200 } == admitted)
}
