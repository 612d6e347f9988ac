import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func order(_ number: Int, driver: String = "Ada") -> String {
    SampleEvents.assigned("o-\(number % 7)", driver: driver, id: "\(number)")
}

private func post(
    _ api: Harness, _ lines: [String], target: String = "/v1/events"
) async throws -> Answer {
    try await api.call(
        "POST", target, body: lines.joined(separator: "\n"), type: "application/x-ndjson")
}

@Test func `lines of any number are recorded in their order`() async throws {
    let api = await Harness()
    let lines = (1...1234).map { order($0) } + ["", " \r", order(1235) + "\r", ""]
    let answer = try await post(api, lines)
    #expect(answer.status == 201)
    #expect(
        answer.text == #"{"lines":1237,"recorded":1235,"alreadyKnown":0,"unknownFields":0}"#)
    let ids = await api.fake.log(of: Harness.mine).map(\.event.id)
    #expect(ids == (1...1235).map(String.init))
    #expect(await api.fake.appendedBatches == 3)
    let again = try await post(api, lines + [order(2000)])
    #expect(again.status == 200)
    #expect(try again.json()["alreadyKnown"] == .integer(1235))
    #expect(try again.json()["recorded"] == .integer(1))
    #expect(try await post(api, []).status == 200)
}

@Test(arguments: [
    (#"{"oops"#, Problem.malformedJSON, ""), ("[1]", .invalidAttribute, ""),
    (
        SampleEvents.event(
            id: "x", type: "PizzaDelivery.DriverAssigned", subject: "o", data: "{}"),
        .invalidEventData, "/data/driverName"
    ),
    (
        SampleEvents.event(
            id: "x", type: "PizzaDelivery.OrderReady", subject: "o-new", data: "{}",
            extra: #""expectedversion":5,"#),
        .versionConflict, "/expectedversion"
    ),
    (order(3, driver: "Bob"), .contentConflict, "/id"),
    (order(610, driver: "Bob"), .contentConflict, "/id"),
])
func `a stream ends at the first bad line and says how far it came`(
    bad: String, problem: Problem, pointer: String
) async throws {
    let api = await Harness()
    let good = (1...700).map { order($0) }
    let answer = try await post(api, good + [bad] + (701...1300).map { order($0) })
    let document = try answer.expectProblem(problem, pointers: [pointer])
    #expect(document["line"] == .integer(701))
    #expect(document["recorded"] == .integer(700))
    #expect(document["alreadyKnown"] == .integer(0))
    #expect(document["detail"]?.text?.hasPrefix("Line 701: ") == true)
    #expect(document["errors"]?.elements.first?["line"] == .integer(701))
    #expect(await api.fake.log(of: Harness.mine).count == 700)
    // What the client does next: corrects the line and sends everything again.
    let retried = try await post(api, (1...1300).map { order($0) })
    #expect(try retried.json()["recorded"] == .integer(600))
    #expect(try retried.json()["alreadyKnown"] == .integer(700))
}

@Test func `a conflict within a stream names the position that its own line was given`()
    async throws
{
    let api = await Harness()
    let answer = try await post(api, [order(1), order(2), order(1, driver: "Bob")])
    let document = try answer.expectProblem(.contentConflict, pointers: ["/id"])
    #expect(document["errors"]?.elements.first?["position"] == .integer(1))
    #expect(document["line"] == .integer(3))
    #expect(await api.fake.log(of: Harness.mine).count == 2)
}

@Test func `a partial stream goes on and lists what was refused`() async throws {
    let api = await Harness()
    var lines = (1...600).map { order($0) }
    lines[9] = "7"
    lines[19] = order(1, driver: "Bob")
    for index in 100..<250 { lines[index] = "{}" }
    let answer = try await post(api, lines, target: "/v1/events?partial=true")
    #expect(answer.status == 207)
    let document = try answer.json()
    #expect(document["lines"] == .integer(600))
    #expect(document["recorded"] == .integer(448))
    #expect(document["refused"] == .integer(152))
    let problems = document["problems"]?.elements ?? []
    #expect(problems.count == Limits.errorsListedMax)
    #expect(problems[0]["line"] == .integer(10))
    #expect(problems.contains { $0["line"] == .integer(20) && $0["pointer"]?.text == "/id" })
}

@Test func `a line that is too long ends the stream and is never held whole`() async throws {
    var limits = APILimits.standard
    limits.lineBytesMax = 1_000
    let api = await Harness(limits: limits)
    let long = SampleEvents.event(
        id: "2", type: "PizzaDelivery.OrderReady", subject: "o-1",
        data: #"{"x":"\#(String(repeating: "x", count: 1_000))"}"#)
    for lines in [[order(1), long], [order(1), long, order(3)]] {
        let answer = try await post(api, lines, target: "/v1/events?partial=true")
        let document = try answer.expectProblem(.lineTooLong)
        #expect(document["line"] == .integer(2))
        #expect(await api.fake.log(of: Harness.mine).count == 1)
    }
}

@Test func `a store that goes away in the middle ends the stream with what was recorded`()
    async throws
{
    let api = await Harness()
    let pieces = Lever([(1...3).map { order($0) }, [order(4)]])
    let fake = api.fake
    let body = BodyStream { () async throws(BodyStream.Failure) in
        guard let piece = pieces.value.first else { throw .timedOut }
        pieces.value.removeFirst()
        if pieces.value.isEmpty { await fake.fail(with: .unavailable(detail: "gone")) }
        return Array((piece.joined(separator: "\n") + "\n").utf8)
    }
    var request = Request(
        method: "POST", target: "/v1/events",
        headers: ["authorization": "Bearer all", "content-type": "application/x-ndjson"])
    request.bodyStream = body
    let answer = Answer(response: await api.handler(request))
    let document = try answer.expectProblem(.storeUnavailable)
    #expect(document["recorded"] == .integer(3))
    #expect(document["line"] == nil)
    #expect(answer.header("retry-after") == "2")
}

@Test(arguments: [
    (BodyStream.Failure.cutShort, Problem.malformedRequest), (.timedOut, .requestTimeout),
    (.malformed, .malformedRequest), (.serverStopping, .overloaded),
])
func `the answer to a stream that breaks off says how far it came`(
    failure: BodyStream.Failure, problem: Problem
) async throws {
    let api = await Harness()
    let isFirst = Lever(true)
    var request = Request(
        method: "POST", target: "/v1/events",
        headers: ["authorization": "Bearer all", "content-type": "application/x-ndjson"])
    request.bodyStream = BodyStream { () async throws(BodyStream.Failure) in
        guard isFirst.value else { throw failure }
        isFirst.value = false
        // The last line is not complete, though it looks as if it were.
        return Array("\(order(1))\n\(order(2))\n\(order(3))".utf8)
    }
    let answer = Answer(response: await api.handler(request))
    let document = try answer.expectProblem(problem)
    #expect(document["recorded"] == .integer(2))
    #expect(await api.fake.log(of: Harness.mine).count == 2)
}

@Test(arguments: [1, 2, 3, 7, 1000])
func `lines are the same wherever the bytes are cut`(size: Int) {
    let text = Array("a\n\nbb\r\nccc\n\nd".utf8)
    var splitter = LineSplitter(lineBytesMax: 4)
    var lines: [String] = []
    var rest = text[...]
    while !rest.isEmpty {
        splitter.add(Array(rest.prefix(size)))
        while let line = splitter.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        rest = rest.dropFirst(size)
    }
    if let last = splitter.lastLine() { lines.append(String(decoding: last, as: UTF8.self)) }
    #expect(lines == ["a", "", "bb\r", "ccc", "", "d"])
    #expect(!splitter.isOverlong)
}

@Test(arguments: [1, 3, 100])
func `nothing after an overlong line is read`(size: Int) {
    var splitter = LineSplitter(lineBytesMax: 3)
    var lines: [[UInt8]] = []
    var rest = Array("ab\nabcd\nx\n".utf8)[...]
    while !rest.isEmpty {
        splitter.add(Array(rest.prefix(size)))
        while let line = splitter.next() { lines.append(line) }
        rest = rest.dropFirst(size)
    }
    #expect(lines == [Array("ab".utf8)])
    #expect(splitter.isOverlong)
}
