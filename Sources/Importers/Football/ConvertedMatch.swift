import API
import Domain
import Foundation
import JSON
import Projections

/// One match of football as somebody else's file tells it: what happened in which period, and when
/// by the clock of that period.
struct ConvertedMatch {
    struct Team: Hashable {
        /// As the file numbers it.
        var id: Int
        var name: String
    }

    struct Sides: Hashable {
        var home: Team
        var away: Team

        /// - Returns: nil for a team that does not play.
        func side(of id: Int) -> Match.Side? {
            id == home.id ? .home : id == away.id ? .away : nil
        }
    }

    struct PlayTime {
        var period: Match.Period
        /// Since the period began.
        var seconds: Double

        /// No period takes longer, and no event tells of a minute beyond.
        static let secondsOfPeriods = 0..<4500.0
    }

    private struct Fact {
        var seconds: Double
        var type: String
        var data: [String: JSON]
        var place: String?
    }

    private struct Stretch {
        var seconds = 0.0
        var facts: [Fact] = []
    }

    static let minutes: [Match.Period: ClosedRange<Int>] = [
        .firstHalf: 1...45, .secondHalf: 46...90, .extraTimeFirstHalf: 91...105,
        .extraTimeSecondHalf: 106...120,
    ]

    private static let goal = "GoalScored"

    /// The period of a minute, and its first one. A minute after the last period's regular end was
    /// added to that period.
    /// - Parameter isPlayed: whether the match had the period.
    static func period(
        of minute: Int, where isPlayed: (Match.Period) -> Bool
    ) -> (period: Match.Period, first: Int)? {
        minutes.filter { isPlayed($0.key) && $0.value.lowerBound <= minute }
            .max { $0.key < $1.key }
            .map { ($0.key, $0.value.lowerBound) }
    }

    let source: String
    let competition: String
    let kickoff: Moment
    let sides: Sides
    /// The activity that its events belong to.
    let subject: String
    /// Where the file has the facts that are added next, for what is said of an error.
    var place: String?
    /// Why its source does not have it as over; nil when it has.
    var doubt: String?
    private var stretches: [Match.Period: Stretch] = [:]

    /// - Parameter day: of the kick-off where it was played, if known: a match is known by that.
    init(
        source: String, competition: String, kickoff: Moment, sides: Sides, day: String? = nil
    ) {
        self.source = source
        self.competition = competition
        self.kickoff = kickoff
        self.sides = sides
        subject = Self.name(
            day ?? String(kickoff.rfc3339.prefix(10)), sides.home.name, sides.away.name)
    }

    /// A match's activity id, such as `2022-12-18-argentina-france`.
    static func name(_ day: String, _ home: String, _ away: String) -> String {
        [slug(day), slug(home), slug(away)].joined(separator: "-")
    }

