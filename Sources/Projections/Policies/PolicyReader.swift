import Domain

/// Checks a document against what its kind has.
struct PolicyReader {
    let thresholds: [Threshold]
    private let standards: [String: Double]
    let rules: [Rule]
    let texts: Phrasebook.Texts
    /// Yet to be put: of what was put before there were bounds, the events recorded since need a
    /// policy anyway.
    let isNew: Bool
    /// Whether a place of the texts is filled with numbers alone. Only plural forms ask, and the
    /// first answer about a kind takes a while.
    private let isCount: (String) -> Bool
    private(set) var errors: [PolicyInputError]
    /// Where something was wrong before: what stands there instead is no other error.
    private let refused: Set<ByteKey>
    /// Languages as the document names them.
    private(set) var tags: [Language: String] = [:]

    /// - Parameter errors: that were found before.
    init<K: ActivityKind>(_ kind: K.Type, isNew: Bool, errors: [PolicyInputError] = []) {
        self.errors = errors
        refused = Set(errors.map { ByteKey($0.pointer) })
        thresholds = kind.allThresholds
        standards = kind.ownStandards
        rules = kind.rules
        texts = kind.texts
        self.isNew = isNew
        isCount = { WorstCase.of(kind).isCount($0) }
    }

    mutating func policy(_ document: PolicyDocument, version: Int) -> Policy {
        var wishes = Policy.Wishes()
        wishes.thresholds = read(document.thresholds, at: ["thresholds"]) {
            $0.figure(ofThreshold: $1, $2)
        }
        wishes.rules = read(document.rules, at: ["rules"]) { $0.significance(ofRule: $1, $2) }
        if let hours = document.quietHours { wishes.quietHours = read(hours) }
        wishes.texts = read(texts: document.texts)
        if let words = document.words { wishes.words = form(words) ?? .localized }
        wishes.keys = read(document.keys, at: ["keys"]) { $0.key(ofText: $1, $2) }
        return Policy(version: version, wishes, standards: standards)
    }

    private mutating func read(
        texts: [String: [String: PolicyDocument.Text]]?
    ) -> [Language: [String: Template]] {
        let languages = (texts ?? [:]).keys.sorted { $0.precedes($1) }
        let languagesMax = Limits.policyLanguagesMax
        if isNew, languages.count > languagesMax {
            refuse(["texts"], "has \(languages.count) languages, and may have \(languagesMax)")
            return [:]
        }
        var read: [Language: [String: Template]] = [:]
        // Always the same ones, so that every fold of an event says the same.
        for tag in languages.prefix(languagesMax) where !isFull {
            // As it was put, what was put before tags were spelled: decisions name it so.
            let language = Language(isNew ? LanguageTag.usual(tag) : tag)
            if let known = tags[language] {
                refuse(["texts", tag], "is the same language as `\(known)`: tags have no case")
                continue
            }
            tags[language] = tag
            read[language] = self.read(texts?[tag] ?? [:], in: tag)
        }
        return read
    }

    /// In the order of their names; none where there are so many that most can only be wrong.
    /// - Parameter readOne: gives what a member says; nil for one that is refused.
    private mutating func read<Value, Said>(
        _ members: [String: Value]?, at path: [String],
        _ readOne: (_ reader: inout PolicyReader, _ name: String, Value) -> Said?
    ) -> [String: Said] {
        guard let members else { return [:] }
        guard members.count <= Limits.policyMembersMax else {
            refuse(
                path, "has \(members.count) members, and may have \(Limits.policyMembersMax)")
            return [:]
        }
        var read: [String: Said] = [:]
        for (name, value) in members.sorted(by: { $0.key.precedes($1.key) }) where !isFull {
            read[name] = readOne(&self, name, value)
        }
        return read
    }

    /// Somebody who has to mend so much learns no more from more of it.
    private var isFull: Bool { errors.count >= Limits.policyErrorsMax }

