import Domain
import EventLoop
import Foundation
import HTTP
import JSON
import Testing

@testable import Simulator

/// The control API and the in-process one, without sockets.
struct ControlTests {
    private let simulator: Simulator
    private let control: ControlAPI
    private let clock = TestClock(Apple.start)

    init() {
        var configuration = SimulatorConfiguration(now: clock.now)
        configuration.bundleID = Apple.bundleID
        (configuration.teamID, configuration.keyID) = ("TEAM000001", "KEY0000001")
        configuration.kinds = [CardKind(Pie.self)] + CardKind.catalog
        simulator = Simulator(configuration, seed: 3) { input, signature, keyID in
            signature == Apple.signature(of: input, keyID: keyID)
        }
        control = ControlAPI(simulator: simulator)
    }

    private func call(_ method: String, _ target: String, _ body: String = "") -> Response {
        control.respond(to: Request(method: method, target: target, body: Array(body.utf8)))
    }

    private func json<T: Decodable>(_ type: T.Type, _ response: Response) throws -> T {
        try JSONDecoder().decode(type, from: Data(response.bodyText.utf8))
    }

    private let pie =
        #"{"name":"Ann","kind":"Pie","activity":"order-1","attributes":{"order":"A 1"}}"#

    private func addPie() throws -> String {
        let response = call("POST", "/phones", pie)
        #expect(response.status == 201)
        return try #require(try json([String: String].self, response)["pushToken"])
    }

    private func push(_ token: String, slices: Int) throws -> Response {
        var apple = try Apple()
        apple.now = clock.now()
        var request = apple.request(body: apple.update(slices: slices))
        request.target = "/3/device/\(token)"
        return simulator.answer(request)
    }

