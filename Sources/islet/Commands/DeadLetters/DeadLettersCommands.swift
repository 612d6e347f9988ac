import API
import DatabaseAccess
import Domain
import EventStore
import JSON
import Terminal

extension Command {
    private static let tenant = OptionSpec.tenant("Merchant or feed whose dead letters they are.")
    private static let letter = Operand(
        name: "ID", help: "The dead letter's id, as islet dead-letters list shows it.")

    static let deadLettersList = Command(
        path: ["dead-letters", "list"],
        summary: "List pushes, starts and messages to webhooks that were given up.",
        discussion: """
            Newest first. A push is listed when APNs refused it or it failed too often; a start also
            when nobody knows whether it arrived. Dead tokens are not: their phones are gone.
            """,
        options: [
            OptionSpec.tenant("Whose; may be left out when there is only one tenant."),
            OptionSpec("activity", .text(placeholder: "ID"), "Only this activity's."),
            OptionSpec(
                "carrier", .choice(DeadLetter.Carrier.allCases.map(\.rawValue)),
                "Only this one's."),
            OptionSpec(
                "since", .text(placeholder: "TIME"),
                "Given up at this time or later, such as 2026-05-01T18:00:00Z."),
            OptionSpec("limit", .integer(1...10_000), "How many at most.", default: "100"),
            OptionSpec.json,
        ] + Database.options,
        examples: [
            "islet dead-letters list --tenant pizzeria",
            "islet dead-letters list --tenant pizzeria --carrier webhook --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        var filter = DeadLetterFilter()
        filter.activity = arguments.text("activity").map { ActivityID(rawValue: $0) }
        filter.carrier = arguments.text("carrier").flatMap(DeadLetter.Carrier.init)
        if let text = arguments.text("since") {
            guard let since = Moment(rfc3339: text) else {
                throw .usage("--since must be a time such as 2026-05-01T18:00:00Z")
            }
            filter.since = since
        }
        let (limit, wanted) = (arguments.integer("limit") ?? 100, filter)
        let (letters, counts) = try await ProjectionSource.with(arguments, .readOnly) {
            store, tenant async throws(EventStoreError) in
            (
                try await store.deadLetters.list(tenant.id, wanted, nil, limit),
                try await store.deadLetters.counts(tenant.id)
            )
        }
        let document: JSON = [
            "deadLetters": .array(letters.map(DeadLetterDocument.letter)),
            "counts": DeadLetterDocument.counts(counts),
        ]
        Console.answer(
            arguments, document.printed(),
            Table.text(DeadLetterRow.headings, letters.map(DeadLetterRow.cells)))
        guard !arguments.flag("json") else { return }
        let sums = DeadLetter.Carrier.allCases.map { "\(counts[$0] ?? 0) by \($0.rawValue)" }
        Console.note("In all: \(sums.joined(separator: ", ")).")
    }

    static let deadLettersRetry = Command(
        path: ["dead-letters", "retry"],
        summary: "Send again what was given up, with the newest state.",
        discussion: """
            Starts are never sent again: one that nobody answered may have arrived, and there would
            be two cards. One that was refused is tried by itself once the app puts another token.
            """,
        operands: [letter], options: [tenant, OptionSpec.json] + Database.options,
        examples: ["islet dead-letters retry webhook-17 --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        let id = try id(of: arguments)
        guard id.carrier != .start else {
            throw .failed(
                "a start is never sent again: it may have arrived, and there would be two cards; "
                    + "one that was refused is tried by itself once the app puts another token")
        }
        let name = try TenantName.check(try arguments.required("tenant"))
        let isDone = try await Database.with(arguments, tenant: name) {
            store, tenant async throws(EventStoreError) in
            try await store.deadLetters.retry(tenant.id, id)
        }
        guard isDone else { throw unknown(id) }
        Console.done(arguments, ["retried": id.text], "\(id.text) is sent again.")
    }

    static let deadLettersDismiss = Command(
        path: ["dead-letters", "dismiss"],
        summary: "List something no more that was given up; nothing is sent.",
        operands: [letter], options: [tenant, OptionSpec.json] + Database.options,
        examples: ["islet dead-letters dismiss push-4211 --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        let id = try id(of: arguments)
        let name = try TenantName.check(try arguments.required("tenant"))
        let isDone = try await Database.with(arguments, tenant: name) {
            store, tenant async throws(EventStoreError) in
            try await store.deadLetters.dismiss(tenant.id, id)
        }
        guard isDone else { throw unknown(id) }
        Console.done(arguments, ["dismissed": id.text], "\(id.text) is dismissed.")
    }

    private static func id(of arguments: Arguments) throws(CommandFailure) -> DeadLetter.ID {
        let text = arguments.operand(letter.name)
        guard let id = DeadLetter.ID(text: text) else {
            throw .usage(
                "ID must be as islet dead-letters list shows it, such as push-17, not '\(text)'")
        }
        return id
    }

    private static func unknown(_ id: DeadLetter.ID) -> CommandFailure {
        .failed(
            "there is no dead letter \(id.text), or somebody has dealt with it; see islet "
                + "dead-letters list")
    }
}

/// A dead letter as the table shows it.
enum DeadLetterRow {
    static let headings = ["ID", "ACTIVITY", "TO", "REASON", "ATTEMPTS", "GIVEN UP"]

    static func cells(_ letter: DeadLetter) -> [String] {
        [
            letter.id.text, letter.activityID.rawValue, letter.to, letter.reason,
            "\(letter.attempts)", letter.givenUpAt.rfc3339,
        ]
    }
}
