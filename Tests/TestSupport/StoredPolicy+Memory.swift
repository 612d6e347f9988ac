public import Domain
public import Foundation

/// What a store in memory answers about a tenant's policies.
extension [StoredPolicy] {
    /// By kind and version.
    public var inOrder: [StoredPolicy] {
        sorted { ($0.kind, $0.version) < ($1.kind, $1.version) }
    }

    public func inForce(_ positions: ClosedRange<Int64>) -> [StoredPolicy] {
        inOrder.filter { policy in
            let from = Swift.max(policy.fromPosition, positions.lowerBound)
            let isOver = contains {
                $0.kind == policy.kind && $0.version == policy.version + 1
                    && $0.fromPosition <= from
            }
            return policy.fromPosition <= positions.upperBound && !isOver
        }
    }

    public func versions(_ kind: String, _ newest: Int, _ limit: Int) -> [StoredPolicy] {
        Array(
            inOrder.reversed().filter { $0.kind == kind && $0.version <= newest }.prefix(limit))
    }

    public func hasRoom(for document: Data, _ bytesMax: Int) -> Bool {
        let all = map(\.document) + [document]
        return all.reduce(0) { $0 + Swift.max($1.count, StoredPolicy.countedBytesMin) } <= bytesMax
    }
}
