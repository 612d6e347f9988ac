/// Every number the simulator keeps the world to, with where it comes from.
///
/// Apple's own figures are facts; those marked as reported were seen by others and are kept on the
/// strict side, so that a sender that passes here is not surprised by a phone.
enum Limits {
    /// Apple: the body of a push to a device token.
    static let pushBytesMax = 4096
    /// Apple: the body of a broadcast. The limit of attributes and state is no higher for it. That
    /// no call which manages channels takes more is assumed.
    static let broadcastBytesMax = 5120
    /// Apple: channels of one app in one environment.
    static let channelsMax = 10_000
    /// Assumed: Apple says that ids have no fixed length, and that there are too long ones.
    static let channelIDBytesMax = 128
    /// Ids differ in length, so that nobody gets used to one.
    static let channelIDBytes = 14...22
    /// Bodies up to this size are read. What is larger gets the same answer without being kept.
    static let requestBodyBytesMax = 65_536
    /// Apple: `apns-collapse-id`.
    static let collapseIDBytesMax = 64
    /// A topic is a bundle id and a suffix; a DNS name cannot be longer either.
    static let topicBytesMax = 255
    /// Apple: an older provider token is expired.
    static let providerTokenAgeSecondsMax = 3600.0
    /// Apple: a new provider token on the same connection before this is refused with 429.
    static let providerTokenRefreshSecondsMin = 1200.0
    /// A real token has about 250 bytes; longer ones are not even parsed.
    static let providerTokenBytesMax = 4096
    /// Apple: streams of a connection before it has shown a valid provider token.
    static let streamsBeforeProviderToken = 1
    /// Reported: streams of a connection afterwards.
    static let streamsAfterProviderToken = 1000
    /// Apple: a PING an hour is enough to keep a connection, so an idle one lives for longer.
    static let idleConnectionSecondsMax = 7200.0
    /// What is remembered of connections: more than a host keeps open, so none alive is forgotten.
    static let connectionsRememberedMax = 100_000

    /// Reported: Live Activity tokens have 160 hexadecimal digits.
    static let updateTokenBytes = 80
    /// Reported: a push whose `timestamp` is further ahead is dropped by the phone.
    static let futureSecondsMax = 8 * 3600.0
    /// Assumed: a start that is as old as an activity can get is dropped, as a copied sample's
    /// timestamp is reported to be. How much less would do is not known.
    static let startAgeSecondsMax = 8 * 3600.0
    /// Apple: `attributes` and `content-state` of a start together.
    static let startBytesMax = 4096
    /// Reported: about five activities of one app at once. Apple publishes no number.
    static let activitiesMax = 5
    /// Apple: about ten push-to-starts in a short time; fixed, and the same in both environments.
    static let startsMax = 10
    /// Assumed: Apple does not say how long its short time is.
    static let startWindowSeconds = 900.0
    /// Reported: updates 10 s old were shown and some of 50 s were dropped.
    static let updateAgeSecondsMax = 30.0
    /// Reported: about fifteen updates an hour at priority 10, for each activity.
    static let updatesMax = 15.0
    static let updateRefillSeconds = 240.0
    /// Reported: some 240 that are left at the level "frequent", and 15 s between updates shown.
    static let frequentUpdatesMax = 240.0
    static let frequentUpdateRefillSeconds = 15.0
    /// Apple: an activity is active for at most 8 hours.
    static let activeSecondsMax = 8 * 3600.0
    /// Apple: an ended card stays for at most 4 more hours.
    static let lingerSecondsMax = 4 * 3600.0
    /// Apple: attributes of an activity started by the app, and one content state.
    static let attributesBytesMax = 4096
    /// The epochs of 1970 and 2001 are 31 years apart. No card shows a date 10 years away.
    static let plausibleSecondsMax = 10 * 365.25 * 86_400
    /// How deep a content state is searched for dates.
    static let dateSearchDepthMax = 8
    /// Assumed: how long APNs goes on answering 200 after an activity has ended.
    static let endedTokenGraceSeconds = 60.0

    /// Apple: how long a push without `apns-expiration` is kept at most.
    static let storedSecondsMax = 30 * 86_400.0
    /// Apple: how long the newest message of a channel is kept at most.
    static let storedBroadcastSecondsMax = 8 * 3600.0

    /// Newest entries of a phone's log that are kept.
    static let logEntriesMax = 2000
    /// A demo needs two; a load test may want thousands. Each is about 10 KB.
    static let phonesMax = 10_000
    /// Scripts of refusals that may wait at once.
    static let scriptedAnswersMax = 1000
    /// Faults that are in force or to come.
    static let faultsMax = 1000
    /// How far ahead a fault may begin, and how long it may last.
    static let faultSecondsMax = 7 * 86_400.0
    /// Longer than any sender waits.
    static let delaySecondsMax = 120.0
    /// Tokens without a phone that one request makes.
    static let silentTokensMax = 100_000
    /// Phones in a scenario's file.
    static let scenarioBytesMax = 8 << 20
    /// Longest name of a phone or an activity.
    static let nameBytesMax = 200
    /// An observer that falls this far behind loses the oldest changes rather than keeping memory.
    static let observerBacklogMax = 10_000
}
