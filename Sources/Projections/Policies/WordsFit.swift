import Domain

/// Whether what a tenant wants to say fits into a push, whatever happens to an activity.
///
/// Texts that do not fit are shortened when they are sent; better to hear of it when they are put.
struct WordsFit {
    private let phrasebook: Phrasebook
    private let worst: WorstCase
    private let tags: [Language: String]

    /// - Parameter tags: languages as the document names them.
    init<K: ActivityKind>(_ kind: K.Type, own: Phrasebook.Texts, tags: [Language: String]) {
        self.tags = tags
        phrasebook = Phrasebook(kind.texts, own: own)
        worst = .of(kind)
    }

    /// A title with the longest of its bodies, in one language.
    private struct Alert {
        var language: Language
        var bytes: Int
        /// Keys of the texts in it, other phrases included.
        var keys: Set<String>
    }

    /// One for each text of the tenant's that makes an alert too long.
    var errors: [PolicyInputError] {
        let room = Limits.stateAndWordsBytesMax - worst.stateBytes
        var longest: [[String]: Alert] = [:]
        for alert in alerts where alert.bytes > room {
            guard let path = pathToBlame(alert) else { continue }
            if alert.bytes > longest[path]?.bytes ?? 0 { longest[path] = alert }
        }
        let tooLong = longest.sorted { $0.key.joined() < $1.key.joined() }
        return tooLong.prefix(Limits.policyErrorsMax).map { path, alert in
            PolicyInputError(
                path: path,
                detail: "makes an alert of up to \(alert.bytes) bytes in "
                    + "`\(alert.language.rawValue)`; beside the largest state "
                    + "(\(worst.stateBytes) bytes) a push has room for \(room): say it more "
                    + "briefly or with fewer places")
        }
    }

    private var alerts: [Alert] {
        let keys = phrasebook.keys
        let titles = keys.filter { $0.hasSuffix(".title") }
        return phrasebook.languages.flatMap { language in
            titles.map { title in
                let stem = title.dropLast("title".count)
                let bodies = keys.filter { $0.hasPrefix(stem) && $0 != title }
                    .map { measure($0, in: language, inside: []) }
                let body = bodies.max { $0.bytes < $1.bytes }
                let head = measure(title, in: language, inside: [])
                return Alert(
                    language: language,
                    bytes: head.bytes + max(body?.bytes ?? 0, worst.verbatimBytes),
                    keys: head.keys.union(body?.keys ?? []))
            }
        }
    }

    /// The longest form of a text with the longest fillings of its places.
    /// - Parameter outer: phrases around it, which are not filled into themselves.
    private func measure(
        _ key: String, in language: Language, inside outer: Set<String>
    ) -> (bytes: Int, keys: Set<String>) {
        guard let template = phrasebook.template(key, in: language), !outer.contains(key) else {
            return (0, [])
        }
        let around = outer.union([key])
        var longest = (bytes: 0, keys: Set([key]))
        for form in template.forms {
            var bytes = 0
            for piece in form.pieces {
                guard piece.isPlace else {
                    bytes += piece.text.jsonBytes
                    continue
                }
                let filling = worst.filling(of: piece.text)
                let phrases = filling.phrases.map { measure($0, in: language, inside: around) }
                let isIsolated = filling.hasWords && form.pieces.count > 1
                let text = filling.bytes + (isIsolated ? String.isolatesBytes : 0)
                bytes += max(text, phrases.map(\.bytes).max() ?? 0)
                longest.keys.formUnion(phrases.flatMap(\.keys))
            }
            longest.bytes = max(longest.bytes, bytes)
        }
        return longest
    }

    /// Where in the document the longest text of the tenant's stands; nil when all are the kind's.
    private func pathToBlame(_ alert: Alert) -> [String]? {
        alert.keys.compactMap { key in
            phrasebook.own(key, for: alert.language).map { own in
                (
                    bytes: own.template.longest,
                    path: ["texts", tags[own.language] ?? own.language.rawValue, key]
                )
            }
        }
        .max { ($0.bytes, $0.path.joined()) < ($1.bytes, $1.path.joined()) }?.path
    }
}
