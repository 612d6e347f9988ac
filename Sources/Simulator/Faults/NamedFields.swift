import Foundation
import JSON

/// A member of a scenario or of a request that is not as it should be.
public struct FieldProblem: Error, Hashable, Sendable {
    /// Names the member and says what it should be; never its value.
    public var sentence: String
}

/// The members of one JSON object, read one by one, so that each mistake is reported by name.
struct NamedFields {
    private let members: [String: JSON]
    /// Where the object stands, for example `faults[2].`.
    private let place: String
    private var read: Set<String> = []

    init(_ value: JSON, at place: String = "") throws(FieldProblem) {
        guard case .object(let members) = value else {
            throw FieldProblem(
                sentence: place.isEmpty
                    ? "the body must be a JSON object" : "\(place.dropLast()) must be an object")
        }
        self.members = Dictionary(
            members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        self.place = place
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    func problem(_ name: String, _ what: String) -> FieldProblem {
        FieldProblem(sentence: "\(place)\(name) \(what)")
    }

    /// As it stands.
    mutating func value(_ name: String) -> JSON? {
        read.insert(name)
        return members[name]
    }

    mutating func number(
        _ name: String, in range: ClosedRange<Double>
    ) throws(FieldProblem) -> Double? {
        guard let value = value(name) else { return nil }
        guard case .number(let literal) = value, let number = Double(literal),
            range.contains(number)
        else {
            throw problem(
                name,
                "must be a number from \(Self.text(range.lowerBound)) to "
                    + Self.text(range.upperBound))
        }
        return number
    }

    mutating func integer(
        _ name: String, in range: ClosedRange<Int>
    ) throws(FieldProblem) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.wholeNumber.flatMap(Int.init(exactly:)), range.contains(number)
        else {
            throw problem(
                name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func flag(_ name: String) throws(FieldProblem) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let flag) = value else { throw problem(name, "must be true or false") }
        return flag
    }

    mutating func text(_ name: String) throws(FieldProblem) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value, !text.isEmpty else {
            throw problem(name, "must be a text")
        }
        return text
    }

    mutating func choice<C: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: C.Type
    ) throws(FieldProblem) -> C? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value, let choice = C(rawValue: text) else {
            throw problem(
                name, "must be one of \(C.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    mutating func object(_ name: String) throws(FieldProblem) -> NamedFields? {
        guard let value = value(name) else { return nil }
        return try NamedFields(value, at: "\(place)\(name).")
    }

    mutating func objects(_ name: String) throws(FieldProblem) -> [NamedFields] {
        var objects: [NamedFields] = []
        for (index, value) in try list(name).enumerated() {
            objects.append(try NamedFields(value, at: "\(place)\(name)[\(index)]."))
        }
        return objects
    }

    /// Empty when it is not there.
    mutating func list(_ name: String) throws(FieldProblem) -> [JSON] {
        guard let value = value(name) else { return [] }
        guard case .array(let values) = value else { throw problem(name, "must be a list") }
        return values
    }

    /// - Parameter known: what could be there, for the message.
    func finish(known: String) throws(FieldProblem) {
        guard let unknown = members.keys.filter({ !read.contains($0) }).min() else { return }
        throw problem(Self.printable(unknown), "is not known here; there are \(known)")
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

    private static func text(_ bound: Double) -> String {
        bound == bound.rounded() ? String(Int(bound)) : String(bound)
    }
}
