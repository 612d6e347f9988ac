/// Bounds on what an event may have. Together they keep every push below APNs' 4096 bytes: a string
/// grows at most twofold when JSON escapes it, since control characters are refused.
public enum Limits {
    /// Bytes of a content state that may be pushed. Apple allows 4096 for the whole body; the rest
    /// is kept for the alert and the envelope.
    public static let pushedStateBytesMax = 3072

    /// `id`, `source`, `type` and `subject`: what the log's index columns take comfortably.
    public static let attributeBytesMax = 200

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

    /// The longest shoot-out on record had 56 kicks.
    public static let shootoutKicksMax = 100

    /// A word that an activity is searched by: longer than any name has.
    static let searchWordBytesMax = 64
    /// Words of one activity: two teams with long names and their codes.
    static let searchWordsMax = 24

    /// The deepest data that are read: as deep as `JSONDecoder` reads, since a log may have what
    /// was imported into it.
    static let dataDepthMax = 512

    /// Cards, phones and messages that are counted for an answer, of each sort: some 5 ms. Nobody
    /// does anything else about more of them, and answers say "or more".
    public static let countedMax = 10_000
    /// Apps without a key that are named, those of the most phones: phones name them, and may make
    /// up any number. More than an operator has.
    public static let appsShownMax = 20
    /// Apps whose phones are counted for an answer, those of the most phones: a millisecond or two.
    public static let appsCountedMax = 1_000
}