    @Test func `a card with another token hears nothing of the old one`() throws {
        let old = try addPie()
        let answer = call("POST", "/phones/phone-1/rotation", #"{"activity":"order-1"}"#)
        #expect(answer.status == 200)
        let tokens = try json([String: String].self, answer)
        #expect(tokens["from"] == old)
        let fresh = try #require(tokens["to"])
        #expect(try push(old, slices: 3).status == 200)
        #expect(simulator.phones().first?.activities.first?.shows?.pie == "0 slices")
        #expect(try push(fresh, slices: 4).status == 200)
        #expect(simulator.phones().first?.activities.first?.shows?.pie == "4 slices")
        clock.advance(seconds: 61)
        #expect(try push(old, slices: 5).status == 410)
        let missing = call("POST", "/phones/phone-1/rotation", #"{"activity":"order-2"}"#)
        #expect(missing.status >= 400)
        #expect(call("POST", "/phones/phone-9/rotation", #"{"activity":"order-1"}"#).status == 404)
    }

    @Test func `a phone is added, shown a push and read back`() throws {
        let token = try addPie()
        #expect(token.utf8.count == 160)
        #expect(try push(token, slices: 3).status == 200)
        let phone = try json(PhoneView.self, call("GET", "/phones/phone-1"))
        #expect(phone.name == "Ann")
        #expect(phone.activities.map(\.shows?.pie) == ["3 slices"])
        #expect(phone.activities.map(\.contentState) == [["slices": .integer(3)]])
        #expect(phone.log?.map(\.outcome) == [.started, .shown])
        let list = try json([PhoneView].self, call("GET", "/phones"))
        #expect(list.map(\.id.rawValue) == ["phone-1"])
        #expect(list.allSatisfy { $0.log == nil })
        let tally = try json(APNsMachine.Tally.self, call("GET", "/pushes"))
        #expect(tally == .init(received: 1, accepted: 1))
    }

    @Test func `no answer but the registration's names a token`() throws {
        let token = try addPie()
        #expect(try push(token, slices: 3).status == 200)
        for target in ["/phones", "/phones/phone-1", "/pushes"] {
            #expect(!call("GET", target).bodyText.contains(token.prefix(16)))
        }
    }

    @Test func `a further activity starts on a known phone`() throws {
        _ = try addPie()
        let body = #"{"kind":"Pie","activity":"order-2"}"#
        #expect(call("POST", "/phones/phone-1/activities", body).status == 201)
        #expect(call("POST", "/phones/phone-9/activities", body).status == 404)
        let phone = try json(PhoneView.self, call("GET", "/phones/phone-1"))
        #expect(phone.activities.map(\.activity.rawValue) == ["order-1", "order-2"])
    }

    @Test func `a phone that started nothing has a push-to-start token for each kind`() throws {
        let phone = #"{"name":"Bea","iosVersion":"17.2","appKilled":true}"#
        #expect(call("POST", "/phones", phone).bodyText == #"{"id":"phone-1"}"#)
        func token(_ kind: String) throws -> String {
            let answer = call("POST", "/phones/phone-1/start-tokens", #"{"kind":"\#(kind)"}"#)
            #expect(answer.status == 201)
            return try #require(try json([String: String].self, answer)["pushToken"])
        }
        let pie = try token("Pie")
        #expect(pie.utf8.count == 160)
        #expect(try token("Pie") == pie)
        #expect(try token("Match") != pie)
        let rotation = call("POST", "/phones/phone-1/rotation", #"{"kind":"Pie"}"#)
        #expect(try json([String: String].self, rotation)["from"] == pie)
        #expect(try json([String: String].self, rotation)["to"] == token("Pie"))
        let view = try json(PhoneView.self, call("GET", "/phones/phone-1"))
        #expect(view.iosVersion == IOSVersion(17, 2))
        #expect(view.appKilled)
        #expect(view.activities.isEmpty)
    }

    /// On the first phone.
    /// - Returns: the push-to-start token.
    @discardableResult
    private func startPieByPush() throws -> String {
        let answer = call("POST", "/phones/phone-1/start-tokens", #"{"kind":"Pie"}"#)
        let token = try #require(try json([String: String].self, answer)["pushToken"])
        let starter = try Starter()
        var request = starter.apple.request(body: starter.body())
        request.target = "/3/device/\(token)"
        #expect(simulator.answer(request).status == 200)
        return token
    }

    @Test func `what a push starts is seen with its attributes`() throws {
        #expect(call("POST", "/phones", #"{"name":"Bea"}"#).status == 201)
        let token = try startPieByPush()
        let phone = try json(PhoneView.self, call("GET", "/phones/phone-1"))
        #expect(phone.activities.map(\.shows?.pie) == ["3 slices"])
        #expect(phone.activities.map(\.attributes) == [["order": .string("A 1")]])
        #expect(phone.activities.map(\.lastAlert?.title) == ["A pie"])
        #expect(phone.log?.map(\.outcome) == [.started, .obtainedToken])
        // The system made up an id, since these attributes name no activity.
        let activity = try #require(phone.activities.first?.activity)
        let update = call(
            "POST", "/phones/phone-1/update-tokens", #"{"activity":"\#(activity.rawValue)"}"#)
        let card = try #require(try json([String: String].self, update)["pushToken"])
        #expect(card != token)
        clock.advance(seconds: 2)
        #expect(try push(card, slices: 5).status == 200)
        #expect(simulator.phones().first?.activities.first?.shows?.pie == "5 slices")
    }

    @Test func `a killed app never has the update token of the card that a push started`() throws {
        let phone = #"{"name":"Bea","appKilled":true}"#
        #expect(call("POST", "/phones", phone).status == 201)
        try startPieByPush()
        let activity = try #require(simulator.phones().first?.activities.first?.activity)
        let update = call(
            "POST", "/phones/phone-1/update-tokens", #"{"activity":"\#(activity.rawValue)"}"#)
        #expect(update.status == 404)
        #expect(update.bodyText.contains("never got the token"))
    }

    @Test(arguments: [
        ("/phones/phone-1/start-tokens", #"{"kind":"Pie"}"#, 422, "the phone's iOS is too old"),
        ("/phones/phone-2/start-tokens", #"{"kind":"Pie"}"#, 404, "no phone has this id"),
        ("/phones/phone-1/start-tokens", #"{"kind":"Cake"}"#, 422, "kind is not in the catalogue"),
        ("/phones/phone-1/start-tokens", "{}", 422, "kind is missing"),
        ("/phones/phone-1/update-tokens", "{}", 422, "activity is missing"),
        ("/phones/phone-2/update-tokens", #"{"activity":"a"}"#, 404, "no phone has this id"),
        ("/phones/phone-1/update-tokens", #"{"activity":"a"}"#, 404, "there is no running card"),
        ("/phones/phone-1/activities", "{}", 422, "kind is missing"),
        ("/phones", #"{"name":"A","iosVersion":"new"}"#, 422, "iosVersion is not a version"),
    ])
    func `what a phone cannot do is refused with the member's name`(
        target: String, body: String, status: Int, detail: String
    ) throws {
        #expect(call("POST", "/phones", #"{"name":"Old","iosVersion":"17.1"}"#).status == 201)
        let answer = call("POST", target, body)
        #expect(answer.status == status)
        #expect(answer.bodyText.contains(detail), "\(answer.bodyText)")
    }

    @Test(arguments: [
        ("", "it is not JSON"),
        ("[]", "the object itself is not a"),
        (#"{"name":"A","activity":"x"}"#, "kind is missing"),
        (#"{"name":"A","kind":"Pie"}"#, "activity is missing"),
        (#"{"kind":"Pie","activity":"x"}"#, "name must have 1 to 200 bytes"),
        (#"{"name":"A","kind":"Pie","activity":""}"#, "activity must have"),
        (#"{"name":"A","kind":"Cake","activity":"x"}"#, "kind is not in the catalogue"),
        (
            #"{"name":"A","kind":"Pie","activity":"x","attributes":{}}"#,
            "the app refuses to start: order is missing"
        ),
        (
            #"{"name":"A","kind":"Pie","activity":"x","contentState":{"slices":"2"}}"#,
            "the app refuses to start: slices is not a"
        ),
        (#"{"name":"A","kind":"Pie","activity":"x","environment":"mars"}"#, "environment is not"),
    ])
    func `a wrong phone is refused with the member's name and changes nothing`(
        body: String, detail: String
    ) throws {
        let response = call("POST", "/phones", body)
        #expect(response.status == 422)
        #expect(response.headers["content-type"] == "application/problem+json")
        let problem = try json([String: JSON].self, response)
        guard case .string(let text) = problem["detail"] else {
            Issue.record("no detail in \(problem)")
            return
        }
        #expect(text.hasPrefix(detail), "\(text)")
        #expect(simulator.phones().isEmpty)
    }

    @Test(arguments: [
        ("GET", "/"), ("DELETE", "/phones"), ("GET", "/phones/phone-1"), ("GET", "/credentials"),
        ("POST", "/phones/phone-1/cards"),
    ])
    func `what does not exist is 404`(method: String, target: String) {
        #expect(call(method, target).status == 404)
    }

    @Test func `faults kill tokens, swipe cards away and script refusals`() throws {
        let token = try addPie()
        #expect(
            call("POST", "/faults", #"{"refuse":"ServiceUnavailable","count":2}"#).status == 204)
        #expect(try push(token, slices: 1).status == 503)
        #expect(try push(token, slices: 1).status == 503)
        #expect(try push(token, slices: 1).status == 200)
        #expect(call("POST", "/faults", #"{"dismiss":"phone-1"}"#).status == 204)
        #expect(simulator.phones().first?.activities.first?.shows == nil)
        #expect(call("POST", "/faults", #"{"kill":"phone-1"}"#).status == 204)
        let dead = try push(token, slices: 1)
        #expect(dead.bodyText == #"{"reason":"Unregistered","timestamp":1767225600000}"#)
    }

    @Test func `a card that listens to a channel has no token and is seen as such`() throws {
        let channel = try simulator.state.withLock { try $0.world.addChannel(.newest) }
        let body = #"{"name":"Ann","kind":"Pie","activity":"final","channel":"\#(channel)"}"#
        #expect(call("POST", "/phones", body).bodyText == #"{"id":"phone-1"}"#)
        let further = #"{"kind":"Pie","activity":"other","channel":"\#(channel)"}"#
        #expect(
            call("POST", "/phones/phone-1/activities", further).bodyText == #"{"id":"phone-1"}"#)
        let phone = try json(PhoneView.self, call("GET", "/phones/phone-1"))
        #expect(phone.activities.map(\.channel) == [channel, channel])
        let channels = try json([ChannelView].self, call("GET", "/channels"))
        #expect(
            channels == [ChannelView(id: channel, storagePolicy: .newest, broadcasts: 0, phones: 1)]
        )
        #expect(call("POST", "/phones/phone-1/rotation", #"{"activity":"final"}"#).status == 422)
        #expect(call("POST", "/faults", #"{"broadcast":false}"#).status == 204)
        #expect(call("GET", "/channels").bodyText == "[]")
        let gone = call("POST", "/phones", body)
        #expect(gone.status == 422)
        #expect(gone.bodyText.contains("the app has no channel of this id"))
    }

    @Test func `a fault of broadcasts leaves pushes alone`() throws {
        let token = try addPie()
        let fault = #"{"refuse":"Service Unavailable","of":"broadcasts"}"#
        #expect(call("POST", "/faults", fault).status == 204)
        #expect(try push(token, slices: 1).status == 200)
        var sender = try Broadcaster()
        sender.apple.now = Apple.start
        #expect(simulator.answer(sender.request()).status == 503)
        let tally = try json(APNsMachine.Tally.self, call("GET", "/broadcasts"))
        #expect(tally == .init(received: 1, refused: ["Service Unavailable": 1]))
    }

    @Test(arguments: [
        (#"{"kill":"phone-7"}"#, 404), (#"{"dismiss":"phone-7"}"#, 404), ("{}", 422),
        (#"{"refuse":"Nonsense"}"#, 422), (#"{"refuse":"Shutdown","of":"mars"}"#, 422),
        (#"{"broadcast":"no"}"#, 422), (#"{"refuse":"Shutdown","count":0}"#, 422),
        (#"{"kill":"phone-1","reason":"Bored"}"#, 422), ("[]", 422), ("{", 422),
    ])
    func `a wrong fault is refused`(body: String, status: Int) throws {
        _ = try addPie()
        #expect(call("POST", "/faults", body).status == status)
    }

    @Test func `refusals are listed while requests are left for them, and cleared`() throws {
        #expect(call("POST", "/faults", #"{"refuse":"Shutdown","count":3}"#).status == 204)
        #expect(try push(addPie(), slices: 1).status == 503)
        #expect(call("GET", "/faults").bodyText.contains("refuse 2 pushes: Shutdown"))
        #expect(call("DELETE", "/faults").status == 204)
        #expect(call("GET", "/faults").bodyText == "[]")
        #expect(try push(addPie(), slices: 1).status == 200)
    }

    @Test func `faults are posted, listed with their times and cleared`() throws {
        let token = try addPie()
        let fault = #"{"answer":"ServiceUnavailable","share":1,"after":10,"for":30}"#
        #expect(call("POST", "/faults", fault).status == 204)
        #expect(call("POST", "/faults", #"{"away":"phone-1"}"#).status == 204)
        let list = call("GET", "/faults").bodyText
        #expect(list.contains(#""answer pushes: ServiceUnavailable""#))
        #expect(list.contains(#""beginsAt":"2026-01-01T00:00:10Z""#))
        #expect(list.contains(#""phone-1 away","#) || list.contains(#""phone-1 away""#))
        #expect(simulator.phones().first?.away == true)
        clock.advance(seconds: 10)
        simulator.settle()
        #expect(call("GET", "/faults").bodyText.contains(#""holds":false"#) == false)
        #expect(call("DELETE", "/faults").status == 204)
        #expect(call("GET", "/faults").bodyText == "[]")
        #expect(simulator.phones().first?.away == false)
        #expect(try push(token, slices: 1).status == 200)
    }

    @Test func `silent tokens are made by the hundred, and nobody sees their pushes`() throws {
        struct Made: Decodable { var pushTokens: [String] }
        let made = call("POST", "/silent-tokens", #"{"count":100}"#)
        #expect(made.status == 201)
        let tokens = try json(Made.self, made).pushTokens
        #expect(Set(tokens).count == 100)
        #expect(try push(tokens[7], slices: 1).status == 200)
        for body in [#"{"count":0}"#, #"{"count":100001}"#, "{}"] {
            #expect(call("POST", "/silent-tokens", body).status == 422)
        }
    }

    @Test func `a person switches frequent updates on, and what runs ends`() throws {
        _ = try addPie()
        let body = #"{"frequentUpdates":true}"#
        #expect(call("POST", "/phones/phone-1/settings", body).status == 204)
        let phone = try #require(simulator.phones().first)
        #expect(phone.frequentUpdates)
        #expect(phone.activities.map(\.phase) == [.ended])
        #expect(call("POST", "/phones/phone-9/settings", body).status == 404)
        #expect(call("POST", "/phones/phone-1/settings", "{}").status == 422)
    }

    @Test func `an older build of the app does not know what the server sends today`() throws {
        let body =
            #"{"name":"Old","kind":"Pie","activity":"order-1","#
            + #""olderState":{"required":["due"],"cases":{"stage":["oven"]}}}"#
        let added = call("POST", "/phones", body)
        let token = try #require(try json([String: String].self, added)["pushToken"])
        #expect(try push(token, slices: 1).status == 200, "the server is not told")
        let log = simulator.phone(PhoneID(rawValue: "phone-1"))?.log
        #expect(log?.last?.sentence == "content-state does not decode: due is missing")
    }

    @Test func `an observer sees every change in order`() async throws {
        let events = simulator.events()
        let token = try addPie()
        _ = try push(token, slices: 3)
        _ = try push(token, slices: 4)
        simulator.finish()
        var seen: [String] = []
        for await event in events {
            let shows = event.presentation?.pie ?? "nothing"
            seen.append("\(event.phoneName) \(event.entry.outcome) \(shows)")
        }
        #expect(seen == ["Ann started 0 slices", "Ann shown 3 slices", "Ann outdated 3 slices"])
    }

    @Test func `time alone is sent to observers when they ask for it`() async throws {
        let events = simulator.events()
        _ = try addPie()
        clock.advance(seconds: 12 * 3600)
        simulator.settle()
        simulator.finish()
        var outcomes: [PhoneLogEntry.Outcome] = []
        for await event in events { outcomes.append(event.entry.outcome) }
        #expect(outcomes == [.started, .ended, .dismissed])
    }

    @Test(arguments: CardKind.catalog.map(\.name))
    func `an app can start every kind of the catalogue with its own beginning`(kind: String) {
        let body = #"{"name":"Ann","kind":"\#(kind)","activity":"a"}"#
        #expect(call("POST", "/phones", body).status == 201)
        #expect(simulator.phones().first?.activities.first?.shows != nil)
        #expect(simulator.phone(PhoneID(rawValue: "phone-1"))?.log?.first?.warnings == [])
    }

    @Test func `a pizza's deliveryTimer in Unix seconds is reported to be 31 years off`() throws {
        let start = #"{"name":"Ann","kind":"PizzaDelivery","activity":"order-1"}"#
        let token = try #require(
            try json([String: String].self, call("POST", "/phones", start))["pushToken"])
        func warnings(_ lower: Int64, at timestamp: Int64) throws -> [String] {
            let state = #"{"driverName":"Jo","deliveryTimer":[\#(lower),\#(lower + 900)]}"#
            let apple = try Apple()
            var request = apple.request(
                body: apple.aps(#""content-state":\#(state)"#, timestamp: timestamp))
            request.target = "/3/device/\(token)"
            #expect(simulator.answer(request).status == 200)
            return simulator.phone(PhoneID(rawValue: "phone-1"))?.log?.last?.warnings ?? []
        }
        let unix = Apple.start.unixSeconds
        let wrong = try warnings(unix, at: unix)
        #expect(wrong.first?.hasPrefix("deliveryTimer is implausible, 31 years ahead") == true)
        #expect(try warnings(unix - 978_307_200, at: unix + 1) == [])
    }
}
