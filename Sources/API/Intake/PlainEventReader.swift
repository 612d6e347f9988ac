import Domain
import Foundation
import JSON
import Projections

/// Reads events that are well and plainly written, which nearly all are, straight from the bytes
/// of a body: several times as fast as through a tree.
///
/// Whatever it is not sure about it leaves to `CloudEventReader`, which reads everything and knows
/// how to say what is wrong. Both read an event to the same `NewEvent`.
struct PlainEventReader {
    /// What is wanted of an event, as far as it has been read.
    private struct Attributes {
        var hasSpecVersion = false
        var hasContentType = false
        var id: Range<Int>?
        var source: Range<Int>?
        var type: Range<Int>?
        var subject: Range<Int>?
        var time: Range<Int>?
        var schemaVersion: Int?
        var expectedVersion: Int64?
        var data: PlainObject?
    }

    private var scanner: PlainJSONScanner
    private let dataBytesMax: Int
    private var extensions: [(name: Range<Int>, value: Range<Int>)] = []
    private var bytes: [UInt8] = []
    /// Events of a batch mostly have one source and few types.
    private var lastSource: (range: Range<Int>, text: String)?
    private var lastType: (range: Range<Int>, type: EventType)?

    private init(_ text: UnsafeBufferPointer<UInt8>, dataBytesMax: Int) {
        scanner = PlainJSONScanner(text)
        self.dataBytesMax = dataBytesMax
    }

    /// The one event that the whole body is; nil when that is not sure.
    static func entry(of body: [UInt8], dataBytesMax: Int) -> EventEntry? {
        body.withUnsafeBufferPointer { text in
            var reader = PlainEventReader(text, dataBytesMax: dataBytesMax)
            guard let entry = reader.entry(index: nil), reader.scanner.isAtEnd() else { return nil }
            return entry
        }
    }

    /// The events of the array that the whole body is; nil when that is not sure.
    static func entries(of body: [UInt8], dataBytesMax: Int) -> [EventEntry]? {
        body.withUnsafeBufferPointer { text in
            var reader = PlainEventReader(text, dataBytesMax: dataBytesMax)
            guard let entries = reader.entries(), reader.scanner.isAtEnd() else { return nil }
            return entries
        }
    }

    private mutating func entries() -> [EventEntry]? {
        guard scanner.take(UInt8(ascii: "[")) else { return nil }
        var entries: [EventEntry] = []
        repeat {
            guard let entry = entry(index: entries.count) else { return nil }
            entries.append(entry)
        } while scanner.take(UInt8(ascii: ","))
        return scanner.take(UInt8(ascii: "]")) ? entries : nil
    }

    private mutating func entry(index: Int?) -> EventEntry? {
        var attributes = Attributes()
        extensions.removeAll(keepingCapacity: true)
        guard scanner.take(UInt8(ascii: "{")) else { return nil }
        repeat {
            guard let name = scanner.string(), scanner.take(UInt8(ascii: ":")),
                readAttribute(name.range, into: &attributes)
            else { return nil }
        } while scanner.take(UInt8(ascii: ","))
        return scanner.take(UInt8(ascii: "}")) ? entry(attributes, index: index) : nil
    }

    // MARK: Attributes

    /// - Returns: false as well for one that is there twice.
    private mutating func readAttribute(
        _ name: Range<Int>, into attributes: inout Attributes
    ) -> Bool {
        if scanner.equals(name, "id") { return readText(&attributes.id) }
        if scanner.equals(name, "data") { return readData(&attributes.data) }
        if scanner.equals(name, "time") { return readText(&attributes.time) }
        if scanner.equals(name, "type") { return readText(&attributes.type) }
        if scanner.equals(name, "source") { return readText(&attributes.source) }
        if scanner.equals(name, "subject") {
            guard readText(&attributes.subject), let subject = attributes.subject else {
                return false
            }
            return !scanner.equals(subject, ".") && !scanner.equals(subject, "..")
        }
        if scanner.equals(name, "specversion") {
            return readWord("1.0", &attributes.hasSpecVersion)
        }
        if scanner.equals(name, "datacontenttype") {
            return readWord("application/json", &attributes.hasContentType)
        }
        if scanner.equals(name, "schemaversion") {
            guard attributes.schemaVersion == nil, case .integer(let version) = scanner.scalar(),
                1...Int(Int32.max) ~= version
            else { return false }
            attributes.schemaVersion = version
            return true
        }
        if scanner.equals(name, "expectedversion") {
            guard attributes.expectedVersion == nil, case .integer(let version) = scanner.scalar(),
                Limits.positions.contains(Int64(version))
            else { return false }
            attributes.expectedVersion = Int64(version)
            return true
        }
        return readExtension(name)
    }

