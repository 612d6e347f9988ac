import Domain
import HTTP
import Testing

@testable import Simulator

/// Phones that are away, and what APNs keeps for them.
struct AwayTests {
    private let pie = #""content-state":{"slices":9}"#

    private func request(_ apple: Apple, slices: Int, expiration: String?, token: PushToken? = nil)
        -> Request
    {
        var request = apple.request(
            ["apns-expiration": expiration], body: apple.update(slices: slices))
        request.target = "/3/device/\((token ?? apple.token).hex)"
        return request
    }

    private func later(_ apple: Apple) -> String { "\(apple.now.unixSeconds + 3600)" }

    @Test func `the newest push waits for a phone that is away, and no other`() throws {
        var apple = try Apple()
        let phone = apple.world.phones[0].id
        _ = try apple.world.setAway(true, phone, now: apple.now)
        for slices in 1...3 {
            apple.now = apple.now.adding(seconds: 1)
            let push = request(apple, slices: slices, expiration: later(apple))
            #expect(apple.send(push).status == 200)
        }
        #expect(apple.slices == "0 slices")
        apple.now = apple.now.adding(seconds: 5)
        let events = try apple.world.setAway(false, phone, now: apple.now)
        #expect(events.map(\.entry.outcome) == [.shown])
        #expect(apple.slices == "3 slices")
        #expect(
            apple.world.phones[0].log.filter { $0.outcome == .lost }.map(\.sentence)
                == Array(repeating: "the phone was away, and a newer push took its place", count: 2)
        )
    }

    @Test func `two activities of one app evict each other's push`() throws {
        var apple = try Apple()
        let phone = apple.world.phones[0].id
        let start = ActivityStart(kind: "Pie", activity: ActivityID(rawValue: "order-2"))
        let other = try apple.world.start(start, on: phone, now: apple.now).token
        _ = try apple.world.setAway(true, phone, now: apple.now)
        #expect(apple.send(request(apple, slices: 1, expiration: later(apple))).status == 200)
        let second = request(apple, slices: 2, expiration: later(apple), token: other)
        #expect(apple.send(second).status == 200)
        _ = try apple.world.setAway(false, phone, now: apple.now)
        let shown = apple.world.phones[0].cards.map { $0.presentation?.pie }
        #expect(shown == ["0 slices", "2 slices"])
    }

    @Test(arguments: [("0", 10.0, false), ("60", 50, true), ("60", 61, false), (nil, 3600, true)])
    func `a push waits until its expiration`(
        expiration: String?, awaySeconds: Double, isKept: Bool
    ) throws {
        var apple = try Apple()
        let phone = apple.world.phones[0].id
        _ = try apple.world.setAway(true, phone, now: apple.now)
        let seconds = expiration.flatMap { Int64($0) }
        let absolute = seconds.map { $0 == 0 ? "0" : "\(apple.now.unixSeconds + $0)" }
        // An end, since an update would be too old for the phone by then.
        var push = apple.request(
            ["apns-expiration": absolute], body: apple.aps(pie, event: "end"))
        push.target = "/3/device/\(apple.token.hex)"
        #expect(apple.send(push).status == 200)
        apple.now = apple.now.adding(seconds: awaySeconds)
        _ = try apple.world.setAway(false, phone, now: apple.now)
        #expect((apple.card.phase == .ended) == isKept)
        #expect(apple.world.phones[0].log.contains { $0.outcome == .lost } == !isKept)
    }

    @Test func `an update that waited too long is too old for the phone`() throws {
        var apple = try Apple()
        let phone = apple.world.phones[0].id
        _ = try apple.world.setAway(true, phone, now: apple.now)
        #expect(apple.send(request(apple, slices: 1, expiration: later(apple))).status == 200)
        apple.now = apple.now.adding(seconds: 300)
        let events = try apple.world.setAway(false, phone, now: apple.now)
        #expect(
            events.map(\.ignoredReason)
                == ["timestamp is 300 s in the past, too old for an update"])
    }

    @Test(arguments: [MessageStorage.none, .newest])
    func `a channel keeps its newest message for who is away, or none`(
        storage: MessageStorage
    ) throws {
        var sender = try Broadcaster(storage)
        let phone = try sender.addListener("Ann")
        _ = try sender.apple.world.setAway(true, phone, now: sender.apple.now)
        for slices in 1...2 {
            sender.apple.now = sender.apple.now.adding(seconds: 1)
            let expiration = storage == .none ? 0 : sender.apple.now.unixSeconds + 600
            let request = sender.request(
                ["apns-expiration": "\(expiration)"], body: sender.apple.update(slices: slices))
            #expect(sender.send(request).refusal == nil)
        }
        #expect(sender.slices(on: phone) == "0 slices")
        _ = try sender.apple.world.setAway(false, phone, now: sender.apple.now)
        #expect(sender.slices(on: phone) == (storage == .none ? "0 slices" : "2 slices"))
        let nothing = "the phone was away, and the channel keeps nothing"
        let older = "the phone was away, and a newer push took its place"
        #expect(
            lost(on: phone, sender.apple) == (storage == .none ? [nothing, nothing] : [older]))
    }

    private func lost(on phone: PhoneID, _ apple: Apple) -> [String]? {
        apple.world.phone(phone)?.log.filter { $0.outcome == .lost }.map(\.sentence)
    }

    @Test(arguments: [
        (Int64(0), "the phone was away, and apns-expiration 0 keeps nothing"),
        (60, "it was out of date when the phone came back"),
    ])
    func `the log says why a message that a channel could have kept never came`(
        seconds: Int64, sentence: String
    ) throws {
        var sender = try Broadcaster(.newest)
        let phone = try sender.addListener("Ann")
        _ = try sender.apple.world.setAway(true, phone, now: sender.apple.now)
        let expiration = seconds == 0 ? 0 : sender.apple.now.unixSeconds + seconds
        let request = sender.request(["apns-expiration": "\(expiration)"])
        #expect(sender.send(request).refusal == nil)
        sender.apple.now = sender.apple.now.adding(seconds: 61)
        _ = try sender.apple.world.setAway(false, phone, now: sender.apple.now)
        #expect(sender.slices(on: phone) == "0 slices")
        #expect(lost(on: phone, sender.apple) == [sentence])
    }

    @Test(arguments: [
        ("order-1", "its token was replaced while the phone was away", 10.0),
        ("order-1", "it was out of date when the phone came back", 7200),
        ("a start", "its token was replaced while the phone was away", 10),
    ])
    func `a push whose token rotates while it waits is lost under its activity's name`(
        activity: String, sentence: String, awaySeconds: Double
    ) throws {
        var apple = try Apple()
        let phone = apple.world.phones[0].id
        let isStart = activity == "a start"
        let start = try apple.world.startToken(for: "Pie", on: phone)
        _ = try apple.world.setAway(true, phone, now: apple.now)
        let token = isStart ? start : apple.token
        let push = request(apple, slices: 1, expiration: later(apple), token: token)
        #expect(apple.send(push).status == 200)
        if isStart {
            _ = try apple.world.rotateStartToken(for: "Pie", on: phone)
        } else {
            let order = ActivityID(rawValue: activity)
            _ = try apple.world.rotate(order, on: phone, now: apple.now)
        }
        apple.now = apple.now.adding(seconds: awaySeconds)
        let events = try apple.world.setAway(false, phone, now: apple.now)
        #expect(events.isEmpty)
        let entries = apple.world.phones[0].log.filter { $0.outcome == .lost }
        #expect(entries.map(\.activity.rawValue) == [activity])
        #expect(entries.map(\.sentence) == [sentence])
    }

    @Test func `a phone that two faults have taken away is back when both are over`() throws {
        var apple = try Apple()
        let ann = apple.world.phones[0].id
        let bob = try apple.world.addPhone(named: "Bob")
        func isAway() -> [Bool] { [ann, bob].map { apple.world.isAway($0) } }
        let long = Fault(.condition(.away(.phone(ann))), forSeconds: 20)
        let short = Fault(.condition(.away(.everybody)), forSeconds: 10)
        for fault in [long, short] { _ = try apple.world.cause(fault, now: apple.now) }
        #expect(isAway() == [true, true])
        apple.now = apple.now.adding(seconds: 10)
        _ = apple.world.settleFaults(at: apple.now)
        #expect(isAway() == [true, false])
        apple.now = apple.now.adding(seconds: 10)
        _ = apple.world.settleFaults(at: apple.now)
        #expect(isAway() == [false, false])
    }

    @Test func `a phone that has found its network leaves the fault that took it away`() throws {
        var apple = try Apple()
        let ann = apple.world.phones[0].id
        let away = Fault(.condition(.away(.everybody)))
        let back = Fault(.blow(.back(.everybody)))
        let again = Fault(.condition(.away(.everybody)), forSeconds: 10)
        for fault in [away, back, again] { _ = try apple.world.cause(fault, now: apple.now) }
        #expect(apple.world.isAway(ann))
        apple.now = apple.now.adding(seconds: 10)
        _ = apple.world.settleFaults(at: apple.now)
        #expect(!apple.world.isAway(ann))
    }

    @Test func `a phone is away for a while by a fault, and comes back by itself`() throws {
        var apple = try Apple()
        let phone = apple.world.phones[0].id
        let away = Fault(.condition(.away(.everybody)), afterSeconds: 5, forSeconds: 10)
        _ = try apple.world.cause(away, now: apple.now)
        #expect(!apple.world.isAway(phone))
        apple.now = apple.now.adding(seconds: 5)
        _ = apple.world.settleFaults(at: apple.now)
        #expect(apple.world.isAway(phone))
        #expect(apple.send(request(apple, slices: 1, expiration: later(apple))).status == 200)
        apple.now = apple.now.adding(seconds: 10)
        let effects = apple.world.settleFaults(at: apple.now)
        #expect(effects.count == 1)
        #expect(apple.slices == "1 slices")
    }
}
