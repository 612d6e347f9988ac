import Domain
import EventStore
import Foundation
import Projections
import Testing

@testable import Pipeline

private let tenant = TenantID(rawValue: 1)

/// Recorded events of one tenant, numbered as the log would.
private struct Log {
    private(set) var events: [RecordedEvent] = []

    mutating func add(_ type: String, _ activity: String, _ data: String) {
        let version = events.count { $0.event.activityID.rawValue == activity } + 1
        let position = Int64(events.count + 1)
        events.append(
            RecordedEvent(
                tenant: tenant, position: position, version: Int64(version),
                recordedAt: Moment(unixSeconds: 1_777_660_000 + position),
                event: NewEvent(
                    id: "\(position)", source: "/test", type: type,
                    activityID: ActivityID(rawValue: activity),
                    occurredAt: Moment(unixSeconds: 1_777_660_000 + position),
                    data: Data(data.utf8))))
    }

    mutating func place(_ activity: String) {
        add(
            "PizzaDelivery.OrderPlaced", activity,
            #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€20.00","#
                + #""promisedAt":"2026-05-01T19:00:00Z"}"#)
    }

    mutating func assign(_ driver: String, _ activity: String) {
        add("PizzaDelivery.DriverAssigned", activity, #"{"driverName":"\#(driver)"}"#)
    }

    func fold(_ range: Range<Int>, from snapshots: [Snapshot] = []) -> FoldResult {
        let known = Dictionary(uniqueKeysWithValues: snapshots.map { ($0.activityID, $0) })
        return BatchFolder.fold(
            FoldBatch(tenant: tenant, events: Array(events[range]), snapshots: known))
    }
}

struct `Folding a batch` {
    @Test func `gives each event one decision and each activity its newest snapshot`() {
        var log = Log()
        log.place("a")
        log.place("b")
        log.assign("Ada", "a")
        let outcome = log.fold(0..<3)
        #expect(outcome.decisions.map(\.position) == [1, 2, 3])
        #expect(outcome.snapshots.map(\.activityID.rawValue) == ["a", "b"])
        #expect(outcome.snapshots.map(\.version) == [2, 1])
        #expect(outcome.decisions.last?.verdict == .alert)
        #expect(outcome.parked.isEmpty)
    }

    @Test func `gives equal bytes however the log is cut into batches`() throws {
        var log = Log()
        for round in 0..<5 {
            log.place("a\(round % 2)")
            log.assign("Driver \(round)", "a\(round % 2)")
        }
        let whole = log.fold(0..<10)
        for cut in 1..<10 {
            let first = log.fold(0..<cut)
            let second = log.fold(cut..<10, from: first.snapshots)
            var newest = Dictionary(
                uniqueKeysWithValues: first.snapshots.map { ($0.activityID, $0) })
            for snapshot in second.snapshots { newest[snapshot.activityID] = snapshot }
            #expect(newest.values.sorted { $0.activityID < $1.activityID } == whole.snapshots)
            #expect(first.decisions + second.decisions == whole.decisions)
        }
    }

    @Test(arguments: [(40, 3), (1, nil), (500, 1)] as [(Int, Int?)])
    func `leaves the rest when it has taken its time, which one event may take`(
        lookMillis: Int, foldedCount: Int?
    ) {
        var log = Log()
        log.place("a")
        for driver in 1..<9 { log.assign("Driver \(driver)", "a") }
        var time = ContinuousClock.now
        let outcome = BatchFolder.fold(
            FoldBatch(tenant: tenant, events: log.events, snapshots: [:]), PolicyBookCache(),
            now: {
                time += .milliseconds(lookMillis)
                return time
            })
        let part = log.fold(0..<(foldedCount ?? 9))
        #expect(outcome.foldedCount == foldedCount)
        #expect(outcome.decisions == part.decisions)
        #expect(outcome.snapshots == part.snapshots)
    }

    @Test func `parks what cannot be folded, blocks its activity, and goes on with the others`() {
        var log = Log()
        log.place("a")
        log.place("b")
        log.add("PizzaDelivery.DriverAssigned", "a", #"{"driverName":7}"#)
        log.assign("Ada", "a")
        log.assign("Bo", "b")
        let outcome = log.fold(0..<5)
        #expect(outcome.parked.map(\.position) == [3, 4])
        #expect(outcome.parked.first?.reason.contains("/data/driverName") == true)
        #expect(outcome.decisions.map(\.position) == [1, 2, 5])
        #expect(outcome.snapshots.first?.blockage != nil)
        #expect(outcome.snapshots.first?.version == 1)
        #expect(outcome.snapshots.last?.blockage == nil)
    }

    @Test func `keeps an activity blocked in the batches that follow`() {
        var log = Log()
        log.add("PizzaDelivery.DriverAssigned", "a", "{}")
        log.assign("Ada", "a")
        let first = log.fold(0..<1)
        let second = log.fold(1..<2, from: first.snapshots)
        #expect(first.snapshots.first?.blockage != nil)
        #expect(second.parked.map(\.position) == [2])
        #expect(second.decisions.isEmpty)
    }

    @Test func `parks an event of another kind without harm to the activity`() {
        var log = Log()
        log.place("a")
        log.add("Match.FullTimeReached", "a", "{}")
        log.assign("Ada", "a")
        let outcome = log.fold(0..<3)
        #expect(outcome.parked.map(\.position) == [2])
        #expect(outcome.snapshots.first?.blockage == nil)
        #expect(outcome.decisions.map(\.position) == [1, 3])
        // As if it had come between two batches.
        let first = log.fold(0..<1)
        let last = log.fold(2..<3, from: first.snapshots)
        #expect(last.snapshots == outcome.snapshots)
        #expect(first.decisions + last.decisions == outcome.decisions)
    }
}
