import Domain
import EventLoop
import EventStore
import HTTP
import TestSupport
import Testing

@testable import API

/// What a search means, of all there is at once.
private func model(
    _ text: String, _ filter: ActivityFilter, _ all: [Snapshot], at now: Moment
) -> [String] {
    let words = SearchWords(text).words.prefix(5)
    func isNamed(_ snapshot: Snapshot) -> Bool {
        snapshot.activityID.rawValue.utf8.starts(with: text.utf8)
    }
    let meant = filter.order.sorted(all).filter { snapshot in
        let texts =
            [snapshot.activityID.rawValue, snapshot.kind, snapshot.facts.competition ?? ""]
            + BoardDocument.lines(of: snapshot)
        let found = snapshot.facts.words.words + texts.flatMap { SearchWords($0).words }
        let hasAll = words.allSatisfy { word in
            found.contains { $0.utf8.starts(with: word.utf8) }
        }
        return filter.fit(snapshot, at: now) == .fits
            && (isNamed(snapshot) || (!words.isEmpty && hasAll))
    }
    return (meant.filter(isNamed) + meant.filter { !isNamed($0) }).map(\.activityID.rawValue)
}

/// Says where it is searched, and gives nothing for as long as it is stopped.
private struct WatchedBoard: BoardStore {
    let base: any BoardStore
    let isStopped: Lever<Bool>
    let note: @Sendable (String) -> Void

    func search(
        _ tenant: TenantID, _ idBeginning: String, _ wordBeginnings: [String]
    ) async throws(EventStoreError) -> (snapshots: [Snapshot], isPartial: Bool) {
        note("search")
        while isStopped.value { try? await Task.sleep(for: .milliseconds(5)) }
        return try await base.search(tenant, idBeginning, wordBeginnings)
    }

    func progress(
        _ tenant: TenantID, _ activities: [ActivityID]
    ) async throws(EventStoreError) -> [ActivityID: DeliveryProgress] {
        note("deliveryProgress")
        return try await base.progress(tenant, activities)
    }

    func phones(
        _ tenant: TenantID, _ activity: ActivityID, _ after: Int64?, _ limit: Int
    ) async throws(EventStoreError) -> [PhoneRow] {
        try await base.phones(tenant, activity, after, limit)
    }

    func behind(
        _ tenant: TenantID, _ activity: ActivityID
    ) async throws(EventStoreError) -> [PhoneRow] {
        try await base.behind(tenant, activity)
    }

    func attention(
        _ tenant: TenantID, _ now: Moment
    ) async throws(EventStoreError) -> Attention {
        try await base.attention(tenant, now)
    }
}

struct `A search` {
    private static func serving(
        _ fake: FakeStore, isStopped: Lever<Bool> = Lever(false),
        _ note: @escaping @Sendable (String) -> Void
    ) -> API.Service {
        var store = fake.store
        store.board = WatchedBoard(base: store.board, isStopped: isStopped, note: note)
        return API.service(
            store: store,
            environment: APIEnvironment(
                now: {
                    note("time")
                    return FakeStore.now
                }, version: "test"))
    }

    private static let asking = Request(
        method: "GET", target: "/v1/board?search=n1%20w&limit=1",
        headers: ["authorization": "Bearer all"])

    @Test func `gives the first of all that is meant, in the order that is asked for`()
        async throws
    {
        let api = await Harness()
        let late = SampleEvents.event(
            id: "late", type: "PizzaDelivery.EstimateRevised", subject: "order-2",
            data: #"{"estimatedAt":"2027-01-15T09:10:00Z","reason":"Thunderstorm outside"}"#)
        let events =
            ["order-3", "order-1", "café-1", "pizza-1", "order-2"].map {
                SampleEvents.placed($0, id: "placed-\($0)")
            } + [
                late, SampleEvents.assigned("order-1"),
                SampleEvents.scheduled("match-1", home: "Kestrels", competition: "Cup"),
                SampleEvents.scheduled("pizza-2", home: "Żubry", competition: "Cup"),
            ]
        for event in events { #expect(try await api.post(event).status == 201) }
        try await api.fake.fold(Harness.mine)
        let all = try await api.fake.all(of: Harness.mine)
        let orders: [ActivityFilter.Order] = [.id, .idDescending, .newestChange]
        var foundCount = 0
        for text in [
            "order-1", "ORDER-", "ord 42", "o", "kest", "cup kestrels", "CUP zub", "pizza",
            "thunder", "42 outside pizza", "café", "cafe 42", "match", "--", "nowhere",
            "42 nowhere",
        ] {
            for order in orders {
                for filter in [
                    ActivityFilter(order: order), ActivityFilter(kinds: ["Match"], order: order),
                    ActivityFilter(isLate: true, order: order),
                ] {
                    let meant = model(text, filter, all, at: FakeStore.now)
                    foundCount += meant.count
                    for count in [1, 2, 100] {
                        let first = BoardSearch(text).first(
                            count, of: all, fitting: filter, at: FakeStore.now)
                        #expect(
                            first.map(\.activityID.rawValue) == Array(meant.prefix(count)),
                            "\(text), \(filter), \(count)")
                    }
                }
            }
        }
        #expect(foundCount > 50)
    }

    @Test func `is carried out elsewhere than on the loop, for a page of one too`() async throws {
        let api = await Harness()
        try await api.fake.seed(100, Harness.mine)
        let loop = EventLoop(name: "searches")
        let steps = Lever<[String]>([])
        let service = Self.serving(api.fake) { step in
            let place = loop.isCurrent ? "on the loop" : "elsewhere"
            steps.update { $0.append("\(step) \(place)") }
        }
        let status = await Task(executorPreference: loop) {
            await service.handler(Self.asking).status
        }.value
        await loop.shutdown()
        #expect(status == 200)
        // The time is what activities are compared with once they are there.
        let finding = steps.value.drop { !$0.hasPrefix("search") }
            .prefix { !$0.hasPrefix("deliveryProgress") }
        #expect(Array(finding) == ["search elsewhere", "time elsewhere"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `of a tenant is carried out one at a time, and few wait for that`() async throws {
        let api = await Harness()
        try await api.fake.seed(1, Harness.mine)
        let (searches, isStopped) = (Lever(0), Lever(true))
        let service = Self.serving(api.fake, isStopped: isStopped) { step in
            if step == "search" { searches.update { $0 += 1 } }
        }
        let admitted = 1 + Limits.searchesWaitingMax
        let others = 5
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<(admitted + others) {
                group.addTask { await service.handler(Self.asking).status }
            }
            var statuses: [Int] = []
            // As long as nothing is found, only those are answered for whom there is no place.
            for _ in 0..<others {
                if let status = try await group.next() { statuses.append(status) }
            }
            #expect(statuses == Array(repeating: 503, count: others))
            try await waitUntil { searches.value > 0 }
            #expect(searches.value == 1)
            isStopped.value = false
            for try await status in group { statuses.append(status) }
            return statuses
        }
        #expect(statuses.count { $0 == 200 } == admitted)
    }
}
