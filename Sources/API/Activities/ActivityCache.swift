import Domain
import Locks

/// Documents of activities as they were last read. The store says with each reading whether one
/// is still valid, so that none is ever older than the store; what is saved is the work of making
/// it.
final class ActivityCache: Sendable {
    struct Key: Hashable {
        var tenant: TenantID
        var activity: ActivityID
    }

    struct Entry: Sendable {
        /// The store's version of the row that the document was made of.
        var rowVersion: String
        /// The document up to the figures of its freshness, which are different each time.
        var prefix: [UInt8]
        var tag: EntityTag
    }

    private let kept = Lock((entries: [Key: Entry](), bytes: 0))

    subscript(key: Key) -> Entry? {
        kept.withLock { $0.entries[key] }
    }

    func keep(_ entry: Entry, for key: Key) {
        kept.withLock {
            if $0.bytes + entry.prefix.count > Limits.cachedDocumentBytesMax {
                $0.entries.removeAll()
                $0.bytes = 0
            }
            let old = $0.entries.updateValue(entry, forKey: key)
            $0.bytes += entry.prefix.count - (old?.prefix.count ?? 0)
        }
    }
}
