import Domain
import EventStore
import Foundation
import TestSupport
import Testing

struct PartialAppendTests {
    @Test func `each event stands for itself`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [Samples.event("1")])
        let outcomes = try await store.log.append(
            tenant,
            [
                Samples.event("2"), Samples.event("1"), Samples.event("1", data: "{}"),
                Samples.event("3", expectedVersion: 1), Samples.event("4", expectedVersion: 2),
                Samples.event("2", data: "{}"), Samples.event("2"),
            ], isAtomic: false)
        #expect(
            outcomes == [
                .recorded(position: 2, version: 2), .alreadyKnown(position: 1, version: 1),
                .contentConflict(position: 1), .versionConflict(actual: 2),
                .recorded(position: 3, version: 3), .contentConflict(position: 2),
                .alreadyKnown(position: 2, version: 2),
            ])
        #expect(try await store.log.read(tenant, 0, 10).map(\.event.id) == ["1", "2", "4"])
        #expect(try await store.log.append(tenant, [], isAtomic: false) == [])
    }

    @Test func `requests of both sorts share commits without touching each other`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [Samples.event("taken")])
        let clash = Samples.event("taken", data: "{}")
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let events = [
                        Samples.event("\(number)-a"), clash, Samples.event("\(number)-b"),
                    ]
                    guard number.isMultiple(of: 2) else {
                        let outcomes = try await store.log.append(tenant, events)
                        return outcomes == [
                            .notRecorded, .contentConflict(position: 1), .notRecorded,
                        ]
                    }
                    let outcomes = try await store.log.append(tenant, events, isAtomic: false)
                    return outcomes.map(\.isAccepted) == [true, false, true]
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        let events = try await store.log.read(tenant, 0, 1_000)
        #expect(events.map(\.position) == Array(1...41))
        let even = (0..<40).filter { $0.isMultiple(of: 2) }
        #expect(
            Set(events.map(\.event.id)) == Set(even.flatMap { ["\($0)-a", "\($0)-b"] } + ["taken"]))
    }

    @Test func `events are selected by positions, types and activity`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        let other = try await store.tenants.ensure("other").id
        let events = (1...6).map { number in
            var event = Samples.event("\(number)", number.isMultiple(of: 2) ? "even" : "odd")
            if number > 3 { event.type = "Sample.Late" }
            return event
        }
        _ = try await store.log.append(tenant, events)
        _ = try await store.log.append(other, events)
        func ids(
            _ types: Set<String>, _ activity: String?, _ positions: ClosedRange<Int64>,
            _ limit: Int = 10
        ) async throws -> String {
            let filter = EventFilter(
                types: types, activity: activity.map { ActivityID(rawValue: $0) })
            return try await store.log.select(tenant, filter, positions, limit)
                .map(\.event.id).joined()
        }
        #expect(try await ids([], nil, 1...6) == "123456")
        #expect(try await ids([], nil, 2...5, 3) == "234")
        #expect(try await ids(["Sample.Late"], nil, 1...5) == "45")
        #expect(try await ids(["Sample.Late", "Sample.Happened"], nil, 3...4) == "34")
        #expect(try await ids([], "even", 1...6) == "246")
        #expect(try await ids(["Sample.Late"], "even", 1...6, 1) == "4")
        #expect(try await ids([], "none", 1...6) == "")
    }
}
