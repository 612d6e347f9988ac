import Domain
import EventStore

/// The results of the cards that pushes were to start.
enum StartSentences {
    static func of(_ audience: AudienceReport?) -> [String] {
        guard let audience else { return [] }
        return awaited(audience) + counted(audience)
    }

    private static func awaited(_ audience: AudienceReport) -> [String] {
        audience.awaits.map {
            [
                "No push starts a card until \($0) is reported: the card's attributes need what it "
                    + "says."
            ]
        } ?? []
    }

    private static func counted(_ audience: AudienceReport) -> [String] {
        var counts = audience.counts
        // Deferred starts have a sentence of their own, with what to do.
        let deferred = audience.deferred.reduce(0) { $0 + $1.starts }
        counts[.waiting] = counts[.waiting].map { max(0, $0 - deferred) }
        let others = told.compactMap { state, what in
            counts[state].flatMap { count in
                count > 0 ? "\(count.orMore) \(count == 1 ? what.one : what.many)" : nil
            }
        }
        guard let started = counts[.started] ?? (others.isEmpty ? nil : 0) else { return [] }
        let phones = started == 1 ? "1 phone" : "\(started.orMore) phones"
        let rest = others.isEmpty ? "" : "; " + others.joined(separator: ", ")
        return ["Until now pushes have started the card on \(phones)\(rest)."]
    }

    private static let told: [(StartState, (one: String, many: String))] = [
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
