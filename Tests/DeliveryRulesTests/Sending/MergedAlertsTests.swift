import APNs
import DeliveryRules
import Domain
import Foundation
import Testing

private func decision(
    _ version: Int64, _ rule: String, _ title: String, _ body: String, _ verdict: Verdict = .alert,
    _ alertContext: AlertContext = AlertContext()
) -> Decision {
    Decision(
        activityID: ActivityID(rawValue: "m"), version: version, position: version,
        verdict: verdict, rule: rule, reason: "because", alert: Alert(title: title, body: body),
        contentState: Data(#"{"v":\#(version)}"#.utf8), decidedAt: Moment(unixSeconds: 1_990),
        alertContext: alertContext)
}

private func plan(_ pending: [Decision], state: String = "{}") -> PushPlan {
    let empty = Data("{}".utf8)
    return PushPlan.make(
        snapshot: Snapshot(
            activityID: ActivityID(rawValue: "m"), kind: "Match", version: 9, position: 9,
            phase: .live, state: empty, attributes: empty, contentState: Data(state.utf8),
            updatedAt: Moment(unixSeconds: 2_000)),
        pending: pending, lastCompleted: nil, timestamp: 2_000)
}

private struct Body: Decodable {
    struct Aps: Decodable { var alert: [String: String]? }
    var aps: Aps
}

private func alert(_ message: PushPlan.Message?) throws -> [String: String]? {
    try JSONDecoder().decode(Body.self, from: Data(try #require(message).body)).aps.alert
}

private let firstGoal = decision(
    1, "goal", "Goal! A 1–0 B", "Kane 12′", .alert, AlertContext(weight: 9, subject: "goal/1"))
private let noGoal = decision(
    2, "goalDisallowed", "No goal: A 0–0 B", "Kane 12′ does not count: offside", .alert,
    AlertContext(weight: 9, withdrawing: ["goal/1"], isCorrection: true))
private let laterGoal = decision(
    3, "goal", "Goal! A 0–1 B", "Son 15′", .alert, AlertContext(weight: 9, subject: "goal/3"))

private let driver = AlertContext(weight: 1, subject: "driver", withdrawing: ["driver"])
private let delay = AlertContext(weight: 2, subject: "delay", withdrawing: ["delay"])

struct `What a push says` {
    @Test func `is nothing of a goal that was taken back before anybody heard of it`() throws {
        let message = plan([firstGoal, noGoal]).message()
        #expect(try alert(message) == nil)
        #expect(message?.priority == .immediate)
    }

    @Test func `is the goal that counts, however many were taken back around it`() throws {
        let said = try #require(try alert(plan([firstGoal, noGoal, laterGoal]).message()))
        #expect(said["title"] == "Goal! A 0–1 B")
        #expect(said["body"] == "Son 15′")
    }

    @Test func `is nothing of a result that is as it was heard`() throws {
        func correction(_ version: Int64, _ from: String, _ to: String) -> Decision {
            var alertContext = AlertContext.newest("result")
            alertContext.changedValue = AlertContext.ChangedValue(heard: from, now: to)
            return decision(
                version, "corrected", "Correction: A \(to) B", "Now.", .alert, alertContext)
        }
        let (wrong, right) = (correction(2, "0–0", "1–0"), correction(3, "1–0", "0–0"))
        #expect(try alert(plan([wrong, right]).message()) == nil)
        let other = correction(4, "0–0", "0–1")
        let third = try alert(plan([wrong, right, other]).message())
        #expect(third?["title"] == "Correction: A 0–1 B")
        // The wrong one was heard before, or may have been.
        #expect(try alert(plan([right]).message())?["title"] == "Correction: A 0–0 B")
        let missed = try alert(plan([right]).message(missed: [wrong]))
        #expect(missed?["title"] == "Correction: A 0–0 B")
        // Full time that nobody has heard of is said however often it was put right.
        let fullTime = decision(
            1, "fullTime", "Full time: A 0–0 B", "Level.", .alert, .newest("result"))
        let late = try alert(plan([fullTime, wrong, right]).message())
        #expect(late?["title"] == "Correction: A 0–0 B")
        // So is one that was sent and did not arrive, and the correction of such a one.
        let resent = try alert(plan([wrong, right]).message(missed: [fullTime]))
        #expect(resent?["title"] == "Correction: A 0–0 B")
        let (more, back) = (correction(3, "1–0", "2–0"), correction(4, "2–0", "1–0"))
        let corrected = try alert(plan([more, back]).message(missed: [wrong]))
        #expect(corrected?["title"] == "Correction: A 1–0 B")
    }

    @Test func `has the words of full time for a result that nobody has heard of`() throws {
        func result(_ version: Int64, from: String? = nil, _ score: String) -> Decision {
            var alertContext = AlertContext.newest("result")
            alertContext.changedValue = from.map {
                AlertContext.ChangedValue(heard: $0, now: score)
            }
            let words = Alert(title: "Full time: A \(score) B", body: "Now.")
            alertContext.amendments = [AlertContext.Amendment(subject: "result", alert: words)]
            let title = from == nil ? words.title : "Correction: A \(score) B"
            return decision(version, "result", title, "Now.", .alert, alertContext)
        }
        let fullTime = result(1, "0–0")
        let (goal, noGoal) = (result(2, from: "0–0", "1–0"), result(3, from: "1–0", "0–0"))
        func said(_ pending: [Decision], missed: [Decision] = []) throws -> String? {
            try alert(plan(pending).message(missed: missed))?["title"]
        }
        #expect(try said([fullTime, goal]) == "Full time: A 1–0 B")
        #expect(try said([fullTime, goal, noGoal]) == "Full time: A 0–0 B")
        #expect(try said([goal]) == "Correction: A 1–0 B")
        #expect(try said([goal, noGoal]) == nil)
        #expect(try said([goal], missed: [fullTime]) == "Correction: A 1–0 B")
        // One that alerts nobody leaves people full time, and takes back what puts it right.
        var silent = noGoal
        silent.alert = nil
        #expect(try said([fullTime, silent]) == "Full time: A 0–0 B")
        #expect(try said([goal, silent]) == nil)
    }

    @Test func `is that an end was none to all who may have heard of one`() throws {
        func fullTime(_ version: Int64) -> Decision {
            decision(version, "fullTime", "Full time: A 0–0 B", "Level.", .alert, .newest("result"))
        }
        func resumed(_ version: Int64) -> Decision {
            var alertContext = AlertContext.newest("result")
            alertContext.isCorrection = true
            return decision(
                version, "resumed", "Correction: A 1–0 B", "Not over.", .alert, alertContext)
        }
        var corrected = fullTime(2)
        corrected.alertContext?.changedValue = AlertContext.ChangedValue(heard: "0–0", now: "1–0")
        func said(_ pending: [Decision], missed: [Decision] = []) throws -> String? {
            try alert(plan(pending).message(missed: missed))?["body"]
        }
        // Full time was heard before, and is corrected or said once more in the same push.
        #expect(try said([corrected, resumed(3)]) == "Not over.")
        #expect(try said([resumed(2), fullTime(3), resumed(4)]) == "Not over.")
        // It was sent before, and may have been heard.
        #expect(try said([corrected, resumed(3)], missed: [fullTime(1)]) == "Not over.")
        #expect(try said([fullTime(2), resumed(3)], missed: [fullTime(1)]) == "Not over.")
        // Nobody has heard of any.
        #expect(try said([fullTime(1), resumed(3)]) == nil)
        #expect(try said([fullTime(1), corrected, resumed(3)]) == nil)
        #expect(try said([fullTime(1), resumed(2), fullTime(3), resumed(4)]) == nil)
    }

    @Test func `has the words of now for what was put right before anybody heard of it`() throws {
        var correction = decision(4, "details", "", "", .timely)
        correction.alert = nil
        let now = Alert(title: "Goal! A 0–1 B", body: "Lee 15′")
        correction.alertContext?.amendments = [
            AlertContext.Amendment(subject: "goal/3", alert: now)
        ]
        let said = try #require(try alert(plan([laterGoal, correction]).message()))
        #expect(said["title"] == now.title && said["body"] == now.body)
        let missed = try alert(plan([]).message(missed: [laterGoal, correction]))
        #expect(missed?["body"] == now.body)
        #expect(
            try alert(plan([laterGoal, correction]).message(coveredVersion: 3)) == nil)
        #expect(
            PushPlan.isNews(
                correction, now: correction.decidedAt, registeredAt: correction.decidedAt))
    }

    @Test func `is a delay that came and went in one push, and none that was heard before`()
        throws
    {
        let late = decision(
            1, "late", "Running late", "25 minutes.", .alert,
            .newest(
                "delay", AlertContext.Extent(seconds: 1_500, stepSeconds: 600), heardSeconds: 0))
        var inTime = decision(
            2, "estimate", "", "", .timely, AlertContext(withdrawing: ["delay"]))
        inTime.alert = nil
        var lateAgain = decision(3, "estimate", "", "", .timely)
        lateAgain.alert = nil
        let again = Alert(title: "Running late", body: "26 minutes.")
        lateAgain.alertContext?.amendments = [
            AlertContext.Amendment(
                subject: "delay", alert: again,
                extent: AlertContext.Extent(seconds: 1_560, stepSeconds: 600))
        ]
        let plan = plan([lateAgain])
        #expect(plan.countsWhatWasHeard)
        let together = try alert(plan.message(earlier: [[late, inTime]]))
        #expect(together?["body"] == "26 minutes.")
        #expect(try alert(plan.message(earlier: [[late], [inTime]])) == nil)
        #expect(try alert(plan.message(earlier: [[late, inTime], [lateAgain], [inTime]])) == nil)
        #expect(try alert(plan.message()) == nil)
        let missed = try alert(plan.message(missed: [late, inTime]))
        #expect(missed?["body"] == "26 minutes.")
    }

    /// By the last policy forty-five minutes were two steps of it, and fifty are two of this one.
    @Test func `is of a delay as much more than was heard as the newest policy wants`() throws {
        func late(_ version: Int64, _ minutes: Double, heard: Double) -> Decision {
            decision(
                version, "late", "Running late", "\(minutes) minutes.", .alert,
                .newest(
                    "delay", AlertContext.Extent(seconds: minutes * 60, stepSeconds: 600),
                    heardSeconds: heard * 60))
        }
        func amended(_ minutes: Double, stepMinutes: Double) -> Decision {
            var amended = decision(4, "estimate", "", "", .timely)
            amended.alert = nil
            amended.alertContext?.amendments = [
                AlertContext.Amendment(
                    subject: "delay", alert: Alert(title: "Running late", body: "now"),
                    extent: AlertContext.Extent(
                        seconds: minutes * 60, stepSeconds: stepMinutes * 60))
            ]
            return amended
        }
        func said(_ newest: Decision) throws -> String? {
            try alert(
                plan([newest]).message(
                    earlier: [[late(2, 21, heard: 0)]], missed: [late(3, 45, heard: 21)]))?["body"]
        }
        #expect(try said(amended(50, stepMinutes: 20)) == "now")
        #expect(try said(amended(39, stepMinutes: 20)) == nil)
        #expect(try said(amended(22, stepMinutes: 5)) == nil)
        #expect(try said(amended(16, stepMinutes: 5)) == nil)
        #expect(try said(amended(25, stepMinutes: 5)) == "now")
    }

    @Test func `takes back only the goal that it is about`() throws {
        let early = decision(
            1, "goal", "Goal! A 0–1 B", "Son 2′", .alert,
            AlertContext(weight: 9, subject: "goal/0"))
        let said = try #require(try alert(plan([early, noGoal]).message()))
        #expect(said["title"] == noGoal.alert?.title)
        #expect(said["body"] == "Kane 12′ does not count: offside · Son 2′")
    }

    @Test func `is the correction alone to a phone that may have heard of the goal`() throws {
        let missed = try alert(plan([noGoal]).message(missed: [firstGoal]))
        #expect(missed?["title"] == noGoal.alert?.title)
        #expect(missed?["body"] == noGoal.alert?.body)
        let both = try alert(plan([]).message(missed: [firstGoal, noGoal]))
        #expect(both?["body"] == noGoal.alert?.body)
        let told = try alert(plan([firstGoal, noGoal]).message(coveredVersion: 1))
        #expect(told?["body"] == noGoal.alert?.body)
        #expect(try alert(plan([firstGoal, noGoal]).message(coveredVersion: 2)) == nil)
    }

    @Test func `begins with the most significant, and counts what it does not name`() throws {
        let said = try #require(
            try alert(
                plan([
                    decision(1, "driverAssigned", "Driver assigned", "Ada comes.", .alert, driver),
                    decision(2, "late", "Running late", "10 minutes.", .alert, delay),
                    decision(
                        3, "arriving", "Almost there", "Ada is arriving.", .alert,
                        AlertContext(weight: 5)),
                    decision(4, "late", "Running late", "20 minutes.", .alert, delay),
                ]).message()))
        #expect(said["title"] == "Almost there")
        #expect(said["body"] == "Ada is arriving. · 20 minutes. · +1")
        let ended = try #require(
            try alert(
                plan([decision(1, "fullTime", "Full time", "A win.", .end), laterGoal]).message()))
        #expect(ended["title"] == "Full time")
    }

    @Test func `names only the driver who comes`() throws {
        let said = try #require(
            try alert(
                plan([
                    decision(1, "driverAssigned", "Driver assigned", "Ada comes.", .alert, driver),
                    decision(2, "driverReassigned", "New driver", "Bo comes.", .alert, driver),
                ]).message()))
        #expect(said["body"] == "Bo comes.")
    }
}

