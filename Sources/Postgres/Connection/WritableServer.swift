/// A server that takes writes, as it was when a session with it began.
///
/// A standby that is promoted begins a timeline with a higher number. So of two servers of one
/// cluster that take writes, the one with the lower number is an old primary that came back.
public struct WritableServer: Hashable, Sendable {
    /// Host and port, as they stand in the connection string.
    public var name: String
    /// Postgres' system identifier: a primary and its standbys have the same one.
    public var cluster: String
    public var timeline: Int64
    /// Tells two servers from one that has two names.
    public var startedAt: String

    func isOlder(than other: WritableServer) -> Bool {
        cluster == other.cluster && timeline < other.timeline
    }

    func isSame(as other: WritableServer) -> Bool {
        cluster == other.cluster && startedAt == other.startedAt
    }

    /// What is to be done about all but the one with the newest timeline.
    public static let remedy =
        "stop Postgres on each old primary, and make it a standby with pg_rewind or pg_basebackup"

    /// Why no session is begun with it.
    func refusal(after newer: WritableServer) -> PostgresError {
        guard newer.name != name else {
            return .cannotConnect(
                detail: "\(name) takes writes on timeline \(timeline), and this program has seen "
                    + "timeline \(newer.timeline) there: it leads to an old primary, or to a "
                    + "restored server; if that log is to go on, restart this program")
        }
        return .cannotConnect(
            detail: "\(name) is an old primary: it takes writes on timeline \(timeline), and this "
                + "program has seen \(newer.name) on timeline \(newer.timeline); \(Self.remedy), "
                + "or, if its log is to go on, stop \(newer.name) and restart this program")
    }
}
