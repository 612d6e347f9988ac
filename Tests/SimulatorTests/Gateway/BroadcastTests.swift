import Domain
import EventLoop
import Foundation
import HTTP
import Projections
import Testing

@testable import Simulator

/// Channels as Apple keeps them, and cards that listen to them.
struct BroadcastTests {
    @Test func `a channel is made, read, listed and deleted, and its id does not come back`()
        throws
    {
        var sender = try Broadcaster()
        let made = sender.manage(
            sender.call(
                "POST", body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#))
        #expect(made.response.status == 201)
        #expect(made.response.bodyText.isEmpty)
        #expect(made.response.headers["apns-request-id"] == Broadcaster.requestID)
        let id = try #require(made.response.headers["apns-channel-id"])
        #expect(Data(base64Encoded: id) != nil)
        let read = sender.manage(sender.call("GET", changes(id)))
        #expect(read.response.status == 200)
        #expect(
            read.response.bodyText == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        #expect(try listed(&sender) == [id, sender.channel])
        let deleted = sender.manage(sender.call("DELETE", changes(id)))
        #expect(deleted.response.status == 204)
        #expect(deleted.response.bodyText.isEmpty)
        #expect(try listed(&sender) == [sender.channel])
        #expect(sender.manage(sender.call("DELETE", changes(id))).refusal == .channelNotRegistered)
    }

    private func changes(_ id: String) -> [String: String?] { ["apns-channel-id": id] }

    private func listed(_ sender: inout Broadcaster) throws -> Set<String> {
        let answer = sender.manage(sender.call("GET", path: Broadcaster.listPath))
        #expect(answer.status == 200)
        let list = try JSONDecoder().decode(
            [String: [String]].self, from: Data(answer.response.bodyText.utf8))
        return Set(try #require(list["channels"]))
    }

    @Test func `ids of channels differ in length and are not repeated`() throws {
        var sender = try Broadcaster()
        var ids: [String] = []
        for _ in 0..<200 { ids.append(try sender.apple.world.addChannel(.none)) }
        #expect(Set(ids).count == 200)
        #expect(Set(ids.map(\.utf8.count)).count > 1)
        #expect(ids.contains { $0.contains("/") || $0.contains("+") })
    }

    @Test func `an answer has the sender's request id, or one made up for it`() throws {
        var sender = try Broadcaster()
        let answer = sender.send(sender.request())
        #expect(answer.response.status == 200)
        #expect(answer.response.bodyText.isEmpty)
        #expect(answer.response.headers["apns-request-id"] == Broadcaster.requestID)
        #expect(answer.response.headers["apns-id"] == nil)
        let other = sender.send(sender.request(["apns-request-id": nil]))
        #expect(PushHeaders.isCanonicalUUID(other.id))
        #expect(other.id != Broadcaster.requestID)
    }

    @Test(arguments: ["0", "1767229200"])
    func `a channel that keeps the newest message takes any expiration`(value: String) throws {
        var sender = try Broadcaster(.newest)
        #expect(sender.send(sender.request(["apns-expiration": value])).refusal == nil)
    }

    @Test func `a body of exactly 5120 bytes is accepted, and a stray topic does no harm`() throws {
        var sender = try Broadcaster()
        var request = sender.request(["apns-topic": "\(Apple.bundleID).push-type.liveactivity"])
        request.body += [UInt8](repeating: 32, count: 5120 - request.body.count)
        #expect(sender.send(request).refusal == nil)
    }

    @Test func `a broadcast reaches every card of its channel and no other`() throws {
        var sender = try Broadcaster()
        let phones = try (1...3).map { try sender.addListener("Fan \($0)", order: "A \($0)") }
        let other = try sender.apple.world.addChannel(.none)
        let elsewhere = try sender.apple.world.addPhone(
            named: "Bob", starting: Self.final, channel: other, now: sender.apple.now
        ).id
        let events = try sender.push(sender.apple.update(slices: 4))
        #expect(events.map(\.phone) == phones)
        #expect(events.map(\.entry.outcome) == [.shown, .shown, .shown])
        #expect(phones.map { sender.slices(on: $0) } == ["4 slices", "4 slices", "4 slices"])
        #expect(sender.slices(on: elsewhere) == "0 slices")
        #expect(sender.apple.slices == "0 slices", "a card with a token hears no broadcast")
        let lockScreens = phones.map {
            sender.apple.world.phone($0)?.cards.first?.presentation?.lockScreen.first?.text
        }
        #expect(lockScreens == ["A 1", "A 2", "A 3"], "each with the attributes of its own")
    }

    private static let final = ActivityStart(kind: "Pie", activity: ActivityID(rawValue: "final"))

    @Test func `a broadcast ends cards, and a phone whose card has ended listens no more`() throws {
        var sender = try Broadcaster()
        let phone = try sender.addListener("Ann")
        #expect(sender.apple.world.listenerCount(of: sender.channel) == 1)
        let ended = try sender.push(
            sender.apple.aps(#""content-state":{"slices":9}"#, event: "end"))
        #expect(ended.map(\.entry.outcome) == [.ended])
        #expect(sender.apple.world.listenerCount(of: sender.channel) == 0)
        sender.apple.now = sender.apple.now.adding(seconds: 2)
        #expect(try sender.push(sender.apple.update(slices: 1)).isEmpty)
        #expect(sender.slices(on: phone) == "9 slices")
    }

    @Test func `a broadcast obeys the rules of every push`() throws {
        var sender = try Broadcaster()
        let phone = try sender.addListener("Ann")
        _ = try sender.push(sender.apple.update(slices: 4))
        let outcomes = try [
            sender.apple.update(slices: 5), sender.apple.aps(#""content-state":{}"#),
            sender.apple.aps(
                #""content-state":{"slices":3}"#, timestamp: sender.apple.now.unixSeconds - 31),
        ].map { try sender.push($0).map(\.entry.outcome) }
        #expect(outcomes == [[.outdated], [.outdated], [.outdated]])
        sender.apple.now = sender.apple.now.adding(seconds: 1)
        let broken = try sender.push(sender.apple.aps(#""content-state":{}"#))
        #expect(
            broken.map(\.ignoredReason) == ["content-state does not decode: slices is missing"])
        #expect(sender.slices(on: phone) == "4 slices")
    }

    @Test func `a broadcast whose state is too large is ignored, whatever the app reads of it`()
        throws
    {
        var sender = try Broadcaster()
        let phone = try sender.addListener("Ann")
        let more = #""more":"\#(String(repeating: "a", count: 4_800))""#
        let inside = try sender.push(
            sender.apple.aps(#""content-state":{"slices":4,\#(more)}"#))
        #expect(
            inside.map(\.ignoredReason)
                == ["attributes and content-state have 4837 bytes together"])
        let update = String(sender.apple.update(slices: 5).dropLast())
        let beside = try sender.push("\(update),\(more)}")
        #expect(beside.map(\.entry.outcome) == [.shown])
        #expect(sender.slices(on: phone) == "5 slices")
    }

    @Test func `a broadcast cannot start an activity`() throws {
        var sender = try Broadcaster()
        let phone = try sender.addListener("Ann")
        let start = sender.apple.aps(
            #""attributes-type":"PieAttributes","attributes":{"order":"A"},"#
                + #""content-state":{"slices":3},"alert":\#(Starter.alert)"#, event: "start")
        #expect(
            try sender.push(start).map(\.ignoredReason)
                == ["event start goes to a push-to-start token, not to a running card"])
        #expect(sender.apple.world.phone(phone)?.cards.count == 1)
    }

    @Test func `a deleted channel reaches nobody, and its cards stay as they are`() throws {
        var sender = try Broadcaster()
        let phone = try sender.addListener("Ann")
        #expect(sender.manage(sender.call("DELETE")).status == 204)
        #expect(sender.send(sender.request()).refusal == .channelNotRegistered)
        #expect(sender.apple.world.phone(phone)?.cards.first?.phase == .active)
    }

    @Test func `an app starts no card for a channel that is not there, nor before iOS 18`() throws {
        var sender = try Broadcaster()
        let now = sender.apple.now
        #expect(throws: SimulatorError.activityRefused("the app has no channel of this id")) {
            try sender.apple.world.addPhone(
                named: "A", starting: Self.final, channel: "dGhlcmUgaXMgbm9uZQ==", now: now)
        }
        let old = PhoneTraits(system: IOSVersion(17, 6))
        #expect(throws: SimulatorError.systemTooOld("cards listen to channels from iOS 18 on")) {
            try sender.apple.world.addPhone(
                named: "A", with: old, starting: Self.final, channel: sender.channel, now: now)
        }
    }

    @Test func `a push can start a card that listens to a channel and needs no token`() throws {
        var sender = try Broadcaster()
        let phone = try sender.apple.world.addPhone(named: "Bea")
        let token = try sender.apple.world.startToken(for: "Pie", on: phone)
        let start = sender.apple.aps(
            #""attributes-type":"PieAttributes","attributes":{"order":"A"},"#
                + #""content-state":{"slices":3},"alert":\#(Starter.alert),"#
                + #""input-push-channel":"\#(sender.channel)""#, event: "start")
        let events = try sender.apple.push(start, to: token)
        #expect(events.map(\.entry.outcome) == [.started])
        #expect(events.map(\.updateToken) == [nil])
        sender.apple.now = sender.apple.now.adding(seconds: 1)
        #expect(try sender.push(sender.apple.update(slices: 6)).map(\.phone) == [phone])
        #expect(sender.slices(on: phone) == "6 slices")
    }

    @Test func `a broadcast is decoded once for all cards of the same attributes`() throws {
        let count = Lock(0)
        var kind = CardKind(Pie.self)
        let decode = kind.update
        kind.update = { attributes, body in
            count.withLock { $0 += 1 }
            return try decode(attributes, body)
        }
        let apple = try Apple()
        var push = ReadPush(Array(apple.update(slices: 7).utf8))
        for order in ["A", "A", "B", "A"] {
            var phone = PhoneMachine(
                id: PhoneID(rawValue: "phone"), name: "Ann", environment: .sandbox)
            _ = try phone.start(
                ActivityStart(
                    kind: kind.name, activity: ActivityID(rawValue: "final"),
                    attributes: Data(#"{"order":"\#(order)"}"#.utf8)),
                kind: kind, from: .channel("YQ=="), now: apple.now)
            let events = phone.receive(
                &push, channel: "YQ==", priority: 10, now: apple.now)
            let lockScreen = events.first?.presentation?.lockScreen.map(\.text)
            #expect(lockScreen == [order, "7 slices"])
        }
        let decoded = count.withLock { $0 }
        #expect(decoded == 2)
    }

    @Test func `management and broadcasts have connections of their own`() throws {
        var sender = try Broadcaster()
        func opensStreams(_ effects: [World.Effect]) -> Bool { !effects.isEmpty }
        let first = sender.apple.world.broadcast(sender.request(), now: sender.apple.now).effects
        let second = sender.apple.world.broadcast(sender.request(), now: sender.apple.now).effects
        let managed = sender.apple.world.manage(sender.call("GET"), now: sender.apple.now).effects
        #expect([first, second, managed].map(opensStreams) == [true, false, true])
    }
}
