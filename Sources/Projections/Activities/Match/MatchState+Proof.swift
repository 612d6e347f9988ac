public import Domain
import Encodings

/// What the minutes of football tell of its clock.
///
/// What happens in a minute beyond the end of a half happens in a later one, whose start is known
/// by that until a reading of the clock says better. Whether it is football may be reported later.
extension MatchState {
    /// A minute in which something happened, and when that was reported first. The higher minute
    /// tells more; what is sent again for a correction, long after its minute, tells nothing.
    public struct Proof: Codable, Comparable, Hashable, Sendable {
        public var minute: Int
        public var at: Moment

        var period: Match.Period? { Match.Period.begun(byMinute: minute) }

        /// When the clock would have read 0:00, if that was in the middle of the minute.
        var zero: Moment { at.adding(seconds: Double(30 - minute * 60)) }

        public static func < (left: Proof, right: Proof) -> Bool {
            left.minute == right.minute ? left.at > right.at : left.minute < right.minute
        }
    }

    /// A minute that tells the period, of a goal or a card.
    struct Timing {
        let minute: Int
        private let sort: String
        private let id: String

        init?(_ sort: String, _ id: String, _ minute: Int?, _ addedMinutes: Int?) {
            guard let minute = MatchState.telling(minute, addedMinutes) else { return nil }
            (self.minute, self.sort, self.id) = (minute, sort, id)
        }

        /// The goal or the card with this minute. In ASCII, since ids may look alike.
        var key: ByteKey { ByteKey("\(sort)/\(Hexadecimal.encode(id.utf8))/\(minute)") }
    }

    private static func telling(_ minute: Int?, _ addedMinutes: Int?) -> Int? {
        guard addedMinutes == nil, let minute, Match.Period.begun(byMinute: minute) != nil else {
            return nil
        }
        return minute
    }

    /// Takes in the minute that a goal or a card was just reported with.
    mutating func prove(_ timing: Timing?, at moment: Moment) {
        if let timing { minutes.offer(timing.key, at: moment) }
        weighProofs()
    }

    mutating func proveBySubstitution(_ minute: Int?, _ addedMinutes: Int?, at moment: Moment) {
        guard let minute = Self.telling(minute, addedMinutes) else { return }
        let proof = Proof(minute: minute, at: moment)
        substitution = max(substitution ?? proof, proof)
        weighProofs()
    }

    /// Only the minutes that stand count: one that was mistyped tells nothing once it is corrected.
    private mutating func weighProofs() {
        let current =
            goals.values.map { (timing: $0.value.timing, at: $0.at) }
            + cards.values.map { (timing: $0.value.timing, at: $0.at) }
        // No lower one tells more, and keys for hundreds take long.
        let highest = current.compactMap { $0.timing?.minute }.max()
        var proofs = current.compactMap { timing, at in
            timing.flatMap {
                $0.minute == highest ? Proof(minute: $0.minute, at: minutes[$0.key] ?? at) : nil
            }
        }
        if let substitution { proofs.append(substitution) }
        proof = proofs.max()
    }
}

extension Match.Goal {
    var timing: MatchState.Timing? { MatchState.Timing("g", goalID, minute, addedMinutes) }
}

extension Match.CardShown {
    var timing: MatchState.Timing? { MatchState.Timing("c", cardID, minute, addedMinutes) }
}
