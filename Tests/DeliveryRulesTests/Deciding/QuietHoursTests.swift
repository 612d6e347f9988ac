import APNs
import DeliveryRules
import Domain
import Foundation
import Testing
@testable import Projections

private func about(_ subject: String, weight: Int = 1) -> AlertContext {
    AlertContext(weight: weight, subject: subject)
}

struct `An alert in quiet hours` {
    @Test func `is shown quietly, and told with the first change after them`() throws {
        var night = try Night()
        let kept = night.change(at: -1)
        #expect(kept.verdict == .quiet && kept.alert == nil)
        #expect(kept.alertContext?.silence == .quietHours)
        #expect(kept.reason.contains("“T1” is sent after them"))
        #expect(night.change(at: 6.99, .timely).alert == nil)
        let first = night.change(at: 7, .ambient)
        #expect(first.verdict == .alert)
        #expect(first.alert == Night.alert(1))
        #expect(first.alertContext?.carried.map(\.version) == [1])
        #expect(first.reason.contains("what quiet hours kept back"))
        #expect(night.change(at: 7.1, .ambient).alert == nil)
    }

    @Test func `is sent by the clock when nothing else happens`() throws {
        var night = try Night()
        night.change(at: -1)
        let over = night.change(
            at: 6.9, .none, rule: "quietHoursOver", state: "{\"v\":1}", isClock: true)
        #expect(over.verdict == .alert)
        #expect(over.alert == Night.alert(1))
        #expect(over.relevanceScore == 75)
    }

    @Test func `is not told when the clock finds nothing to tell`() throws {
        var night = try Night()
        night.change(at: -1, .timely)
        #expect(night.change(at: 7, .none, isClock: true).verdict == .hold)
    }

    @Test func `goes with the words of a change that has some itself`() throws {
        var night = try Night()
        night.change(at: -1)
        let own = night.change(at: 8)
        #expect(own.alert == Night.alert(2))
        #expect(own.allAlerts.map(\.alert) == [Night.alert(1), Night.alert(2)])
    }

    @Test func `is forgotten when it is no longer true, and so is what takes it back`() throws {
        var night = try Night()
        night.change(at: -1, alertContext: about("goal/1"))
        night.change(at: 0, alertContext: about("goal/2"))
        let back = AlertContext(weight: 1, withdrawing: ["goal/1"], isCorrection: true)
        let inTheNight = night.change(at: 1, alertContext: back)
        #expect(inTheNight.alert == nil)
        #expect(inTheNight.alertContext?.dropped == [1])
        #expect(inTheNight.alertContext?.silence == .untold)
        let after = night.change(
            at: 8,
            alertContext: AlertContext(weight: 1, withdrawing: ["goal/2"], isCorrection: true))
        #expect(after.verdict == .timely && after.alert == nil)
        #expect(after.alertContext?.dropped == [2])
        #expect(after.reason.contains("the alert that it corrects was not sent"))
        #expect(night.change(at: 9, .ambient).alert == nil)
    }

    @Test func `is sent in its newest form alone`() throws {
        var night = try Night()
        let driver = AlertContext(weight: 1, subject: "driver", withdrawing: ["driver"])
        for hour in [0.0, 1, 2] { night.change(at: hour, alertContext: driver) }
        #expect(night.decisions.map { $0.alertContext?.dropped ?? [] } == [[], [1], [2]])
        #expect(night.change(at: 7, .timely).allAlerts.map(\.alert) == [Night.alert(3)])
    }

    @Test func `is taken back by a change that alerts nobody itself`() throws {
        var night = try Night()
        night.change(at: 0, alertContext: about("goal/1"))
        night.change(at: 1, .ambient, alertContext: AlertContext(withdrawing: ["goal/1"]))
        #expect(night.decisions[1].alertContext?.dropped == [1])
        #expect(night.change(at: 8, .ambient).alert == nil)
    }

    @Test func `gives way to more significant ones beyond what anybody reads`() throws {
        var night = try Night()
        let most = DeliveryRules.Limits.keptBackAlertsMax
        night.change(at: 0, alertContext: AlertContext(weight: 5))
        for _ in 0..<most { night.change(at: 1, alertContext: AlertContext(weight: 1)) }
        #expect(night.decisions.last?.alertContext?.dropped == [2])
        let told = night.change(at: 7, .ambient)
        #expect(told.alertContext?.carried.count == most)
        #expect(told.alert == Night.alert(1))
    }

    @Test func `waits while only an excepted rule may speak`() throws {
        var night = try Night(except: ["goal"])
        night.change(at: 0)
        let goal = night.change(at: 1, rule: "goal")
        #expect(goal.verdict == .alert)
        #expect(goal.allAlerts.map(\.alert) == [Night.alert(2)])
        #expect(night.change(at: 7, .ambient).alert == Night.alert(1))
    }

