import Domain
import Projections
import Terminal

extension OpenFootball.Game {
    /// - Throws: what is missing of the match, or does not fit together.
    func match(of competition: String) throws(ConversionError) -> ConvertedMatch {
        let score = try finalScore()
        var match = ConvertedMatch(
            source: "/openfootball", competition: competition, kickoff: try kickoff(),
            sides: ConvertedMatch.Sides(
                home: ConvertedMatch.Team(id: 1, name: team1.name),
                away: ConvertedMatch.Team(id: 2, name: team2.name)),
            day: date)
        if let status, !Self.finished.contains(status.lowercased()) {
            match.doubt = "its status is '\(status.shown())'"
        }
        // Level, it is not over, and a server waits for the kick that decides.
        if let kicks = score.shootout, kicks[0] == kicks[1], match.doubt == nil {
            throw ConversionError(reason: "its shoot-out is level at \(kicks[0])–\(kicks[1])")
        }
        for (period, minutes) in ConvertedMatch.minutes where isPlayed(period) {
            match.play(until: PlayTime(period: period, seconds: Double(minutes.count) * 60))
        }
        for goal in try inOrder() {
            match.place = "its goal of minute \(goal.minute)"
            match.score(goal.id, for: goal.side, goal.kind, by: goal.player, at: goal.time)
            match.play(
                until: PlayTime(period: goal.time.period, seconds: goal.time.seconds + 30))
        }
        try match.check(score.final)
        try match.check(score.normal, after: .secondHalf)
        if let kicks = score.shootout { Self.take(kicks, in: &match) }
        return match
    }

    /// Statuses of a match that was played to its end.
    private static let finished: Set = ["finished", "played", "replay"]

    private typealias PlayTime = ConvertedMatch.PlayTime

    private func isPlayed(_ period: Match.Period) -> Bool {
        period <= .secondHalf || score?.et != nil
    }

    /// What events are made of although the file does not say it.
    var assumptions: [String] { [assumedKickoff, assumedAddedTime].compactMap(\.self) }

    private var assumedKickoff: String? {
        guard time == nil else { return nil }
        return "has no time; its kick-off is taken for \(Self.noon) UTC. Say it in the file: "
            + "\"time\": \"17:00 UTC-3\""
    }

    /// Goals after 90 minutes may be of extra time that the file does not state, or of added time
    /// that it counts on.
    private var assumedAddedTime: String? {
        guard score?.et == nil else { return nil }
        let late = (goals1 ?? []) + (goals2 ?? [])
        let minutes = late.compactMap { $0.label?.minute }.filter { $0 > 90 }
        guard !minutes.isEmpty else { return nil }
        let named = minutes.sorted().map { "\($0)'" }.joined(separator: ", ")
        let first = (minutes.min() ?? 91) - 90 + addedToNinety
        return "has goals at \(named) and states no extra time; they are taken for added time, "
            + "from 90+\(first) on. If there was any, say so in the file: \"et\" in its score"
    }

    /// What the file states: of the whole match without kicks, of its 90 minutes, of the shoot-out.
    private func finalScore() throws(ConversionError) -> (
        final: [Int], normal: [Int]?, shootout: [Int]?
    ) {
        guard let score, let final = score.et ?? score.ft else {
            throw ConversionError(reason: "has no score")
        }
        for score in [final, score.ft, score.p] {
            let isPair = score.map { $0.count == 2 && $0.allSatisfy { $0 >= 0 } } ?? true
            guard isPair else { throw ConversionError(reason: "its score is not of two numbers") }
        }
        // Each by itself first: their sum may be beyond any number.
        let most = Limits.shootoutKicksMax
        if let kicks = score.p, kicks.contains(where: { $0 > most }) || kicks[0] + kicks[1] > most {
            throw ConversionError(
                reason: "its shoot-out has more than \(Limits.shootoutKicksMax) kicks")
        }
        return (final, score.ft, score.p)
    }

    private static let noon = "12:00"

