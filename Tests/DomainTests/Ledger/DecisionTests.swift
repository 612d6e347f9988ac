import Domain
import Foundation
import Testing

private func decision(_ verdict: Verdict = .alert, version: Int64 = 4) -> Decision {
    Decision(
        activityID: ActivityID(rawValue: "order-1"), version: version, position: 40,
        verdict: verdict, rule: "onItsWay", reason: "the driver has left",
        alert: Alert(title: "On its way", body: "Mina is bringing your pizza"),
        contentState: Data(#"{"phase":"onItsWay"}"#.utf8), staleAt: Moment(unixSeconds: 300),
        dismissAt: Moment(unixSeconds: 400), relevanceScore: 50,
        decidedAt: Moment(unixSeconds: 100), order: PushOrder(isImmediate: true),
        alertContext: AlertContext(weight: 2, subject: "stage"),
        policyVersion: 3, significance: .alert)
}

/// Each member, as text.
private func members(of decision: Decision) -> [String: String] {
    let members = Mirror(reflecting: decision).children
    return Dictionary(
        uniqueKeysWithValues: members.map { ($0.label ?? "", String(describing: $0.value)) })
}

struct `A decision that is made again` {
    /// What is compared, and a change of it that must not go unseen.
    private static let changes: [(String, @Sendable (inout Decision) -> Void)] = [
        ("verdict", { $0.verdict = .timely }),
        ("significance", { $0.significance = .ambient }),
        ("rule", { $0.rule = "arriving" }),
        ("alert", { $0.alert?.body += "!" }),
        ("alert", { $0.alert = nil }),
        ("alert", { $0.alert?.translations[Language("de")] = .init(title: "a", body: "b") }),
        ("content state", { $0.contentState = Data("{}".utf8) }),
        ("policy version", { $0.policyVersion = 0 }),
        ("order", { $0.order?.restarts = true }),
        ("order", { $0.order?.sendAfter = Moment(unixSeconds: 200) }),
        ("order", { $0.order = nil }),
        ("news", { $0.alertContext?.dropped = [3] }),
        ("news", { $0.alertContext = nil }),
    ]

    @Test func `differs in nothing from itself`() {
        #expect(decision().differences(from: decision()).isEmpty)
    }

    @Test(arguments: 0..<13)
    func `differs from the stored one in what is named`(place: Int) {
        let (name, change) = Self.changes[place]
        var other = decision()
        change(&other)
        #expect(decision().differences(from: other) == [name])
        #expect(other.differences(from: decision()) == [name])
    }

    @Test func `names all that differs, always in one order`() {
        var other = decision()
        for (_, change) in Self.changes { change(&other) }
        #expect(
            other.differences(from: decision()) == [
                "verdict", "significance", "rule", "alert", "content state", "policy version",
                "order", "news",
            ])
    }

    /// Rows of before it was kept have none, and cannot be wrong about it.
    @Test func `may have a significance where the stored one has none, but not the reverse`() {
        var old = decision()
        old.significance = nil
        #expect(old.differences(from: decision()).isEmpty)
        #expect(decision().differences(from: old) == ["significance"])
    }

    /// A new member either is among `changes`, or stands here.
    @Test func `is compared in each member but these`() {
        let names = ["news": "alertContext"]
        let compared = Set(
            Self.changes.map { (names[$0.0] ?? $0.0.replacing(" ", with: "")).lowercased() })
        let others = members(of: decision()).keys.filter { !compared.contains($0.lowercased()) }
        #expect(
            others.sorted() == [
                "activityID", "decidedAt", "dismissAt", "position", "reason", "relevanceScore",
                "rulesVersion", "staleAt", "version",
            ])
    }

    /// Sentences may be put in other words, and times are those of the event.
    @Test func `may say its reason in other words`() {
        var other = decision()
        other.reason = "she has left"
        other.relevanceScore = 5
        other.rulesVersion = 9
        #expect(decision().differences(from: other).isEmpty)
    }
}

