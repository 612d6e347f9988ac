public import JSON

extension PushOrder: PlainValue {
    public init?(plain scanner: inout PlainJSONScanner) {
        var (isImmediate, isImmediateForFrequent, restarts): (Bool?, Bool?, Bool?)
        var (treatment, budget): (Treatment?, BudgetChange?)
        let isPlain = scanner.members { scanner, name in
            if scanner.equals(name, "budget") { return budget.fill(BudgetChange(plain: &scanner)) }
            if scanner.equals(name, "isImmediate") { return isImmediate.fill(scanner.flag()) }
            if scanner.equals(name, "isImmediateForFrequent") {
                return isImmediateForFrequent.fill(scanner.flag())
            }
            if scanner.equals(name, "step") {
                return treatment.fill(scanner.plainText().flatMap(Treatment.init(rawValue:)))
            }
            if scanner.equals(name, "restarts") {
                return restarts.fill(scanner.flag()) && restarts == true
            }
            return false
        }
        guard isPlain, let isImmediate, let isImmediateForFrequent, let treatment
        else { return nil }
        self.init(
            isImmediate: isImmediate, isImmediateForFrequent: isImmediateForFrequent,
            treatment: treatment, budget: budget)
        if restarts == true { self.restarts = true }
    }
}

extension BudgetChange {
    fileprivate init?(plain scanner: inout PlainJSONScanner) {
        var (before, after): (Level?, Level?)
        let isPlain = scanner.members { scanner, name in
            if scanner.equals(name, "before") { return before.fill(Level(plain: &scanner)) }
            if scanner.equals(name, "after") { return after.fill(Level(plain: &scanner)) }
            return false
        }
        guard isPlain, let before, let after else { return nil }
        self.init(before: before, after: after)
    }
}

extension BudgetChange.Level {
    fileprivate init?(plain scanner: inout PlainJSONScanner) {
        var (standard, frequent, quiet): (Double?, Double?, Double?)
        let isPlain = scanner.members { scanner, name in
            if scanner.equals(name, "standard") { return standard.fill(scanner.double()) }
            if scanner.equals(name, "frequent") { return frequent.fill(scanner.double()) }
            if scanner.equals(name, "quiet") { return quiet.fill(scanner.double()) }
            return false
        }
        guard isPlain, let standard, let frequent, let quiet else { return nil }
        self.init(standard: standard, frequent: frequent, quiet: quiet)
    }
}

/// One without keys of its own.
extension Alert: PlainValue {
    public init?(plain scanner: inout PlainJSONScanner) {
        var (title, body, sound): (String?, String?, String?)
        var translations: [Language: Text] = [:]
        let isPlain = scanner.members { scanner, name in
            if scanner.equals(name, "title") { return title.fill(scanner.plainText()) }
            if scanner.equals(name, "body") { return body.fill(scanner.plainText()) }
            if scanner.equals(name, "sound") { return sound.fill(scanner.plainText()) }
            guard scanner.equals(name, "translations") else { return false }
            return scanner.members { scanner, name in
                let language = Language(scanner.string(name))
                return translations[language].fill(Text(plain: &scanner))
            }
        }
        guard isPlain, let title, let body, let sound else { return nil }
        self.init(title: title, body: body, sound: sound, translations: translations)
    }
}

extension Alert.Text {
    fileprivate init?(plain scanner: inout PlainJSONScanner) {
        var (title, body): (String?, String?)
        let isPlain = scanner.members { scanner, name in
            if scanner.equals(name, "title") { return title.fill(scanner.plainText()) }
            if scanner.equals(name, "body") { return body.fill(scanner.plainText()) }
            return false
        }
        guard isPlain, let title, let body else { return nil }
        self.init(title: title, body: body)
    }
}

/// One that was said when it was decided about, and says nothing that was kept back before.
extension AlertContext: PlainValue {
    public init?(plain scanner: inout PlainJSONScanner) {
        var (weight, subject): (Int?, String?)
        var (withdraws, isCorrection): ([String]?, Bool?)
        let isPlain = scanner.members { scanner, name in
            if scanner.equals(name, "weight") { return weight.fill(scanner.integer()) }
            if scanner.equals(name, "subject") { return subject.fill(scanner.plainText()) }
            if scanner.equals(name, "withdraws") { return withdraws.fill(scanner.texts()) }
            if scanner.equals(name, "isCorrection") { return isCorrection.fill(scanner.flag()) }
            return false
        }
        guard isPlain, let weight, let withdraws, let isCorrection else { return nil }
        self.init(
            weight: weight, subject: subject, withdrawing: withdraws, isCorrection: isCorrection)
    }
}

extension Optional {
    /// - Returns: whether a member's value was read, which is taken then.
    fileprivate mutating func fill(_ read: Wrapped?) -> Bool {
        self = read
        return read != nil
    }
}
