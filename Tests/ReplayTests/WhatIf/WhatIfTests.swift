import Domain
import EventStore
import Foundation
import Pipeline
import Projections
@testable import Replay
import TestSupport
import Testing

struct `A what-if` {
    private static func trial(_ json: String, kind: String? = nil) throws -> PolicyTrial {
        try PolicyTrial(file: Data(json.utf8), kind: kind)
    }

    /// What a policy file is refused for.
    private static func errors(_ json: String, kind: String? = nil) -> [String] {
        do throws(ReplayError) {
            _ = try PolicyTrial(file: Data(json.utf8), kind: kind)
            return []
        } catch {
            guard case .policy(let errors) = error else { return ["\(error)"] }
            return errors
        }
    }

    @Test func `with the policy that was in force changes nothing`() async throws {
        let story = try await RecordedStory("world-cup-2022-final", "pizza-orders")
        let report = try await WhatIf.run(story.history, trying: Self.trial(#"{"Match":{}}"#))
        #expect(report.events == 99)
        #expect(report.activities == 6)
        #expect(report.activitiesAffected == 0)
        #expect(report.changes.total == 0)
        #expect(report.before == report.after)
        #expect(report.mostAffected.isEmpty)
        let ledger = try await story.store.projections.decisions(
            story.tenant.id, RecordedStory.match, 0, 500)
        let only = try await WhatIf.run(
            story.history, trying: Self.trial(#"{"Match":{}}"#), kind: "Match")
        #expect(only.activities == 1)
        #expect(only.events == ledger.count)
        #expect(only.activitiesLeftOut == 0)
        #expect(only.before.decisions == ledger.count { $0.decision.verdict.pushes })
        #expect(only.before.alerts == ledger.count { $0.decision.alert != nil })
        #expect(only.before.alerts > 5)
        let none = try await WhatIf.run(
            story.history, trying: Self.trial(#"{"BikeRide":{}}"#), kind: "BikeRide")
        #expect(none.activities == 0 && none.events == 0)
    }

    /// As the projector does.
    @Test func `goes on after what is parked alone, and without what is skipped`() async throws {
        let story = try await RecordedStory("pizza-orders")
        try await story.report([
            RecordedStory.order("order-new", "DriverAssigned", #"{"driverName":7}"#),
            RecordedStory.order("order-new", "OrderAccepted", "{}"),
            NewEvent(
                id: "brewing", source: "/shops/test", type: "CoffeeDelivery.BrewingStarted",
                activityID: ActivityID(rawValue: "order-new"),
                occurredAt: Moment(unixSeconds: 1_800_000_000), data: Data("{}".utf8)),
            RecordedStory.order("order-new", "DriverAssigned", #"{"driverName":"Ada"}"#),
        ])
        try await story.fold()
        let silent = try Self.trial(#"{"PizzaDelivery":{"rules":{"driverAssigned":"ambient"}}}"#)
        let blocked = try await WhatIf.run(story.history, trying: silent)
        let end = try await story.history.end()
        _ = try await Repair(story.store, tenant: story.tenant.id).skip(end - 3)
        let free = try await WhatIf.run(story.history, trying: silent)
        #expect(free.changes.removed == blocked.changes.removed + 1)
        #expect(blocked.activitiesLeftOut == 1 && free.activitiesLeftOut == 0)
    }

    @Test func `compares what is said in every language that a policy states`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let german = try Self.trial(#"{"texts":{"de":{"goal.title":"Tooor"}}}"#, kind: "Match")
        let reworded = try await WhatIf.run(story.history, trying: german)
        #expect(reworded.changes.reworded > 0)
        #expect(reworded.changes.total == reworded.changes.reworded)
        let keys = try Self.trial(#"{"words":"keys"}"#, kind: "Match")
        let byKeys = try await WhatIf.run(story.history, trying: keys)
        #expect(byKeys.changes.reworded > reworded.changes.reworded)
        #expect(byKeys.before.bytes != byKeys.after.bytes)
    }

    @Test func `counts the alerts that a quieter rule takes away, and says of which`() async throws
    {
        let story = try await RecordedStory.worldCupFinal()
        let report = try await WhatIf.run(
            story.history, trying: Self.trial(#"{"rules":{"goal":"ambient"}}"#, kind: "Match"))
        let ledger = try await story.store.projections.decisions(
            story.tenant.id, RecordedStory.match, 0, 500)
        let goals = ledger.filter { $0.decision.rule == "goal" && $0.decision.alert != nil }
        #expect(!goals.isEmpty)
        #expect(report.changes.removed == goals.count)
        #expect(report.changes.added == 0)
        #expect(report.activitiesAffected == 1)
        #expect(report.before.immediate > report.after.immediate)
        let affected = try #require(report.mostAffected.first)
        #expect(affected.activity == RecordedStory.match.rawValue)
        let version = try #require(goals.first?.decision.version)
        #expect(affected.examples.first == "\(version) removed")
    }

    @Test func `finds budgets that would be spent`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let trial = try Self.trial(
            #"{"thresholds":{"budgetTokensCount":1,"budgetReserveCount":0,"#
                + #""budgetRefillSeconds":3600}}"#,
            kind: "Match")
        let report = try await WhatIf.run(story.history, trying: trial)
        #expect(report.before.lowered == 0)
        #expect(report.after.lowered > 0)
        #expect(report.after.activitiesOverBudget == 1)
    }

    @Test func `tells alerts that quiet hours move from ones that are gone`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        // The final was played from 15:00 to 18:00 UTC.
        let trial = try Self.trial(
            #"{"quietHours":{"from":"15:30","to":"16:00","timeZone":"UTC"}}"#, kind: "Match")
        let report = try await WhatIf.run(story.history, trying: trial)
        #expect(report.changes.moved > 0)
        #expect(report.changes.added == 0)
        let example = try #require(report.mostAffected.first?.examples.first)
        #expect(example.contains("moved from"), "\(example)")
    }

    @Test func `counts from a position on only`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let trial = try Self.trial(#"{"rules":{"goal":"ambient"}}"#, kind: "Match")
        let end = try await story.history.end()
        let late = try await WhatIf.run(story.history, trying: trial, since: end)
        #expect(late.events == 1)
        #expect(late.changes.total == 0)
        let log = try await story.store.log.read(story.tenant.id, 0, 500)
        let position = try await WhatIf.position(of: log[9].recordedAt, in: story.history)
        #expect(position == log.first { $0.recordedAt == log[9].recordedAt }?.position)
        let future = log[log.count - 1].recordedAt.adding(seconds: 1)
        let after = try await WhatIf.position(of: future, in: story.history)
        #expect(after == end + 1)
    }

    /// What makes a policy judge differently.
    private static let judgings = [
        #""rules":{}"#, #""rules":{"details":"none"}"#,
        #""quietHours":{"from":"15:10","to":"17:00","timeZone":"UTC"}"#,
        #""quietHours":{"from":"15:50","to":"17:00","timeZone":"UTC"}"#,
    ]

    /// Policies that pace by chance.
    private static func chance(_ judging: String, _ random: inout SeededGenerator) -> String {
        func one(_ choices: Int...) -> Int { choices.randomElement(using: &random) ?? 0 }
        let document = """
            {"thresholds":{"coalesceSeconds":\(one(0, 60, 300)),"quietTokensCount":\(one(1, 30)),
            "budgetTokensCount":\(one(1, 3, 10))},\(judging)}
            """
        return #"{"Match":\#(document),"PizzaDelivery":\#(document)}"#
    }

    /// The story as if it had had policies, each in force from a position on.
    private static func report(
        _ story: RecordedStory, under policies: [(json: String, from: Int64)],
        trying tried: String, since: Int64
    ) async throws -> WhatIfReport {
        let stored = try policies.enumerated().flatMap { index, policy in
            try Self.trial(policy.json).stored(version: index + 1, from: policy.from)
        }
        var history = story.history
        history.policies = { stored }
        return try await WhatIf.run(history, trying: Self.trial(tried), since: since)
    }

    @Test func `gives what each policy alone gives, wherever it is tried`() async throws {
        let story = try await RecordedStory("world-cup-2022-final", "pizza-orders")
        let none = #"{"Match":{},"PizzaDelivery":{}}"#
        var random = SeededGenerator(seed: 23)
        var alike = 0
        for _ in 0..<60 {
            let judging = Self.judgings.randomElement(using: &random) ?? ""
            let first = Self.judgings.randomElement(using: &random) ?? ""
            let own = Self.chance(first, &random)
            let later = Self.chance(judging, &random)
            let tried = Self.chance(judging, &random)
            let from = Int64.random(in: 1...40, using: &random)
            let since = Int64.random(in: 1...40, using: &random)
            let past: [(json: String, from: Int64)] = [
                (own, from), (later, from + Int64.random(in: 1...40, using: &random)),
            ]
            let both = try await Self.report(story, under: past, trying: tried, since: since)
            // What is in force is decided about first, and takes nothing over.
            let alone = try await Self.report(
                story, under: past + [(tried, since)], trying: none, since: since)
            #expect(both.after == alone.before)
            let forth = try await Self.report(
                story, under: [(own, since)], trying: tried, since: since)
            let back = try await Self.report(
                story, under: [(tried, since)], trying: own, since: since)
            #expect(forth.before == back.after && forth.after == back.before)
            #expect(forth.changes.added == back.changes.removed)
            #expect(forth.changes.removed == back.changes.added)
            // What is kept back until the end of the log is sent sooner without quiet hours.
            #expect(
                forth.changes.moved + forth.changes.keptBack
                    == back.changes.moved + back.changes.keptBack)
            #expect(forth.changes.reworded == back.changes.reworded)
            if forth.changes.total == 0, forth.before != forth.after { alike += 1 }
        }
        #expect((5..<55).contains(alike))
    }

    @Test func `forgets nothing that one policy kept back, once both judge alike`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        func quiet(from hour: String) -> String {
            #"{"Match":{"quietHours":{"from":"\#(hour)","to":"17:00","timeZone":"UTC"}}}"#
        }
        let secondHalf = try await WhatIf.position(
            of: try #require(Moment(rfc3339: "2022-12-18T16:05:00Z")), in: story.history)
        let report = try await Self.report(
            story, under: [(quiet(from: "15:50"), 1), (quiet(from: "15:10"), secondHalf)],
            trying: quiet(from: "15:10"), since: 1)
        #expect(report.changes.moved > 0)
        #expect(report.changes.removed == 0 && report.changes.added == 0)
    }

    @Test func `of a threshold builds on the tenant's own policy`() async throws {
        let story = try await RecordedStory.worldCupFinal()
        let document = PolicyDocument(rules: ["goal": "ambient"]).encoded
        _ = try await story.store.policies.put(story.tenant.id, "Match", nil, document)
        let trial = try await PolicyTrial(
            thresholds: ["coalesceSeconds": 60], kind: "Match", in: story.history)
        let report = try await WhatIf.run(story.history, trying: trial)
        // The own policy came after the match: it silences the goals here.
        #expect(report.changes.removed > 0)
    }

    @Test(
        arguments: [
            (
                #"{"treshold":{}}"#, "Match",
                "/treshold is no member of a policy; there is `thresholds`"
            ),
            (#"{"thresholds":{"coalesceSecond":1}}"#, "Match", "/thresholds/coalesceSecond"),
            (
                #"{"thresholds":{"coalesceSeconds":"much"}}"#, "Match",
                "/thresholds/coalesceSeconds must be a number, not a string"
            ),
            (#"{"rules":{"gaol":"alert"}}"#, "Match", "`goal`"),
            (#"{"quietHours":{"form":"22:00","to":"07:00","timeZone":"UTC"}}"#, "Match", "from"),
            (#"{"rules":{}}"#, nil, "give --kind"), (#"{"Pizza":{}}"#, nil, "PizzaDelivery"),
            ("[]", nil, "object"), ("{", nil, "not JSON"), ("{}", nil, "nothing"),
            (
                #"{"rules":{"goal":"alert","goal":"timely"}}"#, "Match",
                "the same member name twice in one object"
            ), (#"{"thresholds":{"coalesceSeconds":true}}"#, "Match", "not a boolean"),
            (#"{"expectedVersion":3}"#, nil, "give --kind"),
        ] as [(String, String?, String)])
    func `refuses a policy file and says what would be right`(
        json: String, kind: String?, complaint: String
    ) {
        let errors = Self.errors(json, kind: kind)
        #expect(!errors.isEmpty)
        #expect(errors.joined(separator: "\n").contains(complaint), "\(errors)")
    }
}

struct `A file with a policy to try` {
    @Test(arguments: [
        #"{"expectedVersion":3,"thresholds":{"coalesceSeconds":9}}"#,
        #"{"thresholds":{"coalesceSeconds":9,"newsAgeSeconds":null},"quietHours":null}"#,
        #"{"rules":{"goal":null},"thresholds":{"coalesceSeconds":9}}"#,
        #"{"texts":{"en":null,"de":{"goal.title":null}},"thresholds":{"coalesceSeconds":9}}"#,
        #"{"Match":{"thresholds":{"coalesceSeconds":9}}}"#,
    ])
    func `is taken as a server takes a policy`(json: String) throws {
        let trial = try PolicyTrial(file: Data(json.utf8), kind: "Match")
        #expect(trial.documents["Match"]?.thresholds == ["coalesceSeconds": 9])
        #expect(trial.documents["Match"]?.rules ?? [:] == [:])
    }
}

extension PolicyTrial {
    /// As a tenant's own.
    fileprivate func stored(version: Int, from position: Int64) -> [StoredPolicy] {
        documents.map { kind, document in
            StoredPolicy(
                kind: kind, version: version, fromPosition: position,
                document: document.encoded, putAt: Moment(unixSeconds: 0))
        }
    }
}
