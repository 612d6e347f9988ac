import AppKeys
import DatabaseAccess
import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore
import Hosting
import JSON
import Terminal
import WebClient

extension Command {
    static let webhooksTest = Command(
        path: ["webhooks", "test"],
        summary: "Send a webhook a signed message that says nothing but that it arrives.",
        discussion: "Goes out from here, and not from where the servers run.",
        operands: [WebhookTarget.operand],
        options: [WebhookTarget.tenant, MasterKeys.option, OptionSpec.json]
            + WebhookOptions.reaching + Database.options,
        examples: [
            "islet webhooks test wh_0123456789abcdef01234567 --tenant pizzeria "
                + "--master-key-file master.key"
        ]
    ) { (arguments) async throws(CommandFailure) in
        let masterKeys = try AppOptions.masterKeys(arguments)
        let client = try WebhookOptions(arguments).client(EventLoop(name: "webhooks"))
        let (webhook, secrets) = try await WebhookTarget.with(arguments) {
            store, webhook async throws(CommandFailure) in
            let of = (tenant: webhook.tenant, id: webhook.id)
            return (webhook, try await Database.asked(try await store.webhooks.secrets(of)))
        }
        guard let post = WebhookPost(webhook, secrets, .live(client, masterKeys)) else {
            throw .failed(
                "no line of --master-key-file opens the secret of \(webhook.id): give the right "
                    + "file. If that line is lost, " + MasterKeys.remedyForSecrets)
        }
        let now = WallClock.now()
        let answer = await post.send(.test(now: now), now: now)
        await client.close()
        guard let answer, answer.isDelivered else {
            let advice = answer.map { WebhookAdvice.sentence($0, url: webhook.url) }
            throw .failed(
                "the message did not arrive: " + (advice ?? "the command was interrupted"))
        }
        let document: JSON = ["isDelivered": .bool(true), "answer": .string(answer.reason)]
        Console.done(
            arguments, document,
            "The message arrived: \(answer.reason).")
    }

    static let webhooksEnable = Command(
        path: ["webhooks", "enable"],
        summary: "Turn a webhook on again, which goes on where it stopped.",
        discussion: """
            It gets each activity that has changed meanwhile once, in the newest state.
            """,
        operands: [WebhookTarget.operand],
        options: [WebhookTarget.tenant, OptionSpec.json] + Database.options,
        examples: ["islet webhooks enable wh_0123456789abcdef01234567 --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        try await turn(arguments, on: true, "gets changes again")
    }

    static let webhooksDisable = Command(
        path: ["webhooks", "disable"],
        summary: "Turn a webhook off: nothing is sent to it until it is enabled.",
        operands: [WebhookTarget.operand],
        options: [WebhookTarget.tenant, OptionSpec.json] + Database.options,
        examples: ["islet webhooks disable wh_0123456789abcdef01234567 --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        try await turn(arguments, on: false, "gets no changes")
    }

    static let webhooksRemove = Command(
        path: ["webhooks", "remove"],
        summary: "Remove a webhook, with what waits for it and what was given up.",
        operands: [WebhookTarget.operand],
        options: [WebhookTarget.tenant, OptionSpec.json] + Database.options,
        examples: ["islet webhooks remove wh_0123456789abcdef01234567 --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        let id = try await WebhookTarget.with(arguments) {
            store, webhook async throws(CommandFailure) -> String in
            _ = try await Database.asked(
                try await store.webhooks.remove(webhook.tenant, webhook.id))
            return webhook.id
        }
        Console.done(arguments, ["removed": id], "\(id) removed.")
    }

    private static func turn(
        _ arguments: Arguments, on isEnabled: Bool, _ outcome: String
    ) async throws(CommandFailure) {
        let id = try await WebhookTarget.with(arguments) {
            store, webhook async throws(CommandFailure) -> String in
            let edit = WebhookEdit(isEnabled: isEnabled)
            _ = try await Database.asked(
                try await store.webhooks.edit(webhook.tenant, webhook.id, edit))
            return webhook.id
        }
        let document: JSON = ["id": .string(id), "isEnabled": .bool(isEnabled)]
        Console.done(arguments, document, "\(id) \(outcome) from now on.")
    }
}

/// What to do about an answer that is none.
enum WebhookAdvice {
    static func sentence(_ answer: WebhookAnswer, url: String) -> String {
        switch answer {
        case .answered(let status, _):
            "the receiver answered \(status), and only 2xx says that it has the message"
        case .notAnswered("address-not-public"): notAllowed("address-not-public")
        // Without the option only https is spoken.
        case .notAnswered("invalid-url") where url.lowercased().hasPrefix("http:"):
            notAllowed("invalid-url")
        case .notAnswered("not-trusted"):
            "the receiver's certificate is not trusted (not-trusted): it must be for the URL's "
                + "host and from an authority that the system knows, or of --webhook-authority-file"
        case .notAnswered(let reason): "no answer (\(reason)): check the URL and the receiver"
        }
    }

    private static func notAllowed(_ reason: String) -> String {
        "this command may not ask an address of this machine or its network, or one without TLS "
            + "(\(reason)): give --webhook-allow-private if the servers have it"
    }
}
