import Domain
import Testing

@testable import EventStore

private let acme = TenantID(rawValue: 1)

struct `What a node remembers of the log` {
    private let memory = LogMemory()

    private func sighting(
        _ hold: LogHold? = nil, epoch: Int64 = 1, beat: Double = 100, silence: Double = 1,
        run: String = "first"
    ) -> LogSighting {
        LogSighting(
            epoch: epoch, hold: hold, beatAt: Moment(microseconds: 0).adding(seconds: beat),
            silenceSeconds: silence, run: run)
    }

    private func judge(
        _ sighting: LogSighting, heads: [TenantID: Int64] = [:]
    ) -> LogMemory.Judgement {
        memory.judge(sighting, heads: heads, recalling: memory.recall())
    }

    private func asked(_ sighting: LogSighting) -> [TenantID] {
        memory.tenantsInQuestion(after: sighting, recalling: memory.recall())
    }

    @Test func `does not blame it for what came during a look`() {
        _ = judge(sighting())
        let before = memory.recall()
        let seen = sighting(beat: 100, run: "second")
        memory.note(beat: Moment(microseconds: 0).adding(seconds: 105), in: 1)
        memory.note([.recorded(position: 7, version: 1)], of: acme)
        #expect(memory.tenantsInQuestion(after: seen, recalling: before).isEmpty)
        #expect(memory.judge(seen, heads: [acme: 6], recalling: before) == .sound)
    }

    @Test func `is nothing at first, and then any log is sound that is not held`() {
        #expect(judge(sighting()) == .sound)
        #expect(judge(sighting(.asked)) == .held(.asked))
        #expect(judge(sighting(.copied)) == .held(.copied))
        #expect(judge(sighting(.setBack)) == .held(.setBack))
    }

    @Test func `vouches for a promotion that lacks nothing, however long it took`() {
        memory.note(beat: Moment(microseconds: 0).adding(seconds: 100), in: 1)
        let promoted = sighting(.timeline, silence: 86_400, run: "second")
        #expect(judge(promoted) == .promoted)
    }

    @Test func `is not needed for a promotion a moment ago, and for a later one it is`() {
        #expect(judge(sighting(.timeline, silence: 119)) == .promoted)
        #expect(judge(sighting(.timeline, silence: 121)) == .held(.timeline))
    }

    @Test func `shows that a sign of life is gone`() {
        memory.note(beat: Moment(microseconds: 0).adding(seconds: 101), in: 1)
        #expect(judge(sighting(beat: 100)) == .setBack)
        #expect(judge(sighting(.timeline, beat: 100, run: "second")) == .setBack)
        #expect(judge(sighting(beat: 101)) == .sound)
    }

    @Test func `shows that something acknowledged is gone`() {
        _ = judge(sighting())
        memory.note([.recorded(position: 7, version: 1), .notRecorded], of: acme)
        #expect(asked(sighting()).isEmpty)
        let restarted = sighting(.timeline, run: "second")
        #expect(asked(restarted) == [acme])
        #expect(judge(restarted, heads: [acme: 6]) == .setBack)
        #expect(judge(restarted, heads: [acme: 7]) == .promoted)
    }

    /// A sign of life on another server would hide that something is gone there.
    @Test func `allows signs of life where the log was found sound, and nowhere else`() {
        #expect(memory.recall().run == nil)
        _ = judge(sighting())
        #expect(memory.recall().run == "first")
        memory.note([.recorded(position: 7, version: 1)], of: acme)
        #expect(judge(sighting(run: "second"), heads: [acme: 6]) == .setBack)
        #expect(memory.recall().run == "first")
        #expect(judge(sighting(.setBack, run: "second")) == .held(.setBack))
        #expect(memory.recall().run == "first")
        #expect(judge(sighting(run: "second"), heads: [acme: 7]) == .sound)
        #expect(memory.recall().run == "second")
    }

    @Test func `does not count what was known before`() {
        _ = judge(sighting())
        memory.note([.alreadyKnown(position: 9, version: 1)], of: acme)
        #expect(asked(sighting(run: "second")).isEmpty)
    }

    @Test func `ends with the epoch`() {
        memory.note(beat: Moment(microseconds: 0).adding(seconds: 500), in: 1)
        memory.note([.recorded(position: 7, version: 1)], of: acme)
        let restored = sighting(epoch: 1_800_000_000, beat: 100, run: "second")
        #expect(asked(restored).isEmpty)
        #expect(judge(restored) == .sound)
    }
}
