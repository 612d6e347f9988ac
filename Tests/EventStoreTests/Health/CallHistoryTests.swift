import Domain
import EventStore
import Testing

private let errors: [EventStoreError] = [
    .unavailable(detail: "gone"), .outcomeUnknown(detail: "late"), .overloaded(detail: "full"),
    .moving(detail: "away"), .failed(sqlState: "XX000", detail: "file"), .schema(detail: "old"),
]

struct `An error of the store` {
    @Test func `has an outcome for figures, and may pass or not`() {
        #expect(
            errors.map { CallResult($0) } == [
                .unavailable, .unknown, .overloaded, .ok, .refused, .refused,
            ])
        #expect(CallResult(nil) == .ok)
        #expect(errors.map(\.isTransient) == [true, true, true, true, false, false])
    }

    @Test(
        arguments: [
            ("25006: cannot execute INSERT", "25006"), ("57P01", "57P01"),
            ("the server lets nobody in: 28P01 password", "28P01"),
            ("no route to host", nil), ("", nil), ("2500: short", nil), ("250066: long", nil),
            ("see 25006", nil), ("25o06: no state", nil),
        ] as [(String, String?)])
    func `says what the database answered where an outage begins with it`(
        detail: String, state: String?
    ) {
        #expect(EventStoreError.unavailable(detail: detail).sqlState == state)
        #expect(EventStoreError.outcomeUnknown(detail: detail).sqlState == nil)
        #expect(EventStoreError.failed(sqlState: "53100", detail: detail).sqlState == "53100")
    }

    @Test func `tells a database that only takes reads and a standby that is away`() {
        let readOnly = EventStoreError.unavailable(detail: "25006: read-only transaction")
        #expect(readOnly.isReadOnly && !readOnly.isStandbyAway)
        #expect(!EventStoreError.failed(sqlState: "25006", detail: "25006").isReadOnly)
        let detail = EventStoreError.standbyAwayDetail
        #expect(EventStoreError.outcomeUnknown(detail: detail).isStandbyAway)
        #expect(!EventStoreError.unavailable(detail: detail).isStandbyAway)
    }
}

struct `The history of calls of one kind` {
    private let start = ContinuousClock.now
    private let away = EventStoreError.unavailable(detail: "gone")

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `complains from the fifth second of nothing but failures on`() {
        var calls = CallHistory()
        calls.note(nil, at: at(0))
        calls.note(away, at: at(10))
        calls.note(.overloaded(detail: "full"), at: at(12))
        calls.note(.schema(detail: "old"), at: at(14))
        #expect(calls.failingSince == at(10))
        #expect(calls.complaint(at: at(14.999)) == nil)
        #expect(calls.complaint(at: at(15)) == .schema(detail: "old"))
        #expect(calls.counts == [.ok: 1, .unavailable: 1, .overloaded: 1, .refused: 1])
    }

    /// All nodes of the old version would fare alike, and one of them has to answer.
    @Test func `counts a fold by a newer program as refused, and complains of nothing`() {
        var calls = CallHistory()
        for second in 0..<20 { calls.note(.oldProgram, at: at(Double(second))) }
        #expect(calls.complaint(at: at(20)) == nil)
        #expect(!calls.isInDoubt && calls.lastSuccess == at(19))
        #expect(calls.counts == [.refused: 20])
    }

    @Test func `takes a full node for neither a failure nor a success`() {
        var calls = CallHistory()
        calls.note(.overloaded(detail: "full"), at: at(0))
        #expect(calls.isInDoubt && calls.lastFailure == nil && calls.lastSuccess == nil)
        calls.note(away, at: at(1))
        calls.note(.overloaded(detail: "full"), at: at(2))
        #expect(calls.failingSince == at(1) && calls.lastFailure?.at == at(1))
        calls.note(.unavailable(detail: "later"), at: at(3))
        #expect(calls.failingSince == at(1) && calls.lastFailure?.at == at(3))
        calls.note(nil, at: at(4))
        #expect(calls.failingSince == nil && calls.lastSuccess == at(4))
    }

    /// Else a node whose only tenant moves would be taken out of service with all the others.
    @Test func `takes it for an answer that a tenant moves`() {
        var calls = CallHistory()
        for second in 0..<20 {
            calls.note(.moving(detail: "away"), at: at(Double(second)))
            #expect(calls.complaint(at: at(Double(second))) == nil)
        }
        #expect(!calls.isInDoubt && calls.counts == [.ok: 20])
    }

    @Test func `begins again with another store, and keeps its figures`() {
        var calls = CallHistory()
        calls.note(nil, at: at(0))
        calls.note(away, at: at(1))
        calls.beginAgain()
        #expect(calls.complaint(at: at(100)) == nil && calls.isInDoubt)
        // It has not worked yet, so there is nothing to be patient for.
        calls.noteProbe(away, at: at(101))
        #expect(calls.complaint(at: at(101)) == away)
        #expect(calls.counts == [.ok: 1, .unavailable: 1])
    }
}

struct `The health of a node's calls` {
    private let health = StoreHealth()

    @Test func `is known of each kind by itself`() {
        #expect(!health.hasWorked(withinSeconds: 60))
        health.ended(.append, nil)
        health.ended(.send, .unavailable(detail: "gone"))
        #expect(health.hasWorked(withinSeconds: 60))
        #expect(health.complaint(about: .append) == nil)
        #expect(health.complaint(about: .send) == .unavailable(detail: "gone"))
        #expect(health.complaint(about: .fold) == nil)
        #expect(!health.isStandbyAway)
        health.ended(
            .append, .outcomeUnknown(detail: EventStoreError.standbyAwayDetail))
        #expect(health.isStandbyAway)
        health.ended(.append, nil)
        #expect(!health.isStandbyAway)
    }

    @Test func `remembers why a fold was refused, and of other failures nothing`() {
        health.ended(.fold, .unavailable(detail: "gone"))
        health.ended(.append, .schema(detail: "old"))
        #expect(health.foldRefusal == nil)
        health.ended(.fold, .schema(detail: "old"))
        #expect(health.foldRefusal == .schema(detail: "old"))
        health.ended(.fold, nil)
        health.noteProbe(.fold, nil)
        #expect(health.foldRefusal == .schema(detail: "old"))
        health.beginAgain()
        #expect(health.foldRefusal == nil)
    }
}
