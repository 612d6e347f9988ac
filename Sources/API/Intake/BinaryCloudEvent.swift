import HTTP
import JSON

/// The binary mode of the CloudEvents HTTP binding: attributes are header fields that begin with
/// `ce-`, and the body is the data.
enum BinaryCloudEvent {
    static let prefix = "ce-"
    /// Header fields are text; these attributes are numbers.
    private static let integers: Set = ["schemaversion", "expectedversion"]

    static func isPresent(in headers: Headers) -> Bool {
        headers.fields.contains { $0.name.hasPrefix(prefix) }
    }

    /// The event in its JSON form.
    /// - Parameter data: the body; nil when it is empty.
    /// - Throws: every attribute that cannot be read, with the pointer it has in the JSON form.
    static func json(_ headers: Headers, data: JSON?) throws(ProblemDocument) -> JSON {
        var members: [JSON.Member] = []
        var errors: [ProblemDocument.InputError] = []
        for field in headers.fields where field.name.hasPrefix(prefix) {
            let name = String(field.name.dropFirst(prefix.count))
            if members.contains(where: { $0.name == name }) {
                errors.append(inputError(name, "is sent twice"))
            } else if name == "data" || name == "datacontenttype" {
                errors.append(
                    inputError(
                        name, "is no header in binary mode; use the body and `Content-Type`"))
            } else if let text = decoded(field.value) {
                members.append(.init(name: name, value: value(name, text)))
            } else {
                errors.append(
                    inputError(name, "must be percent-encoded UTF-8 in printable ASCII characters"))
            }
        }
        guard errors.isEmpty else { throw ProblemDocument(errors, ifMixed: .invalidEvents) }
        if let data { members.append(.init(name: "data", value: data)) }
        return .object(members)
    }

    private static func inputError(_ name: String, _ detail: String) -> ProblemDocument.InputError {
        .init(
            problem: .invalidAttribute, pointer: "/" + JSONPointer.escaped(name),
            detail: "The header field of `\(name)` \(detail).")
    }

    private static func value(_ name: String, _ text: String) -> JSON {
        guard integers.contains(name), let number = Int64(text) else { return .string(text) }
        return .integer(number)
    }

    /// A value may be a quoted string of RFC 9110; then it is percent-decoded, once.
    private static func decoded(_ value: String) -> String? {
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
            return nil
        }
        guard value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") else {
            return PercentEncoding.decoded(value)
        }
        let text = value.dropFirst().dropLast().replacing(/\\(.?)/) { $0.1 }
        return PercentEncoding.decoded(text)
    }
}
