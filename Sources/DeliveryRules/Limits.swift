import Domain

/// Bounds of what is decided and sent.
public enum Limits {
    /// Bytes of a content state that may be pushed; the fold cuts texts to stay below.
    public static let contentStateBytesMax = Domain.Limits.pushedStateBytesMax
    /// Bodies of alerts that are joined when several changes share one push; the rest is counted.
    /// More would be cut off by the banner.
    static let joinedAlertsMax = 2
    /// Alerts of an activity that quiet hours keep back: more than anybody reads in the morning.
    public static let keptBackAlertsMax = 8
    /// Phones whose cards go stale within this part of the time that a report keeps them fresh are
    /// pushed by one that changes nothing there …
    static let refreshShare: Double = 1 / 4
    /// … but not earlier than so long before.
    static let refreshSecondsMax: Double = 900
    /// A missed alert is repeated only while it is still news; later the state goes out quietly.
    public static let missedAlertAgeSecondsMax: Double = 600
    /// How many changes back a phone's missed alerts are looked for: beyond that there are too many
    /// to tell.
    public static let missedChangesMax = 200
    /// A start that was refused for the moment is tried again after this long, then after three
    /// times as long each …
    static let startRetrySecondsMin: Double = 5
    /// … so many times in all …
    static let startAttemptsMax = 5
    /// … and no later than this after the first: a card that appears long after what it is about
    /// began would only surprise.
    public static let startAgeSecondsMax: Double = 600
    /// A start on its way is looked at again after this long, which no push takes.
    static let startLookSeconds: Double = 60
    /// Starts wait so long for a channel that is being made.
    static let channelAwaitedSecondsMax: Double = 15
    /// The first iOS whose starts may say how the card is updated.
    static let startInputSystemMin = 18
    /// The first retry comes after this long, each further one after twice as long …
    static let retrySecondsMin: Double = 1
    /// … up to this long.
    static let retrySecondsMax: Double = 300
    /// Failures in a row after which a phone is sent no more of the same state: some eight hours of
    /// them …
    static let pushAttemptsMax = 100
    /// … which is also how long a Live Activity lives.
    /// Source: ActivityKit, "Displaying live data with Live Activities" (eight hours).
    static let pushAgeSecondsMax: Double = 8 * 3600
    /// Push tokens of one installation for one activity: a card has a handful in its eight hours,
    /// and each stays known, so that a late token is not taken for a new one.
    public static let phoneTokensMax = 100
    /// How often a token is tried again that APNs calls dead since before it was registered: for
    /// two minutes. A request that came late may have registered one that never works again.
    static let deadTokenAttemptsMax = 7
    /// How long to wait when only a person can help (key refused).
    public static let refusedKeyRetrySeconds: Double = 60
    /// Activities, and phones, whose tokens APNs says in a row are of another app or environment:
    /// that many are no accident. One phone can make up tokens, but only for an activity that it
    /// follows; or tokens that APNs had accepted, which nobody can make up.
    static let unfitTokensMax = 20
    /// An app of which APNs has accepted a token within so long is set up rightly, whatever else is
    /// registered for it.
    static let fitSecondsMin: Double = 600
    /// After sending for an app was stopped, one push goes out after this long, each further one
    /// after twice as long …
    static let probeSecondsMin: Double = 30
    /// … up to this long.
    static let probeSecondsMax: Double = 900
    /// An alarm ends when that push has been due for so long and nothing waits that it could be: no
    /// answer would end it, and if the reason is still there, the next push raises it again.
    public static let idleAlarmSeconds: Double = 600
    /// To a phone whose token APNs had accepted before, one goes out after this part of that: its
    /// person should not wait for what others have registered.
    static let provenProbeShare: Double = 1 / 30
    /// How often a phone is looked at whose app has no key: it is sent to at once when it gets one.
    public static let deferredPhoneSeconds: Double = 300
    /// How often a start is looked at whose app has no key.
    static let heldStartSeconds: Double = 60
    /// How long to wait before APNs is asked again for a channel that it will not make: old ones
    /// must be deleted first, or the app be given the capability, or a key.
    static let channelRefusedRetrySeconds: Double = 600
    /// A channel is kept so long after the last card is dismissed: stored messages may be on their
    /// way still.
    static let channelRestSeconds: Double = 3600
    /// A channel that was asked for up front is deleted, or wanted no more, when no event has named
    /// its activity for so long: a season is planned ahead, but an app has 10,000 channels at most.
    static let idleChannelSecondsMax: Double = 30 * 86_400
    /// Rests between tries of a message to a webhook; the last one is also any later one.
    /// Source: Standard Webhooks, "Delivery success criteria and retries".
    static let webhookRetrySeconds: [Double] = [
        5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]
    /// By which part of itself a rest is longer or shorter.
    static let webhookRetrySpread = 0.2
    /// Tries of a message: as many as the rests above lie between.
    static let webhookAttemptsMax = 10
    /// Long enough for all of them.
    static let webhookAgeSecondsMax: Double = 5 * 86_400
    /// A webhook at which nothing arrives for so long has been forgotten.
    static let webhookFailingSecondsMax: Double = 5 * 86_400
    /// The longest pause that a receiver may ask for.
    static let webhookPauseSecondsMax: Double = 86_400
}