    private mutating func refuse(_ path: [String], _ detail: String) {
        let error = PolicyInputError(path: path, detail: detail)
        guard !isFull, !refused.contains(ByteKey(error.pointer)) else { return }
        errors.append(error)
    }

    private func nearest(_ name: String, _ names: [String]) -> String {
        let isLong = name.utf8.count > Limits.comparedNameBytesMax
        let close = isLong ? [] : Similarity.nearest(to: name, among: names)
        let offered = close.isEmpty ? names : close
        return offered.map { "`\($0)`" }.joined(separator: ", ")
    }

    private mutating func figure(ofThreshold name: String, _ value: Double) -> Double? {
        guard let threshold = thresholds.first(where: { $0.name.hasBytes(of: name) }) else {
            refuse(
                ["thresholds", name],
                "is no threshold of the kind; there is \(nearest(name, thresholds.map(\.name)))")
            return nil
        }
        let isRead = !isNew && threshold.range.contains(value)
        if !isRead, let refusal = threshold.refusal(of: value) {
            refuse(["thresholds", name], refusal)
            return nil
        }
        return threshold.used(value)
    }

    private mutating func significance(ofRule name: String, _ word: String) -> Significance? {
        let path = ["rules", name]
        guard let rule = rules.first(where: { $0.name.hasBytes(of: name) }) else {
            refuse(path, "is no rule of the kind; there is \(nearest(name, rules.map(\.name)))")
            return nil
        }
        guard let significance = Significance(rawValue: word) else {
            let words = Significance.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            refuse(path, "must be one of \(words)")
            return nil
        }
        guard significance != .alert || rule.hasWords else {
            refuse(path, "has no words to alert with; `timely` is the most it can be")
            return nil
        }
        return significance
    }

    private mutating func read(_ hours: PolicyDocument.Hours) -> QuietHours? {
        let before = errors.count
        let from = minute(hours.from, "from")
        let to = minute(hours.to, "to")
        if let from, from == to {
            refuse(
                ["quietHours", "to"], "must differ from `from`; without quiet hours leave both out")
        }
        if let refusal = ZoneName.refusal(of: hours.timeZone, isNew: isNew) {
            refuse(["quietHours", "timeZone"], refusal)
        }
        let except = hours.except ?? []
        if isNew, except.count > Limits.policyMembersMax {
            refuse(
                ["quietHours", "except"],
                "has \(except.count) rules, and may have \(Limits.policyMembersMax)")
            return nil
        }
        for (index, name) in except.enumerated()
        where !isFull && !rules.contains(where: { $0.name.hasBytes(of: name) }) {
            refuse(
                ["quietHours", "except", "\(index)"],
                "is no rule of the kind; there is \(nearest(name, rules.map(\.name)))")
        }
        guard let from, let to, errors.count == before else { return nil }
        return QuietHours(
            from: from, to: to, timeZone: hours.timeZone, except: Set(except))
    }