    /// Letters of ASCII, without their marks. Those of other scripts stay as well, in one form of
    /// Unicode: without them all matches of a day would have one id.
    private static func slug(_ name: String) -> String {
        name.precomposedStringWithCanonicalMapping.map { character -> String in
            let plain = String(character).folding(options: .diacriticInsensitive, locale: nil)
                .lowercased()
            if plain.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) { return plain }
            let isLetter = character.isLetter || character.isNumber
            return isLetter ? String(character).lowercased() : "-"
        }.joined()
    }

    func hasPlayed(_ period: Match.Period) -> Bool { stretches[period] != nil }

    /// Why it is not over, as far as is known; nil when it is.
    var unfinished: String? { doubt ?? (hasPlayed(.secondHalf) ? nil : "it has no second half") }

    /// When a period was over, as far as is known by now.
    func end(of period: Match.Period) -> Double { stretches[period]?.seconds ?? 0 }

    /// That period went on at least until then.
    mutating func play(until time: PlayTime) {
        stretches[time.period, default: Stretch()].seconds = max(
            end(of: time.period), time.seconds)
    }

    /// - Parameter side: the one that profits, also from an own goal.
    mutating func score(
        _ goalID: String, for side: Match.Side, _ kind: Match.GoalKind, by player: String?,
        at time: PlayTime
    ) {
        add(
            Self.goal, side, player, time,
            ["goalID": .string(goalID), "kind": .string(kind.rawValue)])
    }

    mutating func show(
        _ card: Match.Card, _ cardID: String, to player: String?, of side: Match.Side,
        at time: PlayTime
    ) {
        add(
            "CardShown", side, player, time,
            ["cardID": .string(cardID), "card": .string(card.rawValue)])
    }

    /// A change with an unknown player makes no event.
    mutating func substitute(
        _ off: String, by on: String, of side: Match.Side, at time: PlayTime
    ) {
        guard let off = Self.known(off), let on = Self.known(on) else { return }
        add(
            "PlayerSubstituted", side, nil, time,
            ["playerOn": .string(on), "playerOff": .string(off)])
    }

    /// - Parameter seconds: since the shoot-out began.
    mutating func kick(
        _ result: Match.KickResult, by player: String?, of side: Match.Side, at seconds: Double
    ) {
        add(
            "ShootoutKickTaken", side, player, PlayTime(period: .shootout, seconds: seconds),
            ["result": .string(result.rawValue)])
    }

    private mutating func add(
        _ type: String, _ side: Match.Side, _ player: String?, _ time: PlayTime,
        _ data: [String: JSON]
    ) {
        play(until: time)
        var data = data
        data["team"] = .string(side.rawValue)
        if let player = Self.known(player) { data["player"] = .string(player) }
        if let minutes = Self.minutes[time.period] {
            let minute = Int(time.seconds / 60) + minutes.lowerBound
            data["minute"] = .integer(min(minute, minutes.upperBound))
            if minute > minutes.upperBound {
                data["addedMinutes"] = .integer(minute - minutes.upperBound)
            }
        }
        stretches[time.period]?.facts.append(
            Fact(seconds: time.seconds, type: type, data: data, place: place))
    }

    /// - Parameters:
    ///   - stated: goals of the home side and of the other, without kicks, as the file or its list
    ///     has them; nil when neither does.
    ///   - last: the period after which they had them.
    func check(
        _ stated: [Int]?, after last: Match.Period = .extraTimeSecondHalf
    ) throws(ConversionError) {
        let goals = stretches.mapValues { $0.facts.filter { $0.type == Self.goal } }
        let counted = goals.filter { $0.key <= last }.values.flatMap(\.self)
        let made = [Match.Side.home, .away].map { side in
            counted.count { $0.data["team"] == .string(side.rawValue) }
        }
        guard let stated, stated != made else { return }
        let score = stated.map(String.init).joined(separator: "–")
        throw ConversionError(
            reason: goals.values.allSatisfy(\.isEmpty)
                ? "has no goals to its score of \(score)"
                : "its goals make \(made[0])–\(made[1]), its score says \(score)")
    }

    /// In the order of play, with usual breaks between the periods. Only a match that is over has
    /// full time.
    /// - Throws: what a server refuses, with the place of it.
    func events() throws(ConversionError) -> [ConvertedEvent] {
        var feed = Feed(match: self)
        try feed.add(
            "MatchScheduled", -3600,
            [
                "competition": .string(Self.fitting(competition)),
                "homeTeam": .string(Self.fitting(sides.home.name)),
                "awayTeam": .string(Self.fitting(sides.away.name)),
                "kickoff": .string(kickoff.rfc3339),
            ])
        var end: Double?
        for (period, stretch) in stretches.sorted(by: { $0.key < $1.key }) {
            // Half-time, or the short break before and in extra time.
            let start = end.map { $0 + (period == .secondHalf ? 900 : 300) } ?? 0
            try feed.add(period, stretch.facts, from: start, to: start + stretch.seconds)
            end = start + stretch.seconds
        }
        if unfinished == nil { try feed.add("FullTimeReached", end ?? 0, [:]) }
        return feed.events
    }

    /// As much of a name as an event may have.
    private static func fitting(_ name: String) -> String {
        var name = name
        while name.utf8.count > Limits.nameBytesMax { name.removeLast() }
        return name
    }

    /// Nil for a player whose name is missing or blank.
    private static func known(_ name: String?) -> String? {
        guard let name = name.map(fitting), !name.allSatisfy(\.isWhitespace) else { return nil }
        return name
    }

    private struct Feed {
        let match: ConvertedMatch
        var events: [ConvertedEvent] = []

        mutating func add(
            _ type: String, _ seconds: Double, _ data: [String: JSON], of place: String? = nil
        ) throws(ConversionError) {
            do throws(API.InputError) {
                events.append(
                    try ConvertedEvent(
                        id: "\(match.subject)-\(events.count + 1)", source: match.source,
                        type: "Match.\(type)", subject: match.subject,
                        time: match.kickoff.adding(seconds: seconds), data: data))
            } catch {
                throw ConversionError(reason: (place.map { "\($0): " } ?? "") + error.detail)
            }
        }

        mutating func add(
            _ period: Match.Period, _ facts: [Fact], from start: Double, to end: Double
        ) throws(ConversionError) {
            let isShootout = period == .shootout
            let named: [String: JSON] =
                isShootout ? [:] : ["period": .string(period.rawValue)]
            try add(isShootout ? "ShootoutStarted" : "PeriodStarted", start, named)
            // Of facts with the same time, the first one listed comes first.
            let inTime = facts.sorted { $0.seconds < $1.seconds }
            for (number, fact) in inTime.enumerated() {
                var data = fact.data
                if isShootout { data["number"] = .integer(number + 1) }
                try add(fact.type, start + fact.seconds, data, of: fact.place)
            }
            if !isShootout { try add("PeriodEnded", end, named) }
        }
    }
}

extension Match.Side {
    var opponent: Match.Side { self == .home ? .away : .home }
}
