public import JSON

/// A policy as somebody sends it or has it in a file, checked for its shape: names and ranges are
/// the kind's to check.
public struct PolicyWish: Sendable {
    /// What is wanted.
    public private(set) var document = PolicyDocument()
    /// The version that is thought to be the newest; nil for whatever it is.
    public private(set) var expectedVersion: Int?
    /// What has another shape, and is left out of the document: everything, unless that is more
    /// than anybody reads.
    public private(set) var errors: [PolicyInputError] = []

    /// Names of all that there is.
    public static let members = [
        "thresholds", "rules", "quietHours", "texts", "words", "keys", "expectedVersion",
    ]

    /// Takes what it can of a body. `ActivityCatalog.newPolicy` refuses one with errors, and names
    /// those of the rest with them.
    public init(_ body: JSON) {
        var shape = PolicyShape()
        let all = shape.members(body, at: "")
        for (name, _, path) in all where !Self.members.contains(name) {
            let known = Self.members.map { "`\($0)`" }.joined(separator: ", ")
            shape.refuse(path, "is no member of a policy; there is \(known)")
        }
        for (name, value, path) in all {
            switch name {
            case "thresholds": document.thresholds = shape.numbers(value, at: path)
            case "rules": document.rules = shape.strings(value, at: path)
            case "quietHours": document.quietHours = shape.hours(value, at: path)
            case "texts": document.texts = shape.texts(value, at: path)
            case "words": document.words = shape.text(value, at: path)
            case "keys": document.keys = shape.strings(value, at: path)
            case "expectedVersion": expectedVersion = shape.version(value, at: path)
            default: break
            }
        }
        errors = shape.errors
    }
}

/// Takes values of the expected sorts out of a body, and remembers where they are of another.
private struct PolicyShape {
    private(set) var errors: [PolicyInputError] = []

    /// No more than are listed.
    mutating func refuse(_ pointer: String, _ detail: String) {
        guard errors.count < Limits.policyErrorsMax else { return }
        errors.append(PolicyInputError(pointer: pointer, detail: detail))
    }

    /// Each with where it stands. Those that are `null` are as good as absent.
    mutating func members(
        _ value: JSON, at pointer: String
    ) -> [(name: String, value: JSON, path: String)] {
        guard case .object(let members) = value else {
            refuse(pointer, "must be an object, not \(value.kind)")
            return []
        }
        return members.filter { $0.value != .null }.map {
            ($0.name, $0.value, "\(pointer)/\(JSONPointer.escaped($0.name))")
        }
    }

    mutating func text(_ value: JSON, at pointer: String) -> String? {
        if let text = value.text { return text }
        refuse(pointer, "must be a string, not \(value.kind)")
        return nil
    }

    mutating func numbers(_ value: JSON, at pointer: String) -> [String: Double] {
        var numbers: [String: Double] = [:]
        for (name, value, path) in members(value, at: pointer) {
            if case .number(let digits) = value, let number = Double(digits), number.isFinite {
                numbers[name] = number
            } else {
                refuse(path, "must be a number, not \(value.kind)")
            }
        }
        return numbers
    }

    mutating func strings(_ value: JSON, at pointer: String) -> [String: String] {
        var strings: [String: String] = [:]
        for (name, value, path) in members(value, at: pointer) {
            strings[name] = text(value, at: path)
        }
        return strings
    }

    mutating func hours(_ value: JSON, at pointer: String) -> PolicyDocument.Hours? {
        var texts: [String: String] = [:]
        var except: [String]?
        for (name, value, path) in members(value, at: pointer) {
            switch name {
            case "from", "to", "timeZone": texts[name] = text(value, at: path)
            case "except": except = list(value, at: path)
            default:
                refuse(
                    path,
                    "is no member of quiet hours; there is `from`, `to`, `timeZone`, `except`")
            }
        }
        guard case .object = value else { return nil }
        for name in ["from", "to", "timeZone"] where value[name] == nil {
            refuse("\(pointer)/\(name)", "is missing")
        }
        return PolicyDocument.Hours(
            from: texts["from"] ?? "", to: texts["to"] ?? "", timeZone: texts["timeZone"] ?? "",
            except: except)
    }

    private mutating func list(_ value: JSON, at pointer: String) -> [String] {
        guard case .array(let elements) = value else {
            refuse(pointer, "must be an array, not \(value.kind)")
            return []
        }
        // Each keeps its place, by which others are named.
        return elements.enumerated().map {
            text($0.element, at: "\(pointer)/\($0.offset)") ?? ""
        }
    }

    mutating func texts(
        _ value: JSON, at pointer: String
    ) -> [String: [String: PolicyDocument.Text]] {
        var languages: [String: [String: PolicyDocument.Text]] = [:]
        for (language, value, path) in members(value, at: pointer) {
            var texts: [String: PolicyDocument.Text] = [:]
            for (key, value, path) in members(value, at: path) {
                texts[key] = template(value, at: path)
            }
            languages[language] = texts
        }
        return languages
    }

    private mutating func template(_ value: JSON, at pointer: String) -> PolicyDocument.Text? {
        if let text = value.text { return .plain(text) }
        guard case .object = value else {
            refuse(pointer, "must be a string, or an object of plural forms, not \(value.kind)")
            return nil
        }
        let before = errors.count
        var forms = strings(value, at: pointer)
        guard errors.count == before else { return nil }
        guard let by = forms.removeValue(forKey: "by") else {
            refuse(pointer, "needs `by`, the place whose number decides between the forms")
            return nil
        }
        return .plural(by: by, forms: forms)
    }

    mutating func version(_ value: JSON, at pointer: String) -> Int? {
        guard let number = value.wholeNumber, (0...Limits.policyVersionMax).contains(number) else {
            refuse(pointer, "must be a whole number from 0 to \(Limits.policyVersionMax)")
            return nil
        }
        return Int(number)
    }
}
