import Domain
import Foundation
import JSON
import Projections

/// Reads one CloudEvents 1.0 object in its JSON form, finding every error rather than the first.
struct CloudEventReader {
    let event: JSON
    /// Pointer of the event in the body: empty, or `/3` in a batch.
    let root: String
    let dataBytesMax: Int
    let receivedAt: Moment
    private(set) var errors: [ProblemDocument.InputError] = []
    /// Members of the data that are no fields of the type. They are kept.
    private(set) var unknownFields = 0

    /// - Returns: nil exactly when `errors` is not empty afterwards.
    mutating func read() -> NewEvent? {
        guard case .object = event else {
            refuse("", "must be a CloudEvents object, not \(event.kind)")
            return nil
        }
        if let version = text("specversion"), version != "1.0" {
            refuse("specversion", #"must be "1.0""#)
        }
        let id = identifier("id")
        let source = source()
        let type = identifier("type")
        let subject = subject()
        let isTimeAssumed = event["time"] == nil
        let time = isTimeAssumed ? receivedAt : time()
        checkDataContentType()
        let schemaVersion = integer("schemaversion", in: 1...Int64(Int32.max)) ?? 1
        let expectedVersion = integer("expectedversion", in: Limits.positions)
        let data = data()
        let extensions = extensions()
        if let type { check(type, Int(schemaVersion), hasData: data != nil) }
        guard errors.isEmpty, let id, let source, let type, let subject, let time, let data else {
            return nil
        }
        return NewEvent(
            id: id, source: source, type: type, schemaVersion: Int(schemaVersion),
            activityID: ActivityID(rawValue: subject), occurredAt: time, data: data,
            extensions: extensions.data, isTimeAssumed: isTimeAssumed,
            expectedVersion: expectedVersion)
    }

    private mutating func refuse(_ name: String, _ detail: String) {
        // A name may be as long as a body, and is repeated no further than it can be recognised.
        let isLong = name.utf8.count > Limits.attributeNameBytesMax
        let shown = isLong ? name.prefix(Limits.attributeNameBytesMax / 4) + "…" : name[...]
        let pointer = name.isEmpty || isLong ? root : "\(root)/\(JSONPointer.escaped(name))"
        let subject = name.isEmpty ? "The event" : "`\(shown)`"
        errors.append(
            .init(problem: .invalidAttribute, pointer: pointer, detail: "\(subject) \(detail)."))
    }

    private mutating func text(_ name: String) -> String? {
        guard let value = event[name] else {
            refuse(name, "is missing")
            return nil
        }
        guard let text = value.text else {
            refuse(name, "must be a string, not \(value.kind)")
            return nil
        }
        return text
    }

    private mutating func identifier(_ name: String) -> String? {
        guard let text = text(name) else { return nil }
        if let refusal = AttributeText.refusal(of: text) {
            refuse(name, refusal)
            return nil
        }
        return text
    }

    private mutating func subject() -> String? {
        guard event["subject"] != nil else {
            refuse(
                "subject",
                "is missing; CloudEvents leaves it to each application, and here it is the id of "
                    + "the activity that the event belongs to")
            return nil
        }
        let text = identifier("subject")
        // In a path no browser sends them, however they are encoded.
        guard text == "." || text == ".." else { return text }
        refuse("subject", "must not be `.` or `..`, which mean a folder in addresses")
        return nil
    }

    /// Every attribute that has no place of its own, and `dataschema`, which has a form.
    private mutating func extensions() -> ExtensionAttributes {
        var extensions = ExtensionAttributes()
        guard case .object(let members) = event else { return extensions }
        // There may be thousands, and who has to mend so much learns no more from more of it.
        for member in members where errors.count < Limits.errorsListedMax {
            if member.name == "dataschema" {
                checkDataSchema(member.value)
            } else if AttributeName.read.contains(member.name)
                || AttributeName.addedByLog.contains(member.name)
            {
                continue
            } else if let refusal = AttributeName.refusal(of: member.name) {
                refuse(member.name, refusal)
                continue
            }
            if let refusal = extensions.add(member.name, member.value) {
                refuse(member.name, refusal)
            }
        }
        if let refusal = extensions.refusal { refuse("", refusal) }
        return extensions
    }

    private mutating func checkDataSchema(_ value: JSON) {
        guard value != .null, case let text = value.text ?? "",
            !URIReference.isValid(text) || !text.contains(":")
        else { return }
        refuse("dataschema", "must be an absolute URI; leave it out if there is none")
    }

    private mutating func source() -> String? {
        guard let text = identifier("source") else { return nil }
        guard URIReference.isValid(text) else {
            refuse("source", "must be a URI reference; percent-encode other characters")
            return nil
        }
        return text
    }

    private mutating func time() -> Moment? {
        guard let text = text("time") else { return nil }
        do throws(MomentError) { return try Moment(new: text) } catch {
            refuse("time", "must be \(error.expectation)")
            return nil
        }
    }

    private mutating func checkDataContentType() {
        guard let value = event["datacontenttype"], value != .string("application/json") else {
            return
        }
        let media = value.text?.prefix { $0 != ";" && $0 != " " }.lowercased()
        if media != "application/json" { refuse("datacontenttype", "must be application/json") }
    }

    private mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let value = event[name] else { return nil }
        guard let number = value.wholeNumber, range.contains(number) else {
            refuse(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    private mutating func data() -> Data? {
        if event["data_base64"] != nil {
            refuse("data_base64", "is not taken; send a JSON object as `data`")
            return nil
        }
        guard let value = event["data"] else {
            refuse("data", "is missing; it must be an object, `{}` if there is nothing to say")
            return nil
        }
        guard case .object = value else {
            refuse("data", "must be an object, not \(value.kind)")
            return nil
        }
        let bytes = value.canonicalBytes
        guard bytes.count <= dataBytesMax else {
            refuse("data", "must not be longer than \(dataBytesMax) bytes")
            return nil
        }
        // An event is read as long as it is kept, and what is read can be sent to another log.
        guard bytes.count + value.exponentBytes <= dataBytesMax else {
            refuse(
                "data",
                "must not be longer than \(dataBytesMax) bytes when the exponents of its numbers "
                    + "are written out, as the log does; send such numbers as strings")
            return nil
        }
        return Data(bytes)
    }

    /// Looks at the fields as they were parsed: decoding them would take several times as long.
    private mutating func check(_ name: String, _ schemaVersion: Int, hasData: Bool) {
        guard let type = ActivityCatalog.standard.eventType(named: name) else {
            return refuse(ActivityCatalog.standard.unknownType(name))
        }
        guard hasData, case .object(let members) = event["data"] else { return }
        let refusals = type.refusals(schemaVersion: schemaVersion) { name in
            FieldValue(members.first { $0.name.hasBytes(of: name) }?.value)
        }
        for refusal in refusals { refuse(refusal) }
        guard let fields = type.fields(of: schemaVersion) else { return }
        unknownFields = members.count { member in
            !fields.contains { $0.name.hasBytes(of: member.name) }
        }
    }

    private mutating func refuse(_ refusal: EventRefusal) {
        let (problem, subject): (Problem, String) =
            switch refusal.problem {
            case .unknownType: (.unknownEventType, "")
            case .unknownSchemaVersion: (.unknownSchemaVersion, "")
            case .invalidData:
                (.invalidEventData, "`\(refusal.pointer.split(separator: "/").last ?? "data")` ")
            }
        errors.append(
            .init(
                problem: problem, pointer: root + refusal.pointer,
                detail: "\(subject)\(refusal.detail)."))
    }
}
