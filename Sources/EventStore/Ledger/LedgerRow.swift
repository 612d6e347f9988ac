public import Domain
import Foundation

/// One row of the ledger: the decision and its result.
public struct LedgerRow: Hashable, Sendable {
    /// The result of a decision that pushes.
    public struct Outcome: Hashable, Sendable {
        /// Version of the decision whose push carried this one; its own when it was sent itself.
        public var carriedBy: Int64
        /// `aps.timestamp` of that push, in Unix seconds; nil when there was no phone and no
        /// channel, or when a push of the fan-out before had covered it for all.
        public var timestamp: Int64?
        /// Phones for which APNs accepted the push, or an earlier one that covered the decision.
        public var accepted: Int
        /// Phones for which it did not.
        public var failed: Int
        public var completedAt: Moment
        /// Broadcasts, of which nobody knows how many phones heard them.
        public var channels: ChannelTally

        public init(
            carriedBy: Int64, timestamp: Int64?, accepted: Int, failed: Int, completedAt: Moment,
            channels: ChannelTally = .none
        ) {
            self.carriedBy = carriedBy
            self.timestamp = timestamp
            self.accepted = accepted
            self.failed = failed
            self.completedAt = completedAt
            self.channels = channels
        }

        /// There was nobody left to send it to: a push of the fan-out before had said all of it.
        public var wasCoveredByEarlierPush: Bool { timestamp == nil && accepted > 0 }

        /// Phones that a push was tried for, and those that an earlier push had covered.
        public var phones: Int { accepted + failed }
    }

    public var decision: Decision
    /// Nil for `hold`, and while the decision waits for the sender.
    public var outcome: Outcome?

    public init(decision: Decision, outcome: Outcome?) {
        self.decision = decision
        self.outcome = outcome
    }
}

extension LedgerRow {
    /// About what its state and its texts take up: an alert has one in each language.
    public var textBytes: Int {
        let context = decision.alertContext
        var alerts = (context?.amendments ?? []).map(\.alert)
        alerts += (context?.carried ?? []).map(\.alert)
        if let alert = decision.alert { alerts.append(alert) }
        return alerts.reduce(decision.contentState.count) { $0 + $1.textBytes }
    }
}

extension Alert {
    fileprivate var textBytes: Int {
        translations.values.reduce(title.utf8.count + body.utf8.count) {
            $0 + $1.title.utf8.count + $1.body.utf8.count
        }
    }
}
