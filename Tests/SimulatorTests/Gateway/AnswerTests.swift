import Domain
import HTTP
import Testing

@testable import Simulator

struct AnswerTests {
    @Test func `an accepted push answers 200 with the sender's id and no body`() throws {
        var apple = try Apple()
        let response = apple.send(apple.request()).response
        #expect(response.status == 200)
        #expect(response.headers["apns-id"] == "123e4567-e89b-12d3-a456-4266554400a0")
        #expect(response.bodyText.isEmpty)
    }

    @Test func `an id is made up when the sender gives none or a bad one`() throws {
        var apple = try Apple()
        let without = apple.send(apple.request(["apns-id": nil]))
        let bad = apple.send(apple.request(["apns-id": "A"]))
        #expect(without.refusal == nil)
        #expect(PushHeaders.isCanonicalUUID(without.id))
        #expect(PushHeaders.isCanonicalUUID(bad.id))
        #expect(without.id != bad.id)
    }

    @Test func `only the sandbox gives a unique id`() throws {
        var sandbox = try Apple()
        var production = try Apple(environment: .production)
        let unique = sandbox.send(sandbox.request()).response.headers["apns-unique-id"]
        #expect(unique.map(PushHeaders.isCanonicalUUID) == true)
        let answer = production.send(production.request())
        #expect(answer.refusal == nil)
        #expect(answer.response.headers["apns-unique-id"] == nil)
    }

    @Test(arguments: [("10", 10), ("5", 5), ("1", 1), (nil, 10)])
    func `a missing priority counts as 10`(value: String?, priority: Int) throws {
        var apple = try Apple()
        let request = apple.request(["apns-priority": value])
        var machine = apple.world.apns
        let outcome = machine.receive(request, now: apple.now)
        #expect(outcome.accepted?.priority == priority)
        #expect(apple.send(request).refusal == nil)
    }

    @Test func `equal seeds and requests give equal answers`() throws {
        var first = try Apple()
        var second = try Apple()
        #expect(first.token == second.token)
        #expect(first.token.hex.utf8.count == 160)
        let request = first.request(["apns-id": nil])
        #expect(first.send(request) == second.send(request))
    }
}

struct SeededGeneratorTests {
    @Test func `identifiers are version 4 UUIDs and do not repeat`() {
        var random = SeededGenerator(seed: 1)
        let ids = (0..<1000).map { _ in random.uuid() }
        #expect(Set(ids).count == 1000)
        #expect(ids.allSatisfy { PushHeaders.isCanonicalUUID($0) })
        #expect(ids.allSatisfy { Array($0)[14] == "4" && "89ab".contains(Array($0)[19]) })
    }

    @Test func `digits are spread evenly over all sixteen`() {
        var random = SeededGenerator(seed: 2)
        let counts = random.hex(bytes: 8000).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        #expect(counts.count == 16)
        #expect(counts.values.allSatisfy { (850...1150).contains($0) })
    }
}
