/// Every bound of this module, with its why.
enum Limits {
    /// Prepared statements kept per connection. The program has a fixed set of SQL texts far below
    /// this; a text beyond it runs unprepared instead of growing the server's memory.
    static let preparedStatementsMax = 256
    /// Calls sent before the first of them is answered: one that runs and one that waits for it at
    /// the server keep the server busy.
    static let sentCallsMax = 2
    /// The protocol counts parameters in 16 bits.
    static let parametersMax = 65_535
    /// After a cancel request the server normally answers within a round trip. A connection that
    /// says nothing for this long is given up, so that a caller never waits on a dead peer.
    static let cancelGraceSeconds = 2.0
    /// A transaction whose client says nothing for so long is rolled back by the server: one that
    /// stands still must not keep its locks from those that do not. Between two statements there is
    /// a fold at most, which takes milliseconds.
    static let transactionRestSecondsMax = 10
    /// A session with a heartbeat ends after so long without a sign of life. Longer than a push may
    /// wait to be sent (`APNsTiming.pushDeadline`) and one `beatMillis`: what a process had handed
    /// over before it stood still is too late by itself once another may have its claims. Short
    /// enough for everything to be taken over within 15 s. A session in the middle of a transaction
    /// ends by the store's `stuckLooksMax` and the pipeline's `sessionLookSeconds`.
    static let silentSessionSecondsMax = 11
    /// Between two signs of life.
    static let beatMillis = 1_000
    /// After so long without an answer a process takes its sessions for lost, some seconds before
    /// the server does.
    static let heardSecondsMax = 8
    /// A connection on which nothing happens by itself asks the server so often whether it is
    /// there. With the one below and the grace above, a server that hangs is found out within six
    /// seconds.
    static let heartbeatSeconds = 2.0
    /// A question without any work that takes longer is not answered at all.
    static let heartbeatTimeoutSeconds = 2.0
    /// Where another connection to the same server was silent for longer, an answer that does not
    /// come in this time will not come, and a cancel request would not help.
    static let probeSeconds = 1.0
    /// A host that is only asked whether it takes writes too may take so long to let us in: a
    /// caller may wait for it.
    static let lookSeconds = 1.0
    /// Setting up a session is one round trip or two.
    static let sessionSetupSeconds = 3.0
    /// A session that is of no more use ends unless it is younger than this: where all are like
    /// that, such as in a database that is read-only, every call would make one.
    static let unfitSessionSecondsMin = 1.0
    /// Behind a pooler it is shown again after this long that sessions are not shared: an operator
    /// may change its mode at any time.
    static let sessionProofSeconds = 60.0
    /// An idle connection takes a slot of the server, which other nodes may need. A burst of
    /// requests comes again within seconds, if it does.
    static let idleSecondsMax = 60.0
    /// How often idle ones are looked through.
    static let idleWatchSeconds = 10.0
    /// Idle connections that stay: the next request should not wait for a handshake.
    static let idleConnectionsMin = 2
    /// Migrating waits for another node that does, and may rewrite a table of any length.
    static let migrationSecondsMax = 24 * 3_600.0
    /// Reconnect attempts wait this long at first and double up to the maximum: quick enough that a
    /// restart of the server is hardly noticed, slow enough not to hammer one that is down.
    static let reconnectDelayMillisMin = 50
    static let reconnectDelayMillisMax = 2_000
    /// Unread notifications kept per listener; beyond it the oldest go, since all they say is
    /// "look again".
    static let notificationsBufferedMax = 4_096
    /// Longest part of a message from the server or libpq that an error repeats.
    static let messageCharactersMax = 500
    /// The end of a program's output or of a server's log that is looked at.
    static let outputBytesMax = 16 * 1_024
    /// How long `pg_ctl` may take to start a private server.
    static let serverControlSecondsMax = 60
    /// How long a private server may take to stop by `-m fast`, and then by `-m immediate`, which
    /// kills after five seconds what does not end. With what a node does before, it is less than
    /// the minute that systemd and Docker give it.
    static let fastStopSecondsMax = 15
    static let immediateStopSecondsMax = 10
    /// How long a private server that is found running may say nothing: it listens already.
    static let foundServerSilenceSecondsMax = 5
    /// How long a program waits for others that make or start the same private server: longer than
    /// both together may take.
    static let clusterLockSecondsMax = 2 * serverControlSecondsMax
    /// Waiting costs little, and the start of a program is felt.
    static let clusterLockPollMillis = 20
    /// A server that was found starting, or recovering from a crash, lets nobody in at first.
    static let administrationPollMillis = 50
}
