public import Domain
public import Foundation

/// The ledger's rows beside a stretch of the log, as the database gave them out: what of each
/// decision follows from the log, without its result. Each is decoded where it is needed.
public protocol LedgerPage: AnyObject, Sendable {
    var count: Int { get }
    /// - Parameter place: of the activity among those that were asked for.
    /// - Returns: for the questions below; nil when the ledger has no such row.
    func index(_ place: Int, _ version: Int64) -> Int?
    /// Whether the row says just what a decision does of what is sent and why, byte by byte. One of
    /// other bytes may still mean the same; most need not be decoded to know that they do.
    func says(_ decision: Decision, _ index: Int) throws(EventStoreError) -> Bool
    /// Whether the row says that a change was held and had nothing to say, and nothing else.
    func saysHold(
        _ index: Int, rule: String, significance: Significance, contentState: Data,
        policyVersion: Int, rulesVersion: Int
    ) throws(EventStoreError) -> Bool
    /// The row's decision.
    /// - Parameter other: gives what is not read of the ledger.
    func decision(
        _ index: Int, insteadOf other: Decision
    ) throws(EventStoreError) -> Decision
}