struct `A decision whose alert is taken` {
    /// A new member either stays, by a line of `withoutAlert`, or stands here.
    @Test func `loses what is said with the alert, and nothing else`() {
        let before = members(of: decision())
        let after = members(of: decision().withoutAlert())
        #expect(before.filter { $0.value == "nil" }.isEmpty, "each needs a value in these tests")
        let lost = before.keys.filter { before[$0] != after[$0] }.sorted()
        #expect(lost == ["alert", "alertContext"])
        #expect(after["alert"] == "nil" && after["alertContext"] == "nil")
    }
}

struct `What a decision has to say` {
    private func carried(_ title: String, _ version: Int64) -> KeptBackAlert {
        KeptBackAlert(
            version: version, alert: Alert(title: title, body: "body"),
            alertContext: AlertContext(subject: title))
    }

    @Test func `is its own alert, and what that is about`() throws {
        let alerts = decision().allAlerts
        let first = try #require(alerts.first)
        #expect(alerts.count == 1)
        #expect(first.alert.title == "On its way")
        #expect(first.alertContext.subject == "stage")
    }

    @Test func `is nothing without an alert`() {
        var silent = decision(.quiet)
        silent.alert = nil
        #expect(silent.allAlerts.isEmpty)
        silent.alertContext = nil
        #expect(silent.allAlerts.isEmpty)
    }

    @Test func `is an alert about nothing where nobody noted what it is about`() {
        var old = decision()
        old.alertContext = nil
        #expect(old.allAlerts.map(\.alertContext) == [AlertContext()])
    }

    @Test func `comes oldest first, its own last`() {
        var late = decision()
        late.alertContext?.carried = [carried("Baking", 2), carried("In the oven", 3)]
        #expect(late.allAlerts.map(\.alert.title) == ["Baking", "In the oven", "On its way"])
        #expect(late.allAlerts.map(\.alertContext.subject) == ["Baking", "In the oven", "stage"])
    }

    /// The words on the phone may be those of what was kept back, and are not said twice.
    @Test func `is said once where its words are those of what was kept back`() {
        var late = decision()
        late.alertContext?.carried = [carried("Baking", 2), carried("In the oven", 3)]
        late.alert = carried("Baking", 2).alert
        #expect(late.allAlerts.map(\.alert.title) == ["Baking", "In the oven"])
        late.alert = nil
        #expect(late.allAlerts.map(\.alert.title) == ["Baking", "In the oven"])
    }
}

struct `The priority of a decision` {
    @Test func `is that of its order, by the phone's tier`() {
        var ordered = decision(.quiet)
        for standard in [true, false] {
            for frequent in [true, false] {
                ordered.order = PushOrder(isImmediate: standard, isImmediateForFrequent: frequent)
                #expect(ordered.isImmediate(for: .standard) == standard)
                #expect(ordered.isImmediate(for: .frequent) == frequent)
            }
        }
    }

    @Test(arguments: [
        (Verdict.alert, true), (.timely, true), (.quiet, false), (.hold, false), (.end, true),
    ])
    func `is that of its verdict in rows without an order`(verdict: Verdict, isImmediate: Bool) {
        var old = decision(verdict)
        old.order = nil
        for tier in PhoneTier.allCases { #expect(old.isImmediate(for: tier) == isImmediate) }
    }

    @Test func `needs a verdict that pushes`() {
        #expect(Verdict.allCases.filter { !$0.pushes } == [.hold])
    }

    @Test func `follows how much a change matters`() {
        #expect(Significance.allCases == [.none, .ambient, .timely, .alert])
        #expect(Significance.allCases.map(\.verdict) == [.hold, .quiet, .timely, .alert])
    }
}

struct `What an alert is about` {
    @Test func `is taken back by a newer word of it`() {
        let alertContext = AlertContext.newest("arrival")
        #expect(alertContext.subject == "arrival")
        #expect(alertContext.withdrawnSubjects == ["arrival"])
        #expect(AlertContext.overdue == AlertContext.newest("silence"))
        #expect(!alertContext.isCorrection && alertContext.weight == 0)
    }

    @Test func `is nothing that could be taken back unless somebody says so`() {
        let alertContext = AlertContext()
        #expect(alertContext.subject == nil && alertContext.silence == nil)
        #expect(
            alertContext.withdrawnSubjects.isEmpty && alertContext.carried.isEmpty
                && alertContext.dropped.isEmpty)
    }
}