    /// Noon where no time is given, and UTC where no zone is.
    private func kickoff() throws(ConversionError) -> Moment {
        guard Moment(rfc3339: "\(date)T00:00:00Z") != nil else {
            throw ConversionError(reason: "its date '\(date.shown())' is none such as 2026-06-11")
        }
        let time = time ?? Self.noon
        let form = /(\d?\d:\d\d)(?: *(?:UTC|(CES?T)))?(?: *([-+±])(\d?\d)(?::(\d\d))?)?/
        if let parts = time.wholeMatch(of: form), parts.2 == nil || parts.3 == nil {
            let zone =
                switch parts.2 {
                case "CET": "+01:00"
                case "CEST": "+02:00"
                default:
                    (parts.3 == "-" ? "-" : "+") + Self.padded(parts.4 ?? "0", 2) + ":"
                        + (parts.5 ?? "00")
                }
            let text = "\(date)T\(Self.padded(parts.1, 5)):00\(zone)"
            if let moment = Moment(rfc3339: text) { return moment }
        }
        throw ConversionError(
            reason: "its time '\(time.shown())' is none such as 17:00 or 17:00 UTC-3")
    }

    private static func padded(_ text: Substring, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// As many kicks as the score has, by turns: the file does not tell of those that missed, nor
    /// of the order.
    private static func take(_ score: [Int], in match: inout ConvertedMatch) {
        match.play(until: PlayTime(period: .shootout, seconds: 600))
        var seconds = 0.0
        for round in 0..<max(score[0], score[1]) {
            for (side, count) in zip([Match.Side.home, .away], score) where round < count {
                seconds += 30
                match.kick(.scored, by: nil, of: side, at: seconds)
            }
        }
    }
}

extension OpenFootball.Goal {
    fileprivate var labelText: String { minute.text + (offset.map { "+\($0)" } ?? "") }

    /// Nil when it is none such as 90 or 90+3.
    fileprivate var label: (minute: Int, added: Int)? {
        guard let label = labelText.wholeMatch(of: /(\d{1,3})(?:\+(\d{1,2}))?/),
            let minute = Int(label.1), minute > 0
        else { return nil }
        return (minute, label.2.flatMap { Int($0) } ?? 0)
    }
}

extension OpenFootball {
    /// A goal with its place in the match.
    fileprivate struct PlacedGoal {
        var id: String
        var side: Match.Side
        var kind: Match.GoalKind
        var player: String?
        /// The label's minute, and those after it that were added to the period.
        var minute: Int
        var added: Int
        /// In the middle of its minute.
        var time: ConvertedMatch.PlayTime
    }
}

extension OpenFootball.Game {
    /// The source groups them by scorer. An own goal stands with the side that profits, as in an
    /// event.
    private func inOrder() throws(ConversionError) -> [OpenFootball.PlacedGoal] {
        var placed: [OpenFootball.PlacedGoal] = []
        for (side, goals) in [(Match.Side.home, goals1), (.away, goals2)] {
            for (index, goal) in (goals ?? []).enumerated() {
                placed.append(try place(goal, side, "\(side.rawValue)-\(index + 1)"))
            }
        }
        return placed.sorted {
            ($0.minute, $0.added, $0.id) < ($1.minute, $1.added, $1.id)
        }
    }

    /// The most minutes that a goal names as added to the 90. Where it does, a minute such as 91
    /// comes after them, whatever it is called: the file tells the two apart.
    private var addedToNinety: Int {
        ((goals1 ?? []) + (goals2 ?? [])).compactMap { goal in
            guard let label = goal.label, label.minute == 90 else { return nil }
            return label.added
        }.max() ?? 0
    }

    private func place(
        _ goal: OpenFootball.Goal, _ side: Match.Side, _ id: String
    ) throws(ConversionError) -> OpenFootball.PlacedGoal {
        let text = goal.labelText.shown()
        guard let (minute, added) = goal.label else {
            throw ConversionError(reason: "its minute \(text) is none such as 90 or 90+3")
        }
        let beyond = ConversionError(reason: "its minute \(text) is beyond its last period")
        guard let (period, first) = ConvertedMatch.period(of: minute, where: isPlayed) else {
            throw beyond
        }
        let before = minute > 90 && period == .secondHalf ? addedToNinety : 0
        let seconds = Double(minute - first + added + before) * 60 + 30
        guard PlayTime.secondsOfPeriods.contains(seconds) else { throw beyond }
        return OpenFootball.PlacedGoal(
            id: id, side: side,
            kind: goal.owngoal == true ? .ownGoal : goal.penalty == true ? .penalty : .openPlay,
            player: goal.name, minute: minute, added: added,
            time: PlayTime(period: period, seconds: seconds))
    }
}
