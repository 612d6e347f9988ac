import Domain
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import VirtualTime

/// Where a store keeps what it gets. Both have to promise the same.
enum Keeper: CaseIterable, Sendable {
    case memory, postgres

    /// Two processes on an empty database, and what ends the second one.
    func open() async throws -> (first: EventStore, second: EventStore, end: () async -> Void) {
        switch self {
        case .memory:
            let database = MemoryDatabase(clock: {
                Moment(microseconds: 0).adding(seconds: Date().timeIntervalSince1970)
            })
            let second = database.makeNode()
            return (database.makeNode().store, second.store, { database.endNode(second.id) })
        case .postgres:
            let database = try await TestDatabase.make()
            let pool = database.makePool()
            return (database.store, .postgres(pool: pool), { await pool.close() })
        }
    }
}

/// Short ways to say what a test needs.
enum Sample {
    static let bundleID = "com.example"
    static let kind = "Sample"
    static let start = Moment(unixSeconds: 1_900_000_000)

    static func event(
        _ id: String, _ activity: String = "a", data: String = #"{"n": 1}"#,
        expectedVersion: Int64? = nil
    ) -> NewEvent {
        NewEvent(
            id: id, source: "tests", type: "Sample.Happened",
            activityID: ActivityID(rawValue: activity), occurredAt: start, data: Data(data.utf8),
            expectedVersion: expectedVersion)
    }

    /// Folds into states that name their version, with the same verdict for each event.
    static func fold(
        _ batch: FoldBatch, _ verdict: Verdict = .timely, sendAfter: Moment? = nil,
        restarts: Bool = false, dueAt: Moment? = nil
    ) -> FoldResult {
        var newest: [ActivityID: Snapshot] = batch.snapshots
        var decisions: [Decision] = []
        for event in batch.events {
            let state = Data(#"{"v":\#(event.version)}"#.utf8)
            let before = newest[event.event.activityID]
            newest[event.event.activityID] = Snapshot(
                activityID: event.event.activityID, kind: kind, version: event.version,
                position: event.position,
                phase: verdict == .end || before?.phase == .ended ? .ended : .live, state: state,
                attributes: Data("{}".utf8), contentState: state, updatedAt: event.recordedAt,
                dueAt: dueAt)
            var order = PushOrder(sendAfter: sendAfter)
            order.restarts = restarts
            decisions.append(
                Decision(
                    activityID: event.event.activityID, version: event.version,
                    position: event.position, verdict: verdict, rule: "sample", reason: "because",
                    contentState: state, decidedAt: event.recordedAt,
                    order: verdict == .hold ? nil : order))
        }
        return FoldResult(
            snapshots: newest.values.sorted { $0.position < $1.position }, decisions: decisions,
            parked: [])
    }

    static func token(_ digit: Int) -> PushToken {
        guard let token = PushToken(hex: String(repeating: String(digit, radix: 16), count: 64))
        else { preconditionFailure("\(digit) is no hexadecimal digit") }
        return token
    }

    static func wish(_ digit: Int, _ installation: String? = nil) -> CardWish {
        CardWish(
            token: token(digit), environment: .production, bundleID: bundleID,
            installation: installation)
    }

    static func topics(_ names: [String]) -> [AudienceTopic] {
        names.compactMap { AudienceTopic(rawValue: "t:\($0)") }
    }
}

extension DeliveryStore {
    /// As when the one phone of an activity has taken what a claim is about.
    func complete(_ claim: DeliveryClaim) async throws {
        try await complete(
            claim,
            .init(
                carriedBy: claim.completesUpTo, timestamp: claim.timestamp, accepted: 1, failed: 0,
                completedAt: claim.claimedAt))
    }
}
