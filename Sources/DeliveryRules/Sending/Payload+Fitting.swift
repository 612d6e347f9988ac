import APNs
public import Domain

extension [Alert] {
    /// What a push that has room says of them, in the standard language; nil when there are none.
    public var spoken: Alert.Text? {
        guard let first else { return nil }
        let body = first.keys == nil ? joinedBodies : first.body
        return Alert.Text(title: first.title, body: body)
    }

    /// Bodies of the first, and how many alerts are left unsaid.
    fileprivate var joinedBodies: String {
        Payload.text(prefix(Limits.joinedAlertsMax).map(\.body), of: count)
    }
}

extension Payload {
    /// The payload with as much of these alerts as a push has room for. Texts go before state:
    /// bodies after the first, then the end of the first, then that of the title.
    ///
    /// An app that has its own texts is given the keys of the most significant alert; texts that
    /// somebody else fills in have no place for the others.
    ///
    /// - Parameters:
    ///   - alerts: the most significant first.
    ///   - language: where an alert is not translated, its own text stands.
    ///   - format: has the whole body's size.
    func saying(
        _ untranslated: [Alert], in language: Language, as format: PushFormat
    ) -> Payload {
        let alerts = untranslated.map { alert in
            let text = alert.text(for: language.rawValue)
            return Alert(title: text.title, body: text.body, sound: alert.sound)
        }
        guard let first = alerts.first else { return self }
        if let keys = untranslated.first?.keys {
            let text = AlertText(
                title: .init(keys.title), body: .init(keys.body), sound: first.sound)
            if let keyed = saying(text, format) { return keyed }
        }
        if let whole = saying(first, first.title, alerts.joinedBodies, format) { return whole }
        let rest = Self.text([""], of: alerts.count)
        if let short = saying(first, first.title, first.body + rest, format) { return short }
        return longest(first.body) { saying(first, first.title, $0 + rest, format) }
            ?? longest(first.title) { saying(first, $0, Self.ellipsis, format) } ?? self
    }

    private static let ellipsis = "…"

    /// All bodies and how many alerts are left unsaid.
    fileprivate static func text(_ bodies: [String], of count: Int) -> String {
        let left = count - bodies.count
        return (left > 0 ? bodies + ["+\(left)"] : bodies).joined(separator: " · ")
    }

    /// Nil when it does not fit.
    private func saying(
        _ alert: Alert, _ title: String, _ body: String, _ format: PushFormat
    ) -> Payload? {
        saying(AlertText(title: title, body: body, sound: alert.sound), format)
    }

    /// Nil when it does not fit.
    private func saying(_ alert: AlertText, _ format: PushFormat) -> Payload? {
        var payload = self
        payload.alert = alert
        return format.body(payload).count <= format.bytesMax ? payload : nil
    }

    /// With the longest beginning of the text that fits, at least one character, cut between
    /// characters; nil when none does.
    private func longest(_ text: String, _ payload: (String) -> Payload?) -> Payload? {
        let characters = Array(text)
        var fitting: Payload?
        var (low, high) = (1, characters.count)
        while low <= high {
            let middle = (low + high) / 2
            if let longer = payload(String(characters.prefix(middle)) + Self.ellipsis) {
                (fitting, low) = (longer, middle + 1)
            } else {
                high = middle - 1
            }
        }
        return fitting
    }
}

extension Payload.AlertText.Text {
    fileprivate init(_ text: AppText) {
        switch text {
        case .plain(let text): self = .plain(text)
        case .key(let key, let arguments): self = .key(key, arguments: arguments)
        }
    }
}
