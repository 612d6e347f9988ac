public import APNs
public import DeliveryRules
public import Domain
import EventStore

/// What a sender does, as figures. It comes from the threads that send, and must not keep
/// them waiting.
public enum SenderMeasure: Hashable, Sendable {
    /// Pushes or broadcasts of a fan-out that were answered together.
    case sent(Sending)
    /// What was sent, with what was said to it and what it was sent for.
    case answered(Answers)
    /// Fan-outs under way now.
    case fanOuts(FanOuts)

    public struct Sending: Hashable, Sendable {
        /// When the newest change that they carry was recorded; nil when they repeat what was
        /// completed before.
        public var changedAt: Moment?
        public var sentAt: Moment
        public var answeredAt: Moment
        public var count: Int
        public var accepted: Int
    }

    public struct Answers: Hashable, Sendable {
        public var tenant: TenantID
        public var activityID: ActivityID
        /// Positions of the events whose changes were sent, oldest first.
        public var positions: [Int64]
        public var sentAt: Moment
        public var answeredAt: Moment
        public var results: Results
    }

    /// One for each push, broadcast or message.
    public enum Results: Hashable, Sendable {
        /// Results of updates and ends to cards.
        case pushes([PushResult])
        /// Results of pushes that make cards appear.
        case starts([PushResult])
        case broadcasts([PushResult])
        case webhook(id: String, WebhookAnswer)
    }

    public struct FanOuts: Hashable, Sendable {
        public var short: Int
        /// Those of many phones.
        public var long: Int
        /// Pages that long ones have under way.
        public var pages: Int
        /// Long ones that wait for their turn.
        public var waiting: Int

        public init(short: Int = 0, long: Int = 0, pages: Int = 0, waiting: Int = 0) {
            self.short = short
            self.long = long
            self.pages = pages
            self.waiting = waiting
        }
    }
}

extension SenderMeasure.Answers {
    /// If nothing of a claim is pending, what was completed before is repeated.
    init(
        _ claim: DeliveryClaim, sentAt: Moment, answeredAt: Moment, _ results: SenderMeasure.Results
    ) {
        self.init(
            tenant: claim.tenant, activityID: claim.snapshot.activityID,
            positions: claim.pending.isEmpty
                ? [claim.lastCompleted?.position].compactMap(\.self)
                : claim.pending.map(\.position),
            sentAt: sentAt, answeredAt: answeredAt, results: results)
    }
}
