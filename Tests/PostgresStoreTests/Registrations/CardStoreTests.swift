import DeliveryRules
import Domain
import EventStore
import Postgres
import TestSupport
import Testing

private let app = AppInEnvironment(bundleID: "com.example", environment: .sandbox)

private struct Scene {
    let database: TestDatabase
    let tenant: TenantID
    let activity = ActivityID(rawValue: "order-1")

    var store: EventStore { database.store }

    init() async throws {
        database = try await .make()
        tenant = try await database.store.tenants.ensure("acme").id
    }

    @discardableResult
    func ask(_ request: CardRequest) async throws -> CardChange.Answer {
        try await store.registrations.change(tenant, activity, request, CardMachine.handle)
            .change.answer
    }

    func wish(_ digit: String, _ installation: String? = nil) -> CardRequest {
        .register(
            CardWish(
                token: Samples.token(digit), environment: .sandbox, bundleID: "com.example",
                installation: installation, locale: "pt-BR", frequentUpdates: true,
                appBuild: "17", osMajor: 18))
    }

    func followers() async throws -> ChannelFollowers {
        try await store.channels.followers(tenant, activity, app)
    }

    func served() async throws -> Set<String> {
        let rows = try await database.pool.query(
            "SELECT push_token FROM registration WHERE dead_at IS NULL AND closed_at IS NULL")
        return Set(try rows.map { try $0.get(0, as: String.self) })
    }
}

/// SplitMix64.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

