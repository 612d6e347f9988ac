import Domain
import JSON

/// The members of a body, and what is wrong with them: a client can correct all at once.
struct BodyFields {
    let body: JSON
    let problem: Problem
    var errors: [ProblemDocument.InputError] = []

    /// The document of the errors, of which there is one at least.
    var document: ProblemDocument { ProblemDocument(errors, ifMixed: problem) }

    func check() throws(ProblemDocument) {
        if !errors.isEmpty { throw document }
    }

    mutating func refuse(_ name: String, _ detail: String) {
        errors.append(
            .init(
                problem: problem, pointer: "/\(name)",
                detail: body[name] == nil ? "`\(name)` is missing." : "`\(name)` \(detail)."))
    }

    mutating func refuseOthers(than names: [String]) {
        errors += ProblemDocument.InputError.unknown(in: body, besides: names, problem)
    }

    mutating func required<Value>(
        _ name: String, _ detail: String, _ read: (String) -> Value?
    ) -> Value? {
        let value = body[name]?.text.flatMap(read)
        if value == nil { refuse(name, detail) }
        return value
    }

    /// Absent and `null` are the same.
    mutating func optional<Value>(
        _ name: String, _ detail: String, _ read: (JSON) -> Value?
    ) -> Value? {
        guard let given = body[name] else { return nil }
        let value = read(given)
        if value == nil { refuse(name, detail) }
        return value
    }

    mutating func flag(_ name: String) -> Bool? {
        optional(name, "must be true or false") {
            if case .bool(let flag) = $0 { flag } else { nil }
        }
    }

    mutating func number(_ name: String, in range: ClosedRange<Int>) -> Int? {
        optional(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)") {
            value -> Int? in
            value.wholeNumber.flatMap { range.contains(Int($0)) ? Int($0) : nil }
        }
    }

    mutating func moment(_ name: String) -> Moment? {
        guard let value = body[name] else { return nil }
        do throws(MomentError) {
            guard let text = value.text else { throw MomentError.form }
            return try Moment(new: text)
        } catch {
            refuse(name, "must be \(error.expectation)")
            return nil
        }
    }

    static func line(_ value: JSON, bytesMax: Int) -> String? {
        value.text.flatMap {
            $0.utf8.count <= bytesMax && AttributeText.refusal(of: $0) == nil ? $0 : nil
        }
    }
}
