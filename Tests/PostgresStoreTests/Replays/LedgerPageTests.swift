import Domain
import EventStore
import Foundation
import TestSupport
import Testing

@testable import PostgresStore

/// What a verification finds in rows of the ledger, one detail at a time.
struct `A page of the ledger` {
    private static let order = ActivityID(rawValue: "order-1")

    /// Says something of each detail.
    private static func full(_ event: RecordedEvent) -> Decision {
        var decision = Samples.decision(event, .alert)
        decision.alertContext = AlertContext(weight: 2, subject: "stage")
        decision.order = PushOrder(isImmediate: true)
        decision.relevanceScore = 0.1
        decision.staleAt = decision.decidedAt.adding(seconds: 3)
        return decision
    }

    /// Has nothing to say.
    private static func held(_ event: RecordedEvent) -> Decision {
        var decision = Samples.decision(event, .hold)
        decision.significance = Significance.none
        return decision
    }

    /// - Parameter decide: a decision about each event of one activity.
    private func page(
        _ count: Int, _ decide: @escaping @Sendable (RecordedEvent) -> Decision
    ) async throws -> (page: any LedgerPage, decisions: [Decision]) {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("shop").id
        _ = try await store.log.append(tenant, (1...count).map { Samples.event("\($0)") })
        _ = try await store.projections.foldNext(nil, count) { batch in
            FoldResult(
                snapshots: batch.events.suffix(1).map { Samples.snapshot($0) },
                decisions: batch.events.map(decide), parked: [])
        }
        let rows = try await store.projections.decisions(tenant, Self.order, 0, count)
        let page = try await store.replays.ledger(
            tenant, [(activity: Self.order, versions: 1...Int64(count))])
        return (page, rows.map(\.decision))
    }

    @Test func `tells decisions apart by each detail that is compared`() async throws {
        let (page, decisions) = try await page(1, Self.full)
        let stored = try #require(decisions.first)
        let index = try #require(page.index(0, 1))
        #expect(try page.says(stored, index))
        for detail in Decision.Detail.allCases {
            #expect(detail.text.get(stored) != nil, "\(detail) has no value in this test")
            let made = detail.changed(in: stored)
            let isCompared = Decision.Detail.compared.contains(detail)
            #expect(try page.says(made, index) == !isCompared, "\(detail)")
            let read = try page.decision(index, insteadOf: made)
            #expect(read == (isCompared ? stored : made), "\(detail)")
            #expect(read.differences(from: made).isEmpty == !isCompared, "\(detail)")
        }
    }

    @Test func `knows a change without an alert context by its silence`() async throws {
        let details = Decision.Detail.allCases
        let (page, _) = try await page(details.count + 1) { event in
            let place = Int(event.version) - 1
            return place < details.count
                ? details[place].changed(in: Self.held(event)) : Self.held(event)
        }
        for version in 1...(details.count + 1) {
            let index = try #require(page.index(0, Int64(version)))
            let saysHold = try page.saysHold(
                index, rule: "sample", significance: .none,
                contentState: Data(#"{"v":\#(version)}"#.utf8), policyVersion: 0, rulesVersion: 1)
            let changed = version <= details.count ? details[version - 1] : nil
            let isCompared = changed.map(Decision.Detail.compared.contains) ?? false
            #expect(saysHold == !isCompared, "version \(version)")
        }
    }
}

extension Decision.Detail {
    /// The same decision, but for this.
    fileprivate func changed(in decision: Decision) -> Decision {
        var other = decision
        switch self {
        case .reason: other.reason = "otherwise"
        case .significance: other.significance = .ambient
        case .alert: other.alert = Alert(title: "Other", body: "words")
        case .news: other.alertContext = AlertContext(subject: "other")
        case .contentState: other.contentState = Data(#"{"other":1}"#.utf8)
        case .order: other.order = PushOrder()
        case .relevanceScore: other.relevanceScore = 7
        case .staleAt: other.staleAt = other.decidedAt.adding(seconds: 9)
        }
        return other
    }
}
