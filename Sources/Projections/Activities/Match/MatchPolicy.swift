import Domain

/// What each change of a match is worth. The first rule that fits speaks.
struct MatchPolicy {
    let change: Change<MatchKind>
    let before: MatchAttributes.ContentState
    let after: MatchAttributes.ContentState

    init(_ change: Change<MatchKind>) {
        self.change = change
        before = MatchKind.contentState(of: change.before)
        after = MatchKind.contentState(of: change.after)
    }

    var assessment: Assessment {
        var assessment = endRule ?? eventRule ?? otherRule
        assessment.alertContext.withdrawnSubjects += withdrawnCards
        assessment.amendments = amendments
        return assessment
    }

    /// What is said of an end; nil when all that there is to say was said.
    private var endRule: Assessment? {
        switch after.status {
        case .scheduled, .playing, .interval, .suspended: undecidedRule
        case .abandoned:
            before.status == .abandoned ? nil : abandonedRule
        case .finished where before.status != .finished:
            say(
                Self.fullTime,
                words: fullTimeWords,
                alertContext: AlertContext(
                    subject: Self.result, withdrawing: [Self.stage, Self.result]))
        case .finished where isScoreChanged || isShootoutChanged:
            say(
                Self.resultCorrected,
                words: Words(title: Phrase("scoreCorrected.title", scoreline), body: result),
                alertContext: contextOfCorrection)
        case .finished: confirmationRule
        }
    }

    /// The subject of the alert at the end, which is taken back if that was none.
    static let result = "result"
    /// That the score was put right: of that only the newest alert is true.
    static let score = "score"
    /// Which period it is: of that only the newest alert is true.
    static let stage = "stage"

    static func subject(ofGoal goalID: String) -> String { "goal/\(goalID)" }
    static func subject(ofDisallowed goalID: String) -> String { "noGoal/\(goalID)" }
    static func subject(ofKick number: Int) -> String { "kick/\(number)" }
    static func subject(ofCard cardID: String) -> String { "card/\(cardID)" }

    /// The goal that the event takes back.
    private var disallowed: [String] {
        guard case .disallowed(let disallowed) = change.event.subject else { return [] }
        return [Self.subject(ofGoal: disallowed.goalID)]
    }

    /// A result may be as people have heard it before anybody hears otherwise, for example when a
    /// goal is reported under another id.
    private var contextOfCorrection: AlertContext {
        var alertContext = AlertContext(
            subject: Self.result, withdrawing: [Self.result] + disallowed)
        alertContext.changedValue = AlertContext.ChangedValue(
            heard: Self.announced(of: before), now: Self.announced(of: after))
        return alertContext
    }

    /// What an alert of the result says, without names.
    private static func announced(of state: MatchAttributes.ContentState) -> String {
        "\(state.homeScore)-\(state.awayScore)/"
            + "\(state.shootoutHome ?? 0)-\(state.shootoutAway ?? 0)"
    }

    var fullTimeWords: Words {
        Words(title: Phrase("fullTime.title", scoreline), body: result)
    }

    private var abandonedRule: Assessment {
        say(
            Self.abandoned,
            change.after.isCalledOff ? "The match was called off." : "The match was abandoned.",
            words: abandonedWords,
            alertContext: AlertContext(
                subject: Self.result, withdrawing: [Self.stage, Self.result]))
    }

    /// One that has not begun has no score.
    var abandonedWords: Words {
        var words =
            change.after.hasBegun ? Words("abandoned", scoreline) : Words("calledOff", teams)
        if let reason = change.after.abandonment?.value { words.body = .verbatim(reason) }
        return words
    }

    /// Reported once more, full time needs no grace; but the last kick of a shoot-out may come in
    /// a second after it.
    private var confirmationRule: Assessment? {
        guard case .fullTime = change.event.subject, !change.after.hasShootout,
            var ending = MatchKind.ending(of: change)
        else { return nil }
        ending.graceSeconds = 0
        return change.assessment(
            Self.confirmed, "Full time was reported once more, so the card ends.",
            relevanceScore: Self.relevance(of: after), ending: ending)
    }

    private var undecidedRule: Assessment? {
        guard case .fullTime = change.event.subject, change.after.isOver,
            !change.before.isOver
        else { return nil }
        return say(
            Self.undecided,
            "Full time was reported, and by the kicks known so far the shoot-out is not decided; "
                + "the end waits for the others.")
    }

    /// Rules for events that speak for themselves; nil when the event is not such a one or was
    /// known already.
    private var eventRule: Assessment? {
        switch change.event.subject {
        case .goal(let goal): goalRule(goal)
        case .disallowed(let disallowed): disallowedRule(disallowed)
        case .card(let card): cardRule(card)
        case .kick(let kick): kickRule(kick)
        case .clock: before.period == after.period ? say(Self.clock) : nil
        case .schedule:
            change.before == MatchKind.initial
                ? say(Self.scheduled, words: words(of: Self.scheduled)) : kickOffMovedRule
        case .fullTime, .other: nil
        }
    }

