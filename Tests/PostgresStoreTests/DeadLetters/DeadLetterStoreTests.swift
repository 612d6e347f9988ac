import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Two tenants with a webhook each, and what is given up at times that a test chooses.
private struct LetterScene {
    let database: TestDatabase
    let tenant: TenantID
    let other: TenantID

    var letters: any DeadLetterStore { database.store.deadLetters }

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("acme").id
        other = try await database.store.tenants.ensure("other").id
        for owner in [tenant, other] { try await addWebhook("wh_1", of: owner) }
    }

    func addWebhook(_ id: String, of owner: TenantID) async throws {
        let webhook = Webhook(
            tenant: owner, id: id, url: "https://a.example", createdAt: Samples.time)
        let secret = WebhookSecret(tenant: owner, webhookID: id, sealed: [1], masterKeyID: "m")
        #expect(try await database.store.webhooks.add(webhook, secret))
    }

    private func id(_ carrier: DeadLetter.Carrier, _ rows: Rows) throws -> DeadLetter.ID {
        let row = try #require(rows.first)
        return DeadLetter.ID(carrier: carrier, number: try row.get(0, as: Int64.self))
    }

    func givePushUp(_ token: String, at seconds: Double) async throws -> DeadLetter.ID {
        let rows = try await database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                attempts, last_failure, given_up_at)
            VALUES ($1, 'order-1', $2, 'sandbox', 'com.example', 7, 'BadTopic', $3) RETURNING id
            """,
            [
                .tenant(tenant), .text(token), .moment(Samples.time.adding(seconds: seconds)),
            ])
        return try id(.push, rows)
    }

    func giveMessageUp(_ activity: String = "order-1", at seconds: Double)
        async throws -> DeadLetter.ID
    {
        let rows = try await database.pool.query(
            """
            INSERT INTO webhook_message (tenant, webhook_id, activity_id, after_version,
                version, attempts, first_tried_at, tried_at, given_up_at, last_failure)
            VALUES ($1, 'wh_1', $2, 0, 5, 9, $3, $3, $3, 'status 500') RETURNING id
            """,
            [
                .tenant(tenant), .text(activity), .moment(Samples.time.adding(seconds: seconds)),
            ])
        return try id(.webhook, rows)
    }

    func giveStartUp(at seconds: Double) async throws -> DeadLetter.ID {
        _ = try await database.pool.query(
            """
            INSERT INTO card_start (tenant, activity_id, device_id, lap, state, attempts, reason,
                put_version, changed_at)
            VALUES ($1, 'order-1', 17, 3, 'unknown', 2, 'no answer', 1, $2)
            """, [.tenant(tenant), .moment(Samples.time.adding(seconds: seconds))])
        return DeadLetter.ID(
            carrier: .start, number: 17, restartVersion: 3,
            activity: ActivityID(rawValue: "order-1"))
    }

    func ids() async throws -> [DeadLetter.ID] {
        try await letters.list(tenant, DeadLetterFilter(), nil, 100).map(\.id)
    }

    /// What was written down about letters, newest first.
    func acts() async throws -> [String] {
        try await database.store.audit.list(tenant, nil, 100)
            .filter { $0.act.hasPrefix("dead-letter.") }.map { "\($0.act) \($0.subject)" }
    }

    func isTrue(_ condition: String, of table: String) async throws -> [Bool] {
        try await database.pool.query(
            "SELECT \(condition) FROM \(table) WHERE tenant = $1", [.tenant(tenant)]
        ).map { try $0.get(0, as: Bool.self) }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of dead letters` {
    @Test func `lists all carriers newest first, and what is as old by its id`() async throws {
        let scene = try await LetterScene()
        let oldest = try await scene.givePushUp("a", at: 10)
        let message = try await scene.giveMessageUp(at: 20)
        let start = try await scene.giveStartUp(at: 20)
        let newest = try await scene.givePushUp("b", at: 30)
        let found = try await scene.letters.list(scene.tenant, DeadLetterFilter(), nil, 100)
        #expect(found.map(\.id) == [newest, start, message, oldest])
        #expect(
            found.map(\.reason) == ["BadTopic", "unknown: no answer", "status 500", "BadTopic"])
        #expect(found.map(\.to) == ["com.example sandbox", "", "wh_1", "com.example sandbox"])
        #expect(found.map(\.attempts) == [7, 2, 9, 7])
        #expect(found.map(\.version) == [nil, nil, 5, nil])
        #expect(
            found.map(\.givenUpAt) == [30, 20, 20, 10].map { Samples.time.adding(seconds: $0) })
    }

    @Test func `names of a start the app, and the environment of its newest token`() async throws {
        let scene = try await LetterScene()
        _ = try await scene.giveStartUp(at: 10)
        func receivers() async throws -> [String] {
            try await scene.letters.list(scene.tenant, DeadLetterFilter(), nil, 100).map(\.to)
        }
        _ = try await scene.database.pool.query(
            """
            INSERT INTO start_device (tenant, id, installation, bundle_id)
            OVERRIDING SYSTEM VALUE VALUES ($1, 17, 'phone', 'com.example')
            """, [.tenant(scene.tenant)])
        // The app has taken its token back.
        #expect(try await receivers() == ["com.example"])
        _ = try await scene.database.pool.query(
            """
            INSERT INTO start_token (tenant, device_id, kind, push_token, environment, put_at,
                changed_at)
            VALUES ($1, 17, 'Match', 'aa', 'sandbox', now() - interval '1 day', now()),
                ($1, 17, 'PizzaDelivery', 'bb', 'production', now(), now())
            """, [.tenant(scene.tenant)])
        #expect(try await receivers() == ["com.example production"])
        #expect(try await scene.letters.counts(scene.tenant)[.start] == 1)
    }

    @Test func `goes on after a place without a gap, though many are as old`() async throws {
        let scene = try await LetterScene()
        // With ids of two digits, which come before some of one.
        for number in 1...12 { _ = try await scene.givePushUp("token-\(number)", at: 10) }
        _ = try await scene.giveStartUp(at: 10)
        _ = try await scene.givePushUp("last", at: 5)
        let all = try await scene.letters.list(scene.tenant, DeadLetterFilter(), nil, 100)
        #expect(all.count == 14)
        #expect(all.prefix(13).map(\.id.text) == all.prefix(13).map(\.id.text).sorted())
        var paged: [DeadLetter] = []
        for _ in 0..<8 {
            let place = paged.last.map { DeadLetterPlace(givenUpAt: $0.givenUpAt, id: $0.id) }
            let page = try await scene.letters.list(scene.tenant, DeadLetterFilter(), place, 3)
            #expect(page.count == min(3, all.count - paged.count))
            paged += page
        }
        #expect(paged == all)
    }

    @Test func `counts those of each carrier, and no further than ten thousand`() async throws {
        let scene = try await LetterScene()
        _ = try await scene.giveStartUp(at: 10)
        #expect(try await scene.letters.counts(scene.tenant) == [.push: 0, .start: 1, .webhook: 0])
        _ = try await scene.database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                given_up_at)
            SELECT $1, 'order-1', n::text, 'sandbox', 'com.example', clock_timestamp()
            FROM generate_series(1, 10003) AS n
            """, [.tenant(scene.tenant)])
        #expect(try await scene.letters.counts(scene.tenant)[.push] == 10_000)
        #expect(try await scene.letters.counts(scene.other) == [.push: 0, .start: 0, .webhook: 0])
    }

    @Test(arguments: [
        "closed_at = now(), closed_by = 'app'", "dead_at = now()", "retry_at = now()",
    ])
    func `knows no letter of a phone that is gone or is tried again`(change: String)
        async throws
    {
        let scene = try await LetterScene()
        let id = try await scene.givePushUp("a", at: 10)
        let staying = try await scene.givePushUp("b", at: 10)
        _ = try await scene.database.pool.query(
            "UPDATE registration SET \(change) WHERE tenant = $1 AND id = $2",
            [.tenant(scene.tenant), .int8(id.number)])
        #expect(try await scene.ids() == [staying])
        #expect(try await scene.letters.counts(scene.tenant)[.push] == 1)
        #expect(try await !scene.letters.retry(scene.tenant, id))
        #expect(try await !scene.letters.dismiss(scene.tenant, id))
        #expect(try await scene.acts().isEmpty)
    }

    @Test func `sends a message again, unless a later one waits that says as much`() async throws {
        let scene = try await LetterScene()
        let alone = try await scene.giveMessageUp("order-1", at: 10)
        let followed = try await scene.giveMessageUp("order-2", at: 10)
        try await scene.addWebhook("wh_2", of: scene.tenant)
        // What waits for another webhook says nothing about this one.
        _ = try await scene.database.pool.query(
            """
            INSERT INTO webhook_message (tenant, webhook_id, activity_id, after_version, version,
                attempts, first_tried_at, tried_at, retry_at, last_failure)
            VALUES ($1, 'wh_1', 'order-2', 5, 6, 4, now(), now(), now(), 'status 500'),
                ($1, 'wh_2', 'order-1', 5, 6, 3, now(), now(), now(), 'status 500')
            """, [.tenant(scene.tenant)])
        #expect(try await scene.letters.retry(scene.tenant, alone))
        #expect(try await scene.letters.retry(scene.tenant, followed))
        #expect(try await scene.ids().isEmpty)
        let waiting = try await scene.database.pool.query(
            """
            SELECT activity_id || ' ' || version || ' ' || attempts FROM webhook_message
            WHERE retry_at IS NOT NULL ORDER BY 1
            """
        ).map { try $0.get(0, as: String.self) }
        #expect(waiting == ["order-1 5 0", "order-1 6 3", "order-2 6 4"])
        #expect(try await !scene.letters.retry(scene.tenant, followed))
    }

    @Test func `lets one of many who retry the same letter do it`() async throws {
        let scene = try await LetterScene()
        let id = try await scene.givePushUp("a", at: 10)
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { try await scene.letters.retry(scene.tenant, id) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 1)
        #expect(
            try await scene.isTrue(
                "retry_at = 'epoch' AND attempts = 1 AND given_up_at IS NULL", of: "registration")
                == [true])
        #expect(try await scene.acts() == ["dead-letter.retried \(id.text)"])
    }

    @Test func `dismisses each carrier's letter once, and nothing is sent`() async throws {
        let scene = try await LetterScene()
        let push = try await scene.givePushUp("a", at: 10)
        let start = try await scene.giveStartUp(at: 20)
        let message = try await scene.giveMessageUp(at: 30)
        // Another restart of the same card is another letter.
        var stranger = start
        stranger.restartVersion = 2
        #expect(try await !scene.letters.dismiss(scene.tenant, stranger))
        for id in [push, start, message] {
            #expect(try await scene.letters.dismiss(scene.tenant, id), "\(id.text)")
            #expect(try await !scene.letters.dismiss(scene.tenant, id), "\(id.text)")
        }
        #expect(try await scene.ids().isEmpty)
        #expect(try await scene.isTrue("retry_at IS NULL", of: "registration") == [true])
        #expect(
            try await scene.isTrue("state = 'unknown' AND due_at IS NULL", of: "card_start")
                == [true])
        #expect(try await scene.isTrue("true", of: "webhook_message").isEmpty)
        #expect(
            try await scene.acts()
                == [message, start, push].map { "dead-letter.dismissed \($0.text)" })
    }

    @Test func `shows and gives another tenant nothing`() async throws {
        let scene = try await LetterScene()
        let push = try await scene.givePushUp("a", at: 10)
        let start = try await scene.giveStartUp(at: 20)
        let message = try await scene.giveMessageUp(at: 30)
        let before = try await scene.database.contents(of: scene.tenant)
        #expect(try await scene.letters.list(scene.other, DeadLetterFilter(), nil, 100).isEmpty)
        for id in [push, message] {
            #expect(try await !scene.letters.retry(scene.other, id), "\(id.text)")
        }
        for id in [push, start, message] {
            #expect(try await !scene.letters.dismiss(scene.other, id), "\(id.text)")
        }
        #expect(try await scene.database.contents(of: scene.tenant) == before)
        #expect(try await scene.ids() == [message, start, push])
    }
}