struct `A push with many words` {
    private static let state =
        #"{"s":"\#(String(repeating: "x", count: Limits.contentStateBytesMax - 8))"}"#

    /// Bytes, quoting and characters of several scalars all count.
    @Test(arguments: ["word ", "\"\\", "\u{1}", "ä", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷"], [1, 90, 400, 5_000])
    func `stays within Apple's limit, whole in its state and its characters`(
        unit: String, times: Int
    ) throws {
        let words = String(repeating: unit, count: times)
        let alerts = (1...4).map { decision(Int64($0), "goal", "T\($0)", words) }
        let message = try #require(plan(alerts, state: Self.state).message())
        #expect(message.body.count <= APNs.Limits.devicePayloadBytesMax)
        let text = String(decoding: message.body, as: UTF8.self)
        #expect(text.contains(Self.state))
        let said = try #require(try alert(message))
        #expect(said["title"] == "T4")
        let body = try #require(said["body"])
        #expect(body.hasSuffix(" · +2") || body.hasSuffix(" · +3"))
        let first = try #require(body.components(separatedBy: " · ").first)
        let kept = first.hasSuffix("…") ? String(first.dropLast()) : first
        #expect(words.hasPrefix(kept))
        #expect(Array(words).starts(with: Array(kept)))
    }

    @Test func `says more of them to a channel, and stays within its limit`() throws {
        let long = String(repeating: "long ", count: 2_000)
        let plan = plan([decision(1, "goal", "Goal", long)], state: Self.state)
        let alone = try #require(plan.message())
        let many = try #require(
            plan.message(as: .broadcast))
        #expect(alone.body.count <= 4096)
        #expect((5_000...5_120).contains(many.body.count))
        #expect(String(decoding: many.body, as: UTF8.self).contains(Self.state))
    }

    @Test func `gives up bodies before state, and the title last`() throws {
        let long = String(repeating: "long ", count: 2_000)
        let said = try #require(
            try alert(plan([decision(1, "goal", long, long)], state: Self.state).message()))
        #expect(said["title"]?.hasPrefix("long long") == true)
        #expect(said["title"]?.hasSuffix("…") == true)
        #expect(said["body"] == "…")
    }
}

struct `A state that is too large for a push` {
    private static let large =
        #"{"s":"\#(String(repeating: "x", count: Limits.contentStateBytesMax))"}"#

    @Test func `is never sent; the newest decided state goes out instead`() throws {
        let plan = plan([firstGoal, laterGoal], state: Self.large)
        let body = String(decoding: try #require(plan.message()).body, as: UTF8.self)
        #expect(body.contains(#""content-state":{"v":3}"#))
        #expect(plan.oversizedStateBytes == Self.large.utf8.count)
        #expect(plan.isSendable)
    }

    @Test func `leaves nothing to send where nothing was decided before it`() {
        let plan = plan([], state: Self.large)
        #expect(!plan.isSendable)
        #expect(plan.message() == nil)
    }
}
