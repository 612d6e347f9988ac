import JSON

/// A member of a request, a scenario or a push that is not as it should be.
public struct FieldProblem: Error, Hashable, Sendable {
    /// Names the member and says what it should be; never its value.
    public var sentence: String
}

extension FieldProblem {
    /// - Parameter place: the members that lead there, written as `faults[2].share`.
    init(_ place: [any CodingKey], _ what: String) {
        let name = place.reduce("") { name, key in
            if let index = key.intValue { return "\(name)[\(index)]" }
            return name.isEmpty ? key.stringValue : "\(name).\(key.stringValue)"
        }
        sentence = "\(name.isEmpty ? "the body" : name) \(what)"
    }
}

extension Decoder {
    /// The members of an object that has no others.
    func fields<Field: CodingKey & CaseIterable>(
        _: Field.Type
    ) throws -> KeyedDecodingContainer<Field> {
        guard let all = try? container(keyedBy: AnyName.self) else {
            throw FieldProblem(codingPath, "must be a JSON object")
        }
        let names = all.allKeys.map(\.stringValue).filter { Field(stringValue: $0) == nil }
        if let unknown = names.min() {
            let known = Field.allCases.map(\.stringValue).joined(separator: ", ")
            throw FieldProblem(
                codingPath + [AnyName(Self.printable(unknown))],
                "is not known here; there are \(known)")
        }
        return try container(keyedBy: Field.self)
    }

    /// What somebody made up, cut and without what a terminal would obey.
    private static func printable(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.prefix(60).filter {
                    !$0.properties.isDefaultIgnorableCodePoint
                        && $0.properties.generalCategory != .control
                }))
    }
}

extension KeyedDecodingContainer {
    /// - Parameters:
    ///   - wanted: what it must be, for the message.
    ///   - standard: what counts when it is not there; nil when it has to be.
    func value<Value: Decodable>(
        _ field: Key, _ wanted: String, else standard: Value? = nil,
        where isRight: (Value) -> Bool = { _ in true }
    ) throws -> Value {
        if let standard, !contains(field) { return standard }
        guard contains(field) else { throw problem(field, "is missing: it must be \(wanted)") }
        do {
            let value = try decode(Value.self, forKey: field)
            if isRight(value) { return value }
        } catch let problem as FieldProblem { throw problem } catch {}
        throw problem(field, "must be \(wanted)")
    }

    func number<Number: Decodable & Comparable>(
        _ field: Key, in range: ClosedRange<Number>, else standard: Number? = nil
    ) throws -> Number {
        let sort = Number.self == Int.self ? "a whole number" : "a number"
        let bounds = "from \(range.lowerBound) to \(range.upperBound)"
        return try value(field, "\(sort) \(bounds)", else: standard, where: range.contains)
    }

    func choice<Choice: Decodable & CaseIterable & RawRepresentable<String>>(
        _ field: Key, else standard: Choice? = nil
    ) throws -> Choice {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return try value(field, "one of \(names)", else: standard)
    }

    func problem(_ field: Key, _ what: String) -> FieldProblem {
        FieldProblem(codingPath + [field], what)
    }
}