    @Test func `goes with the words of an end, and is forgotten when it has none`() throws {
        let ending = Ending(dismissAfterSeconds: 900)
        var told = try Night()
        told.change(at: 0)
        let end = told.change(at: 1, ends: ending)
        #expect(end.verdict == .end)
        #expect(end.allAlerts.map(\.alert) == [Night.alert(1), Night.alert(2)])
        var silent = try Night()
        silent.change(at: 0)
        let quiet = silent.change(at: 1, .timely, ends: ending)
        #expect(quiet.verdict == .end && quiet.alert == nil)
        #expect(quiet.alertContext?.dropped == [1])
        var morning = try Night()
        morning.change(at: 0)
        let late = morning.change(at: 8, .timely, ends: ending)
        #expect(late.verdict == .end)
        #expect(late.alert == Night.alert(1))
    }

    @Test func `waits for a state that fits into a push`() throws {
        var night = try Night()
        night.change(at: 0)
        let large = String(repeating: "x", count: DeliveryRules.Limits.contentStateBytesMax + 1)
        let held = night.change(at: 8, .none, state: large, isClock: true)
        #expect(held.verdict == .hold && held.rule == "too-large")
        #expect(night.change(at: 9, .ambient).alert == Night.alert(1))
    }

    @Test func `is given up with an end that does not fit into a push`() throws {
        var night = try Night()
        night.change(at: 0)
        let large = String(repeating: "x", count: DeliveryRules.Limits.contentStateBytesMax + 1)
        let end = night.change(
            at: 8, .timely, ends: Ending(dismissAfterSeconds: 900), state: large)
        #expect(end.verdict == .hold && end.alertContext?.dropped == [1])
        #expect(night.change(at: 9, .none).verdict == .hold)
    }

    @Test func `is sent by the policy of the morning`() throws {
        var night = try Night()
        night.change(at: 0)
        night.policy = .builtIn
        #expect(night.change(at: 1, .ambient).alert == Night.alert(1))
    }
}

struct `What is said after quiet hours` {
    private func plan(_ pending: [Decision]) -> PushPlan {
        let empty = Data("{}".utf8)
        return PushPlan.make(
            snapshot: Snapshot(
                activityID: ActivityID(rawValue: "m"), kind: "Match", version: 9, position: 9,
                phase: .live, state: empty, attributes: empty, contentState: empty,
                updatedAt: Night.time(8)),
            pending: pending, lastCompleted: nil, timestamp: 2_000)
    }

    private func text(_ message: PushPlan.Message?) -> String {
        String(decoding: message?.body ?? [], as: UTF8.self)
    }

    @Test func `begins with the most significant of all that was kept back`() throws {
        var night = try Night()
        night.change(at: 0, alertContext: AlertContext(weight: 2))
        night.change(at: 1, alertContext: AlertContext(weight: 5))
        night.change(at: 2, alertContext: AlertContext(weight: 3))
        let message = plan([night.change(at: 7, .ambient)]).message()
        #expect(message?.priority == .immediate)
        #expect(text(message).contains(#""title":"T2","body":"B2 · B3 · +1""#))
    }

    @Test func `leaves out what was taken back before the push`() throws {
        var night = try Night()
        night.change(at: 0, alertContext: about("goal/1"))
        night.change(at: 1, alertContext: about("goal/2"))
        let told = night.change(at: 7, .ambient)
        let back = night.change(
            at: 7.001,
            alertContext: AlertContext(weight: 1, withdrawing: ["goal/1"], isCorrection: true))
        #expect(back.alert != nil)
        #expect(text(plan([told, back]).message()).contains(#""title":"T2","body":"B2""#))
    }

    @Test func `is nothing that quiet hours have taken back in silence`() throws {
        var night = try Night()
        let goal = night.change(at: -2.001, alertContext: about("goal/1"))
        let back = night.change(
            at: -1.999,
            alertContext: AlertContext(weight: 1, withdrawing: ["goal/1"], isCorrection: true))
        #expect(goal.alert != nil && back.alert == nil)
        #expect(!text(plan([goal, back]).message()).contains("alert"))
        #expect(
            PushPlan.isNews(back, now: Night.time(-1.99), registeredAt: Night.time(-3)))
        #expect(!text(plan([]).message(missed: [goal, back])).contains("alert"))
    }

    @Test func `is in every language that was kept back`() throws {
        var night = try Night()
        night.change(at: 0)
        var told = night.change(at: 7, .ambient)
        told.alertContext?.carried[0].alert.translations = [
            Language("de"): Alert.Text(title: "Tor", body: "Eins")
        ]
        told.alert = told.alertContext?.carried[0].alert
        let plan = plan([told])
        #expect(plan.languages == [.standard, Language("de")])
        #expect(text(plan.message(language: Language("de"))).contains(#""title":"Tor""#))
    }
}
