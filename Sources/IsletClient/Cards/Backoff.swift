import Foundation

/// What a `CardKeeper` works on: each waits by itself, so that none holds up another.
enum WorkItem: Hashable, Sendable {
    case card(id: String)
    case startToken(kind: String)
}

/// When something that failed is tried again.
struct Backoff: Sendable {
    var failures = 0
    var notBefore: Date
    /// The server asked for so long, so that no `settle` makes it shorter.
    var isAsked = false
}

extension [WorkItem: Backoff] {
    func notBefore(_ item: WorkItem) -> Date { self[item]?.notBefore ?? .distantPast }

    /// It may be tried now.
    mutating func release(_ item: WorkItem) { self[item]?.notBefore = .distantPast }

    /// All may be, but those for which the server asked to wait.
    mutating func releaseAll() {
        for (item, backoff) in self where !backoff.isAsked { release(item) }
    }
}
