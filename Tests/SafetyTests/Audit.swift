import Domain
import EventLoop
import EventStore
import Postgres
import Testing

/// Compares a log with what was acknowledged.
enum Audit {
    /// - Returns: number of events that were sent. Others may stand between them.
    static func check(_ load: Load, url: String, tenant name: String) async throws -> Int {
        let audited = try await TenantUnderAudit(name, at: url)
        var log: [RecordedEvent] = []
        while true {
            let page = try await audited.store.log.read(audited.tenant.id, Int64(log.count), 1_000)
            if page.isEmpty { break }
            log += page
        }
        await audited.close()
        let state = load.snapshot
        #expect(state.violations == [])
        #expect(log.map(\.position) == Array(1...Int64(log.count)), "positions are not dense")
        for (activity, events) in Dictionary(grouping: log, by: \.event.activityID) {
            #expect(events.map(\.version) == Array(1...Int64(events.count)), "\(activity)")
        }
        #expect(Set(log.map(\.event.id)).count == log.count, "an event is there twice")
        let sent = log.filter { $0.event.source == Load.source }
        #expect(sent.allSatisfy { state.sent.contains($0.event.id) }, "nobody sent an event")
        // A request is recorded whole or not at all, and each was repeated until acknowledged.
        #expect(state.acknowledged.count == sent.count)
        for (id, place) in state.acknowledged {
            let index = Int(place.position) - 1
            guard log.indices.contains(index), log[index].event.id == id,
                log[index].version == place.version
            else {
                Issue.record("\(id) was acknowledged at \(place.position) and is not there")
                continue
            }
        }
        return sent.count
    }
}
