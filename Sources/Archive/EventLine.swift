import Encodings
import Domain
import Foundation
import JSON

/// One line of a segment: the event as the API writes it, a CloudEvents object with `position`,
/// `version` and `recordedat`, and `data` as its last member.
///
/// Being last is what keeps `data` as it is: its bytes go from file to log without being decoded,
/// so that no number loses a digit.
enum EventLine {
    static func append(_ recorded: RecordedEvent, to lines: inout [UInt8]) {
        let event = recorded.event
        var separator = UInt8(ascii: "{")
        for attribute in recorded.attributes {
            lines.append(separator)
            separator = UInt8(ascii: ",")
            CanonicalText.append(attribute.name, to: &lines)
            lines.append(UInt8(ascii: ":"))
            if let text = attribute.value.text {
                CanonicalText.append(text, to: &lines, controls: .numbered)
            } else {
                attribute.value.append(to: &lines)
            }
        }
        // An object, of which the members are wanted.
        if let extensions = event.extensions, let inner = members(of: extensions) {
            lines.append(UInt8(ascii: ","))
            lines += inner
        }
        lines += dataMember
        lines += event.data
        lines += "}\n".utf8
    }

    /// The event of a line, which is given without its end. A line names no tenant: here it is 0.
    /// - Parameter number: of the line in its file.
    static func event(
        _ line: [UInt8], of file: String, number: Int
    ) throws(ArchiveError) -> RecordedEvent {
        func refusal(_ reason: String) -> ArchiveError { .line(file: file, number: number, reason) }
        let line = Data(line)
        // Inside a string the quotes have backslashes before them, so this cannot be found there.
        guard let start = line.range(of: Data(dataMember)), line.last == UInt8(ascii: "}"),
            start.upperBound < line.endIndex - 1
        else { throw refusal("is not an event with `data` as its last member") }
        let members = Array(line[..<start.lowerBound]) + [UInt8(ascii: "}")]
        // The data are the last member, and there is one.
        guard let head = try? JSONParser.parse(members, isStrict: false), head["data"] == nil,
            let specversion = head["specversion"]?.text, let id = head["id"]?.text,
            let source = head["source"]?.text, let type = head["type"]?.text,
            let subject = head["subject"]?.text, let time = moment(head["time"]),
            let schemaVersion = head["schemaversion"]?.wholeNumber,
            let position = head["position"]?.wholeNumber,
            let version = head["version"]?.wholeNumber,
            let recordedAt = moment(head["recordedat"]), let kept = kept(of: head)
        else { throw refusal("is not an event with position, version and recordedat") }
        let numbers = 1...Limits.positionMax
        guard specversion == "1.0", numbers.contains(position), numbers.contains(version),
            (1...Int64(Int32.max)).contains(schemaVersion)
        else {
            throw refusal("has a specversion, position, version or schemaversion that no event has")
        }
        return RecordedEvent(
            tenant: TenantID(rawValue: 0), position: position, version: version,
            recordedAt: recordedAt,
            event: NewEvent(
                id: id, source: source, type: type, schemaVersion: Int(schemaVersion),
                activityID: ActivityID(rawValue: subject), occurredAt: time,
                data: Data(line[start.upperBound..<(line.endIndex - 1)]),
                extensions: kept.isEmpty ? nil : Data(JSON.object(kept).canonicalBytes)))
    }

    private static func moment(_ value: JSON?) -> Moment? {
        value?.text.flatMap { Moment(rfc3339: $0) }
    }

    /// Attributes that are kept without being read: texts, whole numbers and booleans.
    /// - Returns: nil when one is something else.
    private static func kept(of head: JSON) -> [JSON.Member]? {
        guard case .object(let members) = head else { return nil }
        let kept = members.filter { !known.contains($0.name) }
        let areSimple = kept.allSatisfy { FieldValue($0.value).map { $0 != .other } ?? false }
        return areSimple ? kept : nil
    }

    private static let known: Set = [
        "specversion", "id", "source", "type", "subject", "time", "datacontenttype",
        "schemaversion", "position", "version", "recordedat",
    ]

    private static func members(of object: Data) -> Data? {
        let inner = object.dropFirst().dropLast()
        return inner.isEmpty ? nil : inner
    }

    private static let dataMember = Array(",\"data\":".utf8)
}
