import Domain
import EventStore
import Foundation

/// Documents of activities as they were last read. The store says with each reading whether one
/// still holds, so that none is ever older than the store; what is saved is the work of making it.
///
/// `@unchecked Sendable`: `lock` protects every variable.
final class ActivityCache: @unchecked Sendable {
    struct Key: Hashable {
        var tenant: TenantID
        var activity: ActivityID
    }

    struct Entry: Sendable {
        /// The store's, for what the document was made of.
        var mark: String
        /// Up to where the figures of its freshness belong.
        var opening: [UInt8]
        var tag: EntityTag
    }

    private let lock = NSLock()
    private var entries: [Key: Entry] = [:]
    private var bytes = 0

    subscript(key: Key) -> Entry? {
        lock.withLock { entries[key] }
    }

    func keep(_ entry: Entry, for key: Key) {
        lock.withLock {
            if bytes + entry.opening.count > Limits.cachedDocumentBytesMax {
                entries.removeAll()
                bytes = 0
            }
            let old = entries.updateValue(entry, forKey: key)
            bytes += entry.opening.count - (old?.opening.count ?? 0)
        }
    }
}