private func anyRequest(_ scene: Scene, _ random: inout Seeded) -> CardRequest {
    func digit() -> String { ["a", "b", "c", "d"].randomElement(using: &random) ?? "a" }
    let installation = ["one", "two", nil].randomElement(using: &random) ?? nil
    switch Int.random(in: 0..<11, using: &random) {
    case 0...3: return scene.wish(digit(), installation)
    case 4, 5:
        let from = digit()
        let to = ["a", "b", "c", "d"].filter { $0 != from }.randomElement(using: &random) ?? "a"
        return .rotate(from: Samples.token(from), to: Samples.token(to))
    case 6:
        let state = CardReport.allCases.randomElement(using: &random) ?? .active
        let name = installation.map { CardName.installation($0) } ?? .token(Samples.token(digit()))
        return .report(name, state)
    case 7, 8: return .listen(installation: installation ?? "one", with: app)
    default: return .remove(Samples.token(digit()))
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `The store of cards` {
    @Test(arguments: [1, 2, 3])
    func `does what the model in memory does, whatever is asked`(seed: UInt64) async throws {
        let scene = try await Scene()
        var random = Seeded(state: seed)
        var answers: Set<String> = []
        for _ in 0..<25 {
            var model = CardModel()
            _ = try await scene.database.pool.query("DELETE FROM registration")
            _ = try await scene.database.pool.query("DELETE FROM channel_listener")
            for step in 0..<12 {
                let request = anyRequest(scene, &random)
                let expected = model.change(request, CardMachine.handle).answer
                let answer = try await scene.ask(request)
                #expect(answer == expected, "seed \(seed), step \(step): \(request)")
                answers.insert("\(answer)")
                let served = try await scene.served()
                #expect(served == Set(model.served.map(\.hex)), "seed \(seed), step \(step)")
                let listening = try await scene.followers().listening
                #expect(listening == model.listening, "seed \(seed), step \(step)")
                if answer != expected { return }
            }
        }
        #expect(answers.count >= 10)
    }

    @Test func `serves an installation once however many of its tokens come at a time`()
        async throws
    {
        let scene = try await Scene()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for digit in ["1", "2", "3", "4"] {
                group.addTask { try await scene.ask(scene.wish(digit, "one")) }
                group.addTask { try await scene.ask(scene.wish("5", "one")) }
            }
            try await group.waitForAll()
        }
        #expect(try await scene.served().count == 1)
    }

    @Test func `lets one of several rotations at a time win`() async throws {
        let scene = try await Scene()
        try await scene.ask(scene.wish("a", "one"))
        let answers = try await withThrowingTaskGroup(of: CardChange.Answer.self) { group in
            for digit in ["1", "2", "3"] {
                group.addTask {
                    try await scene.ask(
                        .rotate(from: Samples.token("a"), to: Samples.token(digit)))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0 == .rotated }.count == 1)
        #expect(answers.filter { $0 == .conflict }.count == 2)
        #expect(try await scene.served().count == 1)
    }

    @Test func `hands what a phone is owed to its new token`() async throws {
        let scene = try await Scene()
        try await scene.ask(scene.wish("a", "one"))
        _ = try await scene.database.pool.query(
            """
            UPDATE registration SET sent_version = 4, attempts = 2, retry_at = NULL,
                registered_at = '2026-01-01'
            """)
        #expect(
            try await scene.ask(.rotate(from: Samples.token("a"), to: Samples.token("b")))
                == .rotated)
        let row = try #require(
            try await scene.database.pool.query(
                """
                SELECT sent_version, attempts, retry_at = 'epoch', token_version, locale, os_major,
                    registered_at = '2026-01-01', installation
                FROM registration WHERE closed_at IS NULL
                """
            ).first)
        #expect(try row.get(0, as: Int64.self) == 4)
        #expect(try row.get(1, as: Int.self) == 2)
        #expect(try row.get(2, as: Bool.self))
        #expect(try row.get(3, as: Int.self) == 2)
        #expect(try row.get(4, as: String.self) == "pt-BR")
        #expect(try row.get(5, as: Int.self) == 18)
        #expect(try row.get(6, as: Bool.self))
        #expect(try row.get(7, as: String.self) == "one")
    }

    @Test func `keeps closed cards from the sender`() async throws {
        let scene = try await Scene()
        _ = try await scene.store.log.append(scene.tenant, [Samples.event("1")])
        try await Samples.foldAll(scene.store)
        for digit in ["a", "b", "c"] { try await scene.ask(scene.wish(digit)) }
        let claim = try #require(
            try await scene.store.deliveries.claimNext(10, .all, Samples.time).first)
        let before = try await scene.store.deliveries.page(claim, false, Samples.time, 0, 10)
        #expect(before.count == 3)
        try await scene.ask(.report(.token(Samples.token("a")), .dismissed))
        try await scene.ask(.remove(Samples.token("b")))
        let after = try await scene.store.deliveries.page(claim, false, Samples.time, 0, 10)
        #expect(after.map(\.pushToken) == [Samples.token("c")])
        #expect(try await scene.store.phoneCount(scene.tenant, scene.activity) == 1)
    }
}

struct `The secrets of tickets` {
    @Test func `are made once and two count while they rotate`() async throws {
        let scene = try await Scene()
        let tickets = scene.store.tickets
        func fresh(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
        #expect(try await tickets.ring(of: scene.tenant)?.secrets == [])
        let first = try await tickets.ensure(scene.tenant, fresh(1))
        #expect(try await tickets.ensure(scene.tenant, fresh(2)) == first)
        let second = try await tickets.rotate(scene.tenant, fresh(3))
        #expect(try await tickets.ring(of: scene.tenant)?.secrets == [first, second])
        let third = try await tickets.rotate(scene.tenant, fresh(4))
        #expect(try await tickets.ring(of: scene.tenant)?.secrets == [second, third])
        #expect(try await tickets.ensure(scene.tenant, fresh(5)) == third)
    }
}

@Test func `tickets depend on the keys that were not revoked`() async throws {
    let scene = try await Scene()
    let tenants = scene.store.tenants
    let other = try await tenants.ensure("other").id
    var ids: [Int64] = []
    for (number, tenant) in [scene.tenant, scene.tenant, other].enumerated() {
        let hash = [UInt8](repeating: UInt8(number), count: 32)
        ids.append(
            try #require(
                try await tenants.createKey(
                    NewAPIKey(tenant: tenant, sha256: hash, scopes: [.registrationsWrite]))))
    }
    func livingKeys(_ tenant: TenantID) async throws -> Set<Int64>? {
        let ring = try await scene.store.tickets.ring(of: tenant)
        #expect(ring?.newestKeyID == ids[2])
        return ring?.livingKeys
    }
    #expect(try await livingKeys(scene.tenant) == Set(ids[0...1]))
    _ = try await tenants.revokeKey(ids[0])
    #expect(try await livingKeys(scene.tenant) == [ids[1]])
    #expect(try await livingKeys(other) == [ids[2]])
}

