import DeliveryRules
import Domain
import Testing
@testable import Projections

struct `What happened long before it was reported` {
    @Test func `is shown at once, but alerts nobody, and the ledger says why`() throws {
        var night = try Night()
        let fresh = night.change(at: 12, secondsLate: 900)
        #expect(fresh.verdict == .alert)
        #expect(fresh.alertContext?.silence == nil)
        let old = night.change(at: 13, secondsLate: 3_720)
        #expect(old.verdict == .timely)
        #expect(old.alert == nil)
        #expect(old.alertContext?.silence == .late)
        #expect(old.reason.contains("62 minutes before it was reported"))
        #expect(night.change(at: 14, secondsLate: 900.001).verdict == .timely)
        #expect(night.change(at: 15, secondsLate: -60).verdict == .alert)
    }

    @Test func `is said when the policy calls it news`() throws {
        var night = try Night(thresholds: ["newsAgeSeconds": 7_200])
        #expect(night.change(at: 12, secondsLate: 7_200).verdict == .alert)
        #expect(night.change(at: 13, secondsLate: 7_201).verdict == .timely)
    }

    @Test func `is not told after quiet hours either`() throws {
        var night = try Night()
        #expect(night.change(at: 1, secondsLate: 3_600).alertContext?.silence == .late)
        #expect(night.change(at: 8, .ambient).alert == nil)
    }

    @Test func `changes nothing about what says no word anyway`() throws {
        var night = try Night()
        #expect(night.change(at: 12, .timely, secondsLate: 9_000).verdict == .timely)
        #expect(night.change(at: 12.1, .ambient, secondsLate: 9_000).verdict == .quiet)
    }

    @Test(arguments: [(900.0, true), (1_800.0, true), (1_801.0, false), (36_000.0, false)])
    func `ends the card, with words for as long as the card would have stayed`(
        secondsLate: Double, isTold: Bool
    ) throws {
        var night = try Night()
        let end = night.change(
            at: 12, secondsLate: secondsLate, ends: Ending(dismissAfterSeconds: 1_800))
        #expect(end.verdict == .end)
        #expect((end.alert != nil) == isTold)
        #expect(end.order?.isImmediate == true)
    }

    @Test func `takes nothing of what is kept in reserve`() throws {
        var night = try Night(thresholds: ["budgetTokensCount": 2, "budgetReserveCount": 2])
        #expect(night.change(at: 12, secondsLate: 9_000).order?.isImmediate == false)
    }
}
