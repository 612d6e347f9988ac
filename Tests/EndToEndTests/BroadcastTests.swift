import Delivery
import Domain
import EventStore
import Foundation
import Simulator
import TestSupport
import Testing

private struct Channels: Decodable {
    struct Channel: Decodable {
        var state: String
        var channelId: String?
    }
    var channels: [Channel]
}

private struct Listening: Decodable {
    var use: String
    var channelId: String?
}

extension WholeSystem {
    private var channelPath: String {
        "/v1/activities/\(Story.order)/channels/\(simulator.bundleID)"
    }

    /// As a merchant asks for one up front.
    fileprivate func openChannel(_ storage: String = "none") async throws -> String {
        let answer = try await merchant.ask(
            "PUT", channelPath, #"{"environment":"sandbox","storagePolicy":"\#(storage)"}"#)
        #expect(answer.status == 201, "\(answer.text)")
        var name: String?
        try await waitUntil("the channel is open") {
            let shown = try await merchant.get(channelPath)
            name = try JSONDecoder().decode(Channels.self, from: shown.body).channels.first {
                $0.state == "open"
            }?.channelId
            return name != nil
        }
        return try #require(name)
    }

    /// As an app asks before it starts a card.
    fileprivate func howToFollow(_ installation: String) async throws -> Listening {
        let answer = try await merchant.ask(
            "POST", "/v1/activities/\(Story.order)/channel",
            """
            {"bundleId":"\(simulator.bundleID)","environment":"sandbox","osMajor":18,\
            "installation":"\(installation)"}
            """)
        return try JSONDecoder().decode(Listening.self, from: answer.body)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `From report to phones that listen` {
    @Test func `one broadcast a change reaches every phone that follows by channel`()
        async throws
    {
        try await WholeSystem.working { system in
            let channel = try await system.openChannel()
            var listening: [PhoneID] = []
            for number in 1...20 {
                let way = try await system.howToFollow("installation-\(number)")
                #expect(way.use == "channel")
                #expect(way.channelId == channel)
                listening.append(
                    try system.simulator.simulator.addPhone(
                        named: "Phone \(number)",
                        starting: ActivityStart(
                            kind: "PizzaDelivery", activity: ActivityID(rawValue: Story.order)),
                        channel: channel
                    ).id)
            }
            let single = try await system.follow(Story.order, by: "Old")
            try await system.merchant.report(Story.placed())
            try await system.waitUntilSettled(versions: 1)
            try await system.merchant.report(Story.assigned())
            try await system.waitUntilSettled(versions: 2)
            let shown = system.screen(on: single)
            #expect(!shown.isEmpty)
            for phone in listening { #expect(system.screen(on: phone) == shown) }
            let sent = system.simulator.simulator.channels().map(\.broadcasts)
            #expect(sent == [2])
            #expect(system.pushes(to: listening[0]).count == 2)
            #expect(
                system.pushes(to: listening[0]).map(\.timestamp)
                    == system.pushes(to: single).map(\.timestamp))
            try await system.merchant.report(Story.event("OrderDelivered"))
            try await waitUntil("every card has ended") {
                (listening + [single]).allSatisfy { system.card(on: $0)?.phase.isOver == true }
            }
            try await system.waitUntilSettled(versions: 3)
            let tallies = try await system.ledger().compactMap { $0.outcome?.channels }
            #expect(tallies == Array(repeating: ChannelTally(accepted: 1, failed: 0), count: 3))
            #expect(system.diagnostics.isEmpty)
        }
    }

    @Test func `a channel that keeps the newest message is sent some that may wait`()
        async throws
    {
        try await WholeSystem.working { system in
            let channel = try await system.openChannel("newest")
            let (phone, _) = try system.simulator.simulator.addPhone(
                named: "Phone",
                starting: ActivityStart(
                    kind: "PizzaDelivery", activity: ActivityID(rawValue: Story.order)),
                channel: channel)
            try await system.merchant.report(Story.placed())
            try await system.waitUntilSettled(versions: 1)
            let views = system.simulator.simulator.channels()
            #expect(views.map(\.storagePolicy) == [.newest])
            #expect(views.map(\.broadcasts) == [1])
            #expect(system.pushes(to: phone).count == 1)
            #expect(system.diagnostics.isEmpty)
        }
    }

    @Test func `a channel that Apple has deleted is replaced, and operators hear of it`()
        async throws
    {
        try await WholeSystem.working { system in
            let channel = try await system.openChannel()
            for isEnabled in [false, true] {
                try system.simulator.simulator.cause(Fault(.blow(.broadcast(isEnabled: isEnabled))))
            }
            try await system.merchant.report(Story.placed())
            try await waitUntil("there is another channel") {
                let way = try await system.howToFollow("one")
                return way.use == "channel" && way.channelId != channel
            }
            let app = AppInEnvironment(bundleID: system.simulator.bundleID, environment: .sandbox)
            #expect(system.diagnostics.contains(.channel(.lost(app))))
        }
    }

    @Test func `no phone gets a channel once its app may not broadcast any more`()
        async throws
    {
        try await WholeSystem.working { system in
            _ = try await system.openChannel()
            try system.simulator.simulator.cause(Fault(.blow(.broadcast(isEnabled: false))))
            try await system.merchant.report(Story.placed())
            try await waitUntil("phones are to use their push token") {
                try await system.howToFollow("one").use == "pushToken"
            }
            let app = AppInEnvironment(bundleID: system.simulator.bundleID, environment: .sandbox)
            #expect(system.diagnostics.contains(.channel(.featureDisabled(app))))
        }
    }
}
