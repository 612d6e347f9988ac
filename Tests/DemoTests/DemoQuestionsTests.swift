import Foundation
import ServerClient
import Testing

@testable import Demo

private func row(
    _ version: Int64, _ rule: String, verdict: String = "alert", step: String? = nil
) throws -> RemoteServer.Row {
    let order = step.map { #","order":{"step":"\#($0)"}"# } ?? ""
    let text = """
        {"version":\(version),"verdict":"\(verdict)","rule":"\(rule)","reason":"Because."\(order)}
        """
    return try JSONDecoder().decode(RemoteServer.Row.self, from: Data(text.utf8))
}

struct `What is asked after the demo` {
    @Test func `is one question of each sort`() throws {
        var questions = DemoQuestions()
        questions.decided(try row(1, "scheduled"), DemoFans.activity)
        questions.decided(try row(2, "goal"), DemoFans.activity)
        questions.decided(try row(3, "goal"), DemoFans.activity)
        questions.decided(try row(4, "goalDisallowed"), "world-cup-2022-final")
        questions.decided(try row(5, "clock", step: "lowered"), "world-cup-2022-final")
        questions.decided(try row(6, "clock", step: "lowered"), "world-cup-2022-final")
        #expect(questions.asked.map(\.version) == [1, 2, 4, 5])
        #expect(Set(questions.asked.map(\.about)).count == 4)
    }

    @Test func `takes a goal for a broadcast only where people listen to a channel`() throws {
        var questions = DemoQuestions()
        questions.decided(try row(1, "goal"), "world-cup-2022-final")
        #expect(questions.asked.isEmpty)
    }

    @Test func `is about the first push after a card was given another token`() throws {
        var questions = DemoQuestions()
        questions.happened(.rotates, to: "pizza-1", after: 3)
        questions.decided(try row(3, "placed"), "pizza-1")
        questions.decided(try row(4, "driving", verdict: "hold"), "pizza-1")
        questions.decided(try row(5, "driving"), "pizza-2")
        #expect(questions.asked.isEmpty)
        questions.decided(try row(5, "driving", verdict: "timely"), "pizza-1")
        questions.decided(try row(6, "delivered"), "pizza-1")
        #expect(questions.asked.map(\.version) == [5])
        #expect(questions.asked.map(\.activity) == ["pizza-1"])
    }
}

struct `The phones of the demo` {
    @Test func `both follow a match, and one of them each order`() {
        #expect(DemoCast.followers(of: "harbour-derby") == ["Phone A", "Phone B"])
        #expect(DemoCast.followers(of: "pizza-1") == ["Phone A"])
        #expect(DemoCast.followers(of: "pizza-2") == ["Phone B"])
    }

    @Test func `are spoken of, and one fan for all`() {
        #expect(DemoFans.names.filter(DemoFans.isShown).count == 1)
        #expect(DemoCast.phones.allSatisfy(DemoFans.isShown))
    }
}
