import Domain

/// The policies of a tenant that events at some positions are judged by, or all that it ever had.
/// Each is in force from a position of the log on, so that an event is always folded again under
/// the policy of its time.
public struct PolicyBook: Hashable, Sendable {
    private struct Entry: Hashable {
        var fromPosition: Int64
        var policy: Policy
    }

    /// The entries of each kind, in their order.
    private var entries: [String: [Entry]] = [:]

    /// The book of a tenant that has no policies of its own.
    public static let builtIn = PolicyBook()

    public init() {}

    /// Adds the next version of a kind's policy, in force from `fromPosition` on.
    public mutating func add(_ policy: Policy, ofKind kind: String, fromPosition: Int64) {
        precondition(
            entries[kind]?.last.map { $0.policy.version < policy.version } ?? true,
            "policies of \(kind) out of order")
        entries[kind, default: []].append(Entry(fromPosition: fromPosition, policy: policy))
    }

    /// The policy that an event at `position` is judged by.
    /// - Parameter catalog: has the kind, and so what is built in.
    public func policy(
        ofKind kind: String, at position: Int64, in catalog: ActivityCatalog = .standard
    ) -> Policy {
        ownPolicy(ofKind: kind, at: position) ?? catalog.builtInPolicy(ofKind: kind)
    }

    /// The same if the tenant has said something of the kind until then.
    func ownPolicy(ofKind kind: String, at position: Int64) -> Policy? {
        entries[kind]?.last { $0.fromPosition <= position }?.policy
    }

    /// Whether each change of the kind, whenever it was recorded, is worth the same under another
    /// book: if they differ, then only in when pushes go and at which priority.
    public func judgesAlike(_ other: PolicyBook, ofKind kind: String) -> Bool {
        agrees(with: other, ofKind: kind) { $0.judgesAlike($1) }
    }

    /// Whether each alert of the kind has the same texts under another book.
    public func saysAlike(_ other: PolicyBook, ofKind kind: String) -> Bool {
        agrees(with: other, ofKind: kind) { $0.texts == $1.texts }
    }

    private func agrees(
        with other: PolicyBook, ofKind kind: String, on isAlike: (Policy, Policy) -> Bool
    ) -> Bool {
        let all = entries[kind, default: []] + other.entries[kind, default: []]
        return all.allSatisfy {
            isAlike(
                policy(ofKind: kind, at: $0.fromPosition),
                other.policy(ofKind: kind, at: $0.fromPosition))
        }
    }
}
