/// Where the server is and how a session with it is set up.
public struct ConnectionConfiguration: Hashable, Sendable, CustomStringConvertible {
    /// A libpq connection string or URL. Where it names several hosts, the one that was reached
    /// last is tried first, those that did not answer last; and unless it has another
    /// `target_session_attrs`, only one that may be written to will do.
    /// May contain a password: never shown.
    public var url: String
    /// Who logs in instead of the URL's user. The password is the URL's, or its own line of a
    /// password file.
    public var user: String?
    /// Shown in `pg_stat_activity`.
    public var applicationName: String
    /// Per host, unless the URL has its own `connect_timeout`.
    public var connectTimeoutSeconds: Int
    /// A call that says nothing else is given up after this long, a COMMIT included: the server is
    /// asked to cancel it, and if it does not answer that either, the connection ends.
    public var callTimeoutSeconds: Double
    /// How long the server may say nothing after a cancel request before the connection ends.
    var cancelGraceSeconds = Limits.cancelGraceSeconds
    /// The server gives up a statement after this long; nil for its own setting. A backstop, for
    /// when the caller is no longer there to cancel. It does not end a wait for standbys.
    public var statementTimeoutMillis: Int?
    /// The server gives up waiting for a lock after this long; nil for its own setting.
    public var lockTimeoutMillis: Int?
    /// The server refuses whatever would change anything.
    public var isReadOnly: Bool

    public init(
        url: String, user: String? = nil, applicationName: String = "islet",
        connectTimeoutSeconds: Int = 3, callTimeoutSeconds: Double = 8,
        statementTimeoutMillis: Int? = 30_000, lockTimeoutMillis: Int? = nil,
        isReadOnly: Bool = false
    ) {
        self.url = url
        self.user = user
        self.applicationName = applicationName
        self.connectTimeoutSeconds = connectTimeoutSeconds
        self.callTimeoutSeconds = callTimeoutSeconds
        self.statementTimeoutMillis = statementTimeoutMillis
        self.lockTimeoutMillis = lockTimeoutMillis
        self.isReadOnly = isReadOnly
    }

    public var description: String { "<connection to Postgres>" }
}
