import Domain
import Foundation
import PushDispatch
import Testing

struct `Catching up` {
    private func decision(
        _ version: Int64, _ verdict: Verdict, state: String = "{}", dismissAt: Moment? = nil
    ) -> Decision {
        Decision(
            activityID: ActivityID(rawValue: "a"), version: version, position: version,
            verdict: verdict, rule: "rule", reason: "reason",
            alert: verdict == .alert ? Alert(title: "T", body: "B") : nil,
            contentState: Data(state.utf8), dismissAt: dismissAt,
            decidedAt: Moment(unixSeconds: 1_777_660_000),
            significance: verdict == .alert ? .alert : .timely)
    }

    private func verdicts(_ usual: Verdict...) -> [Verdict] {
        let decisions = usual.enumerated().map { decision(Int64($0.offset + 1), $0.element) }
        return CatchUp.decide(decisions).map(\.verdict)
    }

    @Test func `holds everything but the newest, which is decided as usual`() {
        let decisions = [decision(1, .alert), decision(2, .hold), decision(3, .alert)]
        let caught = CatchUp.decide(decisions)
        #expect(caught.map(\.verdict) == [.hold, .hold, .alert])
        #expect(caught[2] == decisions[2])
        #expect(caught.prefix(2).allSatisfy { $0.rule == CatchUp.historyRule && $0.alert == nil })
        #expect(caught.map(\.version) == [1, 2, 3])
    }

    @Test func `shows the newest state quietly when it says nothing by itself`() {
        #expect(verdicts(.alert, .hold) == [.hold, .quiet])
        #expect(verdicts(.quiet, .hold, .hold) == [.hold, .hold, .quiet])
        #expect(verdicts(.hold, .hold) == [.hold, .hold])
        #expect(verdicts(.hold) == [.hold])
        #expect(verdicts() == [])
    }

    @Test func `ends what had ended, and dismisses it when it was to be`() {
        let at = Moment(unixSeconds: 1_777_661_000)
        let caught = CatchUp.decide([
            decision(1, .alert), decision(2, .end, dismissAt: at), decision(3, .hold),
        ])
        #expect(caught.map(\.verdict) == [.hold, .hold, .end])
        #expect(caught[1].dismissAt == nil)
        #expect(caught[2].dismissAt == at)
        #expect(caught[2].rule == CatchUp.newestRule)
    }

    @Test func `sends no state that is too large`() {
        let large = String(repeating: "x", count: Limits.contentStateBytesMax + 1)
        let caught = CatchUp.decide([decision(1, .alert), decision(2, .hold, state: large)])
        #expect(caught.map(\.verdict) == [.hold, .hold])
    }

    @Test func `explains its own decisions and no others`() throws {
        let usual = [decision(1, .alert), decision(2, .hold)]
        let caught = CatchUp.decide(usual)
        for (stored, usual) in zip(caught, usual) {
            #expect(CatchUp.explains(stored, insteadOf: usual))
        }
        #expect(!CatchUp.explains(usual[0], insteadOf: usual[1]))
        var forged = caught[0]
        forged.verdict = .alert
        #expect(!CatchUp.explains(forged, insteadOf: usual[0]))
        forged = caught[0]
        forged.significance = .ambient
        #expect(!CatchUp.explains(forged, insteadOf: usual[0]))
        forged = caught[1]
        forged.contentState = Data("[]".utf8)
        #expect(!CatchUp.explains(forged, insteadOf: usual[1]))
        forged = caught[1]
        #expect(!CatchUp.explains(forged, insteadOf: usual[0]))
    }
}
