import Domain
import Foundation
import Locks

/// How much of a push a kind's states and texts can take: measured on events that are as large as
/// their fields allow, each of them first, last and beside every other.
struct WorstCase {
    /// What fills one place of the texts.
    struct Filling {
        /// Bytes of the longest name or number, in JSON without the marks of `String.isolated`.
        var bytes = 0
        /// Keys of the phrases that stand there.
        var phrases: Set<String> = []
        /// Whether something else than a number was seen there.
        var hasWords = false
    }

    /// Bytes of the largest state as it is shown.
    private(set) var stateBytes = 0
    /// What fills the places, by their names.
    private(set) var fillings: [String: Filling] = [:]
    /// Bytes of the longest text that a source has written itself.
    private(set) var verbatimBytes = 0

    /// Bytes of the longest text that an event may have, with a little punctuation around it.
    private var textBytes = 0

    /// The worst cases of the kinds that were asked for. Nothing of a policy goes into them, and to
    /// find one takes longer than all else that is done with a policy.
    private static let found = Lock([ObjectIdentifier: WorstCase]())

    static func of<K: ActivityKind>(_ kind: K.Type) -> WorstCase {
        let id = ObjectIdentifier(kind)
        if let known = found.withLock({ $0[id] }) { return known }
        let worst = WorstCase(of: kind)
        found.withLock { $0[id] = worst }
        return worst
    }

    private init<K: ActivityKind>(of kind: K.Type) {
        let longest = kind.schemas.flatMap(\.fields).map(\.shape.textBytes).max() ?? 0
        // In JSON a quotation mark has two.
        textBytes = 2 * longest + 4
        let late = Self.events(kind)
        let bare = Self.events(kind, isComplete: false)
        for offset in late.indices {
            for events in [late, bare] {
                tell(kind, events[offset...] + events[..<offset] + events.reversed())
            }
        }
        // What follows at once upon what, and what moves a time by as much as it can be moved.
        for first in Self.events(kind, isLate: false) {
            for event in late + bare { tell(kind, [first, event]) }
        }
    }

    private static func events<K: ActivityKind>(
        _ kind: K.Type, isComplete: Bool = true, isLate: Bool = true
    ) -> [K.Event] {
        kind.schemas.compactMap { schema in
            let type = schema.eventType
            let data = type.largestData(isComplete: isComplete, isLate: isLate)
            return data.withUnsafeBytes {
                try? schema.event(schemaVersion: type.newestVersion, data: $0)
            }
        }
    }

    /// A place that was never seen filled may have any text there is.
    func filling(of place: some StringProtocol) -> Filling {
        fillings[String(place)] ?? Filling(bytes: textBytes, hasWords: true)
    }

    /// Whether a place takes numbers alone. One that was never seen filled may.
    func isCount(_ place: String) -> Bool { fillings[place]?.hasWords != true }

    private mutating func tell<K: ActivityKind>(_ kind: K.Type, _ events: ArraySlice<K.Event>) {
        // Any moment will do: it is none of those that the events speak of.
        let now = Moment(unixSeconds: 0)
        var state = kind.initial
        for event in events {
            let before = state
            kind.evolve(&state, with: event, occurredAt: now)
            stateBytes = max(stateBytes, ShownState(kind, of: state).json.count)
            let change = Change<K>(
                before: before, after: state, event: event, occurredAt: now, recordedAt: now,
                isVisible: true)
            guard let words = kind.assess(change).words else { continue }
            note(words.title)
            note(words.body)
        }
    }

    private mutating func note(_ phrase: Phrase) {
        for argument in phrase.arguments.list {
            var filling = fillings[argument.name] ?? Filling()
            switch argument.value {
            case .text(let text):
                guard phrase.key != Phrase.verbatimKey else {
                    verbatimBytes = max(verbatimBytes, text.jsonBytes)
                    continue
                }
                filling.bytes = max(filling.bytes, text.jsonBytes)
                filling.hasWords = true
            case .count(let count): filling.bytes = max(filling.bytes, "\(count)".utf8.count)
            case .phrase(let inner):
                filling.phrases.insert(inner.key)
                filling.hasWords = true
                note(inner)
            }
            fillings[argument.name] = filling
        }
    }
}

extension EventField.Shape {
    fileprivate var textBytes: Int {
        if case .text(let bytesMax) = self { bytesMax } else { 0 }
    }
}

extension StringProtocol {
    /// In JSON, without the quotation marks around it. Texts have no control characters.
    var jsonBytes: Int {
        utf8.count { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") } + utf8.count
    }
}
