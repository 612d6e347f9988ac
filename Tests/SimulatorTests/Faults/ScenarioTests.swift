import Domain
import Foundation
import HTTP
import Testing

@testable import Simulator

/// Scenarios: a world to begin with and what goes wrong in it.
struct ScenarioTests {
    private let clock = TestClock(Apple.start)

    private func problem(_ text: String) -> String? {
        do throws(FieldProblem) {
            _ = try Scenario(json: Data(text.utf8))
            return nil
        } catch { return error.sentence }
    }

    private func begin(_ text: String) throws -> Simulator {
        var configuration = SimulatorConfiguration(now: clock.now)
        let scenario = try Scenario(json: Data(text.utf8))
        scenario.apply(to: &configuration)
        let seed = try #require(configuration.seed)
        let simulator = Simulator(configuration, seed: seed) { _, _, _ in true }
        try scenario.begin(on: simulator)
        return simulator
    }

    @Test func `a scenario makes its phones and causes its faults in time`() throws {
        let simulator = try begin(
            #"""
            {"seed": 7,
             "rules": {"activities": 2, "starts": 3, "startWindowSeconds": 60,
                       "updates": {"count": 20}, "frequentUpdates": null, "channels": 5,
                       "broadcastSeconds": 1},
             "phones": [{"name": "Ann", "kind": "PizzaDelivery", "activity": "order-1"},
                        {"name": "Bob", "iosVersion": "17.2", "appKilled": true,
                         "frequentUpdates": true}],
             "faults": [{"away": "phone-1", "after": 10, "for": 20},
                        {"kill": "*", "after": 15}]}
            """#)
        #expect(simulator.phones().map(\.name) == ["Ann", "Bob"])
        #expect(simulator.phones().map(\.frequentUpdates) == [false, true])
        #expect(simulator.configuration.rules.updates == .init(count: 20, refillSeconds: 180))
        #expect(simulator.configuration.rules.frequentUpdates == nil)
        #expect(simulator.configuration.broadcast.channelsMax == 5)
        #expect(simulator.phones().map(\.away) == [false, false])
        clock.advance(seconds: 10)
        #expect(simulator.phones().map(\.away) == [true, false])
        clock.advance(seconds: 20)
        #expect(simulator.phones().map(\.away) == [false, false])
        #expect(simulator.faults().isEmpty)
    }

    @Test func `equal seeds give equal tokens`() throws {
        func token(_ seed: Int) throws -> PushToken {
            try begin(
                #"{"seed":\#(seed),"phones":[{"name":"A","kind":"Match","activity":"m"}]}"#
            ).updateToken(of: ActivityID(rawValue: "m"), on: PhoneID(rawValue: "phone-1"))
        }
        #expect(try token(1) == token(1))
        #expect(try token(1) != token(2))
    }

    @Test(arguments: [
        ("{", "it is not JSON"), ("7", "the body must be a JSON object"),
        (#"{"fault":[]}"#, "fault is not known here; there are seed, rules, phones, faults"),
        (#"{"faults":{}}"#, "faults must be a list"),
        (#"{"faults":[{"streams":1},{"streams":"x"}]}"#, "faults[1].streams must be a whole"),
        (#"{"faults":[7]}"#, "faults[0] must be a JSON object"),
        (#"{"faults":[{"delay":{"p50":"x"}}]}"#, "faults[0].delay.p50 must be a number"),
        (#"{"phones":[{"nam":"Ann"}]}"#, "phones[0].nam is not known here"),
        (#"{"phones":[{"name":7}]}"#, "phones.0.name is not a String"),
        (#"{"rules":{"updates":{"refillSeconds":1}}}"#, "rules.updates.count is missing"),
        (#"{"rules":{"phones":1}}"#, "rules.phones is not known here"),
        (#"{"seed":-1}"#, "seed must be a whole number from 0"),
    ])
    func `what is wrong is reported with the member's name`(text: String, sentence: String) {
        #expect(problem(text)?.hasPrefix(sentence) == true, "\(problem(text) ?? "nothing")")
    }

    @Test(arguments: [
        (
            #"{"seed":1,"phones":[{"name":"A","kind":"Pizza","activity":"a"}]}"#,
            "phones[0]: kind is not in the catalogue"
        ),
        (#"{"seed":1,"phones":[{"name":""}]}"#, "phones[0]: name must have 1 to"),
        (#"{"seed":1,"faults":[{"away":"phone-3"}]}"#, "faults[0]: no phone has this id"),
    ])
    func `what cannot be done is reported with its place`(text: String, sentence: String) {
        do {
            _ = try begin(text)
            Issue.record("it began")
        } catch {
            let said = (error as? FieldProblem)?.sentence
            #expect(said?.hasPrefix(sentence) == true, "\(said ?? "nothing")")
        }
    }
}
