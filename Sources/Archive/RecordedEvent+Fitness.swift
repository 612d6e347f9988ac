import Domain
import Foundation
import JSON

extension RecordedEvent {
    /// Why the API would take no such event, whatever its type; nil when it would. What it took in
    /// older versions, and what was redacted, is fit: so data and numbers in them may be longer
    /// than new ones, and an activity may be called `.` or `..`.
    var unfitness: String? {
        var names = [
            ("subject", event.activityID.rawValue), ("source", event.source), ("type", event.type),
        ]
        // The clock's end with the name of the activity, and are longer by what is before it.
        if !event.source.hasBytes(of: ActivityClock.source) { names.append(("id", event.id)) }
        for (name, text) in names {
            if let refusal = AttributeText.refusal(of: text) { return "`\(name)` \(refusal)" }
        }
        let bytes = event.data.count + (event.extensions?.count ?? 0)
        guard bytes <= Limits.dataBytesMax else { return Self.tooLong }
        if hasPlainData { return nil }
        do throws(JSONError) {
            let data = try JSONParser.parse(Array(event.data), takesLongNumbers: true)
            guard case .object = data else {
                return "`data` must be an object, not \(data.kind)"
            }
            return bytes + data.exponentBytes <= Limits.dataBytesMax ? nil : Self.tooLong
        } catch { return "`data` cannot be read: found \(error.explanation)" }
    }

    private static let tooLong =
        "`data` must not be longer than \(Limits.dataBytesMax) bytes, with extension attributes "
        + "and the exponents of numbers written out"

    /// As nearly all are, which is found out several times as fast as by the parser.
    private var hasPlainData: Bool {
        event.data.withUnsafeBytes { bytes in
            var scanner = PlainJSONScanner(bytes.bindMemory(to: UInt8.self))
            return PlainObject(&scanner) != nil && scanner.isAtEnd()
        }
    }
}
