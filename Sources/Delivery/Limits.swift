import APNs

/// Bounds of sending.
public enum Limits {
    /// Registrations read and recorded at once: one read and one write for this many phones.
    public static let pagePhonesMax = 500
    /// Phones that are pushed to in passing.
    static let fewPhonesMax = 32
    /// Pages of starts in one fan-out: the updates of the same activity wait for them, a second or
    /// two.
    static let startPagesMax = 10
    /// How often a sender tries to record the results of a page of starts whose claim it has lost,
    /// a second apart: as long as a standby takes to be promoted.
    static let recordTriesAfterLosingClaimMax = 30
    /// Activities that one sender works on at the same time, those of many phones not counted.
    static let claimsMax = 64
    /// Until the next claims when all places are taken.
    static let claimRestMillis = 2
    /// Places that must be free before what is due is looked for.
    static let lookVacanciesMin = 32
    /// Unless somebody wants that for so long.
    static let lookDelayMillisMax = 250
    /// After it nobody looks for so many times as long as it took.
    static let lookRestFactor = 5
    /// At most.
    static let lookRestSecondsMax = 5
    /// Pages after which a fan-out is one of many phones, which lets others go first.
    static let shortFanOutPagesMax = 2
    /// Fan-outs of many phones under way at the same time, each of which has a page of phones:
    /// some 30 MB. One tenant alone has half of them.
    static let longFanOutsMax = 128
    /// Pages of those that may be under way at the same time.
    static let longPagesAtOnceMin = 2
    static let longPagesAtOnceMax = 8
    /// What a page keeps this machine busy for; the rest of the time that it is under way, it waits
    /// for answers.
    static let pageWorkSeconds = 0.025
    /// How many pages it takes to notice that answers come faster or slower.
    static let pagesAveraged: Double = 8
    /// How often to look although nothing was announced.
    static let pollSeconds = 1
    /// Channels looked after at once.
    static let channelsTakenMax = 50
    /// Open channels of an app at which operators are warned: nine tenths of what Apple allows.
    static let channelsNearLimit = APNs.Limits.channelsMax / 10 * 9
    /// Activities of which it is remembered when their followers were counted, and as many of which
    /// it is remembered that they are still to be.
    static let activitiesCountedMax = 10_000
    /// An activity's followers are counted no more often than this.
    static let followersCountSecondsMin: Double = 5
    /// Webhooks that one look takes up.
    static let webhooksTakenMax = 50
    /// Messages that one webhook is sent at the same time, each about another activity.
    static let webhookPageMax = 32
    /// Activities that a webhook is sent under one lease, which remembers them: some 2 MB. What is
    /// left comes at once after.
    static let webhookVersionsMax = 10_000
    static let webhookRenewalSeconds: Double = 3
    /// A page takes as long as the slowest of its messages, each of which has a deadline. The lease
    /// of one that takes longer than any is renewed no more.
    static let webhookPageSecondsMax: Double = 60
    /// After so long without a renewal nothing more is sent.
    static let webhookLeaseFreshSecondsMax: Double = 8
    /// Between two looks for webhooks that have something to be sent.
    static let webhookRestMillis = 50
    /// How often a node looks at a webhook whose secret it cannot open.
    static let sealedWebhookSeconds: Double = 60
    /// How many of these it remembers. Each look for webhooks sends them to the database.
    static let sealedWebhooksMax = 1_000
}