    /// An attribute that is kept as it is.
    private mutating func readExtension(_ name: Range<Int>) -> Bool {
        guard extensions.count < Limits.extensionsMax, !name.isEmpty,
            name.count <= Limits.attributeNameBytesMax,
            scanner.bytes(name).allSatisfy(AttributeName.isLegal),
            !AttributeName.isSuspicious(scanner.bytes(name)), !scanner.equals(name, "dataschema"),
            !scanner.equals(name, "position"), !scanner.equals(name, "recordedat"),
            !extensions.contains(where: { scanner.equals($0.name, name) }),
            let scalar = scanner.scalar()
        else { return false }
        switch scalar {
        case .null, .fraction: return false
        case .integer(let number): guard Int32(exactly: number) != nil else { return false }
        case .text(let text):
            guard text.isASCII, !scanner.bytes(text.range).contains(0x7F) else { return false }
        case .flag: break
        }
        extensions.append((name, scanner.scalarStart..<scanner.index))
        return true
    }

    /// As `ExtensionAttributes` gives them. Strings without escapes stand as they are to be kept.
    /// - Returns: empty for none; nil when they are too long.
    private mutating func extensionBytes() -> [UInt8]? {
        guard !extensions.isEmpty else { return [] }
        extensions.sort { left, right in
            scanner.bytes(left.name).lexicographicallyPrecedes(scanner.bytes(right.name))
        }
        var bytes: [UInt8] = []
        for (name, value) in extensions {
            bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: scanner.bytes(name))
            bytes.append(contentsOf: "\":".utf8)
            bytes.append(contentsOf: scanner.bytes(value))
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes.count <= Limits.extensionBytesMax ? bytes : nil
    }

    private mutating func readText(_ range: inout Range<Int>?) -> Bool {
        guard range == nil, let text = scanner.string(), text.isASCII, !text.range.isEmpty,
            text.range.count <= Domain.Limits.attributeBytesMax,
            !scanner.bytes(text.range).contains(0x7F)
        else { return false }
        range = text.range
        return true
    }

    private mutating func readWord(_ word: StaticString, _ isRead: inout Bool) -> Bool {
        guard !isRead, let text = scanner.string() else { return false }
        isRead = true
        return scanner.equals(text.range, word)
    }

    private mutating func readData(_ data: inout PlainObject?) -> Bool {
        guard data == nil else { return false }
        data = PlainObject(&scanner)
        return data != nil
    }

    // MARK: The event

    private mutating func entry(_ attributes: Attributes, index: Int?) -> EventEntry? {
        let schemaVersion = attributes.schemaVersion ?? 1
        guard attributes.hasSpecVersion, let id = attributes.id, let subject = attributes.subject,
            let sourceRange = attributes.source, let source = source(sourceRange),
            let typeRange = attributes.type, let type = type(typeRange),
            let timeRange = attributes.time,
            let time = try? Moment(new: scanner.string(timeRange)),
            var object = attributes.data, let extensions = extensionBytes(),
            let unknownFields = unknownFields(object, type, schemaVersion)
        else { return nil }
        bytes.removeAll(keepingCapacity: true)
        object.writeCanonically(to: &bytes)
        guard bytes.count <= dataBytesMax else { return nil }
        let event = NewEvent(
            id: scanner.string(id), source: source, type: type.name,
            schemaVersion: schemaVersion,
            activityID: ActivityID(rawValue: scanner.string(subject)),
            occurredAt: time, data: Data(bytes),
            extensions: extensions.isEmpty ? nil : Data(extensions),
            expectedVersion: attributes.expectedVersion)
        return EventEntry(event, unknownFields: unknownFields, index: index)
    }

    private mutating func source(_ range: Range<Int>) -> String? {
        if let lastSource, scanner.equals(lastSource.range, range) { return lastSource.text }
        let text = scanner.string(range)
        guard URIReference.isValid(text) else { return nil }
        lastSource = (range, text)
        return text
    }

    private mutating func type(_ range: Range<Int>) -> EventType? {
        if let lastType, scanner.equals(lastType.range, range) { return lastType.type }
        guard let type = ActivityCatalog.standard.eventType(named: scanner.string(range)) else {
            return nil
        }
        lastType = (range, type)
        return type
    }

    private func unknownFields(
        _ data: PlainObject, _ type: EventType, _ schemaVersion: Int
    ) -> Int? {
        guard let fields = type.fields(of: schemaVersion) else { return nil }
        var known = 0
        for field in fields {
            guard field.refusal(of: data.field(field.name)) == nil else { return nil }
            if data.has(field.name) { known += 1 }
        }
        return data.count - known
    }
}
