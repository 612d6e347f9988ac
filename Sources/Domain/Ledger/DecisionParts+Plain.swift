public import JSON

extension PushOrder: PlainValue {
    public init?(plain scanner: inout PlainJSONScanner) {
        var (isImmediate, isImmediateForFrequent, restarts): (Bool?, Bool?, Bool?)
        var (step, budget): (Step?, BudgetChange?)
        let isPlain = scanner.members { scanner, name in
            if scanner.equals(name, "budget") {
                budget = BudgetChange(plain: &scanner)
                return budget != nil
            } else if scanner.equals(name, "isImmediate") {
                isImmediate = scanner.flag()
                return isImmediate != nil
            } else if scanner.equals(name, "isImmediateForFrequent") {
                isImmediateForFrequent = scanner.flag()
                return isImmediateForFrequent != nil
            } else if scanner.equals(name, "step") {
                step = scanner.plainText().flatMap(Step.init(rawValue:))
                return step != nil
            } else if scanner.equals(name, "restarts") {
                restarts = scanner.flag()
                return restarts == true
            }
            return false
        }
        guard isPlain, let isImmediate, let isImmediateForFrequent, let step else { return nil }
        self.init(
            isImmediate: isImmediate, isImmediateForFrequent: isImmediateForFrequent, step: step,
            budget: budget)
        if restarts == true { self.restarts = true }
    }
}

extension BudgetChange {
    fileprivate init?(plain scanner: inout PlainJSONScanner) {
        var (before, after): (Level?, Level?)
        let isPlain = scanner.members { scanner, name in
            guard let level = Level(plain: &scanner) else { return false }
            if scanner.equals(name, "before") {
                before = level
            } else if scanner.equals(name, "after") {
                after = level
            } else {
                return false
            }
            return true
        }
        guard isPlain, let before, let after else { return nil }
        self.init(before: before, after: after)
    }
}

extension BudgetChange.Level {
    fileprivate init?(plain scanner: inout PlainJSONScanner) {
        var (standard, frequent, quiet): (Double?, Double?, Double?)
        let isPlain = scanner.members { scanner, name in
            guard let tokens = scanner.double() else { return false }
            if scanner.equals(name, "standard") {
                standard = tokens
            } else if scanner.equals(name, "frequent") {
                frequent = tokens
            } else if scanner.equals(name, "quiet") {
                quiet = tokens
            } else {
                return false
            }
            return true
        }
        guard isPlain, let standard, let frequent, let quiet else { return nil }
        self.init(standard: standard, frequent: frequent, quiet: quiet)
    }
}

/// One without keys of its own.
extension Alert: PlainValue {
    public init?(plain scanner: inout PlainJSONScanner) {
        var (title, body, sound): (String?, String?, String?)
        var translations: [Language: Words] = [:]
        let isPlain = scanner.members { scanner, name in
            if scanner.equals(name, "translations") {
                return scanner.members { scanner, name in
                    let language = Language(scanner.string(name))
                    translations[language] = Words(plain: &scanner)
                    return translations[language] != nil
                }
            }
            guard let text = scanner.plainText() else { return false }
            if scanner.equals(name, "title") {
                title = text
            } else if scanner.equals(name, "body") {
                body = text
            } else if scanner.equals(name, "sound") {
                sound = text
            } else {
                return false
            }
            return true
        }
        guard isPlain, let title, let body, let sound else { return nil }
        self.init(title: title, body: body, sound: sound, translations: translations)
    }
}

extension Alert.Words {
    fileprivate init?(plain scanner: inout PlainJSONScanner) {
        var (title, body): (String?, String?)
        let isPlain = scanner.members { scanner, name in
            guard let text = scanner.plainText() else { return false }
            if scanner.equals(name, "title") {
                title = text
            } else if scanner.equals(name, "body") {
                body = text
            } else {
                return false
            }
            return true
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
            if scanner.equals(name, "weight") {
                weight = scanner.integer()
                return weight != nil
            } else if scanner.equals(name, "subject") {
                subject = scanner.plainText()
                return subject != nil
            } else if scanner.equals(name, "withdraws") {
                withdraws = scanner.texts()
                return withdraws != nil
            } else if scanner.equals(name, "isCorrection") {
                isCorrection = scanner.flag()
                return isCorrection != nil
            }
            return false
        }
        guard isPlain, let weight, let withdraws, let isCorrection else { return nil }
        self.init(
            weight: weight, subject: subject, withdraws: withdraws, isCorrection: isCorrection)
    }
}
