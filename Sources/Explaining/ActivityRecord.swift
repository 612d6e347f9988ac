public import Domain
public import EventStore

/// One activity as an explanation reads it.
public protocol ActivityRecord: Sendable {
    associatedtype Failure: Error

    /// Nil when there is no such activity.
    func end() async throws(Failure) -> RecordEnd?
    /// Nil when there is no such version.
    func event(_ version: Int64) async throws(Failure) -> RecordedEvent?
    /// Rows of the ledger after a version, in order of version; fewer than `limit` at the end.
    func rows(after version: Int64, limit: Int) async throws(Failure) -> [LedgerRow]
    /// Nil for an event that is not parked.
    func parking(of event: RecordedEvent) async throws(Failure) -> Parking?
    /// The results for the activity's phones beside the ledger; nil where nobody knows, as in an
    /// export.
    func deliverySituation(of row: LedgerRow) async throws(Failure) -> DeliverySituation?
}

/// Where an activity's record ends: the version of the newest event that was folded, or of the one
/// that could not be; and whether the activity has ended. What comes after its end is for the
/// record, and phones see nothing of it.
public typealias RecordEnd = (version: Int64, hasEnded: Bool)

/// Why an event changes nothing.
public enum Parking: Hashable, Sendable {
    /// It could not be folded; why, without a full stop.
    case parked(String)
    /// An operator left it out.
    case skipped
}

/// The results for an activity's phones, beside what the ledger says of a decision.
public struct DeliverySituation: Hashable, Sendable {
    /// What later pushes brought to phones that its own did not reach.
    public var later: LaterPushes = LaterPushes()
    /// Cards that were not served any more when it was to be sent.
    public var cards: CardTally = CardTally()
    /// Phones that wait now because nothing is sent for their app.
    public var deferred: [DeferredPhones] = []
    /// On whose phones a card is to appear; nil when nobody said.
    public var audience: AudienceReport?
}
