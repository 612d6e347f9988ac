import Domain
import EventStore
@testable import Explaining
import Foundation
import Testing

struct `The result of words` {
    private func decision(_ version: Int64, _ alertContext: AlertContext? = nil, says: Bool = true)
        -> Decision
    {
        Decision(
            activityID: ActivityID(rawValue: "a"), version: version, position: version,
            verdict: .alert, rule: "goal", reason: "Because.",
            alert: says ? Alert(title: "T\(version)", body: "B") : nil,
            contentState: Data("{}".utf8), decidedAt: Moment(unixSeconds: 0),
            alertContext: alertContext)
    }

    private let event = RecordedEvent(
        tenant: TenantID(rawValue: 1), position: 3, version: 3,
        recordedAt: Moment(unixSeconds: 0),
        event: NewEvent(
            id: "1", source: "/feed", type: "Match.GoalScored",
            activityID: ActivityID(rawValue: "a"), occurredAt: Moment(unixSeconds: 0),
            data: Data("{}".utf8)))
    private let goal = AlertContext(weight: 1, subject: "goal/1")
    private let noGoal = AlertContext(weight: 1, withdrawing: ["goal/1"], isCorrection: true)

    private func delay(_ seconds: Double, heard: Double) -> AlertContext {
        .newest(
            "delay", AlertContext.Extent(seconds: seconds, stepSeconds: 600), heardSeconds: heard)
    }

    private func keptBack(_ version: Int64) -> Decision {
        var alertContext = goal
        alertContext.silence = .quietHours
        return decision(version, alertContext, says: false)
    }

    private func telling(_ version: Int64, _ carried: Int64) -> Decision {
        var alertContext = AlertContext()
        alertContext.carried = [
            KeptBackAlert(version: carried, alert: Alert(title: "T", body: "B"), alertContext: goal)
        ]
        return decision(version, alertContext)
    }

    private func amending(
        _ version: Int64, _ subject: String = "delay", toMinutes minutes: Double? = nil,
        title: String = "New"
    ) -> Decision {
        var alertContext = AlertContext()
        alertContext.amendments = [
            AlertContext.Amendment(
                subject: subject, alert: Alert(title: title, body: "B"),
                extent: minutes.map {
                    AlertContext.Extent(seconds: $0 * 60, stepSeconds: 600)
                })
        ]
        var silent = decision(version, alertContext, says: false)
        silent.verdict = .quiet
        return silent
    }

    @Test func `that quiet hours kept back is found in the decision that tells or gives them up`() {
        let told = [decision(2), telling(4, 1), telling(9, 3)]
        #expect(TextOutcome(of: keptBack(3), carriedBy: 3, among: told) == .carried(by: 9))
        #expect(TextOutcome(of: keptBack(3), carriedBy: nil, among: []) == .waiting)
        var gone = AlertContext()
        gone.dropped = [3]
        let dropping = [decision(5, gone, says: false)]
        #expect(TextOutcome(of: keptBack(3), carriedBy: 3, among: dropping) == .givenUp(by: 5))
        var displaced = keptBack(3)
        displaced.alertContext?.dropped = [3]
        #expect(TextOutcome(of: displaced, carriedBy: 3, among: []) == .givenUp(by: 3))
    }

