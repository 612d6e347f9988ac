import DeliveryRules
import Domain
import EventStore
import TestSupport
import Testing

/// What the chain from intake to phones relies on.
@Suite(.timeLimit(.minutes(3)))
struct `A store, in memory as on Postgres` {
    @Test(arguments: Keeper.allCases)
    func `numbers events densely, takes each once, and all of an append or none`(
        keeper: Keeper
    ) async throws {
        let store = try await keeper.open().first
        let tenant = try await store.tenants.ensure("acme").id
        let first = try await store.log.append(
            tenant, [Sample.event("1"), Sample.event("2", "b"), Sample.event("3")])
        #expect(
            first == [
                .recorded(position: 1, version: 1), .recorded(position: 2, version: 1),
                .recorded(position: 3, version: 2),
            ])
        let again = try await store.log.append(tenant, [Sample.event("1"), Sample.event("4")])
        #expect(
            again == [
                .alreadyKnown(position: 1, version: 1), .recorded(position: 4, version: 3),
            ])
        let conflict = try await store.log.append(
            tenant, [Sample.event("5"), Sample.event("2", "b", data: "{}")])
        #expect(conflict == [.notRecorded, .contentConflict(position: 2)])
        let each = try await store.log.append(
            tenant, [Sample.event("6", expectedVersion: 9), Sample.event("7", expectedVersion: 3)],
            isAtomic: false)
        #expect(each == [.versionConflict(actual: 3), .recorded(position: 5, version: 4)])
        #expect(try await store.log.head(tenant) == 5)
        #expect(try await store.log.read(tenant, 0, 9).map(\.position) == [1, 2, 3, 4, 5])
        let stream = try await store.log.readActivity(tenant, ActivityID(rawValue: "a"), 1, 9)
        #expect(stream.map(\.version) == [2, 3, 4])
    }

    @Test(arguments: Keeper.allCases)
    func `puts a policy in force from the next position on`(keeper: Keeper) async throws {
        let store = try await keeper.open().first
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [Sample.event("1")])
        let document = Sample.event("x").data
        let put = try await store.policies.put(tenant, "Sample", 0, document)
        #expect(put == .done(version: 1, fromPosition: 2))
        let known = try await store.policies.put(tenant, "Sample", 7, document)
        #expect(known == .known(version: 1, fromPosition: 2))
        let other = Sample.event("x", data: "{}").data
        #expect(try await store.policies.put(tenant, "Sample", 0, other) == .conflict)
        #expect(
            try await store.policies.put(tenant, "Sample", nil, other)
                == .done(version: 2, fromPosition: 2))
        #expect(
            try await store.policies.put(tenant, "Sample", nil, document, 3 * 4_096 - 1) == .full)
        #expect(
            try await store.policies.put(tenant, "Sample", nil, other, 0)
                == .known(version: 2, fromPosition: 2))
        #expect(try await store.policies.newest(tenant).map(\.version) == [2])
        let both = try await store.policies.versions(tenant, "Sample", 9, 9)
        #expect(both.map(\.version) == [2, 1])
        #expect(
            try await store.policies.versions(tenant, "Sample", 1, 9).map(\.document) == [document])
        // No event can have been judged by the first.
        #expect(try await store.policies.inForce(tenant, 1 ... .max) == [both[0]])
        #expect(try await store.policies.inForce(tenant, 1...1) == [])
    }

    @Test(arguments: Keeper.allCases)
    func `folds each event once although two nodes fold`(keeper: Keeper) async throws {
        let (first, second, _) = try await keeper.open()
        let tenant = try await first.tenants.ensure("acme").id
        for number in 1...20 {
            _ = try await first.log.append(tenant, [Sample.event("\(number)", "\(number % 3)")])
        }
        await withTaskGroup(of: Void.self) { group in
            for store in [first, second] {
                group.addTask {
                    for _ in 0..<30 {
                        _ = try? await store.projections.foldNext(nil, 3) { Sample.fold($0) }
                    }
                }
            }
        }
        #expect(try await first.projections.checkpoint(tenant) == 20)
        for (name, version) in [("0", 6), ("1", 7), ("2", 7)] as [(String, Int64)] {
            let activity = ActivityID(rawValue: name)
            let snapshot = try await second.projections.snapshot(tenant, activity)
            #expect(snapshot?.version == version)
            let rows = try await first.projections.decisions(tenant, activity, 0, 50)
            #expect(rows.map(\.decision.version) == Array(1...version))
        }
    }

    @Test(arguments: Keeper.allCases)
    func `moves no further than a fold has come`(keeper: Keeper) async throws {
        let store = try await keeper.open().first
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, (1...5).map { Sample.event("\($0)") })
        let fold = { @Sendable (batch: FoldBatch) in
            var part = batch
            part.events = Array(batch.events.prefix(2))
            var outcome = Sample.fold(part)
            outcome.foldedCount = part.events.count
            return outcome
        }
        var counts: [Int] = []
        while let folded = try await store.projections.foldNext(nil, 9, fold) {
            counts.append(folded.count)
        }
        #expect(counts == [2, 2, 1])
        #expect(try await store.projections.checkpoint(tenant) == 5)
        let rows = try await store.projections.decisions(tenant, ActivityID(rawValue: "a"), 0, 9)
        #expect(rows.map(\.decision.version) == [1, 2, 3, 4, 5])
    }

    @Test(arguments: Keeper.allCases)
    func `tells the clock what is due once it is folded`(keeper: Keeper) async throws {
        let store = try await keeper.open().first
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [Sample.event("1"), Sample.event("2", "b")])
        _ = try await store.projections.foldNext(nil, 9) { Sample.fold($0, dueAt: Sample.start) }
        let due = try await store.clock.due(Sample.start, nil, 1)
        #expect(due.map(\.place.activityID.rawValue) == ["a"])
        let rest = try await store.clock.due(Sample.start, due.first?.place, 9)
        #expect(rest.map(\.place.activityID.rawValue) == ["b"])
        #expect(try await store.clock.due(Sample.start.adding(seconds: -1), nil, 9).isEmpty)
        #expect(
            try await store.clock.nextDue(Sample.start.adding(seconds: -1)) == Sample.start)
        _ = try await store.log.append(tenant, [Sample.event("3")])
        #expect(
            try await store.clock.due(Sample.start, nil, 9).map(\.place.activityID.rawValue)
                == ["b"])
        try await store.clock.correct(
            rest.map { activity in
                var never = activity
                never.snapshot.dueAt = nil
                return never
            })
        #expect(try await store.clock.due(Sample.start, nil, 9).isEmpty)
    }

    @Test(arguments: Keeper.allCases)
    func `gives a claim to one node at a time, and frees it with its node`(
        keeper: Keeper
    ) async throws {
        let (first, second, end) = try await keeper.open()
        let tenant = try await first.tenants.ensure("acme").id
        _ = try await first.log.append(tenant, [Sample.event("1")])
        _ = try await first.projections.foldNext(nil, 9) { Sample.fold($0) }
        let now = Sample.start
        let lost = try #require(try await second.deliveries.claimNext(9, .all, now).first)
        #expect(try await first.deliveries.claimNext(9, .all, now.adding(seconds: 1)).isEmpty)
        await end()
        var claims: [DeliveryClaim] = []
        // The database notices in its own time.
        for attempt in 1...200 where claims.isEmpty {
            claims = try await first.deliveries.claimNext(
                9, .all, now.adding(seconds: Double(attempt)))
            if claims.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        }
        let claim = try #require(claims.first)
        #expect(claim.timestamp > lost.timestamp)
        await #expect(throws: EventStoreError.self) {
            try await second.deliveries.record(lost, [])
        }
        try await first.deliveries.complete(
            claim,
            .init(carriedBy: 1, timestamp: nil, accepted: 0, failed: 0, completedAt: now))
        await #expect(throws: EventStoreError.self) {
            _ = try await first.deliveries.page(claim, false, now, 0, 9)
        }
        #expect(try await first.deliveries.claimNext(9, .all, now.adding(seconds: 900)).isEmpty)
    }

    @Test(arguments: Keeper.allCases)
    func `knows what a phone has heard of which nothing was written down`(
        keeper: Keeper
    ) async throws {
        let store = try await keeper.open().first
        let tenant = try await store.tenants.ensure("acme").id
        let activity = ActivityID(rawValue: "a")
        func register(_ request: CardRequest) async throws {
            _ = try await store.registrations.change(
                tenant, activity, request, CardMachine.handle)
        }
        func report(_ number: Int64) async throws -> DeliveryClaim {
            _ = try await store.log.append(tenant, [Sample.event("\(number)")])
            _ = try await store.projections.foldNext(nil, 9) { Sample.fold($0) }
            let now = Sample.start.adding(seconds: Double(number))
            return try #require(try await store.deliveries.claimNext(9, .all, now).first)
        }
        func tell(_ claim: DeliveryClaim) async throws -> [Int64] {
            let page = try await store.deliveries.page(claim, false, Sample.start, 0, 9)
            let results = page.map {
                PhoneResult(
                    registrationID: $0.id, tokenVersion: $0.tokenVersion,
                    effect: .accepted(version: claim.completesUpTo), needsNoWrite: $0.isUpToDate)
            }
            try await store.deliveries.record(claim, results)
            return page.map(\.sentVersion)
        }
        try await register(.register(Sample.wish(1, "one")))
        let first = try await report(1)
        #expect(try await tell(first) == [0])
        try await store.deliveries.complete(first)
        let second = try await report(2)
        #expect(try await tell(second) == [1])
        // The round says so.
        try await register(.rotate(from: Sample.token(1), to: Sample.token(2)))
        try await store.deliveries.complete(second)
        let third = try await report(3)
        #expect(try await tell(third) == [2])
        try await store.deliveries.complete(third)
        let fourth = try await report(4)
        #expect(try await tell(fourth) == [3])
        try await store.deliveries.complete(fourth)
        // The ledger says so.
        try await register(.register(Sample.wish(2, "one")))
        let fifth = try await report(5)
        #expect(try await tell(fifth) == [4])
        try await store.deliveries.complete(fifth)
    }

    @Test(arguments: Keeper.allCases)
    func `leaves what waits for its time alone while a phone is owed`(keeper: Keeper) async throws {
        let store = try await keeper.open().first
        let tenant = try await store.tenants.ensure("acme").id
        let time = { (seconds: Double) in Sample.start.adding(seconds: seconds) }
        func change(_ number: Int, sendAfter: Moment?) async throws {
            _ = try await store.log.append(tenant, [Sample.event("\(number)")])
            _ = try await store.projections.foldNext(nil, 9) {
                Sample.fold($0, sendAfter: sendAfter)
            }
        }
        func register(_ phone: Int) async throws {
            _ = try await store.registrations.change(
                tenant, ActivityID(rawValue: "a"), .register(Sample.wish(phone)),
                CardMachine.handle)
        }
        func tell(_ claim: DeliveryClaim, onlyOwed: Bool) async throws -> Int {
            let page = try await store.deliveries.page(claim, onlyOwed, claim.claimedAt, 0, 9)
            let version = claim.pending.last?.version ?? claim.lastCompleted?.version ?? 0
            let results = page.map {
                PhoneResult(
                    registrationID: $0.id, tokenVersion: $0.tokenVersion,
                    effect: .accepted(version: version))
            }
            try await store.deliveries.record(claim, results)
            try await store.deliveries.complete(claim)
            return page.count
        }
        try await register(1)
        try await change(1, sendAfter: nil)
        let first = try #require(try await store.deliveries.claimNext(9, .all, time(0)).first)
        #expect(try await tell(first, onlyOwed: false) == 1)
        try await change(2, sendAfter: time(30))
        try await register(2)
        let owed = try #require(try await store.deliveries.claimNext(9, .all, time(1)).first)
        #expect(owed.pending.isEmpty && owed.completesUpTo == 0)
        #expect(owed.upcoming?.version == 2 && owed.newest?.version == 2)
        #expect(try await tell(owed, onlyOwed: true) == 1)
        #expect(try await store.deliveries.nextDue() == time(30))
        #expect(try await store.deliveries.claimNext(9, .all, time(29)).isEmpty)
        let due = try #require(try await store.deliveries.claimNext(9, .all, time(30)).first)
        #expect(due.pending.map(\.version) == [2] && due.upcoming == nil)
        #expect(try await tell(due, onlyOwed: false) == 2)
        #expect(try await store.deliveries.nextDue() == nil)
    }

    @Test(arguments: Keeper.allCases)
    func `counts no failure of a phone that waits for its app`(keeper: Keeper) async throws {
        let store = try await keeper.open().first
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.registrations.change(
            tenant, ActivityID(rawValue: "a"), .register(Sample.wish(1, "one")), CardMachine.handle)
        _ = try await store.log.append(tenant, [Sample.event("1")])
        _ = try await store.projections.foldNext(nil, 9) { Sample.fold($0) }
        let (noKey, unfit) = (AppSuspension.noKey.rawValue, AppSuspension.tokensUnfit.rawValue)
        var attempts: [Int] = []
        for reason in [noKey, unfit, "busy", noKey, "busy", noKey] {
            let now = Sample.start.adding(seconds: Double(attempts.count))
            let claim = try #require(try await store.deliveries.claimNext(9, .all, now).first)
            let page = try await store.deliveries.page(claim, false, now, 0, 9)
            attempts += page.map(\.attempts)
            let results = page.map {
                PhoneResult(
                    registrationID: $0.id, tokenVersion: $0.tokenVersion,
                    effect: .retry(at: now, reason: reason))
            }
            try await store.deliveries.record(claim, results)
            try await store.deliveries.complete(claim)
        }
        #expect(attempts == [0, 1, 1, 2, 2, 3])
    }
}
