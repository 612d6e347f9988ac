import Domain
import Foundation
import HTTP
import Testing

@testable import Simulator

/// Faults as values: how they are read, when they are in force, whom they meet.
struct FaultTests {
    private func fault(_ text: String) throws -> Fault {
        try JSONDecoder().decode(Fault.self, from: Data(text.utf8))
    }

    private func problem(_ text: String) -> String? {
        do {
            _ = try fault(text)
            return nil
        } catch { return (error as? FieldProblem)?.sentence }
    }

    @Test(arguments: [
        (
            #"{"delay":{"p50":0.05,"p99":0.5},"for":60}"#,
            Fault(
                .condition(.delay(Latency(p50Seconds: 0.05, p99Seconds: 0.5))), forSeconds: 60)
        ),
        (
            #"{"answer":"TooManyRequests","share":0.25,"of":"broadcasts","after":3}"#,
            Fault(
                .condition(.answer(.tooManyRequests, of: .broadcasts)), share: 0.25,
                afterSeconds: 3)
        ),
        (#"{"lose":"connection"}"#, Fault(.blow(.disconnect))),
        (#"{"lose":"silence","share":0.5}"#, Fault(.condition(.lose(.silence)), share: 0.5)),
        (#"{"goAway":"Shutdown"}"#, Fault(.blow(.goAway(.shutdown, abandons: false)))),
        (
            #"{"goAway":"IdleTimeout","abandon":true,"share":0.1}"#,
            Fault(.condition(.goAway(.idleTimeout, abandons: true)), share: 0.1)
        ),
        (#"{"streams":1}"#, Fault(.condition(.streams(1)))),
        (#"{"readRate":2000}"#, Fault(.condition(.readRate(2000)))),
        (#"{"apnsClock":-4000}"#, Fault(.condition(.apnsClock(-4000)))),
        (#"{"phoneClock":90.5}"#, Fault(.condition(.phoneClock(90.5)))),
        (#"{"environment":"production"}"#, Fault(.condition(.environment(.production)))),
        (#"{"away":"*","share":0.5}"#, Fault(.condition(.away(.everybody)), share: 0.5)),
        (#"{"kill":"*"}"#, Fault(.blow(.kill(.everybody, .unregistered)))),
    ])
    func `a fault is read as it is written`(text: String, expected: Fault) throws {
        #expect(try fault(text) == expected)
    }

    @Test(arguments: [
        ("[]", "the body must be a JSON object"),
        (#"{"latency":1}"#, "latency is not known here"),
        (#"{"share":1}"#, "the body needs one of refuse,"),
        (#"{"delay":{"p50":1},"lose":"stream","share":1}"#, "delay cannot stand beside lose"),
        (#"{"delay":{"p99":1}}"#, "delay.p50 is missing"),
        (#"{"delay":{"p50":2,"p99":1}}"#, "delay.p99 must not be less than p50"),
        (#"{"delay":{"p50":1,"p95":1}}"#, "delay.p95 is not known here; there are p50, p99"),
        (#"{"delay":5}"#, "delay must be a JSON object"),
        (#"{"answer":"Nonsense"}"#, "answer must be one of BadCollapseId,"),
        (#"{"answer":"Shutdown","share":2}"#, "share must be a number from 0.0 to 1.0"),
        (#"{"answer":"Shutdown","of":"mars"}"#, "of must be one of pushes, broadcasts, channels"),
        (#"{"lose":"stream"}"#, "share is missing"),
        (#"{"lose":"hope","share":1}"#, "lose must be one of connection, stream, refusedStream"),
        (#"{"goAway":"Shutdown","for":5}"#, "for does nothing: goAway happens once"),
        (#"{"streams":1.5}"#, "streams must be a whole number from 0 to 1000"),
        (#"{"streams":1,"share":0.5}"#, "share does nothing beside streams"),
        (#"{"streams":1,"count":5}"#, "count does nothing beside streams"),
        (#"{"readRate":5}"#, "readRate must be a whole number from 100"),
        (#"{"apnsClock":"late"}"#, "apnsClock must be a number"),
        (#"{"environment":"test"}"#, "environment must be one of sandbox, production"),
        (#"{"away":7}"#, "away must be a text"),
        (#"{"refuse":"Shutdown","count":0}"#, "count must be a whole number from 1 to 1000000"),
        (#"{"broadcast":"no"}"#, "broadcast must be true or false"),
        (#"{"streams":1,"after":-1}"#, "after must be a number from 0.0 to 604800.0"),
    ])
    func `a mistake in a fault is reported with the member's name`(text: String, sentence: String) {
        #expect(problem(text)?.hasPrefix(sentence) == true, "\(problem(text) ?? "nothing")")
    }

    @Test func `a condition lasts for its time and then no more`() throws {
        var machine = FaultMachine(seed: 1)
        let start = Apple.start
        machine.plan(
            Fault(
                .condition(.answer(.shutdown, of: .pushes)), afterSeconds: 10, forSeconds: 5),
            now: start)
        func refusal(after seconds: Double) -> APNsRefusal? {
            _ = machine.settle(at: start.adding(seconds: seconds))
            return machine.fate(of: .pushes).refusal
        }
        #expect(refusal(after: 9.9) == nil)
        #expect(refusal(after: 10) == .shutdown)
        #expect(machine.fate(of: .broadcasts) == .plain)
        #expect(refusal(after: 14.9) == .shutdown)
        #expect(refusal(after: 15) == nil)
        #expect(machine.planned.isEmpty)
    }

    @Test func `a share meets its part of the requests, and the same ones for the same seed`() {
        func met(_ seed: UInt64) -> [Bool] {
            var machine = FaultMachine(seed: seed)
            machine.plan(
                Fault(.condition(.answer(.shutdown, of: .pushes)), share: 0.2), now: Apple.start)
            _ = machine.settle(at: Apple.start)
            return (0..<5000).map { _ in machine.fate(of: .pushes).refusal != nil }
        }
        let first = met(1)
        #expect(first == met(1))
        #expect(first != met(2))
        #expect((900...1100).contains(first.count { $0 }))
    }

    @Test func `delays have the distribution that was asked for`() {
        let latency = Latency(p50Seconds: 0.1, p99Seconds: 1)
        var random = SeededGenerator(seed: 5)
        let samples = (0..<20_000).map { _ in latency.sample(&random) }.sorted()
        #expect((0.095...0.105).contains(samples[10_000]))
        #expect((0.85...1.15).contains(samples[19_800]))
        #expect(samples.allSatisfy { $0 > 0 })
        #expect(Latency(p50Seconds: 0, p99Seconds: 1).sample(&random) == 0)
    }

    @Test func `a token that meets a wrong environment is bad for a while`() throws {
        var apple = try Apple()
        let fault = Fault(.condition(.environment(.production)), forSeconds: 20)
        _ = try apple.world.cause(fault, now: apple.now)
        let other = apple.send(apple.request())
        #expect(other.refusal == .badDeviceToken)
        #expect(other.uniqueID == nil, "production tells none")
        apple.now = apple.now.adding(seconds: 20)
        _ = apple.world.settleFaults(at: apple.now)
        #expect(apple.send(apple.request()).refusal == nil)
    }

    @Test func `a wrong environment knows no channel of the other`() throws {
        var sender = try Broadcaster()
        func listed() throws -> [String] {
            let answer = sender.manage(sender.call("GET", path: Broadcaster.listPath))
            let list = try JSONDecoder().decode(
                [String: [String]].self, from: Data(answer.response.bodyText.utf8))
            return try #require(list["channels"])
        }
        let fault = Fault(.condition(.environment(.production)), forSeconds: 20)
        _ = try sender.apple.world.cause(fault, now: sender.apple.now)
        let refusals = [
            sender.send(sender.request()), sender.manage(sender.call("GET")),
            sender.manage(sender.call("DELETE")),
        ].map(\.refusal)
        #expect(refusals == Array(repeating: .channelNotRegistered, count: 3))
        #expect(try listed() == [])
        let made = sender.manage(sender.call("POST", body: Broadcaster.newChannel))
        let other = try #require(made.channelID)
        #expect(try listed() == [other])
        #expect(throws: SimulatorError.activityRefused("the app has no channel of this id")) {
            try sender.apple.world.addPhone(
                named: "Bob",
                starting: ActivityStart(kind: "Pie", activity: ActivityID(rawValue: "final")),
                channel: other, now: sender.apple.now)
        }
        sender.apple.now = sender.apple.now.adding(seconds: 20)
        _ = sender.apple.world.settleFaults(at: sender.apple.now)
        #expect(sender.send(sender.request()).refusal == nil)
        #expect(try listed() == [sender.channel])
    }

    @Test func `a skewed clock of Apple's makes an honest provider token an expired one`() throws {
        var apple = try Apple()
        _ = try apple.world.cause(Fault(.condition(.apnsClock(3700))), now: apple.now)
        #expect(apple.send(apple.request()).refusal == .expiredProviderToken)
        _ = apple.world.clearFaults(now: apple.now)
        #expect(apple.send(apple.request(connection: 2)).refusal == nil)
    }

    @Test func `a phone whose clock is ahead takes an honest update for an old one`() throws {
        var apple = try Apple()
        _ = try apple.world.cause(
            Fault(.condition(.phoneClock(60)), forSeconds: 10), now: apple.now)
        #expect(
            try apple.push(apple.update(slices: 1)).map(\.ignoredReason)
                == ["timestamp is 60 s in the past, too old for an update"])
        apple.now = apple.now.adding(seconds: 10)
        _ = apple.world.settleFaults(at: apple.now)
        #expect(try apple.push(apple.update(slices: 2)).map(\.ignoredReason) == [nil])
    }

    @Test func `what apps and people do happens at the phone's time`() throws {
        var apple = try Apple()
        _ = try apple.world.cause(Fault(.condition(.phoneClock(90))), now: apple.now)
        let time = apple.now.adding(seconds: 90)
        let phone = apple.world.phones[0].id
        let pie = ActivityID(rawValue: "order-2")
        let started = try apple.world.start(
            ActivityStart(kind: "Pie", activity: pie), on: phone, now: apple.now)
        #expect(started.event.entry.at == time)
        #expect(apple.world.phones[0].cards.last?.startedAt == time)
        #expect(try apple.world.rotate(pie, on: phone, now: apple.now).event.entry.at == time)
        #expect(
            try apple.world.dismiss(pie, on: phone, now: apple.now).map(\.entry.at) == [time])
    }

    @Test(arguments: [Fault.Condition.phoneClock(90), .phoneClock(-90), .apnsClock(90)])
    func `the token of a dismissed card dies after a minute, whatever clock is wrong`(
        clock: Fault.Condition
    ) throws {
        var apple = try Apple()
        _ = try apple.world.cause(Fault(.condition(clock)), now: apple.now)
        let phone = apple.world.phones[0].id
        _ = try apple.world.dismiss(nil, on: phone, now: apple.now)
        apple.now = apple.now.adding(seconds: 59)
        #expect(apple.send(apple.request()).refusal == nil)
        apple.now = apple.now.adding(seconds: 1)
        #expect(apple.send(apple.request()).refusal == .expiredToken)
    }

    @Test func `a token that is killed is dead at once, although Apple's clock is behind`() throws {
        var apple = try Apple()
        _ = try apple.world.cause(Fault(.condition(.apnsClock(-90))), now: apple.now)
        try apple.world.killTokens(of: apple.world.phones[0].id, .expired, now: apple.now)
        let answer = apple.send(apple.request())
        #expect(answer.refusal == .expiredToken)
        #expect(answer.deadSince == apple.now.adding(seconds: -90))
    }

    @Test func `a share of all tokens dies at once`() throws {
        var apple = try Apple()
        var tokens: [PushToken] = []
        for number in 0..<40 {
            let start = ActivityStart(kind: "Pie", activity: ActivityID(rawValue: "\(number)"))
            let added = try apple.world.addPhone(named: "Ann", starting: start, now: apple.now)
            tokens.append(try #require(added.token))
        }
        _ = try apple.world.cause(
            Fault(.blow(.kill(.everybody, .expired)), share: 0.5), now: apple.now)
        let refusals = tokens.map { token in
            var request = apple.request()
            request.target = "/3/device/\(token.hex)"
            return apple.send(request).refusal
        }
        #expect((8...32).contains(refusals.count { $0 == .expiredToken }))
        #expect(refusals.contains(nil))
    }
}
