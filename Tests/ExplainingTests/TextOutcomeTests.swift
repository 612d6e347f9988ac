import Domain
import EventStore
@testable import Explaining
import Foundation
import Testing

struct `What became of words` {
    private func decision(_ version: Int64, _ news: AlertContext? = nil, says: Bool = true)
        -> Decision
    {
        Decision(
            activityID: ActivityID(rawValue: "a"), version: version, position: version,
            verdict: .alert, rule: "goal", reason: "Because.",
            alert: says ? Alert(title: "T\(version)", body: "B") : nil,
            contentState: Data("{}".utf8), decidedAt: Moment(unixSeconds: 0), news: news)
    }

    private let goal = AlertContext(weight: 1, subject: "goal/1")
    private let noGoal = AlertContext(weight: 1, withdraws: ["goal/1"], isCorrection: true)

    private func keptBack(_ version: Int64) -> Decision {
        var news = goal
        news.silence = .quietHours
        return decision(version, news, says: false)
    }

    private func telling(_ version: Int64, _ carried: Int64) -> Decision {
        var news = AlertContext()
        news.carried = [
            CarriedAlert(version: carried, alert: Alert(title: "T", body: "B"), news: goal)
        ]
        return decision(version, news)
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
        displaced.news?.dropped = [3]
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
        let late = decision(1, .newest("delay", steps: 3, heard: 1))
        let inTime = decision(2, AlertContext(withdraws: ["delay"]), says: false)
        func amending(_ version: Int64, to steps: Int) -> Decision {
            var news = AlertContext()
            news.amends = [
                AlertContext.Amendment(
                    subject: "delay", alert: Alert(title: "T", body: "B"), steps: steps)
            ]
            return decision(version, news, says: false)
        }
        #expect(TextOutcome(of: late, carriedBy: 2, among: [inTime]) == .takenBack(by: 2))
        #expect(
            TextOutcome(of: late, carriedBy: 3, among: [inTime, amending(3, to: 2)])
                == .merged(into: 3))
        #expect(
            TextOutcome(of: late, carriedBy: 2, among: [amending(2, to: 1)]) == .takenBack(by: 2))
        let worse = decision(3, .newest("delay", steps: 5, heard: 3))
        #expect(
            TextOutcome(of: late, carriedBy: 4, among: [worse, amending(4, to: 4)])
                == .takenBack(by: 3))
    }

    @Test func `that take back what was in the same push is that nobody needed them`() {
        let back = decision(2, noGoal)
        #expect(
            TextOutcome(of: back, carriedBy: 2, among: [decision(1, goal)]) == .needless(after: 1))
        #expect(TextOutcome(of: back, carriedBy: 2, among: [decision(1)]) == nil)
    }

    @Test func `stands in the explanation`() {
        let event = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: 3, version: 3,
            recordedAt: Moment(unixSeconds: 0),
            event: NewEvent(
                id: "1", source: "/feed", type: "Match.GoalScored",
                activityID: ActivityID(rawValue: "a"), occurredAt: Moment(unixSeconds: 0),
                data: Data("{}".utf8)))
        func text(_ decision: Decision, _ words: TextOutcome?) -> String {
            Explanation(
                Findings(
                    event: event,
                    standing: .decided(LedgerRow(decision: decision, outcome: nil), before: nil),
                    words: words, surroundings: Surroundings())
            ).sentences.joined(separator: " ")
        }
        #expect(text(keptBack(3), .carried(by: 9)).contains("version 9 sends it"))
        #expect(text(decision(3, goal), .takenBack(by: 4)).contains("version 4 withdrew it"))
        #expect(text(decision(3, goal), .merged(into: 5)).contains("push of version 5 sent"))
        #expect(text(telling(3, 1), nil).contains("kept back: “T” of version 1."))
        var dropping = decision(3, goal)
        dropping.news?.dropped = [1, 2, 3]
        #expect(
            text(dropping, nil).contains(
                "drops what quiet hours kept back of version 1 and version 2."))
    }
}
