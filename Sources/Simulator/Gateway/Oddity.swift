/// What a sender may do although Apple's documents say otherwise, or say nothing, and of which it
/// is not certain what Apple answers. A strict simulator refuses what is named; an obliging one
/// takes and counts it.
public enum Oddity: String, Hashable, Sendable, CaseIterable, Codable {
    /// The signature of a provider token as DER, not as r‖s. Apple's own recipe for a command line
    /// looks like it, and the usual client in Java sends it.
    case derSignature = "der-signature"
    /// `iat` as a string of digits. Released clients send it.
    case textualIssueTime = "iat-as-string"
    /// A connection that agrees on no protocol by ALPN.
    case noALPN = "no-alpn"
    /// A body that is compressed, which Apple forbids without saying what becomes of it.
    case compressedBody = "compressed-body"
    /// A body that is no JSON object; Apple's table for pushes has no reason for it.
    case bodyNotJSON = "body-not-json"

    /// For the log.
    var sentence: String {
        switch self {
        case .derSignature: "the signature of a provider token is DER, not 64 bytes r and s"
        case .textualIssueTime: "iat of a provider token is a string, not a number"
        case .noALPN: "a connection did not agree on h2 by ALPN"
        case .compressedBody: "the body of a push is compressed; no phone will read it"
        case .bodyNotJSON: "the body of a push is no JSON object; no phone will read it"
        }
    }
}

/// How often each oddity was met, and which are not to be taken.
struct OddityBook: Sendable {
    let refused: Set<Oddity>
    private(set) var counts: [Oddity: Int] = [:]
    /// Met for the first time since somebody looked.
    var unread: [Oddity] = []

    /// - Throws: the reason, when a strict simulator does not take it.
    mutating func meet(_ oddity: Oddity, else reason: APNsRefusal) throws(Refused) {
        if refused.contains(oddity) { throw Refused(reason) }
        note(oddity)
    }

    mutating func note(_ oddity: Oddity) {
        if counts[oddity] == nil { unread.append(oddity) }
        counts[oddity, default: 0] += 1
    }

    mutating func takeUnread() -> [Oddity] {
        defer { unread = [] }
        return unread
    }
}
