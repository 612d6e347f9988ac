import Domain
import HTTP
import JSON

struct EventBatch {
    private(set) var entries: [EventEntry] = []

    /// Of events that are plainly written; nil when that is not sure.
    init?(
        plain request: Request, _ format: CloudEventFormat, _ allowance: Allowance,
        _ limits: APILimits
    ) throws(ProblemDocument) {
        guard let plain = EventBatch.plainEntries(of: request.body, format, limits) else {
            return nil
        }
        try allowance.check(batchOf: plain.count)
        entries = plain
        add(TraceContext(request.headers))
    }

    /// Of any others, by a tree.
    init(
        _ request: Request, _ format: CloudEventFormat, _ allowance: Allowance,
        _ limits: APILimits, receivedAt: Moment
    ) throws(ProblemDocument) {
        let (events, isBatch) = try EventBatch.elements(of: request, format)
        try allowance.check(batchOf: events.count)
        entries.reserveCapacity(events.count)
        for (index, event) in events.enumerated() {
            entries.append(
                EventEntry(
                    event, index: isBatch ? index : nil, dataBytesMax: limits.eventDataBytesMax,
                    receivedAt: receivedAt))
        }
        add(TraceContext(request.headers))
    }

    private mutating func add(_ trace: TraceContext?) {
        guard let trace else { return }
        for index in entries.indices { entries[index].add(trace) }
    }

    private static func plainEntries(
        of body: [UInt8], _ format: CloudEventFormat, _ limits: APILimits
    ) -> [EventEntry]? {
        let isBatch: Bool
        switch format {
        case .structured: isBatch = false
        case .batched: isBatch = true
        case .either: isBatch = body.first == UInt8(ascii: "[")
        case .binary, .lines: return nil
        }
        let bytesMax = limits.eventDataBytesMax
        return isBatch
            ? PlainEventReader.entries(of: body, dataBytesMax: bytesMax)
            : PlainEventReader.entry(of: body, dataBytesMax: bytesMax).map { [$0] }
    }

    private static func elements(
        of request: Request, _ format: CloudEventFormat
    ) throws(ProblemDocument) -> (events: [JSON], isBatch: Bool) {
        if format == .binary {
            let data = request.body.isEmpty ? nil : try parse(request.body)
            return ([try BinaryCloudEvent.json(request.headers, data: data)], false)
        }
        let body = try parse(request.body)
        switch (format, body) {
        case (.batched, .array(let events)), (.either, .array(let events)): return (events, true)
        case (.structured, .object), (.either, .object): return ([body], false)
        case (.batched, _):
            throw ProblemDocument(
                .invalidAttribute, pointer: "", "A batch must be an array, not \(body.kind).")
        case (.structured, _), (.either, _), (.binary, _), (.lines, _):
            throw ProblemDocument(
                .invalidAttribute, pointer: "",
                "The body must be a CloudEvents object, not \(body.kind).")
        }
    }

    private static func parse(_ body: [UInt8]) throws(ProblemDocument) -> JSON {
        do { return try JSONParser.parse(body) } catch {
            throw ProblemDocument(error, in: body)
        }
    }
}

struct EventEntry {
    let index: Int?
    /// Nil exactly when there are errors.
    private(set) var event: NewEvent?
    let errors: [ProblemDocument.InputError]
    let unknownFields: Int
    /// What an event with errors is recognised by; nil where it has none that is usable.
    let identifiers: (id: String?, source: String?)

    init(_ event: NewEvent, unknownFields: Int, index: Int?) {
        self.index = index
        self.event = event
        self.unknownFields = unknownFields
        errors = []
        identifiers = (nil, nil)
    }

    init(_ json: JSON, index: Int?, dataBytesMax: Int, receivedAt: Moment) {
        let root = EventEntry.root(index)
        var reader = CloudEventReader(
            event: json, root: root, dataBytesMax: dataBytesMax, receivedAt: receivedAt)
        self.index = index
        event = reader.read()
        errors = reader.errors
        unknownFields = reader.unknownFields
        func short(_ name: String) -> String? {
            json[name]?.text.flatMap { AttributeText.refusal(of: $0) == nil ? $0 : nil }
        }
        identifiers = event == nil ? (short("id"), short("source")) : (nil, nil)
    }

    fileprivate mutating func add(_ trace: TraceContext) {
        event = event.map(trace.added)
    }

    var root: String { EventEntry.root(index) }

    private static func root(_ index: Int?) -> String { index.map { "/\($0)" } ?? "" }
}
