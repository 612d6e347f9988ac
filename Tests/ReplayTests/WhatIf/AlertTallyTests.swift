import Domain
import Foundation
import Testing

@testable import Replay

private func decision(
    _ version: Int64, _ verdict: Verdict = .alert, saying title: String? = nil,
    carrying carried: [Int64] = [], order: PushOrder? = PushOrder(isImmediate: true),
    at seconds: Int64? = nil, silence: Silence? = nil, dropping dropped: [Int64] = []
) -> Decision {
    var alertContext = AlertContext()
    alertContext.silence = silence
    alertContext.dropped = dropped
    alertContext.carried = carried.map {
        KeptBackAlert(
            version: $0, alert: Alert(title: "Goal \($0)", body: "é"), alertContext: AlertContext())
    }
    return Decision(
        activityID: ActivityID(rawValue: "match-1"), version: version, position: version,
        verdict: verdict, rule: "goal", reason: "",
        alert: title.map { Alert(title: $0, body: "é") },
        contentState: Data("{}".utf8), decidedAt: Moment(unixSeconds: seconds ?? version),
        order: order, alertContext: alertContext)
}

struct `What phones are sent under two policies` {
    private func tally(_ both: [(Decision?, Decision?)]) -> BothPolicies.Result {
        var tally = AlertTally()
        for (mine, theirs) in both { tally.note(mine, theirs) }
        return tally.result()
    }

    @Test func `is counted by what a decision does and how it is carried out`() {
        let mine = [
            decision(1, saying: "Goal"), decision(2, .timely), decision(3, .hold),
            decision(4, .quiet, order: PushOrder(treatment: .lowered)),
            decision(5, .quiet, order: PushOrder(treatment: .merged)),
            decision(6, .quiet, order: PushOrder(treatment: .held)),
            decision(7, .end, order: PushOrder(isImmediateForFrequent: true)),
            // Of rules that knew no budgets.
            decision(8, .alert, order: nil),
        ]
        let result = tally(mine.map { ($0, nil) })
        let side = result.before
        #expect(side.decisions == 6 && side.pushes == 6)
        #expect(side.immediate == 2)
        #expect(side.alerts == 1)
        #expect(side.lowered == 1 && side.merged == 1 && side.held == 1)
        #expect(side.activitiesOverBudget == 1)
        // Six states, and the words in UTF-8.
        #expect(side.bytes == 6 * 2 + 6)
        #expect(result.after == WhatIfReport.Side())
    }

    /// A phone gets the newest state, instead of one that waits.
    @Test func `is sent once where one push waits for another`() {
        let until = Moment(unixSeconds: 10)
        let wait = PushOrder(sendAfter: until, treatment: .held)
        let mine = [
            decision(1, .quiet, order: wait), decision(2, .quiet, order: wait),
            decision(3, saying: "Goal", at: 9), decision(4, .quiet, order: PushOrder(), at: 11),
        ]
        let side = tally(mine.map { ($0, nil) }).before
        #expect(side.decisions == 4)
        #expect(side.pushes == 2)
        #expect(side.bytes == 2 + 6 + 2)
        let late = [decision(1, .quiet, order: wait), decision(2, .quiet, order: wait, at: 10)]
        #expect(tally(late.map { ($0, nil) }).before.pushes == 2)
    }

