import Domain
import EventStore
import Foundation
import Postgres

struct PostgresStartDeliveryStore: StartDeliveryStore {
    let pool: Pool
    let claims: DeliveryClaims

    func markLeftoverStartsUnknown(_ claim: DeliveryClaim) async throws(EventStoreError) {
        _ = try await fenced(claim, StartQueries.markLeftoverStartsUnknown)
    }

    func due(_ claim: DeliveryClaim, _ now: Moment, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    {
        try await read(
            claim, StartQueries.due, [.int8(after), .count(limit), .moment(now)])
    }

    func held(
        _ claim: DeliveryClaim, for reasons: [String], untilLaterThan until: Moment?,
        _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [StartCandidate] {
        try await read(
            claim, StartQueries.held,
            [.int8(after), .count(limit), .texts(reasons), .moment(until)])
    }

    func page(_ claim: DeliveryClaim, _ after: Int64, _ limit: Int) async throws(EventStoreError)
        -> [StartCandidate]
    { try await read(claim, StartQueries.page, [.int8(after), .count(limit)]) }

    func begin(_ claim: DeliveryClaim, _ intents: [StartIntent]) async throws(EventStoreError)
        -> Set<Int64>
    {
        let rows = try await fenced(
            claim, StartQueries.begin, StartQueries.parameters(of: intents, claim))
        let devices = try await asked(
            try rows.decoded { (row) throws(PostgresError) -> Int64? in try row.optional(0) })
        return Set(devices.compactMap(\.self))
    }

    func record(_ claim: DeliveryClaim, _ results: [StartResult], _ cursor: Int64?)
        async throws(EventStoreError)
    {
        _ = try await fenced(
            claim, StartQueries.record,
            StartQueries.parameters(of: results, claim, cursor: cursor))
    }

    /// By any connection: that of the claims may be gone.
    func recordAfterLosingClaim(_ claim: DeliveryClaim, _ results: [StartResult])
        async throws(EventStoreError)
    {
        let key = Statement.fenceParameters(claim)
        let parameters = key + StartQueries.parameters(of: results, claim, cursor: nil)
        _ = try await asked(
            try await pool.batch([
                Statement(StartQueries.lock, Array(key.prefix(2))),
                Statement(StartQueries.recordAfterLosingClaim, parameters),
            ]))
    }

    func finish(_ claim: DeliveryClaim) async throws(EventStoreError) {
        _ = try await fenced(
            claim, StartQueries.finish, [.int4(claim.audience?.putVersion)])
    }

    func close(_ claim: DeliveryClaim) async throws(EventStoreError) {
        _ = try await fenced(claim, StartQueries.close)
    }
}

/// Fresh cards.
extension PostgresStartDeliveryStore {
    func overtake(_ claim: DeliveryClaim, _ restartVersion: Int64) async throws(EventStoreError) {
        _ = try await fenced(claim, RestartQueries.overtake, [.int8(restartVersion)])
    }

    func page(_ claim: DeliveryClaim, _ restartVersion: Int64, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    {
        try await read(
            claim, RestartQueries.page, [.int8(restartVersion), .int8(after), .count(limit)])
    }

    func due(
        _ claim: DeliveryClaim, _ restartVersion: Int64, _ now: Moment, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [StartCandidate] {
        try await read(
            claim, RestartQueries.due,
            [.int8(restartVersion), .int8(after), .count(limit), .moment(now)])
    }

    func replaced(_ claim: DeliveryClaim, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Registration]
    {
        try await withStoreErrors { () async throws(PostgresError) in
            try await claims.requireOwned(claim)
            return try await pool.query(
                RestartQueries.replaced,
                [
                    .tenant(claim.tenant), .activity(claim.snapshot.activityID),
                    .int8(after), .count(limit),
                ]
            ).decoded { (row) throws(PostgresError) in
                try Registration(row, of: ClaimKey(claim))
            }
        }
    }

    func recordEnds(_ claim: DeliveryClaim, _ results: [PhoneResult]) async throws(EventStoreError)
    {
        _ = try await fenced(
            claim, RestartQueries.ended, RestartQueries.parameters(of: results))
    }
}

/// What is asked and written under a claim.
extension PostgresStartDeliveryStore {
    /// See `DeliveryClaims.write`.
    private func fenced(
        _ claim: DeliveryClaim, _ sql: String, _ parameters: [Parameter] = []
    ) async throws(EventStoreError) -> Rows {
        let statement = Statement(sql, Statement.fenceParameters(claim) + parameters)
        return try await asked(try await claims.write(statement, under: claim))
    }

    private func read(
        _ claim: DeliveryClaim, _ sql: String, _ parameters: [Parameter]
    ) async throws(EventStoreError) -> [StartCandidate] {
        try await withStoreErrors { () async throws(PostgresError) in
            try await claims.requireOwned(claim)
            return try await pool.query(
                sql,
                [
                    .tenant(claim.tenant), .activity(claim.snapshot.activityID),
                    .text(claim.snapshot.kind),
                ] + parameters
            ).decoded(StartCandidate.init)
        }
    }
}

extension StartCandidate: RowDecodable {
    /// Reads a row of `StartQueries.columns`.
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            deviceID: row.get(), bundleID: row.get(), token: row.joined(Token.self, columns: 6),
            budget: row.optional(), budgetVersion: row.get(),
            start: row.joined(CardStart.self, columns: 5), hasCard: row.get(),
            restartVersion: row.get(), replacedRegistrationID: row.optional())
    }
}

extension StartCandidate.Token: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        guard let pushToken = PushToken(hex: try row.get()) else {
            throw .decoding(column: "push_token", expected: "hexadecimal digits")
        }
        try self.init(
            pushToken: pushToken, environment: row.choice(), version: row.get(),
            putAt: row.moment(), locale: row.optional(),
            osMajor: row.optional(as: Int16.self).map { Int($0) })
    }
}

extension CardStart: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            state: row.choice(), attempts: row.get(), firstTriedAt: row.optionalMoment(),
            dueAt: row.optionalMoment(), reason: row.optional())
    }
}
