public import Domain
public import EventStore
import Explaining

extension History {
    /// A tenant's log in a database.
    public init(_ store: EventStore, of tenant: Tenant) {
        let id = tenant.id
        self.init(
            tenant: tenant.name,
            end: { () async throws(ReplayError) in try await asked(try await store.log.head(id)) },
            page: { (positions) async throws(ReplayError) in
                try await asked(try HistoryPage(try await store.replays.page(id, positions)))
            },
            stream: { (activity, version, limit) async throws(ReplayError) in
                try await asked(try await store.log.readActivity(id, activity, version, limit))
            },
            policies: { () async throws(ReplayError) in
                try await asked(try await store.policies.inForce(id, 1 ... .max))
            },
            neighbours: { (activity) async throws(ReplayError) in
                try await asked(try await store.replays.neighbours(id, activity, Limits.neighbours))
            })
        database = Database(store: store, tenant: id)
        readsAtOnceMax = Limits.readsAtOnceMax
    }
}

extension History {
    /// Is another one after each drop and each erasure; nil for an export, which has neither.
    func mark() async throws(ReplayError) -> String? {
        guard let database else { return nil }
        return try await asked(try await database.store.replays.mark(database.tenant))
    }

    /// - Throws: `.changedMeanwhile` when activities were dropped or erased since a mark was read:
    ///   a walk may have come by a part of one, or by values from before and after.
    func requireUnchanged(since mark: String?) async throws(ReplayError) {
        if try await self.mark() != mark { throw .changedMeanwhile }
    }
}

extension History {
    /// What a database knows beside the events.
    public struct Database: Sendable {
        let store: EventStore
        let tenant: TenantID

        /// How many activities something was erased of.
        func erased() async throws(ReplayError) -> Int64 {
            try await asked(try await store.erasure.erasedCount(tenant))
        }

        /// The part of the log that may have gaps.
        func archived() async throws(ReplayError) -> Archived {
            let archives = try await asked(try await store.retention.archives(tenant))
            return Archived(
                through: archives.last?.through ?? 0,
                dropped: try await asked(try await store.retention.dropped(tenant)),
                places: archives.map(\.place))
        }

        /// The activities that may have been changed while they were read.
        func touched(
            _ activities: [ActivityID], upTo position: Int64
        ) async throws(ReplayError) -> [TouchedActivity] {
            var touched: [TouchedActivity] = []
            var rest = activities[...]
            while !rest.isEmpty {
                touched += try await asked(
                    try await store.replays.touched(
                        tenant, Array(rest.prefix(Limits.pageEvents)), position))
                rest = rest.dropFirst(Limits.pageEvents)
            }
            return touched
        }

        /// Last position that was folded.
        func checkpoint() async throws(ReplayError) -> Int64 {
            try await asked(try await store.projections.checkpoint(tenant))
        }

        /// Events that are not folded, with whether an operator left them out.
        func parked() async throws(ReplayError) -> [Int64: Bool] {
            let rows = try await asked(try await store.upkeep.allParked(tenant))
            return Dictionary(
                rows.map { ($0.event.position, $0.isSkipped) }, uniquingKeysWith: { $1 })
        }

        /// The first of the activities' snapshots that are there.
        func snapshots(_ activities: [ActivityID]) async throws(ReplayError) -> [Snapshot] {
            try await asked(try await store.replays.snapshots(tenant, activities))
        }

        /// Every phone that is, or was, registered for an activity.
        public func phones(_ activity: ActivityID) async throws(ReplayError) -> [PhoneRow] {
            var rows: [PhoneRow] = []
            while true {
                let page = try await asked(
                    try await store.replays.phones(
                        tenant, activity, rows.last?.id ?? 0, Limits.pageEvents))
                rows += page
                if page.count < Limits.pageEvents { return rows }
            }
        }
    }
}
