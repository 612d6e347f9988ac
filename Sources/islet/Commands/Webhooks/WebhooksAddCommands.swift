import AppKeys
import DatabaseAccess
import Domain
import EventStore
import Hosting
import Projections
import Terminal

extension Command {
    static let webhooksAdd = Command(
        path: ["webhooks", "add"],
        summary: "Send what changes from now on to a server of the tenant's.",
        discussion: """
            Prints the secret that the messages are signed with, once: receivers verify by it. The
            database keeps it sealed. docs/how-to/receive-webhooks.md says what is sent.
            """,
        options: [
            WebhookTarget.tenant,
            OptionSpec("url", .text(placeholder: "URL"), "Where messages are sent by POST."),
            OptionSpec(
                "kind", .choice(ActivityCatalog.standard.kinds.map { $0.name }),
                "Kind of the activities that it gets. Without it: all.", repeats: true),
            OptionSpec(
                "phase", .choice(Phase.allCases.map(\.rawValue)),
                "Phase of the activities that it gets. Without it: all.", repeats: true),
            MasterKeys.option, OptionSpec.json,
        ] + WebhookOptions.reaching.prefix(1) + Database.options,
        examples: [
            "islet webhooks add --tenant pizzeria --url https://shop.example/hooks/islet "
                + "--kind PizzaDelivery --master-key-file master.key"
        ]
    ) { (arguments) async throws(CommandFailure) in
        let name = try TenantName.check(try arguments.required("tenant"))
        let url = try arguments.required("url")
        if let complaint = try WebhookOptions(arguments).complaint(about: url) {
            throw .usage("--url \(complaint)")
        }
        let masterKeys = try AppOptions.masterKeys(arguments)
        let (kinds, phases) = (arguments.texts("kind"), arguments.texts("phase"))
        let (shown, id) = try await Database.whileOpen(arguments) {
            database async throws(CommandFailure) -> (String, String) in
            let store = database.store
            let tenant = try await TenantName.tenant(called: name, in: store)
            try await MasterKeys.requireLines(masterKeys, in: store)
            let webhook = Webhook(
                tenant: tenant.id, id: WebhookID.make(), url: url, kinds: kinds,
                phases: phases.compactMap(Phase.init), createdAt: WallClock.now())
            let secret = masterKeys.makeSecret(tenant.id, webhook.id)
            let isAdded = try await Database.asked(
                try await store.webhooks.add(webhook, secret.sealed))
            guard isAdded else {
                throw .failed("\(name) has as many webhooks as it may have: remove one first")
            }
            return (secret.shown, webhook.id)
        }
        Console.answerOnce(
            arguments, ["id": id, "secret": shown], shown,
            orElse: "The secret was not printed: make another one with islet webhooks rotate \(id) "
                + "--tenant \(name) --overlap-seconds 0.")
        Console.note(
            "This secret is shown once. \(id) gets what changes from now on; try it with islet "
                + "webhooks test.")
    }

    static let webhooksRotate = Command(
        path: ["webhooks", "rotate"],
        summary: "Give a webhook a new secret, without a gap.",
        discussion: """
            Prints it, once. Messages are signed with both for as long as --overlap-seconds says,
            so that receivers can change at their leisure. A further one lets those before sign on
            until their own time, of five in all. 0 ends all old ones at once.
            """,
        operands: [WebhookTarget.operand],
        options: [
            WebhookTarget.tenant,
            OptionSpec(
                "overlap-seconds", .integer(0...2_592_000),
                "For which the secret before signs as well; 0 ends all.", default: "86400"),
            MasterKeys.option, OptionSpec.json,
        ] + Database.options,
        examples: [
            "islet webhooks rotate wh_0123456789abcdef01234567 --tenant pizzeria "
                + "--master-key-file master.key"
        ]
    ) { (arguments) async throws(CommandFailure) in
        let masterKeys = try AppOptions.masterKeys(arguments)
        let overlap = Double(arguments.integer("overlap-seconds") ?? 86_400)
        let (shown, warnings) = try await WebhookTarget.with(arguments) {
            store, webhook async throws(CommandFailure) -> (String, [String]) in
            // With 0 no old one is left: it repairs one whose line is lost, whatever else is.
            if overlap > 0 { try await MasterKeys.requireLines(masterKeys, in: store) }
            let of = (tenant: webhook.tenant, id: webhook.id)
            let former = try await Database.asked(try await store.webhooks.secrets(of)).first
            let secret = masterKeys.makeSecret(webhook.tenant, webhook.id)
            _ = try await Database.asked(try await store.webhooks.rotate(secret.sealed, overlap))
            guard overlap == 0 else { return (secret.shown, []) }
            var warnings: [String] = []
            if let former, masterKeys.open(former) == nil {
                warnings.append(otherMasterKey(former, masterKeys))
            }
            do throws(CommandFailure) {
                try await MasterKeys.requireLines(masterKeys, in: store)
            } catch {
                warnings.append("This file does not open everything yet: \(error.text).")
            }
            return (secret.shown, warnings)
        }
        let id = arguments.operand(WebhookTarget.operand.name)
        Console.answerOnce(
            arguments, ["id": id, "secret": shown], shown,
            orElse: "The secret was not printed: make another one with the same command.")
        let others =
            overlap > 0
            ? "The one before signs as well for \(Int(overlap)) s, older ones until their own time."
            : "No other one signs."
        Console.note("This secret is shown once. \(others)")
        for warning in warnings { Console.note(warning) }
    }

    /// A wrong file goes unnoticed otherwise, until servers cannot open what it sealed.
    private static func otherMasterKey(_ former: WebhookSecret, _ keys: MasterKeys) -> String {
        "The secret before was sealed with another master key, \(former.masterKeyID). The new one "
            + "is sealed with \(keys.currentID), the first line of this file: nothing is sent to "
            + "\(former.webhookID) until the servers' --master-key-file has that line too. Add it "
            + "there, below the lines that it has, and send them SIGHUP."
    }
}
