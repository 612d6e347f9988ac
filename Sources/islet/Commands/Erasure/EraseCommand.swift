import DatabaseAccess
import Domain
import EventStore
import Pipeline
import Terminal

extension Command {
    static let erase = Command(
        path: ["erase"],
        summary: "Erase a person's data from an activity, in the database and in its archives.",
        discussion: """
            Takes the personal values from the activity's events, its state and the texts of its
            decisions, and destroys the key with which they are sealed in archives. Everything else
            stays and still follows from the log. Without --yes it only says what it would do.
            Doing it again is harmless; what was reported since is erased then. A server may run
            meanwhile. Backups, and exports that are not sealed, are not touched.
            """,
        options: [
            ReplaySource.tenantOption,
            OptionSpec(
                "subject", .text(placeholder: "ACTIVITY"),
                "The activity that is about the person; the subject of its events.",
                alsoCalled: "activity"),
            OptionSpec("yes", .flag, "Do it; without it nothing is changed."),
            OptionSpec.json,
        ] + Database.options,
        exitCodes: LongRun.exitCodes,
        examples: [
            "islet erase --tenant pizzeria --subject order-1042",
            "islet erase --tenant pizzeria --subject order-1042 --yes --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let subject = ActivityID(rawValue: try arguments.required("subject"))
        let isDone = arguments.flag("yes")
        let document = try await LongRun.with(arguments, schema: .leaveAlone) {
            database, _ async throws(CommandFailure) in
            let store = database.store
            let tenant = try await ReplaySource.tenant(arguments.text("tenant"), in: store)
            return try await ErasureDocument.make(store.erasure, tenant, subject, isDone: isDone)
        }
        Console.answer(arguments, document, document.text)
    }
}

/// What `islet erase` has done, or would do.
struct ErasureDocument: Encodable, Sendable {
    var tenant: String
    var subject: String
    /// False for a preview.
    var isDone: Bool
    /// When something was erased before.
    var erasedBefore: String?
    /// In the data of events.
    var values: Int
    var events: Int
    /// Whose texts are made again without the values.
    var decisions: Int
    /// The activity's state is made again without the values.
    var changesState: Bool
    /// Archived values can be read no more.
    var destroysKey: Bool

    /// How long to wait, try by try, for what is not folded yet. A server that runs needs less.
    static let pauses = [Duration](repeating: .milliseconds(500), count: 10)

    static func make(
        _ store: any ErasureStore, _ tenant: Tenant, _ subject: ActivityID, isDone: Bool,
        pauses: [Duration] = Self.pauses
    ) async throws(CommandFailure) -> ErasureDocument {
        var pauses = pauses[...]
        while true {
            let content = try await Database.asked(try await store.content(tenant.id, subject))
            guard !content.events.isEmpty || content.hasKey || content.erasedAt != nil else {
                throw .failed(
                    "\(tenant.name) has no activity \(subject.rawValue), and no archive of it is "
                        + "sealed; check --subject")
            }
            let result =
                isDone
                ? try await Database.asked(
                    try await store.erase(tenant.id, subject, Erasing.rewrite))
                : Erasing.rewrite(content)
            switch result {
            case .success(let changes):
                return ErasureDocument(
                    tenant: tenant.name, subject: subject.rawValue, isDone: isDone,
                    erasedBefore: content.erasedAt?.rfc3339, values: changes.valueCount,
                    events: changes.eventCount, decisions: changes.decisions.count,
                    changesState: changes.snapshot != nil, destroysKey: changes.destroysKey)
            case .failure(.isBehind) where !pauses.isEmpty && !Task.isCancelled:
                try? await Task.sleep(for: pauses.removeFirst())
            case .failure(let refusal):
                throw .failed("\(subject.rawValue) cannot be erased: \(refusal)")
            }
        }
    }

    var text: String {
        let before = erasedBefore.map { " Something was erased at \($0)." } ?? ""
        guard values > 0 || changesState || destroysKey else {
            return "Nothing of \(subject) is there to be erased.\(before)"
        }
        let places = [
            values > 0 ? "\(values.counted("value")) in \(events.counted("event"))" : nil,
            values > 0 ? "texts of \(decisions.counted("decision"))" : nil,
            changesState ? "the activity's state and search words" : nil,
            destroysKey ? "all that is sealed of it in archives" : nil,
        ].compactMap(\.self)
        let list = places.map { "  \($0)" }.joined(separator: "\n")
        return isDone
            ? "Erased of \(subject):\n\(list)"
            : "This would be erased of \(subject):\n\(list)\nGive --yes to erase it; there is no "
                + "way back.\(before)"
    }
}
