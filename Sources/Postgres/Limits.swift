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
    static let cancelGraceSeconds = 5.0
    /// A transaction whose client says nothing for so long is rolled back by the server: one that
    /// stands still must not keep its locks from those that do not. Between two statements there is
    /// a fold at most, which takes milliseconds.
    static let transactionRestSecondsMax = 10
    /// A session with a lease ends after so long without a sign of life. Longer than a push may
    /// wait to be sent (`APNsTiming.pushDeadline`) and one `beatMillis`: what a process had handed
    /// over before it stood still is too late by itself once another may have its claims. Short
    /// enough for everything to be taken over within 15 s.
    static let leaseSeconds = 11
    /// Between two signs of life.
    static let beatMillis = 1_000
    /// After so long without an answer a process takes its leases for lost, some seconds before the
    /// server does.
    static let leaseFreshSecondsMax = 8
    /// Reconnect attempts wait this long at first and double up to the maximum: quick enough that a
    /// restart of the server is hardly noticed, slow enough not to hammer one that is down.
    static let reconnectDelayMillisMin = 50
    static let reconnectDelayMillisMax = 2_000
    /// Unread notifications kept per listener; beyond it the oldest go, since all they say is
    /// "look again".
    static let notificationsBufferedMax = 4_096
    /// Longest part of a message from the server or libpq that an error repeats.
    static let messageCharactersMax = 500
    /// `sun_path` has 108 bytes including its end.
    static let socketPathBytesMax = 107
    /// The end of a program's output or of a server's log that is looked at.
    static let outputBytesMax = 16 * 1_024
    /// How long `pg_ctl` may take to start or stop a private server.
    static let serverControlSecondsMax = 60
    /// How long a program waits for others that make or start the same private server: longer than
    /// both together may take.
    static let clusterLockSecondsMax = 2 * serverControlSecondsMax
    /// Waiting costs little, and the start of a program is felt.
    static let clusterLockPollMillis = 20
    /// A server that was found starting, or recovering from a crash, lets nobody in at first.
    static let administrationPollMillis = 50
}
