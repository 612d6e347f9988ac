import Domain
import EventStore

extension AudienceReport {
    /// The results of the cards that pushes were to start.
    var sentences: [String] { awaited + counted }

    private var awaited: [String] {
        guard let awaits else { return [] }
        return [
            "No push starts a card until \(awaits) is reported: the card's attributes need what it "
                + "says."
        ]
    }

    private var counted: [String] {
        var counts = counts
        // Deferred starts have a sentence of their own, with what to do.
        let deferred = deferred.reduce(0) { $0 + $1.starts }
        counts[.waiting] = counts[.waiting].map { max(0, $0 - deferred) }
        let others = Self.predicates.compactMap { state, what in
            counts[state].flatMap { count in
                count > 0 ? "\(count.orMore) \(count == 1 ? what.one : what.many)" : nil
            }
        }
        guard let started = counts[.started] ?? (others.isEmpty ? nil : 0) else { return [] }
        let phones = started == 1 ? "1 phone" : "\(started.orMore) phones"
        let rest = others.isEmpty ? "" : "; " + others.joined(separator: ", ")
        return ["Until now pushes have started the card on \(phones)\(rest)."]
    }

    private static let predicates: [(StartState, (one: String, many: String))] = [
        (.waiting, ("is still to be sent one", "are still to be sent one")),
        (.trying, ("is being sent one", "are being sent one")),
        (
            .held,
            (
                "waits because its phone's budget of starts is spent, or none is sent just now",
                "wait because their phone's budget of starts is spent, or none is sent just now"
            )
        ),
        (.refused, ("was refused by APNs", "were refused by APNs")),
        (
            .unknown,
            (
                "was sent one that APNs did not answer for",
                "were sent one that APNs did not answer for"
            )
        ),
        (.needless, ("needed none, since it had a card", "needed none, since they had a card")),
    ]
}
