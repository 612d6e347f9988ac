import DeliveryRules
import Domain
import Foundation
import Testing

struct `What is decided about unparked history` {
    private func decision(
        _ version: Int64, _ verdict: Verdict, state: String = "{}", dismissAt: Moment? = nil
    ) -> Decision {
        Decision(
            activityID: ActivityID(rawValue: "a"), version: version, position: version,
            verdict: verdict, rule: "rule", reason: "reason",
            alert: verdict == .alert ? Alert(title: "T", body: "B") : nil,
            contentState: Data(state.utf8), dismissAt: dismissAt,
            decidedAt: Moment(unixSeconds: 1_777_660_000),
            order: verdict == .alert ? PushOrder(isImmediate: true) : nil,
            alertContext: verdict == .alert ? AlertContext(subject: "driver") : nil,
            significance: verdict == .alert ? .alert : .timely)
    }

    private func verdicts(_ usual: Verdict...) -> [Verdict] {
        let decisions = usual.enumerated().map { decision(Int64($0.offset + 1), $0.element) }
        return UnparkedHistory.decide(decisions).map(\.verdict)
    }

    @Test func `holds everything but the newest, which is decided as usual`() {
        let decisions = [decision(1, .alert), decision(2, .hold), decision(3, .alert)]
        let decided = UnparkedHistory.decide(decisions)
        #expect(decided.map(\.verdict) == [.hold, .hold, .alert])
        #expect(decided[2] == decisions[2])
        #expect(
            decided.prefix(2).allSatisfy {
                $0.rule == UnparkedHistory.historyRule && $0.alert == nil && $0.alertContext == nil
                    && $0.order == nil
            })
        #expect(decided.map(\.version) == [1, 2, 3])
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
        let decided = UnparkedHistory.decide([
            decision(1, .alert), decision(2, .end, dismissAt: at), decision(3, .hold),
        ])
        #expect(decided.map(\.verdict) == [.hold, .hold, .end])
        #expect(decided[1].dismissAt == nil)
        #expect(decided[2].dismissAt == at)
        #expect(decided[2].rule == UnparkedHistory.newestRule)
    }

    @Test func `sends no state that is too large`() {
        let large = String(repeating: "x", count: Limits.contentStateBytesMax + 1)
        let decided = UnparkedHistory.decide([
            decision(1, .alert), decision(2, .hold, state: large),
        ])
        #expect(decided.map(\.verdict) == [.hold, .hold])
    }

    @Test func `explains its own decisions and no others`() throws {
        let usual = [decision(1, .alert), decision(2, .hold)]
        let decided = UnparkedHistory.decide(usual)
        for (stored, usual) in zip(decided, usual) {
            #expect(UnparkedHistory.explains(stored, insteadOf: usual))
        }
        #expect(!UnparkedHistory.explains(usual[0], insteadOf: usual[1]))
        var forged = decided[0]
        forged.verdict = .alert
        #expect(!UnparkedHistory.explains(forged, insteadOf: usual[0]))
        forged = decided[0]
        forged.significance = .ambient
        #expect(!UnparkedHistory.explains(forged, insteadOf: usual[0]))
        forged = decided[1]
        forged.contentState = Data("[]".utf8)
        #expect(!UnparkedHistory.explains(forged, insteadOf: usual[1]))
        forged = decided[1]
        #expect(!UnparkedHistory.explains(forged, insteadOf: usual[0]))
    }
}
