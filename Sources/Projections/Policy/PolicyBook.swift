import Domain

/// All policies that a tenant has ever had. Each is in force from a position of the log on, so that
/// whoever folds an event again, whenever, does it under the policy of then.
public struct PolicyBook: Hashable, Sendable {
    private struct Entry: Hashable {
        var fromPosition: Int64
        var policy: Policy
    }

    /// Of each kind in their order.
    private var entries: [String: [Entry]] = [:]

    /// Of a tenant that never said anything.
    public static let builtIn = PolicyBook()

    public init() {}

    /// Adds the next version of a kind's policy, in force from `fromPosition` on.
    public mutating func add(_ policy: Policy, ofKind kind: String, fromPosition: Int64) {
        let entry = Entry(fromPosition: fromPosition, policy: policy)
        precondition(
            entries[kind]?.last.map { $0.policy.version < policy.version } ?? true,
            "policies of \(kind) out of order")
        entries[kind, default: []].append(entry)
    }

    /// Whether an event at `position` was recorded in quiet hours. Mostly there are none.
    func isQuiet(ofKind kind: String, at position: Int64, _ recordedAt: Moment) -> Bool {
        !entries.isEmpty && policy(ofKind: kind, at: position).isQuiet(at: recordedAt)
    }

    /// The policy that an event at `position` is judged by.
    public func policy(ofKind kind: String, at position: Int64) -> Policy {
        guard !entries.isEmpty, let ofKind = entries[kind] else { return .builtIn }
        return ofKind.last { $0.fromPosition <= position }?.policy ?? .builtIn
    }
}
