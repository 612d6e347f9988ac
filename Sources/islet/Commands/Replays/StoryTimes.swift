import Domain

/// Where a story's times go when it is played again: its beginning to when it is played, and what
/// follows nearer by as much as it is played faster. Half an hour is half a minute at sixty times
/// the pace.
struct StoryTimes: Codable, Hashable {
    /// When the first event was recorded.
    var then: Moment
    /// When it is played.
    var now: Moment
    /// How much faster.
    var factor: Double

    func moved(_ time: Moment) -> Moment {
        factor == 1
            ? time.adding(microseconds: now.microseconds - then.microseconds)
            : now.adding(seconds: time.seconds(since: then) / factor)
    }
}
