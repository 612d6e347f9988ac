/// Bounds on what an event may hold. Together they keep every push below APNs' 4096 bytes: a string
/// grows at most twofold when JSON escapes it, since control characters are refused.
public enum Limits {
    /// Bytes of a content state that may be pushed. Apple allows 4096 for the whole body; the rest
    /// is kept for the alert and the envelope.
    public static let pushedStateBytesMax = 3072

    /// Ids that a source makes up: long enough for a UUID with a prefix.
    public static let referenceBytesMax = 64
    /// Names of people, teams and competitions; more would not fit a line of the Lock Screen.
    public static let nameBytesMax = 60
    /// An amount with its currency sign.
    public static let amountBytesMax = 24
    /// A team's short form beside the camera, such as `ARG`.
    public static let codeBytesMax = 8
    /// A reason in a merchant's own words: two lines of the Lock Screen.
    public static let reasonBytesMax = 140

    /// Beyond any order that one driver carries.
    public static let pizzasMax = 1000
    /// A driver farther away than this is a mistake in units.
    public static let distanceMetersMax = 1_000_000

    /// An order of a bicycle; beyond what any operator has numbered, and exact on every decoder.
    public static let orderNumberMax = 999_999_999_999
    /// Beyond any game's last level.
    public static let heroLevelMax = 9999

    /// Ten hours: longer than a Live Activity can run.
    public static let clockSecondsMax = 36_000
    /// The longest minute label that any sport uses, with room for replays of extra time.
    public static let minuteMax = 300
    /// Minutes added after a period's regular end.
    public static let addedMinutesMax = 60
    /// What one score can count in any sport.
    public static let pointsMax = 10
    /// The longest shoot-out on record had 56 kicks.
    public static let shootoutKicksMax = 100

    /// A word that an activity is searched by: longer than any name has.
    static let searchWordBytesMax = 64
    /// Words of one activity: two teams with long names and their codes.
    static let searchWordsMax = 24

    /// Cards, phones and messages that are counted for an answer, of each sort: some 5 ms. Nobody
    /// does anything else about more of them, and answers say "or more".
    public static let countedMax = 10_000

    /// Members of an object whose names are compared one by one: far more than any event has, and
    /// few enough that nobody can keep a reader busy with them.
    static let plainMembersMax = 64
}
