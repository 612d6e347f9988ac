import Domain
import EventStore
import Explaining
import Foundation
import Projections
import Replay

/// A timeline as one JSON document.
struct TimelineDocument: Encodable {
    struct Entry: Encodable {
        var version: Int64
        var position: Int64
        var type: String
        var occurredAt: Moment
        var recordedAt: Moment
        var changes: [MemberChange]
        /// Why it cannot be folded.
        var parked: String?
        /// True when an operator left it out; else absent.
        var skipped: Bool?
        /// Absent while nothing is folded.
        var presentation: Presentation?
        /// As it was made then, or as the log gives it where no ledger says.
        var decision: Ruling?
        /// As the log gives it today; only where that tells or shows phones something else.
        var today: Ruling?
        var outcome: Outcome?
    }

    /// With the members' names of the API.
    struct Ruling: Encodable {
        var verdict: Verdict
        var significance: Significance?
        var rule: String
        var policyVersion: Int
        var rulesVersion: Int
        var reason: String
        var order: Order?
        var alert: Alert?
        var news: News?
        var bytes: Int
        var staleAt: Moment?
        var dismissAt: Moment?
        var relevanceScore: Double?
        var decidedAt: Moment
    }

    struct Order: Encodable {
        var step: PushOrder.Step
        var priority: Int
        var priorityForFrequentUpdates: Int
        var sendAfter: Moment?
        var budgetBefore: BudgetChange.Level?
        var budgetAfter: BudgetChange.Level?
        var restarts: Bool?
    }

    struct News: Encodable {
        struct Carried: Encodable {
            var version: Int64
            var alert: Alert
        }

        var weight: Int
        var subject: String?
        var withdraws: [String]
        var isCorrection: Bool
        var silence: Silence?
        var carried: [Carried]
        var dropped: [Int64]
    }

    struct Outcome: Encodable {
        var carriedBy: Int64
        var timestamp: Int64?
        var phones: Int
        var accepted: Int
        var failed: Int
        var settledAt: Moment
        var channels: ChannelTally
    }

    /// A phone without anything that is secret.
    struct Phone: Encodable {
        var id: Int64
        var bundleID: String
        var environment: String
        var locale: String?
        var isFrequent: Bool
        var registeredAt: Moment
        var sentVersion: Int64
        var attempts: Int
        var lastFailure: String?
        var owedAt: Moment?
        var deadAt: Moment?
        var isUnfit: Bool
        var closedAt: Moment?
        var closedBy: String?
    }

    var activity: String
    var entries: [Entry]
    /// Only when they were asked for.
    var phones: [Phone]?

    init(_ timeline: Timeline, phones rows: [PhoneRow]?) {
        phones = rows?.map(Phone.init)
        activity = timeline.activityID.rawValue
        entries = timeline.entries.map { entry in
            Entry(
                version: entry.event.version, position: entry.event.position,
                type: entry.event.event.type, occurredAt: entry.event.event.occurredAt,
                recordedAt: entry.event.recordedAt, changes: entry.changes,
                parked: entry.parked, skipped: entry.isSkipped ? true : nil,
                presentation: entry.presentation,
                decision: entry.decision.map(Ruling.init), today: entry.today.map(Ruling.init),
                outcome: entry.ledger?.outcome.map {
                    Outcome(
                        carriedBy: $0.carriedBy, timestamp: $0.timestamp, phones: $0.phones,
                        accepted: $0.accepted, failed: $0.failed, settledAt: $0.completedAt,
                        channels: $0.channels)
                })
        }
    }
}

extension TimelineDocument.Phone {
    fileprivate init(_ row: PhoneRow) {
        self.init(
            id: row.id, bundleID: row.bundleID, environment: row.environment, locale: row.locale,
            isFrequent: row.isFrequent, registeredAt: row.registeredAt,
            sentVersion: row.sentVersion, attempts: row.attempts, lastFailure: row.lastFailure,
            owedAt: row.owedAt, deadAt: row.deadAt, isUnfit: row.isUnfit, closedAt: row.closedAt,
            closedBy: row.closedBy)
    }
}

extension TimelineDocument.Ruling {
    fileprivate init(_ decision: Decision) {
        self.init(
            verdict: decision.verdict, significance: decision.significance, rule: decision.rule,
            policyVersion: decision.policyVersion, rulesVersion: decision.rulesVersion,
            reason: decision.reason, order: decision.order.map(TimelineDocument.Order.init),
            alert: decision.alert, news: decision.news.map(TimelineDocument.News.init),
            bytes: decision.contentState.count, staleAt: decision.staleAt,
            dismissAt: decision.dismissAt, relevanceScore: decision.relevanceScore,
            decidedAt: decision.decidedAt)
    }
}

extension TimelineDocument.Order {
    fileprivate init(_ order: PushOrder) {
        self.init(
            step: order.step, priority: order.isImmediate ? 10 : 5,
            priorityForFrequentUpdates: order.isImmediateForFrequent ? 10 : 5,
            sendAfter: order.sendAfter, budgetBefore: order.budget?.before,
            budgetAfter: order.budget?.after, restarts: order.restarts ? true : nil)
    }
}

extension TimelineDocument.News {
    fileprivate init(_ news: AlertContext) {
        self.init(
            weight: news.weight, subject: news.subject, withdraws: news.withdraws,
            isCorrection: news.isCorrection, silence: news.silence,
            carried: news.carried.map { Carried(version: $0.version, alert: $0.alert) },
            dropped: news.dropped)
    }
}