    /// Cards of a match that has begun show none.
    private var kickOffMovedRule: Assessment? {
        guard before.kickoff != nil, after.kickoff != nil, before.kickoff != after.kickoff else {
            return nil
        }
        return say(Self.kickOffMoved)
    }

    private func goalRule(_ goal: Match.Goal) -> Assessment? {
        guard change.before.goals[goal.goalID] == nil, isScoreChanged else { return nil }
        let attributes = MatchKind.attributes(of: change.after)
        let team = goal.team == .home ? attributes.homeTeam : attributes.awayTeam
        return say(
            Self.goal, "\(team) scored.", words: words(of: goal),
            alertContext: AlertContext(subject: Self.subject(ofGoal: goal.goalID)))
    }

    /// With the score of now.
    func words(of goal: Match.Goal) -> Words {
        let team = name(of: goal.team)
        var words = Words("goal", scoreline(with: ["team": team]))
        if let credit = MatchWords.credit(of: goal, isFootball: change.after.isFootball) {
            // A minute alone is no sentence, nor is a kind of goal.
            let key = goal.minute == nil ? "teamScoredHow" : "teamScored"
            words.body = MatchWords.body(
                goal.player == nil
                    ? .phrase(Phrase(key, ["team": team, "credit": credit])) : credit)
        }
        return words
    }

    /// A team's name; if nobody has named it yet, what it is called in each language.
    private func name(of side: Match.Side) -> Phrase.Argument {
        guard let schedule = change.after.schedule?.value else {
            return .phrase(Phrase(side.rawValue))
        }
        return .text(side == .home ? schedule.homeTeam : schedule.awayTeam)
    }

    private func disallowedRule(_ disallowed: Match.GoalDisallowed) -> Assessment? {
        guard isScoreChanged, let goal = change.before.goals[disallowed.goalID]?.value else {
            return nil
        }
        return say(
            Self.goalDisallowed, words: words(of: disallowed, goal),
            alertContext: AlertContext(
                subject: Self.subject(ofDisallowed: disallowed.goalID),
                withdrawing: self.disallowed, isCorrection: true))
    }

    /// With the score of now.
    func words(of disallowed: Match.GoalDisallowed, _ goal: Match.Goal) -> Words {
        var credit = Phrase.Argument.phrase(Phrase("lastGoal"))
        if let known = MatchWords.credit(of: goal, isFootball: change.after.isFootball) {
            credit = goal.player == nil ? .phrase(Phrase("goalWhich", ["credit": known])) : known
        }
        return Words(
            "goalDisallowed",
            scoreline(with: ["credit": credit, "reason": .reason(disallowed.reason)]))
    }

    private func cardRule(_ card: Match.CardShown) -> Assessment? {
        guard before.homeRedCards != after.homeRedCards || before.awayRedCards != after.awayRedCards
        else {
            guard change.before.cards[card.cardID] == nil else { return nil }
            return say(
                Self.card, card.card.sendsOff ? "The player was sent off before." : nil)
        }
        guard card.card.sendsOff else { return nil }
        return say(
            Self.redCard, words: words(of: card),
            alertContext: .newest(Self.subject(ofCard: card.cardID)))
    }

    func words(of card: Match.CardShown) -> Words {
        Words(
            title: Phrase("redCard.title", ["team": name(of: card.team)]),
            body: MatchWords.body(MatchWords.line(of: card)))
    }

    private func kickRule(_ kick: Match.Kick) -> Assessment? {
        // A result was sent, and this kick shows that the match goes on: it is a new one, or one
        // that is taken once more. A kick that decides nothing was only reported late.
        if before.status == .finished, after.status != .finished {
            return say(
                Self.shootout, "The shoot-out goes on.", words: resumedWords,
                alertContext: AlertContext(
                    subject: Self.stage, withdrawing: [Self.stage, Self.result]))
        }
        guard before.status != .finished, change.before.kicks[kick.number] == nil else {
            return nil
        }
        return say(
            Self.shootoutKick, words: words(of: kick),
            alertContext: AlertContext(subject: Self.subject(ofKick: kick.number)))
    }

    /// With the score of now.
    func words(of kick: Match.Kick) -> Words {
        Words(
            title: shootoutTitle,
            body: MatchWords.body(
                MatchWords.line(of: kick, isFootball: change.after.isFootball)))
    }

    private var shootoutTitle: Phrase {
        let score = MatchText.score(after.shootoutHome ?? 0, after.shootoutAway ?? 0)
        return Phrase(
            change.after.isFootball ? "shootoutKick.title" : "shots.title",
            teams.adding(["score": .text(score)]))
    }

