import Domain
import EventLoop
import Foundation
import Simulator
import TestSupport
import Testing

@testable import Hosting

/// Phones, and the Apple that they hang on to, which outlive every server; their apps tell the
/// server what real ones do.
struct Crowd: Sendable {
    static let topic = "customer:42"
    /// With a push-to-start token.
    static let names = ["ann", "ben", "cleo"]
    /// Whose app asks how to follow an order before it shows a card.
    static let asker = "dora"
    private static let loop = EventLoop(name: "phones")

    let running: RunningSimulator
    let phones: [String: PhoneID]
    /// For `islet serve` and other commands that ask APNs.
    let options: [String]
    /// Registrations under way, and what was refused of them.
    private let errands = Lock((open: 0, refused: [String]()))

    static func make(directory: String) async throws -> Crowd {
        var configuration = SimulatorConfiguration(now: {
            Moment(microseconds: 0).adding(seconds: Date().timeIntervalSince1970)
        })
        configuration.rules.activitiesMax = 10_000
        configuration.rules.startsMax = 100_000
        configuration.rules.updates = nil
        let running = try await SimulatorSetup.start(
            configuration, loop: loop, credentialsDirectory: directory)
        var phones: [String: PhoneID] = [:]
        for name in names + [asker] { phones[name] = try running.simulator.addPhone(named: name) }
        return Crowd(
            running: running, phones: phones,
            options: [
                "--apns-url", "https://127.0.0.1:\(running.apnsPort)",
                "--apns-channels-url", "https://127.0.0.1:\(running.managementPort)",
                "--apns-key-file", SimulatorSetup.keyFile(in: directory),
                "--apns-key-id", running.keyID, "--apns-team-id", running.teamID,
                "--apns-authority-file", SimulatorSetup.authorityFile(in: directory),
            ])
    }

    private init(running: RunningSimulator, phones: [String: PhoneID], options: [String]) {
        self.running = running
        self.phones = phones
        self.options = options
    }

    var isIdle: Bool { errands.withLock { $0.open == 0 } }
    var refusals: [String] { errands.withLock { $0.refused } }

    /// Apps wake for each card that a push starts, and register it; until the simulator stops.
    func live(with caller: Caller) async {
        await withDiscardingTaskGroup { group in
            for await event in running.simulator.events() {
                guard let token = event.updateToken else { continue }
                errands.withLock { $0.open += 1 }
                group.addTask {
                    var refusal: String?
                    do {
                        try await register(
                            token, event.entry.activity.rawValue, event.phoneName, caller)
                    } catch {
                        refusal = "\(error)"
                    }
                    errands.withLock { errands in
                        errands.open -= 1
                        if let refusal { errands.refused.append(refusal) }
                    }
                }
            }
        }
    }

    func putStartTokens(_ caller: Caller) async throws {
        for name in Self.names {
            let phone = try #require(phones[name])
            let token = try running.simulator.startToken(for: "PizzaDelivery", on: phone)
            try await caller.ask(
                "PUT", "v1/start-tokens/\(name)/PizzaDelivery",
                #"{"pushToken":"\#(token.hex)","environment":"sandbox","osMajor":18,"#
                    + #""bundleId":"\#(running.bundleID)","topics":["\#(Self.topic)"]}"#)
        }
    }

    /// Every app shows the order itself, with a push token of its own.
    func show(_ order: String, _ caller: Caller) async throws {
        for name in Self.names { try await show(order, on: name, caller) }
    }

    private func show(_ order: String, on name: String, _ caller: Caller) async throws {
        let phone = try #require(phones[name])
        let token = try running.simulator.start(
            ActivityStart(kind: "PizzaDelivery", activity: ActivityID(rawValue: order)), on: phone)
        try await register(try #require(token), order, name, caller)
    }

    /// An app asks how to follow an order, and shows it as the answer says.
    func follow(_ order: String, _ caller: Caller) async throws {
        struct Answer: Decodable {
            var use: String
            var channelId: String?
        }
        let answer = try JSONDecoder().decode(
            Answer.self,
            from: await caller.ask(
                "POST", "v1/activities/\(order)/channel",
                #"{"bundleId":"\#(running.bundleID)","environment":"sandbox","osMajor":18,"#
                    + #""installation":"\#(Self.asker)"}"#))
        guard let channel = answer.channelId else {
            if answer.use == "pushToken" { try await show(order, on: Self.asker, caller) }
            return
        }
        _ = try running.simulator.start(
            ActivityStart(kind: "PizzaDelivery", activity: ActivityID(rawValue: order)),
            on: try #require(phones[Self.asker]), channel: channel)
    }

    private func register(
        _ token: PushToken, _ order: String, _ name: String, _ caller: Caller
    ) async throws {
        try await caller.ask(
            "POST", "v1/activities/\(order)/registrations",
            #"{"pushToken":"\#(token.hex)","environment":"sandbox","#
                + #""bundleId":"\#(running.bundleID)","installation":"\#(name)"}"#)
    }

    /// Cards of a phone about an order, those that are over included.
    func cards(_ order: String, on name: String) -> [PhoneView.Activity] {
        phones[name].flatMap { running.simulator.phone($0) }?.activities.filter {
            $0.activity.rawValue == order
        } ?? []
    }
}
