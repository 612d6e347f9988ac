import API
import AppKeys
import Delivery
import DeliveryRules
import EventLoop
import EventStore
import Foundation
import Terminal
import WebClient

/// Webhooks as `islet serve` has them: how they are made, and how they get their messages.
struct WebhookService: Sendable {
    private let client: WebClient
    let setup: WebhookSetup
    private let transport: WebhookTransport

    /// - Parameter masterKeys: to seal secrets with.
    /// - Returns: nil when there are none.
    static func make(
        _ arguments: Arguments, _ masterKeys: MasterKeys?, _ meters: NodeMeters
    ) throws(CommandFailure) -> WebhookService? {
        let options = try WebhookOptions(arguments)
        guard let masterKeys else { return nil }
        let client = options.client(EventLoop(name: "webhooks"))
        let transport = WebhookTransport.live(client, masterKeys).metering(in: meters)
        return WebhookService(
            client: client, setup: .live(options, masterKeys, transport), transport: transport)
    }

    /// Requests under way are given up.
    func close() async { await client.close() }

    func sender(
        _ store: EventStore, _ rules: WebhookRules, _ tracer: Tracer?, log: Log
    ) -> WebhookSender {
        WebhookSender(
            store: store, transport: transport, rules: rules,
            makeLease: { UUID().uuidString.lowercased() },
            chance: { Double.random(in: 0...1) }, measure: { tracer?.note($0) },
            report: { $0.write(to: log) })
    }
}

extension WebhookSetup {
    fileprivate static func live(
        _ options: WebhookOptions, _ masterKeys: MasterKeys, _ transport: WebhookTransport
    ) -> WebhookSetup {
        WebhookSetup(
            complaint: { options.complaint(about: $0) },
            makeID: { WebhookID.make() },
            makeSecret: { masterKeys.makeSecret($0, $1) },
            canSign: { secrets in secrets.allSatisfy { masterKeys.open($0) != nil } },
            test: { webhook, secrets in
                let now = WallClock.now()
                guard let post = WebhookPost(webhook, secrets, transport) else { return nil }
                let answer = await post.send(.test(now: now), now: now)
                return answer ?? .notAnswered(reason: "cancelled")
            })
    }
}