@Test func `an installation has so many push tokens for an activity and no more`() async throws {
    func token(_ number: Int) throws -> PushToken {
        try #require(PushToken(hex: String(repeating: "0", count: 32 - 8) + hex(number)))
    }
    func hex(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
    let scene = try await Scene()
    func wish(_ number: Int, _ installation: String?) throws -> CardRequest {
        .register(
            CardWish(
                token: try token(number), environment: .sandbox, bundleID: "com.example",
                installation: installation))
    }
    let max = DeliveryRules.Limits.phoneTokensMax
    #expect(try await scene.ask(wish(0, "one")) == .registered)
    for number in 1..<max {
        let request =
            number.isMultiple(of: 2)
            ? try wish(number, "one")
            : .rotate(from: try token(number - 1), to: try token(number))
        let answer = try await scene.ask(request)
        #expect([.registered, .rotated].contains(answer))
    }
    #expect(try await scene.ask(wish(max, "one")) == .tooMany)
    let rotation = CardRequest.rotate(from: try token(max - 1), to: try token(max))
    #expect(try await scene.ask(rotation) == .tooMany)
    // What it has stays, and others are free.
    #expect(try await scene.ask(wish(max - 1, "one")) == .known)
    #expect(try await scene.ask(wish(max, "two")) == .registered)
}

@Test func `cards are counted as they stood at a time`() async throws {
    let scene = try await Scene()
    try await scene.ask(scene.wish("a", "one"))
    try await scene.ask(scene.wish("b", "two"))
    try await scene.ask(scene.wish("c", "three"))
    let before = try await scene.store.deliveries.time()
    try await scene.ask(.report(.installation("one"), .dismissed))
    try await scene.ask(.rotate(from: Samples.token("b"), to: Samples.token("d")))
    _ = try await scene.database.pool.query(
        "UPDATE registration SET dead_at = clock_timestamp(), retry_at = NULL "
            + "WHERE installation = 'three'")
    let tally = scene.store.registrations.tally
    #expect(try await tally(scene.tenant, scene.activity, before) == CardTally())
    let now = try await tally(scene.tenant, scene.activity, nil)
    // The rotated one is served.
    #expect(now == CardTally(closed: [.dismissed: 1], dead: 1))
    let stranger = try await scene.database.store.tenants.ensure("other").id
    #expect(try await tally(stranger, scene.activity, nil) == CardTally())
}

@Test func `a card is counted once, whatever tokens its phone had, and not while one is served`()
    async throws
{
    let scene = try await Scene()
    func tally() async throws -> CardTally {
        try await scene.store.registrations.tally(scene.tenant, scene.activity, nil)
    }
    func rotation(_ from: String, _ to: String) -> CardRequest {
        .rotate(from: Samples.token(from), to: Samples.token(to))
    }
    // Two people swipe their cards away; the token of one had rotated.
    try await scene.ask(scene.wish("a", "one"))
    try await scene.ask(.report(.token(Samples.token("a")), .dismissed))
    try await scene.ask(rotation("a", "b"))
    try await scene.ask(scene.wish("c", "two"))
    try await scene.ask(.report(.token(Samples.token("c")), .dismissed))
    #expect(try await tally() == CardTally(closed: [.dismissed: 2]))
    // One whose phone does not name itself.
    try await scene.ask(scene.wish("1"))
    try await scene.ask(.report(.token(Samples.token("1")), .dismissed))
    try await scene.ask(rotation("1", "2"))
    #expect(try await tally() == CardTally(closed: [.dismissed: 3]))
    // One that listens, whose token then rotates, and that registers it in the end.
    try await scene.ask(scene.wish("d", "three"))
    try await scene.ask(.listen(installation: "three", with: app))
    try await scene.ask(rotation("d", "e"))
    #expect(try await tally() == CardTally(closed: [.dismissed: 3, .broadcast: 1]))
    #expect(try await scene.followers().moved == 1)
    try await scene.ask(scene.wish("e", "three"))
    #expect(try await tally() == CardTally(closed: [.dismissed: 3]))
    #expect(try await scene.followers().moved == 0)
    // The same without a report of the rotation.
    try await scene.ask(.listen(installation: "three", with: app))
    try await scene.ask(scene.wish("f", "three"))
    #expect(try await tally() == CardTally(closed: [.dismissed: 3]))
    #expect(try await scene.followers().moved == 0)
    // A fresh card was started in place of one, and its app has not said anything yet.
    try await scene.ask(scene.wish("9", "four"))
    _ = try await scene.database.pool.query(
        """
        UPDATE registration SET closed_at = clock_timestamp(), closed_by = 'replaced',
            has_successor = true, retry_at = NULL
        WHERE push_token = $1
        """, [.text(Samples.token("9").hex)])
    #expect(try await tally() == CardTally(closed: [.dismissed: 3, .replaced: 1]))
    try await scene.ask(scene.wish("8", "four"))
    #expect(try await tally() == CardTally(closed: [.dismissed: 3]))
}

@Test func `of very many tokens it is said that they are not all, though they are of few cards`()
    async throws
{
    let scene = try await Scene()
    _ = try await scene.database.pool.query(
        """
        INSERT INTO registration (
            tenant, activity_id, push_token, environment, bundle_id, installation, closed_at,
            closed_by
        )
        SELECT \(scene.tenant.rawValue), '\(scene.activity.rawValue)', n, 'sandbox', 'com.example',
            n / 100, clock_timestamp(), 'replaced'
        FROM generate_series(0, 10099) n
        """)
    var tally = try await scene.store.registrations.tally(scene.tenant, scene.activity, nil)
    #expect(tally.isPartial && tally.isCutShort)
    #expect(tally.count <= 101)
    // Also if each card is served by another token.
    _ = try await scene.database.pool.query(
        """
        INSERT INTO registration (
            tenant, activity_id, push_token, environment, bundle_id, installation
        )
        SELECT \(scene.tenant.rawValue), '\(scene.activity.rawValue)', 'n' || n, 'sandbox',
            'com.example', n
        FROM generate_series(0, 100) n
        """)
    tally = try await scene.store.registrations.tally(scene.tenant, scene.activity, nil)
    #expect(tally == CardTally(isCutShort: true))
}

@Test func `of very many cards those are counted that were not served first`() async throws {
    let scene = try await Scene()
    _ = try await scene.database.pool.query(
        """
        INSERT INTO registration (
            tenant, activity_id, push_token, environment, bundle_id, closed_at, closed_by, dead_at
        )
        SELECT \(scene.tenant.rawValue), '\(scene.activity.rawValue)', n, 'sandbox', 'com.example',
            CASE WHEN n > 3 THEN '2020-01-01'::timestamptz + n * interval '1 s' END,
            CASE WHEN n > 3 THEN 'dismissed' END,
            CASE WHEN n <= 3 THEN '2019-01-01'::timestamptz END
        FROM generate_series(1, 10100) n
        """)
    let tally = scene.store.registrations.tally
    let now = try await tally(scene.tenant, scene.activity, nil)
    #expect(now == CardTally(closed: [.dismissed: 9_997], dead: 3))
    #expect(now.isPartial)
    let early = Moment(unixSeconds: 1_577_836_800 + 9_999)
    let then = try await tally(scene.tenant, scene.activity, early)
    #expect(then == CardTally(closed: [.dismissed: 9_996], dead: 3))
    #expect(!then.isPartial)
}