    @Test func `that went with another push is that they were said, or taken back before`() {
        let own = decision(1, goal)
        #expect(TextOutcome(of: own, carriedBy: nil, among: [decision(2, noGoal)]) == nil)
        #expect(TextOutcome(of: own, carriedBy: 1, among: [decision(2, noGoal)]) == nil)
        #expect(TextOutcome(of: own, carriedBy: 2, among: [decision(2)]) == .merged(into: 2))
        #expect(
            TextOutcome(of: own, carriedBy: 3, among: [decision(2, noGoal)]) == .takenBack(by: 2))
        let silent = decision(2, noGoal, says: false)
        #expect(TextOutcome(of: own, carriedBy: 2, among: [silent]) == .takenBack(by: 2))
    }

    @Test func `of what grows and falls back is that they were said if it came back in time`() {
        let late = decision(1, delay(1_800, heard: 660))
        let inTime = decision(2, AlertContext(withdrawing: ["delay"]), says: false)
        #expect(TextOutcome(of: late, carriedBy: 2, among: [inTime]) == .takenBack(by: 2))
        #expect(
            TextOutcome(of: late, carriedBy: 3, among: [inTime, amending(3, toMinutes: 20)])
                == .reworded(by: 3, into: 3))
        #expect(
            TextOutcome(of: late, carriedBy: 2, among: [amending(2, toMinutes: 19)])
                == .takenBack(by: 2))
        let worse = decision(3, delay(3_000, heard: 1_800))
        #expect(
            TextOutcome(of: late, carriedBy: 4, among: [worse, amending(4, toMinutes: 40)])
                == .takenBack(by: 3))
    }

    @Test func `that put right what nobody had heard of were not sent`() {
        func correction(_ version: Int64, _ from: String, _ to: String) -> Decision {
            var alertContext = AlertContext.newest("result")
            alertContext.changedValue = AlertContext.ChangedValue(heard: from, now: to)
            return decision(version, alertContext)
        }
        let back = correction(2, "1-0", "0-0")
        let push = [correction(1, "0-0", "1-0"), back]
        #expect(TextOutcome(of: push[0], carriedBy: 2, among: push) == .takenBack(by: 2))
        #expect(TextOutcome(of: back, carriedBy: 2, among: push) == .needless(after: 1))
        #expect(TextOutcome(of: back, carriedBy: 2, among: [back]) == nil)
        let untold = [decision(1, .newest("result")), back]
        #expect(TextOutcome(of: back, carriedBy: 2, among: untold) == nil)
    }

    @Test func `that take back what people had heard in other words were sent`() {
        var alertContext = AlertContext.newest("result")
        alertContext.isCorrection = true
        func resumed(_ version: Int64) -> Decision { decision(version, alertContext) }
        func fullTime(_ version: Int64) -> Decision { decision(version, .newest("result")) }
        var corrected = fullTime(1)
        corrected.alertContext?.changedValue = AlertContext.ChangedValue(heard: "1-0", now: "0-0")
        func outcome(_ push: [Decision]) -> TextOutcome? {
            push.last.flatMap { TextOutcome(of: $0, carriedBy: $0.version, among: push) }
        }
        #expect(outcome([corrected, resumed(2)]) == nil)
        #expect(outcome([resumed(1), fullTime(2), resumed(3)]) == nil)
        #expect(outcome([fullTime(1), resumed(2)]) == .needless(after: 1))
        #expect(
            outcome([fullTime(1), resumed(2), fullTime(3), resumed(4)]) == .needless(after: 3))
    }

    @Test func `that nobody had heard of were said in the words of what puts them right`() {
        func correction(_ version: Int64) -> Decision {
            var alertContext = AlertContext.newest("result")
            alertContext.changedValue = AlertContext.ChangedValue(heard: "0-0", now: "1-0")
            alertContext.amendments = amending(version, "result").alertContext?.amendments ?? []
            return decision(version, alertContext)
        }
        let fullTime = decision(1, .newest("result"))
        let push = [fullTime, correction(2), correction(3)]
        func outcome(_ index: Int, in push: [Decision]) -> TextOutcome? {
            TextOutcome(of: push[index], carriedBy: 4, among: push)
        }
        #expect(outcome(0, in: push) == .reworded(by: 3, into: 4))
        #expect(outcome(1, in: push) == .needless(after: 1))
        #expect(outcome(2, in: push) == .needless(after: 2))
        let back = decision(4, .newest("result"))
        #expect(outcome(0, in: push + [back]) == .takenBack(by: 4))
        // A goal that it takes back as well is not said.
        var disallowing = correction(3)
        disallowing.alertContext?.withdrawnSubjects.append("goal/1")
        let scored = [decision(1, goal), decision(2, .newest("result")), disallowing]
        #expect(outcome(0, in: scored) == .takenBack(by: 3))
        #expect(outcome(1, in: scored) == .reworded(by: 3, into: 4))
        #expect(outcome(1, in: [decision(1, goal), disallowing]) == .merged(into: 4))
        // Those that had been heard of are corrected.
        let heard = [correction(2), correction(3)]
        #expect(outcome(0, in: heard) == .takenBack(by: 3))
        #expect(outcome(1, in: heard) == .merged(into: 4))
    }

    @Test func `that a later decision of the push put in new words is whose were sent`() {
        let own = decision(1, goal)
        let push = [own, amending(2, "goal/1"), decision(3)]
        #expect(TextOutcome(of: own, carriedBy: 3, among: push) == .reworded(by: 2, into: 3))
        #expect(TextOutcome.versionsWorded(carriedBy: 3, in: push) == [2: [1]])
        // What it says about something else, after the push or in the same words changes nothing.
        let other = amending(2, "goal/2")
        #expect(TextOutcome(of: own, carriedBy: 2, among: [own, other]) == .merged(into: 2))
        #expect(TextOutcome.versionsWorded(carriedBy: 2, in: [own, other]).isEmpty)
        #expect(TextOutcome(of: own, carriedBy: 1, among: [amending(2, "goal/1")]) == nil)
        let same = amending(2, "goal/1", title: "T1")
        #expect(TextOutcome(of: own, carriedBy: 2, among: [own, same]) == .merged(into: 2))
        let back = [own, amending(2, "goal/1"), amending(3, "goal/1", title: "Last")]
        #expect(TextOutcome(of: own, carriedBy: 3, among: back) == .reworded(by: 3, into: 3))
        #expect(TextOutcome.versionsWorded(carriedBy: 3, in: back) == [3: [1]])
        // Nor is one heard of that was taken back.
        let gone = [own, amending(2, "goal/1"), decision(3, noGoal)]
        #expect(TextOutcome(of: own, carriedBy: 3, among: gone) == .takenBack(by: 3))
        #expect(TextOutcome.versionsWorded(carriedBy: 3, in: gone).isEmpty)
    }

    @Test func `that quiet hours kept back may be said in the words of another decision`() {
        let night = [amending(2, "goal/1"), telling(9, 1), amending(10, "goal/1")]
        #expect(
            TextOutcome(of: keptBack(1), carriedBy: 1, among: night)
                == .carried(by: 9, inWordsOf: 2))
        #expect(
            TextOutcome(of: keptBack(1), carriedBy: 1, among: [amending(2), telling(9, 1)])
                == .carried(by: 9))
    }

    @Test func `that quiet hours kept back may change once more in the push that tells them`() {
        let night = [amending(2, "goal/1"), telling(9, 1), amending(10, "goal/1")]
        #expect(
            TextOutcome(of: keptBack(1), carriedBy: 1, among: night, carriers: [9: 10])
                == .carried(by: 9, inWordsOf: 10))
        let gone = [telling(9, 1), decision(10, noGoal)]
        #expect(
            TextOutcome(of: keptBack(1), carriedBy: 1, among: gone, carriers: [9: 10])
                == .takenBack(by: 10))
        #expect(
            TextOutcome(of: keptBack(1), carriedBy: 1, among: gone, carriers: [9: 9, 10: 10])
                == .carried(by: 9))
    }

    @Test func `are claimed of no push that reached nobody`() {
        func text(_ decision: Decision, _ words: TextOutcome?, accepted: Int) -> String {
            let outcome = LedgerRow.Outcome(
                carriedBy: 5, timestamp: 9, accepted: accepted, failed: 1,
                completedAt: Moment(unixSeconds: 9))
            let row = LedgerRow(decision: decision, outcome: outcome)
            return Explanation(
                Findings(
                    event: event, state: .decided(row, before: nil),
                    text: TextResult(outcome: words, reworded: [1]),
                    deliverySituation: DeliverySituation())
            ).sentences.joined(separator: " ")
        }
        for words in [TextOutcome.merged(into: 5), .reworded(by: 4, into: 5), .needless(after: 2)] {
            let refused = text(decision(3, goal), words, accepted: 0)
            #expect(!refused.contains(words.sentence) && !refused.contains("sent in its words"))
            let accepted = text(decision(3, goal), words, accepted: 1)
            #expect(accepted.contains(words.sentence) && accepted.contains("was sent in its words"))
        }
        #expect(text(keptBack(3), .carried(by: 9), accepted: 0).contains("version 9 sends it"))
    }

    @Test func `that quiet hours kept back and their push did not bring came with a later one`() {
        let outcome = LedgerRow.Outcome(
            carriedBy: 9, timestamp: 9, accepted: 0, failed: 1,
            completedAt: Moment(unixSeconds: 9))
        let carrier = LedgerRow(decision: telling(9, 3), outcome: outcome)
        let behind = PhonesBehind([.init(after: 3, through: 9): 1], lastTimestamp: 10)
        let text = Explanation(
            Findings(
                event: event,
                state: .decided(LedgerRow(decision: keptBack(3), outcome: nil), before: nil),
                text: TextResult(outcome: .carried(by: 9)),
                carrier: (carrier, LaterPushes(behind, among: [carrier])),
                deliverySituation: DeliverySituation())
        ).sentences.joined(separator: " ")
        #expect(
            text.contains(
                "version 9 sends it. APNs accepted the push of version 9 for 0 of 1 phone, and not "
                    + "for 1. A later push brought it to that one, with the alert “T” – “B · B”."),
            "\(text)")
    }

    @Test func `that take back what was in the same push is that nobody needed them`() {
        let back = decision(2, noGoal)
        #expect(
            TextOutcome(of: back, carriedBy: 2, among: [decision(1, goal)]) == .needless(after: 1))
        #expect(TextOutcome(of: back, carriedBy: 2, among: [decision(1)]) == nil)
    }

    private func row(_ decision: Decision, carriedBy: Int64) -> LedgerRow {
        LedgerRow(
            decision: decision,
            outcome: LedgerRow.Outcome(
                carriedBy: carriedBy, timestamp: 9, accepted: 1, failed: 0,
                completedAt: Moment(unixSeconds: 9)))
    }

    private func results(_ rows: [LedgerRow]) -> [Int64: TextResult] {
        TextResults(among: rows).results(of: rows)
    }

    @Test func `has no share of an alert whose own push went before`() {
        let amendment = row(amending(2, "goal/1"), carriedBy: 2)
        #expect(
            results([row(decision(1, goal), carriedBy: 2), amendment])[2]?.reworded == [1])
        #expect(results([row(decision(1, goal), carriedBy: 1), amendment])[2]?.reworded == [])
        #expect(
            amendment.outcomeSentences(text: TextResult(reworded: [1])).last
                == "The alert of version 1 was sent in its words.")
    }

    @Test func `is found in any rows around it, as a timeline has them`() {
        let said = row(decision(2, goal), carriedBy: 3)
        let back = row(decision(3, noGoal), carriedBy: 3)
        let rows = [row(decision(1, goal), carriedBy: 1), said, back]
        #expect(results(rows)[1] == TextResult())
        #expect(results(rows)[2]?.outcome == .takenBack(by: 3))
        #expect(results(rows)[3]?.outcome == .needless(after: 2))
        // What went out before says nothing of the correction's push.
        let alone = row(decision(3, noGoal), carriedBy: 3)
        #expect(results([rows[0], alone])[3] == TextResult())
        let kept = LedgerRow(decision: keptBack(4), outcome: nil)
        #expect(results(rows + [kept])[4]?.outcome == .waiting)
    }

    @Test func `is the same for a page, for one change alone and for all of them`() async {
        var rows = (1...600 as ClosedRange<Int64>).map { row(decision($0), carriedBy: $0) }
        // Each pair stands on both sides of where a page begins or ends.
        rows[99] = row(decision(100, goal), carriedBy: 101)
        rows[100] = row(amending(101, "goal/1"), carriedBy: 101)
        rows[149] = row(decision(150, goal), carriedBy: 152)
        rows[150] = row(decision(151, noGoal), carriedBy: 152)
        rows[151] = row(decision(152), carriedBy: 152)
        // Told in the morning, by a push that takes it back.
        rows[119] = row(keptBack(120), carriedBy: 120)
        rows[449] = row(telling(450, 120), carriedBy: 451)
        rows[450] = row(decision(451, noGoal), carriedBy: 451)
        rows[120] = row(keptBack(121), carriedBy: 121)
        let record = Ledger(all: rows)
        let whole = results(rows)
        #expect(whole[100]?.outcome == .reworded(by: 101, into: 101))
        #expect(whole[101]?.reworded == [100])
        #expect(whole[120]?.outcome == .takenBack(by: 451))
        #expect(whole[121]?.outcome == .waiting)
        #expect(whole[150]?.outcome == .takenBack(by: 151))
        let page = rows[100..<150]
        let paged = await TextResults.read(about: page, in: record).results(of: page)
        #expect(paged.count == 50)
        for row in page {
            let version = row.decision.version
            let alone = await TextResults.read(about: [row], in: record).results(of: [row])
            #expect(paged[version] == whole[version])
            #expect(alone[version] ?? TextResult() == whole[version])
        }
    }

    @Test func `is not known if more follows than is read`() async {
        var rows = (1...4_100 as ClosedRange<Int64>).map { row(decision($0), carriedBy: $0) }
        rows[..<2] = [row(keptBack(1), carriedBy: 1), row(keptBack(2), carriedBy: 2)]
        rows[99] = row(telling(100, 2), carriedBy: 100)
        rows[4_089] = row(telling(4_090, 1), carriedBy: 4_090)
        let page = rows.prefix(2)
        var read = await TextResults.read(about: page, in: Ledger(all: rows)).results(of: page)
        #expect(read[1] == TextResult() && read[2]?.outcome == .carried(by: 100))
        rows.removeLast(1_000)
        read = await TextResults.read(about: page, in: Ledger(all: rows)).results(of: page)
        #expect(read[1]?.outcome == .waiting)
    }

    /// Nothing but rows of a ledger.
    private struct Ledger: ActivityRecord {
        typealias Failure = Never

        let all: [LedgerRow]

        func end() async -> RecordEnd? { nil }
        func event(_: Int64) async -> RecordedEvent? { nil }
        func rows(after version: Int64, limit: Int) async -> [LedgerRow] {
            Array(all.filter { $0.decision.version > version }.prefix(limit))
        }
        func parking(of _: RecordedEvent) async -> Parking? { nil }
        func deliverySituation(of _: LedgerRow) async -> DeliverySituation? { nil }
    }

    @Test func `stands in the explanation`() {
        let sent = LedgerRow.Outcome(
            carriedBy: 5, timestamp: 9, accepted: 1, failed: 0,
            completedAt: Moment(unixSeconds: 9))
        func text(
            _ decision: Decision, _ words: TextOutcome?, reworded: [Int64] = []
        ) -> String {
            Explanation(
                Findings(
                    event: event,
                    state: .decided(
                        LedgerRow(decision: decision, outcome: sent), before: nil),
                    text: TextResult(outcome: words, reworded: reworded),
                    deliverySituation: DeliverySituation())
            ).sentences.joined(separator: " ")
        }
        #expect(text(keptBack(3), .carried(by: 9)).contains("version 9 sends it"))
        #expect(text(decision(3, goal), .takenBack(by: 4)).contains("version 4 withdrew it"))
        #expect(text(decision(3, goal), .merged(into: 5)).contains("push of version 5 sent"))
        #expect(
            text(decision(3, goal), .reworded(by: 4, into: 5)).contains(
                "not sent: the push of version 5 sent it in the words of version 4."))
        #expect(
            text(keptBack(3), .carried(by: 9, inWordsOf: 7)).contains(
                "version 9 sends it in the words of version 7."))
        let amended = text(amending(3), nil, reworded: [1, 2])
        #expect(amended.contains("without an alert of its own (silent, low priority)."))
        #expect(amended.contains("The alerts of version 1 and version 2 were sent in its words."))
        #expect(
            text(amending(3), nil, reworded: [2]).contains(
                "The alert of version 2 was sent in its words."))
        // What they would say in new words was sent before, or never was to be said.
        let alone = text(amending(3), nil)
        #expect(alone.contains("without an alert (silent, low priority)."))
        #expect(!alone.contains("words") && !alone.contains("New"))
        #expect(text(telling(3, 1), nil).contains("kept back: “T” of version 1."))
        var dropping = decision(3, goal)
        dropping.alertContext?.dropped = [1, 2, 3]
        #expect(
            text(dropping, nil).contains(
                "drops what quiet hours kept back of version 1 and version 2."))
    }
}