    private var otherRule: Assessment {
        if isScoreChanged || isShootoutChanged {
            return say(
                Self.scoreCorrected, words: words(of: Self.scoreCorrected),
                alertContext: .newest(Self.score))
        }
        // After the end a report of a period that comes late is no news.
        let isOver = after.status == .finished || after.status == .abandoned
        if !isOver, before.period != after.period || before.status != after.status {
            return stageRule
        }
        return say(Self.details)
    }

    /// That an end was none is said whatever part of the match it is, and stays true in the next.
    private var stageRule: Assessment {
        let isSilent = change.policy.significance(of: periodRule) != .alert
        let rule = wasOver && after.status != .playing && isSilent ? Self.resumed : periodRule
        let isResumed = rule == Self.resumed
        return say(
            rule, "Now: \(MatchKind.stageTitle(after)).", words: words(of: rule),
            alertContext: AlertContext(
                subject: isResumed ? Self.result : Self.stage,
                withdrawing: [Self.stage] + (wasOver ? [Self.result] : []), isCorrection: isResumed)
        )
    }

    /// An end was said, and is none if the match is not over now.
    private var wasOver: Bool { before.status == .finished || before.status == .abandoned }

    /// What may come after full time has other names in other sports.
    func words(of rule: Rule) -> Words {
        switch rule {
        // Nobody thought that it had begun.
        case Self.resumed where change.before.isCalledOff:
            Words(Self.kickOff.name, scoreline)
        // Of the shoot-out, whose score is the one that was put right.
        case Self.scoreCorrected where !isScoreChanged:
            Words(title: shootoutTitle, body: Phrase("scoreCorrected.body"))
        case Self.shootout: Words(shootoutName, scoreline)
        case Self.extraTime where after.period == .overtime: Words("overtime", scoreline)
        default: Words(rule.name, scoreline)
        }
    }

    /// A result was sent before, so that the text that it began with would be no news.
    private var resumedWords: Words {
        Words(
            title: Phrase("\(shootoutName).title", scoreline),
            body: Phrase("\(shootoutName).again"))
    }

    private var shootoutName: String { change.after.isFootball ? "shootout" : "shots" }

    var periodRule: Rule {
        switch after.status {
        case .interval: after.period == .firstHalf ? Self.halfTime : Self.interval
        case .playing: playingRule
        case .suspended: Self.suspended
        case .scheduled, .finished, .abandoned: Self.period
        }
    }

    private var playingRule: Rule {
        if before.period != after.period, let period = after.period {
            if period == .shootout { return Self.shootout }
            if period == .extraTimeFirstHalf || period == .overtime { return Self.extraTime }
        }
        if wasOver { return Self.resumed }
        return before.status == .scheduled ? Self.kickOff : Self.period
    }

    var isScoreChanged: Bool {
        before.homeScore != after.homeScore || before.awayScore != after.awayScore
    }

    var isShootoutChanged: Bool {
        before.shootoutHome != nil
            && (before.shootoutHome != after.shootoutHome
                || before.shootoutAway != after.shootoutAway)
    }

    private var teams: Phrase.Arguments {
        ["home": name(of: .home), "away": name(of: .away)]
    }

    var scoreline: Phrase.Arguments { scoreline(with: [:]) }

    private func scoreline(with others: Phrase.Arguments) -> Phrase.Arguments {
        let score = MatchText.score(after.homeScore, after.awayScore)
        return teams.adding(["score": .text(score)]).adding(others)
    }

    private var result: Phrase {
        let home = after.shootoutHome ?? 0
        let away = after.shootoutAway ?? 0
        let score = MatchText.score(max(home, away), min(home, away))
        if home != away {
            return Phrase(
                change.after.isFootball ? "fullTime.penalties" : "fullTime.shots",
                ["winner": name(of: home > away ? .home : .away), "score": .text(score)])
        }
        if after.homeScore == after.awayScore { return Phrase("fullTime.level") }
        return Phrase(
            "fullTime.won",
            ["winner": name(of: after.homeScore > after.awayScore ? .home : .away)])
    }

    private func say(
        _ rule: Rule, _ reason: String? = nil, words: @autoclosure () -> Words? = nil,
        alertContext: AlertContext = AlertContext()
    ) -> Assessment {
        change.assessment(
            rule, reason, words: words(), alertContext: alertContext,
            relevanceScore: Self.relevance(of: after))
    }

    static func relevance(of state: MatchAttributes.ContentState) -> Double {
        switch state.status {
        case .scheduled, .finished, .abandoned: 25
        case .suspended, .interval: 50
        case .playing: (state.period ?? .firstHalf) >= .extraTimeFirstHalf ? 100 : 75
        }
    }
}
