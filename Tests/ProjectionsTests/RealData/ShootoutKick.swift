import Domain
import Foundation
import Projections
import Testing

/// One kick of a shoot-out, as openfootball tells of it.
struct ShootoutKick: Hashable {
    var side: Match.Side
    var isScored: Bool
    var player: String?

    /// Reads `0-1 Kylian MBAPPE, 1-1 Lionel MESSI, Kingsley COMAN (missed)` …. A missed kick
    /// has no score; sides take turns, so any score tells whose kicks are the odd ones.
    static func parse(_ text: String) throws -> [ShootoutKick] {
        var kicks: [(player: String, side: Match.Side?)] = []
        var score = [0, 0]
        for item in text.split(separator: ",") {
            let item = item.trimmingCharacters(in: .whitespacesAndNewlines)
            if let scored = item.wholeMatch(of: /(\d+)-(\d+) (.+)/) {
                let after = [Int(scored.1) ?? 0, Int(scored.2) ?? 0]
                kicks.append((String(scored.3), after[0] > score[0] ? .home : .away))
                score = after
            } else {
                kicks.append((item.replacing(" (missed)", with: ""), nil))
            }
        }
        let scored = try #require(kicks.firstIndex { $0.side != nil })
        let begins: Match.Side =
            (kicks[scored].side == .home) == scored.isMultiple(of: 2) ? .home : .away
        return try kicks.enumerated().map { number, kick in
            let side: Match.Side = (begins == .home) == number.isMultiple(of: 2) ? .home : .away
            try #require(kick.side == nil || kick.side == side)
            return ShootoutKick(side: side, isScored: kick.side != nil, player: kick.player)
        }
    }

    /// Kicks that lead to a result, for sources that state nothing else.
    static func made(result: [Int]) -> [ShootoutKick] {
        (0..<max(result[0], result[1], 5)).flatMap { round in
            [
                ShootoutKick(side: .home, isScored: round < result[0]),
                ShootoutKick(side: .away, isScored: round < result[1]),
            ]
        }
    }
}
