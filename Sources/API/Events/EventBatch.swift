import Domain
import HTTP

/// The events of a body that is held in memory, well or not.
struct EventBatch {
    private(set) var entries: [EventEntry] = []

    /// - Throws: when the body as a whole cannot be read.
    init(
        _ request: Request, _ format: CloudEventFormat, _ limits: APILimits
    ) throws(ProblemDocument) {
        guard request.body.count <= limits.bodyBytesMax else {
            throw ProblemDocument(
                .bodyTooLarge, "The body must not be longer than \(limits.bodyBytesMax) bytes.")
        }
        let (events, isBatch) = try EventBatch.elements(of: request, format)
        guard events.count <= limits.eventsPerBatchMax else {
            throw ProblemDocument(
                .tooManyEvents,
                "A batch holds at most \(limits.eventsPerBatchMax) events.")
        }
        entries.reserveCapacity(events.count)
        for (index, event) in events.enumerated() {
            entries.append(
                EventEntry(
                    event, at: isBatch ? "/\(index)" : "",
                    dataBytesMax: limits.eventDataBytesMax))
        }
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

/// One event of a request as it was read.
struct EventEntry {
    /// Pointer of the event in the body.
    let root: String
    /// Nil exactly when there are faults.
    let event: NewEvent?
    let faults: [ProblemDocument.Fault]
    let unknownFields: Int
    /// Of an event with faults, to recognise it by; nil when it has none to speak of.
    let name: (id: String?, source: String?)

    init(_ json: JSON, at root: String, dataBytesMax: Int) {
        var reader = CloudEventReader(json, at: root, dataBytesMax: dataBytesMax)
        self.root = root
        event = reader.read()
        faults = reader.faults
        unknownFields = reader.unknownFields
        func short(_ name: String) -> String? {
            json[name]?.text.flatMap { AttributeText.fault(in: $0) == nil ? $0 : nil }
        }
        name = event == nil ? (short("id"), short("source")) : (nil, nil)
    }
}
