import Foundation

/// What a `CardKeeper` works on: each waits by itself.
enum WorkItem: Hashable, Sendable {
    case card(id: String)
    case startToken(kind: String)
    /// One of a person who has signed out.
    case leftToken(StartToken)
    /// What was kept and cannot be read yet, of a person who has signed out.
    case earlier
}

/// What is done one after the other, so that of one activity or kind the newest request is last.
/// Others go on meanwhile: `Limits.queuesMax` at a time, and all with a card that Islet never had.
enum WorkQueue: Hashable, Sendable {
    case activity(String)
    case kind(String)
    case earlier
}

/// When something that failed is tried again.
struct Backoff: Sendable {
    var failures = 0
    var notBefore: Date
    /// The server asked for so long, or it is too early to say that a card is gone: no `settle`
    /// makes it shorter.
    var askedUntil: Date?
}

extension [WorkItem: Backoff] {
    func notBefore(_ item: WorkItem) -> Date { self[item]?.notBefore ?? .distantPast }

    /// It may be tried now.
    mutating func release(_ item: WorkItem) {
        self[item]?.askedUntil = nil
        self[item]?.notBefore = .distantPast
    }

    /// All may be, as soon as nobody has asked for more.
    mutating func releaseAll() {
        for (item, backoff) in self { self[item]?.notBefore = backoff.askedUntil ?? .distantPast }
    }
}
