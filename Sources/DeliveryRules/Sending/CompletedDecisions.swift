public import Domain

/// An activity's decisions that earlier fan-outs have completed, oldest first. Says which of them a
/// phone has got, and which it has missed.
public struct CompletedDecisions: Sendable {
    private let changes: [(decision: Decision, carriedBy: Int64)]

    /// - Parameter changes: each with the version whose push carried it.
    public init(_ changes: [(decision: Decision, carriedBy: Int64)]) {
        self.changes = changes
    }

    /// The decisions alone.
    public var decisions: [Decision] { changes.map(\.decision) }

    /// What was sent to others and is still news to a phone that got all up to a version.
    public func missed(
        after version: Int64, now: Moment, since registeredAt: Moment
    ) -> [Decision] {
        changes.compactMap { decision, _ in
            decision.version > version
                && PushPlan.isNews(decision, now: now, registeredAt: registeredAt)
                ? decision : nil
        }
    }

    /// What a phone got that got all up to a version, by pushes.
    public func pushes(upTo version: Int64, since registeredAt: Moment) -> [[Decision]] {
        var pushes: [[Decision]] = []
        var last: Int64?
        for (decision, carriedBy) in changes
        where decision.version <= version && decision.decidedAt >= registeredAt {
            if last == carriedBy {
                pushes[pushes.count - 1].append(decision)
            } else {
                pushes.append([decision])
            }
            last = carriedBy
        }
        return pushes
    }
}
