public import Domain
public import EventStore
public import Foundation

/// All that an explanation is made of.
public struct Findings: Sendable {
    /// The state of the event.
    public enum State: Sendable {
        /// With the content state that phones were to be shown until then.
        case decided(LedgerRow, before: Data?)
        /// Why it changes nothing; nil when the projector has not come to it yet.
        case undecided(Parking?)
    }

    public var event: RecordedEvent
    public var state: State
    /// The result of the decision's text.
    public var text = TextResult()
    /// The push that said what quiet hours had kept back, if it did not reach all phones.
    public var carrier: (row: LedgerRow, later: LaterPushes)?
    /// Nil where nobody knows what was sent, as in an export.
    public var deliverySituation: DeliverySituation?
}
