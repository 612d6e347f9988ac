import Domain
import EventLoop
import EventStore
import HTTP
import JSON
import Testing

@testable import API

struct `An answer of many rows` {
    @Test func `is made elsewhere than on the loop, and one of few rows there`() async throws {
        let fake = FakeStore()
        await fake.grant(
            "key",
            KeyGrant(tenant: Tenant(id: Harness.mine, name: "t1"), scopes: [.activitiesRead]))
        let caller = try await Authenticator(
            store: fake.store,
            environment: APIEnvironment(
                now: { Moment(unixSeconds: 1_800_000_000) }, version: "test")
        ).caller(
            of: Request(
                method: "GET", target: "/v1/activities",
                headers: ["authorization": "Bearer key"]),
            scope: .activitiesRead)
        let loop = EventLoop(name: "answers")
        let isOnLoop = Lever<[Bool]>([])
        let statuses = try await Task(executorPreference: loop) { () async throws -> [Int] in
            var statuses: [Int] = []
            for count in [50, 51, 500] {
                let response = try await caller.answer(rows: count) {
                    isOnLoop.update { $0.append(loop.isCurrent) }
                    return Response(status: count)
                }
                statuses.append(response.status)
            }
            return statuses
        }.value
        await loop.shutdown()
        #expect(isOnLoop.value == [true, false, false])
        #expect(statuses == [50, 51, 500])
    }

    @Test func `says the same as small ones together`() async throws {
        let api = await Harness()
        for number in 100..<220 {
            _ = try await api.post(SampleEvents.placed("o-\(number)", id: "placed-\(number)"))
        }
        for number in 0..<120 {
            _ = try await api.post(
                SampleEvents.assigned("o-100", driver: "D\(number)", id: "driver-\(number)"))
        }
        try await api.fake.fold(Harness.mine)
        for (path, member) in [
            ("/v1/activities", "activities"), ("/v1/board", "rows"), ("/v1/events", "events"),
            ("/v1/activities/o-100/decisions", "decisions"),
            ("/v1/activities/o-100/events", "events"),
        ] {
            let whole = try await api.get("\(path)?limit=120").json()[member]?.elements ?? []
            #expect(whole.count == 120, "\(path)")
            var next: String? = "\(path)?limit=40"
            var rows: [JSON] = []
            while rows.count < whole.count, let target = next {
                let page = try await api.get(target).json()
                rows += page[member]?.elements ?? []
                next = page["next"]?.text
            }
            #expect(rows == whole, "\(path)")
        }
    }
}
