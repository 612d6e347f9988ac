public import Domain
public import Foundation
import JSON
public import Projections

/// How many cards may be started on one phone: a bucket of its own, apart from that of updates.
///
/// A phone ignores what goes beyond its own budget without telling anybody, and about ten in a
/// short time spend that; Apple publishes no figures.
/// Source: Apple Developer Forums, thread 799505.
public struct StartBudget: Hashable, Sendable {
    private var bucket = TokenBucket()

    /// Full.
    public init() {}

    /// - Parameter stored: `encoded` of another time; nil, or what cannot be read, is full.
    public init(stored: Data?) {
        guard let stored, let bucket = try? WireCoder.decode(TokenBucket.self, from: stored) else {
            return
        }
        self.bucket = bucket
    }

    /// As it is stored.
    public var encoded: Data { WireCoder.encode(bucket) }

    /// - Returns: false, and nothing changes, when there is none left.
    public mutating func take(at now: Moment, under policy: Policy) -> Bool {
        bucket.take(at: now, keeping: 0, policy.starts)
    }

    /// When there will be one if none is taken.
    public func next(from now: Moment, under policy: Policy) -> Moment {
        bucket.next(from: now, policy.starts)
    }
}
