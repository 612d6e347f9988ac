import Encodings
import Domain
import Foundation
import JSON

/// One line of a segment: the event as the API writes it, a CloudEvents object with `position`,
/// `version` and `recordedat`, and `data` as its last member.
///
/// Being last is what keeps `data` as it is: its bytes go from file to log without being decoded,
/// so that no number loses a digit.
struct EventLine: Hashable, Sendable {
    var position: Int64
    var version: Int64
    var recordedAt: Moment
    var event: NewEvent

    struct Fault: Error, Hashable {
        var reason: String
    }

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

    init(_ line: some RandomAccessCollection<UInt8>) throws(Fault) {
        let line = Data(line)
        // Inside a string the quotes have backslashes before them, so this cannot be found there.
        guard let start = line.range(of: Data(Self.dataMember)), line.last == UInt8(ascii: "}"),
            start.upperBound < line.endIndex - 1
        else { throw Fault(reason: "is not an event with `data` as its last member") }
        let head: Head
        do {
            let members = line[..<start.lowerBound] + [UInt8(ascii: "}")]
            head = try JSONDecoder().decode(Head.self, from: members)
        } catch { throw Fault(reason: "is not an event with position, version and recordedat") }
        let envelope = head.envelope
        let numbers = 1...Limits.positionMax
        guard envelope.specversion == "1.0", numbers.contains(envelope.position),
            numbers.contains(envelope.version),
            (1...Int(Int32.max)).contains(envelope.schemaversion)
        else {
            throw Fault(
                reason: "has a specversion, position, version or schemaversion that no event has")
        }
        position = envelope.position
        version = envelope.version
        recordedAt = envelope.recordedat
        event = NewEvent(
            id: envelope.id, source: envelope.source, type: envelope.type,
            schemaVersion: envelope.schemaversion,
            activityID: ActivityID(rawValue: envelope.subject), occurredAt: envelope.time,
            data: Data(line[start.upperBound..<(line.endIndex - 1)]),
            extensions: head.extensions)
    }

    /// - Parameter number: of the line in its file.
    init(_ line: [UInt8], of file: String, number: Int) throws(ArchiveError) {
        do throws(Fault) { try self.init(line) } catch {
            throw .line(file: file, number: number, error.reason)
        }
    }

    private struct Envelope: Decodable {
        var specversion: String
        var id: String
        var source: String
        var type: String
        var subject: String
        var time: Moment
        var schemaversion: Int
        var position: Int64
        var version: Int64
        var recordedat: Moment

        enum CodingKeys: String, CodingKey, CaseIterable {
            case specversion, id, source, type, subject, time, schemaversion, position, version
            case recordedat
        }
    }

    /// What is before the data.
    private struct Head: Decodable {
        var envelope: Envelope
        /// Attributes that are kept without being read. Their values are texts, whole numbers and
        /// booleans, so none is changed by being decoded.
        var extensions: Data?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: AnyName.self)
            let data = AnyName("data")
            // The data are the last member, and there is one.
            guard !members.contains(data) else {
                throw DecodingError.dataCorruptedError(
                    forKey: data, in: members, debugDescription: "there twice")
            }
            envelope = try Envelope(from: decoder)
            let known = Envelope.CodingKeys.allCases.map(\.rawValue) + ["datacontenttype"]
            extensions = try Self.kept(members, besides: Set(known))
        }

        private static func kept(
            _ members: KeyedDecodingContainer<AnyName>, besides known: Set<String>
        ) throws -> Data? {
            let kept = try members.allKeys.filter { !known.contains($0.stringValue) }.map { name in
                let value = try members.decode(JSON.self, forKey: name)
                guard let simple = FieldValue(value), simple != .other else {
                    throw DecodingError.dataCorruptedError(
                        forKey: name, in: members,
                        debugDescription: "is no text, whole number or boolean")
                }
                return JSON.Member(name: name.stringValue, value: value)
            }
            return kept.isEmpty ? nil : Data(JSON.object(kept).canonicalBytes)
        }
    }

    private static func members(of object: Data) -> Data? {
        let inner = object.dropFirst().dropLast()
        return inner.isEmpty ? nil : inner
    }

    private static let dataMember = Array(",\"data\":".utf8)
}
