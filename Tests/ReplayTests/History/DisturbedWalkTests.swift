import Domain
import EventStore
import Foundation
import Replay
import Testing

/// One that says what was made of the whole log, and not whether it is sound.
@Suite(.timeLimit(.minutes(5)))
struct `A walk beside a drop or an erasure` {
    private static let first = ActivityID(rawValue: "order-1001")

    private static func trace(_ history: History) async throws {
        try await FoldTrace.write(
            history, program: "test", to: { _ in })
    }

    private static func whatIf(_ history: History) async throws {
        let trial = try PolicyTrial(file: Data(#"{"Match":{}}"#.utf8), kind: nil)
        _ = try await WhatIf.run(history, trying: trial)
    }

    private static func walks() -> [(History) async throws -> Void] { [trace, whatIf] }

    @Test(arguments: 0..<2)
    func `has to be made again when an activity went meanwhile`(walk: Int) async throws {
        let story = try await RecordedStory("pizza-orders")
        try await story.end(Self.first)
        let history = story.disturbedHistory { read in
            let page = try await read()
            try await story.drop(Self.first)
            return page
        }
        await #expect(throws: ReplayError.changedMeanwhile) {
            try await Self.walks()[walk](history)
        }
        try await Self.walks()[walk](story.history)
    }

    @Test(arguments: 0..<2)
    func `has to be made again when a person's data went meanwhile`(walk: Int) async throws {
        let story = try await RecordedStory("pizza-orders")
        let history = story.disturbedHistory { read in
            let page = try await read()
            try await story.erase(Self.first)
            return page
        }
        await #expect(throws: ReplayError.changedMeanwhile) {
            try await Self.walks()[walk](history)
        }
        try await Self.walks()[walk](story.history)
    }

    @Test func `notices that something is erased of an activity again`() async throws {
        let story = try await RecordedStory("pizza-orders")
        try await story.erase(Self.first)
        let before = try await story.store.replays.mark(story.tenant.id)
        #expect(try await story.store.replays.mark(story.tenant.id) == before)
        try await story.report([
            RecordedStory.order(Self.first.rawValue, "DriverAssigned", #"{"driverName":"Ada"}"#)
        ])
        try await story.fold()
        #expect(try await story.store.replays.mark(story.tenant.id) == before)
        try await story.erase(Self.first)
        #expect(try await story.store.replays.mark(story.tenant.id) != before)
    }
}