    @Test func `changes by alerts that come, go, move or say something else`() {
        let result = tally([
            (decision(1, saying: "Goal 1"), decision(1, .hold)),
            (decision(2, .quiet), decision(2, saying: "Goal 2")),
            (decision(3, saying: "Goal 3"), decision(3, .hold)),
            (decision(4, .quiet), decision(4, saying: "Later", carrying: [3])),
            (decision(5, saying: "Goal 5"), decision(5, saying: "Goal five")),
            (decision(6, saying: "Goal 6"), decision(6, saying: "Goal 6")),
        ])
        #expect(
            result.changes == WhatIfReport.Changes(added: 2, removed: 1, moved: 1, reworded: 1))
        #expect(result.changes.total == 5)
        #expect(result.examples == ["1 removed", "2 added", "3 moved from 3 to 4"])
    }

    @Test func `counts what one decision carries for another, and its own words once`() {
        let carried = decision(4, saying: "Goal 2", carrying: [2, 3])
        let result = tally([(nil, carried)])
        #expect(result.changes.added == 2)
        #expect(result.examples == ["2 added", "3 added"])
        #expect(result.after.alerts == 1)
    }

    @Test func `tells what quiet hours still keep back from what they took away`() {
        let result = tally([
            (decision(1, saying: "Goal 1"), decision(1, .quiet, silence: .quietHours)),
            (decision(2, saying: "Goal 2"), decision(2, .quiet, silence: .quietHours)),
            (decision(3, saying: "Goal 3"), decision(3, .quiet, silence: .quietHours)),
            (decision(4, .hold), decision(4, .hold, dropping: [2])),
            (decision(5, .quiet), decision(5, saying: "Later", carrying: [3])),
            (decision(6, .quiet, silence: .quietHours), decision(6, saying: "Goal 6")),
        ])
        #expect(
            result.changes
                == WhatIfReport.Changes(added: 1, removed: 1, moved: 2, keptBack: 1))
        #expect(result.examples == ["1 kept back", "2 removed", "3 moved from 3 to 5"])
        #expect(result.changes.total == 5)
    }

    private func saying(
        _ body: String, _ translations: [Language: String] = [:], key: String? = nil
    ) -> Decision {
        var said = decision(1, saying: "Goal")
        var alert = Alert(title: "Goal", body: body)
        alert.translations = translations.mapValues { Alert.Text(title: "Goal", body: $0) }
        if let key {
            alert.keys = Alert.Keys(title: .plain("Goal"), body: .key(key, arguments: ["Ada"]))
        }
        said.alert = alert
        return said
    }

    @Test func `changes by what is said in any language, or by keys`() {
        let (german, polish) = (Language("de"), Language("pl"))
        let plain = saying("By Ada", [german: "Von Ada"])
        let others = [
            saying("By Ada", [german: "Durch Ada"]), saying("By Ada"),
            saying("By Ada", [german: "Von Ada", polish: "Ada"]), saying("By Ada", key: "GOAL"),
        ]
        for other in others {
            #expect(tally([(plain, other)]).changes == WhatIfReport.Changes(reworded: 1))
            #expect(tally([(other, plain)]).changes == WhatIfReport.Changes(reworded: 1))
        }
        // Those of another language read the English words either way.
        let alike = saying("By Ada", [german: "Von Ada", polish: "By Ada"])
        #expect(tally([(plain, alike)]).changes.total == 0)
        let (key, other) = (saying("By Ada", key: "GOAL"), saying("By Ada", key: "SCORE"))
        #expect(tally([(key, other)]).changes == WhatIfReport.Changes(reworded: 1))
        #expect(tally([(key, saying("Ada", key: "GOAL"))]).changes.total == 0)
    }

    @Test func `weighs as much as the keys where these are sent`() {
        let side = tally([(saying("By Ada", key: "GOAL"), nil)]).before
        #expect(side.bytes == 2 + "Goal".utf8.count + "GOAL".utf8.count + "Ada".utf8.count)
    }

    @Test func `is listed as far as somebody shows it`() {
        var tally = AlertTally(listedMax: 1)
        tally.note(decision(1, saying: "Goal 1"), decision(1, .hold))
        tally.note(decision(2, saying: "Goal 2"), decision(2, saying: "Goal 2"))
        #expect(tally.result().alertsBefore.map(\.version) == [1])
        #expect(tally.result().alertsAfter.map(\.version) == [2])
    }

    @Test func `is nothing new where a decision is held, whatever it would have said`() {
        let result = tally([(decision(1, .hold, saying: "Goal"), nil), (nil, nil)])
        #expect(result.changes.total == 0 && result.examples.isEmpty)
        #expect(result.before == result.after)
    }
}

struct `A report of what would have been` {
    private func affected(
        _ activity: String, added: Int, pushes: Int = 0, tried: Int = 0
    ) -> WhatIfReport.Affected {
        WhatIfReport.Affected(
            activity: activity, kind: "Match", changes: .init(added: added), pushes: pushes,
            pushesTried: tried, examples: [])
    }

    @Test func `names first whose alerts change most, then whose pushes do`() {
        var report = WhatIfReport(tenant: "feed")
        report.rank(affected("b", added: 1, pushes: 3, tried: 1))
        report.rank(affected("c", added: 1, pushes: 1, tried: 4))
        report.rank(affected("a", added: 2))
        report.rank(affected("a2", added: 1, pushes: 3, tried: 1))
        #expect(report.mostAffected.map(\.activity) == ["a", "c", "a2", "b"])
    }

    @Test func `names ten, whichever share they were in`() {
        var report = WhatIfReport(tenant: "feed")
        for share in 0..<3 {
            var part = WhatIfReport(tenant: "feed")
            for place in 0..<7 {
                let number = place * 3 + share
                part.rank(affected("match-\(number)", added: number))
            }
            part.activities = 7
            part.activitiesAffected = 6
            part.changes.added = 5
            part.before.bytes = 100
            part.after.activitiesOverBudget = 1
            report.add(part)
        }
        #expect(report.mostAffected.map(\.changes.added) == Array((11...20).reversed()))
        #expect(report.activities == 21 && report.activitiesAffected == 18)
        #expect(report.changes.total == 15)
        #expect(report.before.bytes == 300 && report.after.activitiesOverBudget == 3)
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 2), (5, 3), (6, 6), (30, 6), (31, 7)])
    func `begins with the first event of a time`(seconds: Int64, position: Int64) async throws {
        let times: [Int64] = [1, 2, 5, 5, 5, 30]
        let events = times.enumerated().map { ShortLog.event(Int64($0) + 1, at: $1) }
        let found = try await WhatIf.position(
            of: Moment(unixSeconds: seconds), in: ShortLog.history(events))
        #expect(found == position)
        let part = events.map { event in
            var later = event
            later.position += 100
            return later
        }
        let inPart = try await WhatIf.position(
            of: Moment(unixSeconds: seconds), in: ShortLog.history(part, after: 100))
        #expect(inPart == position + 100)
    }

    /// Of an export of one activity, or where archived activities were dropped.
    @Test(arguments: [(0, 1), (1, 1), (2, 9), (9, 9), (10, 10), (11, 40_000), (41_000, 40_001)])
    func `begins with the first event of a time where others are gone`(
        seconds: Int64, event: Int64
    ) async throws {
        let places: [Int64] = [1, 9, 10, 40_000]
        let history = ShortLog.history(places.map { ShortLog.event($0, at: $0) })
        let found = try await WhatIf.position(of: Moment(unixSeconds: seconds), in: history)
        let next = places.first { $0 >= found } ?? 40_001
        #expect(next == event)
    }
}