    private mutating func minute(_ text: String, _ member: String) -> Int? {
        if let time = text.wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/),
            let hour = Int(time.1), let minute = Int(time.2)
        {
            return hour * 60 + minute
        }
        refuse(["quietHours", member], "must be a time of the day from `00:00` to `23:59`")
        return nil
    }

    private mutating func read(
        _ own: [String: PolicyDocument.Text], in language: String
    ) -> [String: Template] {
        guard Self.isLanguage(language) else {
            refuse(["texts", language], "must be named by a language tag, such as `de` or `pt-BR`")
            return [:]
        }
        return read(own, at: ["texts", language]) { $0.read($2, $1, in: Language(language)) }
    }

    private mutating func read(
        _ text: PolicyDocument.Text, _ key: String, in language: Language
    ) -> Template? {
        let path = ["texts", language.rawValue, key]
        guard let standard = texts[.standard]?[key] else {
            let keys = texts[.standard].map { $0.keys.sorted() } ?? []
            refuse(path, "is no text of the kind; there is \(nearest(key, keys))")
            return nil
        }
        // Before it is taken apart, which takes as long as it is.
        guard text.forms.allSatisfy({ (1...Limits.templateBytesMax).contains($0.utf8.count) })
        else {
            refuse(path, "must have 1 to \(Limits.templateBytesMax) bytes")
            return nil
        }
        let template: Template
        switch text {
        case .plain(let text):
            template = .plain(Template.Form(text))
            guard isReadable(text, at: path) else { return nil }
        case .plural(let by, let forms):
            guard let named = categories(forms, in: language, at: path) else { return nil }
            template = .plural(by: by, named.mapValues { Template.Form($0) })
            guard canCount(by, among: standard.places, at: path),
                named.allSatisfy({ isReadable($0.value, at: path + [$0.key.rawValue]) })
            else { return nil }
        }
        let known = standard.places
        if let strange = template.places.subtracting(known).min() {
            refuse(
                path,
                "has the place {\(strange)}; there is "
                    + (known.isEmpty
                        ? "none" : known.sorted().map { "{\($0)}" }.joined(separator: ", ")))
            return nil
        }
        return template
    }

    private mutating func form(_ word: String) -> WordsForm? {
        if let form = WordsForm(rawValue: word) { return form }
        let forms = WordsForm.allCases.map { "`\($0.rawValue)`" }.joined(separator: " or ")
        refuse(["words"], "must be \(forms)")
        return nil
    }

    private mutating func key(ofText name: String, _ key: String) -> String? {
        let known = texts[.standard].map { $0.keys.sorted() } ?? []
        guard known.containsBytes(of: name) else {
            refuse(["keys", name], "is no text of the kind; there is \(nearest(name, known))")
            return nil
        }
        let isPlain = key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isPlain, (1...Limits.appKeyBytesMax).contains(key.utf8.count) else {
            refuse(
                ["keys", name],
                "must have 1 to \(Limits.appKeyBytesMax) visible ASCII characters, without spaces")
            return nil
        }
        return key
    }

    private mutating func categories(
        _ forms: [String: String], in language: Language, at path: [String]
    ) -> [PluralCategory: String]? {
        let used = PluralCategory.used(in: language)
        var named: [PluralCategory: String] = [:]
        for (name, form) in forms {
            guard let category = PluralCategory(rawValue: name) else {
                let names = PluralCategory.allCases.map { "`\($0.rawValue)`" }
                refuse(
                    path + [name],
                    "is no plural form; there is \(names.joined(separator: ", ")) and `by`")
                return nil
            }
            guard !isNew || used.contains(category) else {
                let names = used.map { "`\($0.rawValue)`" }.joined(separator: ", ")
                refuse(
                    path + [name],
                    "is said of no whole number in `\(language.rawValue)`, which has \(names)")
                return nil
            }
            named[category] = form
        }
        guard named[.other] != nil else {
            refuse(path, "must have the form `other`")
            return nil
        }
        return named
    }

    /// Whether forms can go by a place of a text: only a number decides between them.
    private mutating func canCount(
        _ by: String, among places: Set<String>, at path: [String]
    ) -> Bool {
        guard isNew else { return true }
        let counts = places.filter(isCount).sorted()
        guard !counts.contains(by) else { return true }
        refuse(
            path + ["by"],
            counts.isEmpty
                ? "cannot be given: this text has no number, so write one text and no forms"
                : "must name a number of the text; there is "
                    + counts.map { "`\($0)`" }.joined(separator: ", "))
        return false
    }

    /// Whether a form shows something, on one line and without a brace too many.
    private mutating func isReadable(_ text: String, at path: [String]) -> Bool {
        guard isNew, let refusal = Template.refusal(of: text) else { return true }
        refuse(path, refusal)
        return false
    }

    /// Texts are in languages that people speak, whose codes have two or three letters.
    private static func isLanguage(_ text: String) -> Bool {
        LanguageTag.isWellFormed(text) && (2...3).contains(Language(text).primary.utf8.count)
    }
}
