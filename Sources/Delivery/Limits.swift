import APNs

/// Bounds of sending.
public enum Limits {
    /// Registrations read and recorded at once: one read and one write for this many phones.
    public static let pagePhonesMax = 500
    /// Pages of starts in one round: the updates of the same activity wait for them, a second or
    /// two.
    static let startPagesMax = 10
    /// Activities that one sender works on at the same time, those of many phones not counted.
    public static let claimsMax = 16
    /// Places that must be free before what is due is looked for.
    static let lookVacanciesMin = 8
    /// Unless somebody wants that for so long.
    static let lookDelayMillisMax = 250
    /// Pages after which a round is one of many phones, which lets others go first.
    static let shortRoundPagesMax = 2
    /// Rounds of many phones under way at the same time.
    static let longRoundsMax = 64
    /// Of those, how many may send a page at the same time.
    static let longPagesAtOnceMax = 2
    /// Pushes of one page that wait for an answer at the same time.
    public static let pushesInFlightMax = 500
    /// How many changes back a phone's missed alerts are looked for: beyond that there are too many
    /// to tell.
    public static let missedChangesMax = 200
    /// The end of the year 9999, beyond which the database's times are not written down.
    static let unixMillisecondsMax: Int64 = 253_402_300_799_000
    /// How often a token is tried again that APNs calls dead since before it was registered: for
    /// two minutes. A request that came late may have registered one that never works again.
    static let deadTokenAttemptsMax = 7
    /// How often to look although nothing was announced.
    static let pollSeconds = 1
    /// Channels looked after at once.
    static let channelsTakenMax = 50
    /// Open channels of an app at which operators are told: nine tenths of what Apple allows.
    static let channelsNearLimit = APNs.Limits.channelsMax / 10 * 9
    /// Activities of which it is remembered when their followers were counted.
    static let activitiesCountedMax = 10_000
    /// An activity's followers are counted no more often than this.
    static let followersCountSecondsMin: Double = 5
}
