import Domain
import EventStore
public import Postgres

/// Takes a tenant from one cell's database to another's while it is in use.
///
/// What changes is noted by triggers from the start. All rows are copied, and then what was noted,
/// again and again, until little is left. Then both sides are compared. For the last changes the
/// tenant is fenced: nothing of it is written, and nothing is sent for it. Once these too are shown
/// to be the same on both sides, it leaves one cell for good, and only after that it is opened in
/// the other. So at no time two of them may send for it. A move that broke off goes on from where
/// it was.
public struct TenantMove: Sendable {
    /// A place at which a move may break off and go on.
    public enum Step: String, CaseIterable, Sendable {
        case begun, watched, arriving, copied, caughtUp, closed, fenced, verified, left, opened
        case cleared
    }

    public indirect enum Failure: Error, Sendable {
        /// Nothing is wrong with the databases: what to do instead.
        case refused(String)
        /// Going on with the move does not help: what does.
        case stuck(String)
        case unknownTenant
        /// Of this cell.
        case store(PostgresError)
        case otherStore(PostgresError)
        /// What broke off a move that is not over: changes are noted for it until it is.
        case unfinished(Failure)
    }

    /// What a move did.
    public struct Report: Hashable, Sendable {
        public var tenant: String
        public var id: Int32
        /// The cell that it is in now.
        public var cell: String
        /// Of all tables, as compared before the fence.
        public var rows: Int64 = 0
        /// How long nothing could be written of the tenant.
        public var fencedMillis: Int = 0
        /// How long nothing new was sent for it before that.
        public var closedMillis: Int = 0
        /// Rows that changed after they were copied.
        public var caughtUp: Int64 = 0
    }

    let source: Pool
    let target: Pool
    /// Called at each step; what it throws ends the move there.
    let reached: @Sendable (Step) async throws(Failure) -> Void
    /// A word, how much is done and of how much.
    let show: @Sendable (String, Int64, Int64) -> Void

    public init(
        from source: Pool, to target: Pool,
        reached: @escaping @Sendable (Step) async throws(Failure) -> Void = { _ in },
        show: @escaping @Sendable (String, Int64, Int64) -> Void = { _, _, _ in }
    ) {
        self.source = source
        self.target = target
        self.reached = reached
        self.show = show
    }

    /// Moves a tenant, or goes on with a move of it.
    public func run(_ name: String) async throws(Failure) -> Report {
        try await MoveEnds.with(source, target) { (ends) async throws(Failure) in
            var course = try await begin(name, ends)
            do throws(Failure) {
                if course.state == .leaving {
                    try await bring(&course, ends)
                    try await handOver(&course, ends)
                }
                try await settle(course, ends)
            } catch {
                if case .stuck = error { throw error }
                throw Failure.unfinished(error)
            }
            return course.report
        }
    }

    /// Ends a move whose tenant has not left yet: it stays where it is, and nothing of it stays
    /// where it was to go.
    public func cancel(_ name: String) async throws(Failure) {
        try await MoveEnds.with(source, target) { (ends) async throws(Failure) in
            guard let move = try await ends.move(name) else {
                throw Failure.refused(
                    "tenant \"\(name)\" is not moving: there is nothing to cancel")
            }
            guard move.state == .leaving else {
                throw Failure.refused(
                    "tenant \"\(name)\" has left for cell \(move.cell): run the move again without "
                        + "--cancel to end it, and then move the tenant back")
            }
            try await ends.becomeMover(of: move.tenant)
            do throws(Failure) { try await end(move, ends) } catch {
                throw Failure.unfinished(error)
            }
        }
    }

    private func end(_ move: MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        try await ends.ask(.source, "SELECT reopen_tenant($1)", [.tenant(move.tenant)])
        try await unwatch(move.tenant, ends)
        try await clear(move.tenant, .target, of: move.move, ends)
        try await ends.ask(
            .source, "DELETE FROM tenant_move WHERE tenant = $1", [.tenant(move.tenant)])
        try await ends.ask(
            .source, "DELETE FROM moved_row WHERE tenant = $1", [.tenant(move.tenant)])
    }
}

/// How a move stands, and what it has done so far.
struct MoveCourse: Sendable {
    typealias State = MovingTenant.State

    var tenant: TenantID
    var name: String
    /// Tells this move from others of the tenant.
    var move: String
    var state: State
    /// Where to.
    var cell: String
    var report: TenantMove.Report
    /// Keys of rows that were taken along after they were compared, by table; nil until all rows
    /// have been.
    var changed: TenantMove.Keys?

    init(tenant: TenantID, name: String, move: String, state: State, cell: String) {
        self.tenant = tenant
        self.name = name
        self.move = move
        self.state = state
        self.cell = cell
        report = TenantMove.Report(tenant: name, id: tenant.rawValue, cell: cell)
    }

    var changedCount: Int { changed?.values.reduce(0) { $0 + $1.count } ?? 0 }

    mutating func note(changed keys: [String: [String]]) {
        for (table, keys) in keys { changed?[table, default: []].formUnion(keys) }
    }
}
