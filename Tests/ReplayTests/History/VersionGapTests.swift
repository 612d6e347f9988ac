import Domain
import Foundation
import TestSupport
import Testing

@testable import Replay

struct `A gap in the versions of an activity` {
    private func gap(
        _ expected: Int64, _ version: Int64, of activity: String = "order-1", at position: Int64 = 9
    ) -> VersionGap {
        VersionGap(
            activity: ActivityID(rawValue: activity), position: position, expected: expected,
            version: version)
    }

    @Test func `lacks the versions up to the one that follows`() {
        #expect(gap(3, 6).missing == 3...5)
        #expect(gap(1, 2).missing == 1...1)
        // Numbered behind another that was numbered first.
        #expect(gap(6, 3).missing == 2...2)
        #expect(gap(2, 1).missing == nil)
    }

    @Test func `says what was lost, and what to do`() {
        let lost = gap(3, 6).loss(isPart: false)
        #expect(lost.kind == .versionHole)
        #expect(lost.activityID == "order-1" && lost.position == 9)
        #expect(
            lost.detail
                == "version 3 is missing, 6 follows: events were lost; restore them from a backup")
        #expect(
            gap(6, 3).loss(isPart: false).detail.hasPrefix("version 3 follows where 6 was expected")
        )
    }

    /// In ASCII no two subjects look the same.
    @Test func `leaves a doubt in a part of a log, if another subject may look the same`() {
        #expect(!gap(3, 6).loss(isPart: true).detail.contains("looks the same"))
        #expect(!gap(3, 6, of: "café").loss(isPart: false).detail.contains("looks the same"))
        #expect(gap(3, 6, of: "café").loss(isPart: true).detail.contains("looks the same"))
    }

    private let pair = Lookalikes.cafe

    private func others(
        _ gap: VersionGap, among events: [(String, version: Int64)]
    ) async -> [String]? {
        let walker = LookalikeWalker([gap.activity])
        await walker.take(
            HistoryPage(
                events.enumerated().map {
                    ShortLog.event(Int64($0.offset) + 1, $0.element.0, $0.element.version)
                }))
        return await walker.others(of: gap)?.map(\.rawValue)
    }

    @Test func `is no loss if a subject that looks the same has all that is missing`() async {
        let events: [(String, version: Int64)] = [(pair.one, 1), (pair.other, 2), (pair.other, 3)]
        let found = await others(gap(2, 4, of: pair.one), among: events)
        #expect(found?.count == 1)
        #expect(found?.first?.hasBytes(of: pair.other) == true)
    }

    @Test func `is a loss if one of them is nowhere, or came later`() async {
        let events: [(String, version: Int64)] = [(pair.one, 1), (pair.other, 2)]
        #expect(await others(gap(2, 4, of: pair.one), among: events) == nil)
        #expect(await others(gap(2, 3, of: pair.one, at: 2), among: events) == nil)
        #expect(await others(gap(2, 3, of: pair.one, at: 3), among: events)?.count == 1)
    }

    @Test func `is a loss if only the subject itself, or another one, has them`() async {
        #expect(await others(gap(2, 3), among: [("order-1", 2), ("order-2", 2)]) == nil)
        #expect(await others(gap(2, 3), among: []) == nil)
        #expect(await others(gap(2, 1), among: [("order-1", 1)]) == nil)
    }
}

struct `A list of defects` {
    private func defect(_ position: Int64?, _ activity: String? = nil) -> Defect {
        Defect(
            kind: .unfoldable, activityID: activity, position: position, detail: "cannot be folded")
    }

    @Test func `has them by position and then by activity, those without a position last`() {
        var list = DefectList()
        for one in [defect(nil), defect(7, "b"), defect(7, "a"), defect(2), defect(7, "B")] {
            list.add(one)
        }
        #expect(list.named.map(\.position) == [2, 7, 7, 7, nil])
        #expect(list.named.map(\.activityID) == [nil, "B", "a", "b", nil])
        #expect(list.unnamed == 0)
    }

    /// Cores find them in any order and say the same.
    @Test(arguments: 0..<5)
    func `names the first hundred, no matter who found them and in which order`(seed: UInt64) {
        var random = RandomData(seed: seed)
        var lists = (0..<4).map { _ in DefectList() }
        for position in random.shuffled(Array(Int64(1)...300)) {
            lists[random.below(4)].add(defect(position))
        }
        var all = DefectList()
        for list in random.shuffled(lists) { all.add(list) }
        #expect(all.named.map(\.position) == Array(1...100))
        #expect(all.unnamed == 200)
        all.leaveOut(5)
        #expect(all.unnamed == 205)
    }

    @Test func `makes a report unsound, named or not`() {
        func report(_ defects: [Defect], unnamed: Int) -> VerificationReport {
            VerificationReport(
                tenant: "bakery", events: 1, activities: 1, decisions: 1,
                areDecisionsMadeAgain: false, notFolded: 3, defects: defects,
                defectsUnnamed: unnamed)
        }
        #expect(report([], unnamed: 0).isSound)
        #expect(!report([defect(1)], unnamed: 0).isSound)
        #expect(!report([], unnamed: 1).isSound)
        var noted = report([], unnamed: 0)
        (noted.notes, noted.notesUnnamed) = ([defect(1)], 1)
        #expect(noted.isSound)
    }

    /// Scripts look for these words in what `--json` prints.
    @Test func `has kinds whose names stay`() throws {
        let names = try JSONEncoder().encode(Defect.Kind.allCases)
        #expect(
            try JSONDecoder().decode([String].self, from: names) == [
                "position-hole", "version-hole", "numbered-together", "time-runs-backwards",
                "unfoldable", "snapshot-differs", "snapshot-missing", "snapshot-without-events",
                "decision-missing", "decision-differs", "decision-without-event",
                "checkpoint-past-head",
            ])
    }
}
