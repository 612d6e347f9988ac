import Domain
import EventStore
import Foundation
import TestSupport
import Testing

private func event(
    _ id: String, _ activity: String = "order-1", _ extensions: String? = nil,
    at seconds: Double = 0, isTimeAssumed: Bool = false
) -> NewEvent {
    var event = Samples.event(id, activity)
    event.extensions = extensions.map { Data($0.utf8) }
    event.occurredAt = event.occurredAt.adding(seconds: seconds)
    event.isTimeAssumed = isTimeAssumed
    return event
}

/// What is kept beside the data, on each of the ways into the log.
struct ExtensionTests {
    @Test func `extensions come back on every way into the log`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        var careful = event("6", "order-3", #"{"x": 6}"#)
        careful.expectedVersion = 0
        let batches = [
            // Nothing is known of the activities; then of one; then of several; at last carefully.
            [event("1", "order-1", #"{"x": 1}"#)],
            [event("2", "order-1", #"{"x": 2}"#)],
            [event("3", "order-1", #"{"x": 3}"#), event("4"), event("5", "order-2", #"{"x": 5}"#)],
            [careful, event("6", "order-3", #"{"x": 6}"#), event("7", "order-3")],
        ]
        for batch in batches { _ = try await store.log.append(tenant, batch) }
        let recorded = try await store.log.read(tenant, 0, 10)
        let texts = recorded.map { $0.event.extensions.map { String(decoding: $0, as: UTF8.self) } }
        #expect(
            texts == [
                #"{"x": 1}"#, #"{"x": 2}"#, #"{"x": 3}"#, nil, #"{"x": 5}"#, #"{"x": 6}"#, nil,
            ])
    }

    @Test func `an event is the same with other extensions, and without a time at another time`()
        async throws
    {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [event("1", "order-1", #"{"x": 1}"#)])
        for again in [
            event("1", "order-1", #"{"x": 2}"#), event("1"),
            event("1", at: 60, isTimeAssumed: true),
        ] {
            #expect(
                try await store.log.append(tenant, [again])
                    == [.alreadyKnown(position: 1, version: 1)])
            #expect(
                try await store.log.append(tenant, [again, again])
                    == [
                        .alreadyKnown(position: 1, version: 1),
                        .alreadyKnown(position: 1, version: 1),
                    ])
        }
        #expect(
            try await store.log.append(tenant, [event("1", at: 60)])
                == [.contentConflict(position: 1)])
    }
}
