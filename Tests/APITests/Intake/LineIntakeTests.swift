import Compression
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

@Test func `a line that is too long ends a stream that ends at bad lines`() async throws {
    var limits = APILimits.standard
    limits.lineBytesMax = 1_000
    let api = await Harness(limits: limits)
    for lines in [[order(1), long(1_000)], [order(1), long(1_000), order(3)]] {
        let document = try await post(api, lines).expectProblem(.lineTooLong, pointers: [""])
        #expect(document["line"] == .integer(2))
        #expect(document["refused"] == nil)
        #expect(await api.fake.log(of: Harness.mine).count == 1)
    }
}

private func long(_ bytes: Int) -> String {
    SampleEvents.event(
        id: "long", type: "PizzaDelivery.OrderReady", subject: "o-1",
        data: #"{"x":"\#(String(repeating: "x", count: bytes))"}"#)
}

enum LineTransport: CaseIterable { case whole, packed, inPieces }

@Test(arguments: LineTransport.allCases)
func `a partial stream goes on after a line that is too long`(
    transport: LineTransport
) async throws {
    let api = await Harness()
    let unexpected = SampleEvents.event(
        id: "3", type: "PizzaDelivery.OrderReady", subject: "o-new", data: "{}",
        extra: #""expectedversion":5,"#)
    let lines = [#"{"bad":1}"#, order(2), unexpected, long(600_000), order(5)]
    let text = Array(lines.joined(separator: "\n").utf8)
    var request = Request(
        method: "POST", target: "/v1/events?partial=true",
        headers: ["authorization": "Bearer all", "content-type": "application/x-ndjson"])
    switch transport {
    case .whole: request.body = text
    case .packed:
        request.body = try #require(Gzip.packed(text))
        request.headers.append("content-encoding", "gzip")
    case .inPieces:
        let rest = Lever(text[...])
        request.bodyStream = BodyStream { () async throws(BodyStream.Failure) in
            let piece = Array(rest.value.prefix(50_000))
            rest.update { $0 = $0.dropFirst(piece.count) }
            return piece.isEmpty ? nil : piece
        }
    }
    let answer = Answer(response: await api.handler(request))
    #expect(answer.status == 207, "\(answer.text)")
    let document = try answer.json()
    #expect(document["lines"] == .integer(5))
    #expect(document["recorded"] == .integer(2))
    #expect(document["refused"] == .integer(3))
    let problems = document["problems"]?.elements ?? []
    #expect(Set(problems.compactMap { $0["line"]?.wholeNumber }) == [1, 3, 4])
    #expect(problems.last?["type"]?.text == Problem.lineTooLong.type)
    #expect(await api.fake.log(of: Harness.mine).map(\.event.id) == ["2", "5"])
}

@Test(arguments: [(true, Problem.storeUnavailable, 4, 1), (false, .requestTimeout, 7, 3)])
func `a partial stream that ends early says what was refused, and from where to go on`(
    isStoreLost: Bool, problem: Problem, line: Int, recorded: Int
) async throws {
    let api = await Harness()
    let pieces = Lever([["7", order(1), "8"], [order(2), "9", order(3)]])
    let fake = api.fake
    var request = Request(
        method: "POST", target: "/v1/events?partial=true",
        headers: ["authorization": "Bearer all", "content-type": "application/x-ndjson"])
    request.bodyStream = BodyStream { () async throws(BodyStream.Failure) in
        guard let piece = pieces.value.first else { throw .timedOut }
        pieces.update { $0.removeFirst() }
        if isStoreLost, pieces.value.isEmpty {
            await fake.fail(with: .unavailable(detail: "gone"))
        }
        return Array((piece.joined(separator: "\n") + "\n").utf8)
    }
    let document = try Answer(response: await api.handler(request)).expectProblem(problem)
    #expect(document["line"] == .integer(line))
    #expect(document["recorded"] == .integer(recorded))
    // Line 5 comes again when the client goes on with line 4.
    let refused: [Int64] = isStoreLost ? [1, 3] : [1, 3, 5]
    #expect(document["refused"] == .integer(refused.count))
    let problems = document["problems"]?.elements ?? []
    #expect(problems.compactMap { $0["line"]?.wholeNumber } == refused)
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

/// - Returns: nil for a line that is too long.
private func lines(
    of text: String, inPiecesOf size: Int, lineBytesMax: Int
) -> [String?] {
    var splitter = LineSplitter(lineBytesMax: lineBytesMax)
    var lines: [String?] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        splitter.add(Array(rest.prefix(size)))
        while let line = splitter.next() {
            switch line {
            case .whole(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
            case .overlong: lines.append(nil)
            }
        }
        rest = rest.dropFirst(size)
    }
    if let last = splitter.lastLine() { lines.append(String(decoding: last, as: UTF8.self)) }
    return lines
}

@Test(arguments: [1, 2, 3, 7, 1000])
func `lines are the same wherever the bytes are cut`(size: Int) {
    let found = lines(of: "a\n\nbb\r\nccc\n\nd", inPiecesOf: size, lineBytesMax: 4)
    #expect(found == ["a", "", "bb\r", "ccc", "", "d"])
}

@Test(arguments: [1, 2, 3, 4, 5, 7, 100])
func `the rest of an overlong line is skipped, and the next line is whole`(size: Int) {
    let found = lines(
        of: "ab\nabcd\nabcdefghijk\n\nxyz\nabcde", inPiecesOf: size, lineBytesMax: 3)
    #expect(found == ["ab", nil, nil, "", "xyz", nil])
}
