public import Domain
public import EventStore
public import Foundation

/// All that an explanation is made of.
public struct Findings: Sendable {
    /// The state of the event.
    public enum Standing: Sendable {
        /// With the content state that phones were to be shown until then.
        case decided(LedgerRow, before: Data?)
        /// Why it changes nothing; nil when the projector has not come to it yet.
        case undecided(Parking?)
    }

    /// The decision that said what another one could not.
    public struct Carrier: Sendable {
        public var row: LedgerRow
        public var later: LaterPushes

        public init(row: LedgerRow, later: LaterPushes) {
            self.row = row
            self.later = later
        }
    }

    public var event: RecordedEvent
    public var standing: Standing
    /// The result of the decision's words, if they did not go out with a push of its own.
    public var words: TextOutcome?
    /// The push that said what quiet hours had kept back, if it did not reach all phones.
    public var carrier: Carrier?
    /// Versions whose alerts went out in its words.
    public var reworded: [Int64] = []
    /// Nil where nobody knows what was sent, as in an export.
    public var surroundings: Surroundings?
}
