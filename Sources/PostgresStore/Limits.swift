/// Every bound of this module, with its why.
enum Limits {
    /// Times a phone's request is tried again because another one about the same card was quicker:
    /// a phone has a few under way at most.
    static let cardAttemptsMax = 8
    /// Events in one commit. From 500 on a batch gains little speed but locks the tenant's head
    /// longer, which is what the next caller waits for.
    static let batchEventsMax = 1_000
    /// Bytes of event data in one commit: large events take as long as many small ones.
    static let batchBytesMax = 1_024 * 1_024
    /// The same of a batch that goes past the large ones on a connection of its own: a millisecond.
    static let smallBatchEventsMax = 50
    static let smallBatchBytesMax = 64 * 1_024
    /// While several tenants have events waiting, a batch is so much smaller: some 3 ms, which is
    /// what the next tenant waits for. A request is never divided, so that one of the largest, of
    /// 1,000 events or a megabyte, is still a batch of its own: some 15 ms.
    static let sharedBatchParts = 4
    /// Bytes of data that keep a commit as busy as one more event.
    static let usualEventBytes = 512
    /// Tenants without anything waiting of which is remembered what they were served lately.
    static let idleTenantsMax = 1_000
    /// Texts of one row, unpacked: an activity's state is a hundredth of that. What is longer was
    /// not packed by this program.
    static let packedTextsBytesMax = 64 * 1_024 * 1_024
    /// Tenants whose log's head is kept in memory between appends.
    static let logHeadsMax = 10_000
    /// Activities of one tenant whose last version is kept, twice: an activity has events for an
    /// hour or two, so even a big merchant's are among them. Some 100 bytes each.
    static let activityVersionsMax = 50_000
    /// Of all tenants together, both times: some 30 MB, and all that three such merchants have.
    static let allActivityVersionsMax = 300_000
    /// Bytes of event data that wait for a commit, so that few large events cannot fill the memory.
    static let queuedBytesMax = 64 * 1_024 * 1_024
    /// For giving up a lock that ends with its session anyhow.
    static let releaseSecondsMax = 2
    /// What goes through many rows for nobody who waits: a page of a rebuild, or statistics.
    static let longCallSecondsMax = 30.0
    /// An import of one page that the server has not answered by then has failed.
    static let importTimeoutSeconds = 20
    /// The first and the longest wait before the appender's connection is opened again: its callers
    /// wait meanwhile, so a restart of the database should cost them little.
    static let appendReconnectMillisMin = 50
    static let appendReconnectMillisMax = 1_000
    /// Snapshots of one tenant kept in memory between two batches, twice; some 3 KB each. More are
    /// hardly live at one time.
    static let hotSnapshotsMax = 5_000
    /// Bytes of those of all tenants: some twenty thousand, twice what one tenant may have.
    static let hotSnapshotBytesMax = 64 << 20
    /// What a snapshot takes beside its JSON: names, facts, and its place.
    static let memoryBytesMin = 1_024
    /// Tenants of which this node keeps how far it has folded them: some 200 bytes each.
    static let foldedTenantsMax = 10_000
    /// Tenants whose policies are kept.
    static let hotTenantsMax = 100
    /// Bytes of policies that are kept, of all tenants: some ten thousand documents.
    static let hotPolicyBytesMax = 64 << 20
    /// Bytes of one answer with versions of a policy: some hundred documents.
    static let policyPageBytesMax = 1 << 20
    /// Events that were recorded here and wait to be folded, of all tenants: a projector that is
    /// behind by more reads whole pages.
    static let bufferedEventsMax = 2_000
    /// Bytes of their data.
    static let bufferedEventBytesMax = 16 * 1_024 * 1_024
    /// Activities with decisions that this node has made and not begun to send: one that is behind
    /// by more looks for them.
    static let claimHintsMax = 10_000
    /// What one count of an activity's followers reads of its push tokens, as steps of so many as a
    /// channel takes: some 100 ms. Apps may be made up, each of which may take a step.
    static let followersReadMax = 300_000
    static let followerAppsMax = 5_000
    /// Phones of its audience that it looks at: likewise.
    static let audienceReadMax = 10_000
    /// Apps of those, the ones with the most, for which it looks at push tokens as well.
    static let audienceAppsMax = 100
    /// Channels to be looked at again among which tenants take turns.
    static let channelLooksMax = 1_000
    /// Those that a node tries to take, some of which other nodes may take just then: what several
    /// nodes take at once.
    static let channelsTriedMax = 200
    /// Activities with something to send that are noted by one look for them, beyond those that it
    /// claims: where much waits, looking takes longer than sending.
    static let seenInPassingMax = 1_000
    /// How often a look for something to send is made again because another node took all that it
    /// had found.
    static let claimLooksMax = 3
    /// Phones read with a claim: most activities have a handful.
    static let claimedPhonesMax = 20
    /// Keys, or tenants of tickets, looked up in one statement.
    static let lookedUpAtOnceMax = 100
    /// Fan-outs completed in one commit.
    static let completedAtOnceMax = 100
    /// Between two such commits.
    static let completionRestMillis = 4
    /// Changes of one tenant kept for their readers: a second of a busy one.
    static let bufferedChangesMax = 1_000
    /// Bytes of those of all tenants: some seconds of a busy node.
    static let bufferedChangeBytesMax = 32 << 20
    /// Events folded on the loop itself, which does nothing else meanwhile: a millisecond. Another
    /// thread has to be woken, and then the loop, which takes as long where the cores are busy.
    static let loopFoldEventsMax = 16
    /// A fold of what was recorded here waits so long for a checkpoint that somebody else has
    /// locked, and then looks for another tenant's.
    static let foldLockMillisMax = 5
    /// Activities whose changes are written as rows and not as arrays: each number has a statement
    /// of its own, and with more the arrays cost no more.
    static let foldedRowsMax = 8
    /// A key's last use is noted no more often: who looks for idle keys thinks in days, and a write
    /// per request would be one too many.
    static let keyUseSecondsCoarse = 3_600
    /// How often the queue is looked through for callers that have waited too long.
    static let queueWatchMillis = 250
    /// Other nodes hear of a tenant's appends at once and then no more often than this: `NOTIFY`
    /// takes a lock that all databases of a server share, and they read in batches anyway.
    static let announcementMillis = 20
    /// A tenant whose newest event was folded so long after its recording is catching up, and the
    /// clock leaves it alone until it has stood still for as long: an import reads its next lines
    /// far sooner, and nothing that the clock brings about is in such a hurry.
    static let clockRestSeconds = 60
    /// A refold waits so long for a node that is folding the tenant, which takes milliseconds a
    /// batch.
    static let refoldLockSecondsMax = 10
    /// Events that are looked at to tell how much room new ones take, of each tenant and look.
    static let usageSampleEvents = 200
    /// Notifications kept for a listener that is busy; each only says "look", so the oldest may go.
    static let notificationsBufferedMax = 256
    /// Activities looked through for one page of a filtered list: some 20 ms. The next goes on.
    static let listedActivitiesMax = 10_000
    /// Activities looked through for a search, of each of three sorts that may be meant: some 2 MB.
    static let searchedActivitiesMax = 300
    /// Phones of an activity that are looked at for a line about it, of up to a hundred lines.
    static let progressPhonesMax = 200
    /// Decisions likewise: more changes in a row of which nothing is sent are rare.
    static let progressDecisionsMax = 100
    /// Cards of an activity that are not served any more and are listed.
    static let gonePhonesMax = 50
    /// Phones of an activity that are listed before all others: of those that were given up, of
    /// those that wait for their app, and of those that wait for another try.
    static let behindPhonesMax = 50
    /// Phones of each sort, refused for good, whose reasons are read for an explanation.
    static let refusedPhonesMax = 1_000
    /// Phones of an activity among which those that wait for another try are looked for, for the
    /// same: the dashboard asks again and again, and of the largest activities there are hundreds
    /// of thousands.
    static let servedPhonesReadMax = 2_000
    /// Of each sort of what needs a hand: nobody does anything else about more.
    static let attentionCountMax = 1_000
    /// Activities looked at for one overview, of each sort: some 130 ms if there are as many of all
    /// sorts, and more than most tenants have in a day.
    static let overviewActivitiesMax = 20_000
    /// How long ago a token may have been called unfit that a change of the app's keys has tried
    /// again: a card is on a phone for so long, eight hours and then four.
    static let unfitAgeSecondsMax = 12 * 3_600
    /// How long before an app was stopped the tokens may have been called unfit that stopped it.
    static let unfitBeforeAlarmSecondsMax = 600
    /// Looks that find a session waiting for its process in the same place of the same statement
    /// before it is ended, one each `sessionLookSeconds` of the pipeline: a process that lives
    /// reads what it is sent in a fraction of one. An idle session ends by the
    /// `silentSessionSecondsMax` of Postgres' module.
    static let stuckLooksMax = 4
    /// Webhooks of one tenant: each reads all that changes.
    static let webhooksPerTenantMax = 20
    /// API keys of one tenant that were not revoked and have not expired: one for each till of a
    /// large chain. To check a ticket takes reading the ids of all.
    static let keysPerTenantMax = 1_000
    /// Secrets of one webhook that sign at a time, each with 48 bytes of a header. A client that
    /// gets no answer makes another one, and the receiver knows only the first of them.
    static let secretsPerWebhookMax = 5
    /// How many changes back a webhook receives at once; the state stands for all before.
    static let webhookChangesMax = 200
    /// Versions of an activity among which those are looked for: most change nothing that is said.
    static let webhookVersionsReadMax = 2_000
    /// Webhooks receive a rejected push token so long after it: by its time they know how far
    /// they have come, and one that was written late must not be passed over. It is written by one
    /// statement, which may take half as long (`ConnectionConfiguration.statementTimeoutMillis`).
    static let rejectionLagSeconds = 60
    /// Rejected push tokens that one message to a webhook is about: some 20 KB.
    static let rejectionsPerMessageMax = 100
    /// How far timestamps may be ahead of the database's clock before they count as wrong: clocks
    /// that are kept right differ by less.
    static let timestampAheadSecondsMax = 300
    /// Accepting a restored log touches every phone of every living activity.
    static let acceptSecondsMax = 3_600.0
    /// One for each tenant tells nothing that the first few do not.
    static let findingsListedMax = 20
    /// Events after a checkpoint of which `islet doctor` asks who folded their activities before:
    /// as many as are folded in one transaction.
    static let foldedAtOnceMax = 500
    /// How long a probe waits for an answer: a healthy database needs milliseconds.
    static let probeSecondsMax = 3
    /// How long `islet doctor` waits for a host or an answer: who asks wants to know which hangs.
    static let doctorSecondsMax = 3
    /// Between two looks of it at who has locked something: a fold or a claim takes milliseconds.
    static let doctorRestSeconds = 1.0
    /// Rows of each sort that are counted for metrics: more of them is the same alarm, and some
    /// 50 ms every few seconds is what a look may cost a database that has nothing else wrong.
    static let fleetCountMax = 20_000
    /// Nodes of which a look lists the claims.
    static let fleetNodesMax = 50
    /// Activities of which it is looked in one call whether they may be dropped.
    static let activitiesLookedThrough = 1_000
    /// Rows that are swept in one commit: some 20 ms.
    static let rowsSweptAtOnce = 2_000
    /// Phones, channels or starts that wait for their app and are released in one statement: some
    /// 100 ms, and there may be hundreds of thousands.
    static let rowsReleasedAtOnce = 2_000
    /// Steps of one release of an app's phones.
    static let releaseStepsMax = 100
    /// Rows of each table that a tenant's removal takes in one commit.
    static let rowsRemovedAtOnce: Int32 = 2_000
    /// Browsers that are signed in with one key; the oldest end. A team's, and then some.
    static let signInsPerKeyMax = 100
    /// A fortnight, and a day for people who look at all of it.
    static let seriesKeptSeconds: Double = 15 * 86_400
}
