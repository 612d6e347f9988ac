import Domain
import EventStore
import TestSupport
import Testing

struct `A node's memory of many logs` {
    private let memory = LogMemory()

    private func sighting(run: String) -> LogSighting {
        LogSighting(
            epoch: 1, hold: nil, beatAt: Made.moment(100), silenceSeconds: 1, run: run)
    }

    private func asked(_ run: String) -> [TenantID] {
        memory.tenantsInQuestion(after: sighting(run: run), recalling: memory.recall())
    }

    @Test func `has a bound, and goes on with those that it hears of next`() {
        _ = memory.judge(sighting(run: "first"), heads: [:], recalling: memory.recall())
        func append(_ tenant: Int32) {
            memory.note(
                [.recorded(position: 1, version: 1)], of: TenantID(rawValue: tenant))
        }
        for tenant: Int32 in 1...1_000 { append(tenant) }
        // One that it knows needs no more room.
        append(1_000)
        #expect(asked("second").count == 1_000)
        append(1_001)
        #expect(asked("second") == [TenantID(rawValue: 1_001)])
        #expect(asked("first") == [])
    }

    @Test(arguments: 0..<50)
    func `finds a log sound that has all that was acknowledged, and no other`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        _ = memory.judge(sighting(run: "first"), heads: [:], recalling: memory.recall())
        var heads: [TenantID: Int64] = [:]
        for _ in 0..<50 {
            let tenant = TenantID(rawValue: Int32.random(in: 1...5, using: &generator))
            let position = Int64.random(in: 1...1_000, using: &generator)
            memory.note(
                [
                    .alreadyKnown(position: 5_000, version: 1), .versionConflict(actual: 9_000),
                    .recorded(position: position, version: 1),
                ], of: tenant)
            heads[tenant] = max(heads[tenant] ?? 0, position)
        }
        let known = memory.recall()
        #expect(Set(asked("second")) == Set(heads.keys))
        for tenant in heads.keys {
            var less = heads
            less[tenant]? -= 1
            let verdict = memory.judge(sighting(run: "second"), heads: less, recalling: known)
            #expect(verdict == .setBack)
        }
        let verdict = memory.judge(sighting(run: "second"), heads: heads, recalling: known)
        #expect(verdict == .sound)
    }
}
