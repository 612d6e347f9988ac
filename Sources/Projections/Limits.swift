/// Bounds on what events of Islet's kinds say and a fold remembers, and the times that are for
/// every kind.
enum Limits {
    /// Facts of one sort in one activity: more than any match has goals or cards, and small enough
    /// that a state stays far below a megabyte.
    static let factsMax = 256
    /// Bytes of one text of a policy: a banner shows some two hundred characters, and an alert must
    /// fit into a push beside the state.
    static let templateBytesMax = 256
    /// Bytes of state and texts together: APNs takes 4096 bytes, and 512 are kept for the times,
    /// the sound and the names of the members. Source: Generating a remote notification.
    static let stateAndWordsBytesMax = 4096 - 512
    /// Languages that a policy may have texts in: more than most apps speak, and each is one more
    /// translation in every decision.
    static let policyLanguagesMax = 50
    /// Members of one sort in a policy, or rules in one list: many times what any kind has.
    static let policyMembersMax = 1_000
    /// Errors of a policy that are named: enough to see what is wrong with the rest.
    static let policyErrorsMax = 100
    /// A policy's version is a 32-bit number in the database.
    static let policyVersionMax = Int64(Int32.max)
    /// Bytes of a name that is compared with those that there are: all of them are shorter, and
    /// comparing takes as long as both are.
    static let comparedNameBytesMax = 64
    /// Bytes of a key of an app's text: enough for any that people make up, few beside the text.
    static let appKeyBytesMax = 64
    /// A text is not halved to less: fewer characters say nothing.
    static let halfCharactersMin = 20
    /// Tenants whose policies are kept ready; beyond that they are made again.
    static let booksMax = 1_000
    /// Bytes of the documents that those are made of, which take several times as much memory.
    static let bookBytesMax = 32 << 20
    /// Bytes of one policy: all texts of a kind in fifty languages have some 150 KB, and twice that
    /// in scripts whose characters have several bytes.
    static let policyBytesMax = 512 << 10
    /// Above the length of every type of event there is.
    static let eventTypeBytesMax = 64

    /// Beyond any order that one driver carries.
    static let pizzasMax = 1000
    /// A driver farther away than this is a mistake in units.
    static let distanceMetersMax = 1_000_000

    /// An order of a bicycle; beyond what any operator has numbered, and exact on every decoder.
    static let orderNumberMax = 999_999_999_999
    /// Beyond any game's last level.
    static let heroLevelMax = 9999

    /// Ten hours: longer than a Live Activity can run.
    static let clockSecondsMax = 36_000
    /// The longest minute label that any sport uses, with room for replays of extra time.
    static let minuteMax = 300
    /// Minutes added after a period's regular end.
    static let addedMinutesMax = 60
    /// Goals whose texts are put right when the score is: as many as quiet hours keep back.
    static let amendedGoalsMax = 8
    /// The same of a shoot-out's kicks.
    static let amendedKicksMax = 8
    /// What one score can count in any sport.
    static let pointsMax = 10

    /// ActivityKit ends every Live Activity after eight hours.
    static let liveSecondsMax = 8 * 3600.0
    /// For less, nobody counts on an arrival that was brought forward and put back.
    static let countedOnSecondsMin = 60.0
    /// Arrivals that come nearer and nearer within that time: one every eight seconds.
    static let earlierArrivalsMax = 8
    /// Orders are taken up to a week ahead; what is promised for later is probably a wrong year.
    static let promisedAheadSecondsMax = 7 * 86_400.0
    /// An ended card stays on the Lock Screen for four hours at most.
    static let dismissSecondsMax = 4 * 3600.0
    /// So often people hear that what they were promised has not come: each time it is twice as
    /// late, and eight hours are soon over.
    static let overdueStepsMax = 16
    /// A card of which nobody has reported an end says nothing that is worth keeping for long.
    static let dismissAfterLimitSeconds = 900.0
}
