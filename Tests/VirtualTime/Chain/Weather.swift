/// What goes wrong, each once in so many times; 0 for never.
struct Weather {
    /// A statement that is not carried out.
    var statementFails = 0
    /// A statement that is carried out, and its node does not hear of it.
    var answerLost = 0
    /// A statement that is never answered: its node gives it up, and cannot know whether it was
    /// carried out.
    var statementHangs = 0
    /// A statement that takes seconds.
    var statementStalls = 0
    /// No connection to APNs.
    var connectionFails = 0
    /// The connection closes before APNs has answered, with all that is under way on it.
    var pushAnswerLost = 0
    /// APNs tells a connection to go away: what is under way is answered, the rest is to go by
    /// another one.
    var goAway = 0
    /// 429, 500 or 503.
    var busy = 0
    /// APNs does not know a token that is right, as when it is asked in the wrong place.
    var unknownToken = 0
    /// Seconds that a push or its answer takes at most.
    var pushSecondsMax = 0.3
    /// In any weather.
    static let pushSecondsMost = 4.0

    static let calm = Weather()

    static func any(_ thread: VirtualThread) -> Weather {
        Weather(
            statementFails: thread.pick([0, 0, 200, 40]),
            answerLost: thread.pick([0, 0, 200, 40]),
            statementHangs: thread.pick([0, 0, 0, 400, 100]),
            statementStalls: thread.pick([0, 100, 30]),
            connectionFails: thread.pick([0, 0, 20, 3]),
            pushAnswerLost: thread.pick([0, 0, 20, 4]), goAway: thread.pick([0, 30, 5]),
            busy: thread.pick([0, 0, 10, 3]), unknownToken: thread.pick([0, 0, 20, 5]),
            pushSecondsMax: thread.pick([0.1, 0.5, pushSecondsMost]))
    }
}
