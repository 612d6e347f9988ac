import Domain
import EventStore
import HTTP
import JSON

/// Records a body of events, one a line, in the order of the lines and in little memory.
///
/// What has arrived is recorded, at most `Limits.chunkLinesMax` lines at a time; while that
/// commits, more arrives, and when more than a little has, the client has to wait. Without
/// `isPartial` it stops at the first line that is not recorded: every line before it is, none from
/// it on.
struct LineIntake {
    private struct Line {
        var number: Int64
        var event: NewEvent
    }

    private let store: EventStore
    private let environment: APIEnvironment
    private let caller: Caller
    private let isPartial: Bool
    private let trace: TraceContext?
    private var splitter: LineSplitter
    private var chunk: [Line] = []
    /// What was wrong with lines and the client was not throttled for yet.
    private var errors = 0
    /// How long the client was throttled for them.
    private var throttledMicroseconds: Int64 = 0
    private var tally: LineTally
    /// The tally of the lines of which it is certain whether they are recorded: all lines before
    /// the current chunk.
    private var certain: LineTally

    init(
        store: EventStore, environment: APIEnvironment, caller: Caller, isPartial: Bool,
        trace: TraceContext?
    ) {
        self.store = store
        self.environment = environment
        self.caller = caller
        self.isPartial = isPartial
        self.trace = trace
        tally = LineTally(isPartial: isPartial)
        certain = tally
        splitter = LineSplitter(lineBytesMax: environment.limits.lineBytesMax)
    }

    mutating func record(_ request: Request) async throws(ProblemDocument) -> Response {
        if let body = request.bodyStream {
            while let piece = try await next(body) {
                do { try await caller.chargeThrottled(bytes: piece.count) } catch {
                    throw interrupted(by: error)
                }
                try await take(piece)
            }
        } else {
            try await take(request.body)
        }
        if let last = splitter.lastLine() { try await take(line: last) }
        try await flush()
        return tally.response(in: environment.log)
    }

    /// Recording stops, and no line is to blame. With `isPartial` the answer names the line from
    /// which to go on, so that none is counted twice.
    private func interrupted(by document: ProblemDocument) -> ProblemDocument {
        isPartial ? certain.interrupted(by: document) : tally.interrupted(by: document)
    }

    private func next(_ body: BodyStream) async throws(ProblemDocument) -> [UInt8]? {
        do throws(BodyStream.Failure) { return try await body.next() } catch {
            let document =
                switch error {
                case .cutShort:
                    ProblemDocument(.malformedRequest, "The body ended before it was complete.")
                case .timedOut:
                    ProblemDocument(.requestTimeout, "Nothing more came for too long.")
                case .malformed:
                    ProblemDocument(.malformedRequest, "The body is not framed as HTTP demands.")
                case .serverStopping:
                    ProblemDocument(
                        .overloaded, "The server is being stopped.",
                        headers: environment.limits.retryAfter)
                }
            throw interrupted(by: document)
        }
    }

    private mutating func take(_ piece: [UInt8]) async throws(ProblemDocument) {
        splitter.add(piece)
        while let line = splitter.next() {
            switch line {
            case .whole(let bytes): try await take(line: bytes)
            case .overlong: try await refuseOverlong()
            }
        }
        try await flush()
        try await throttle()
    }

    private mutating func refuseOverlong() async throws(ProblemDocument) {
        tally.lines += 1
        let bytesMax = environment.limits.lineBytesMax
        try await refuse(
            ProblemDocument(
                .lineTooLong, pointer: "", "A line must not be longer than \(bytesMax) bytes."))
    }

    private mutating func take(line: [UInt8]) async throws(ProblemDocument) {
        tally.lines += 1
        let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        guard !isBlank else { return try await count(errors: 1) }
        let entry: EventEntry
        do { entry = try await read(line) } catch { return try await refuse(error) }
        tally.unknownFields += entry.unknownFields
        guard let event = entry.event else {
            return try await refuse(ProblemDocument(entry.errors, ifMixed: .invalidEvents))
        }
        chunk.append(Line(number: tally.lines, event: trace?.added(to: event) ?? event))
        if chunk.count >= Limits.chunkLinesMax { try await flush() }
    }

    private func read(_ line: [UInt8]) async throws(ProblemDocument) -> EventEntry {
        let bytesMax = environment.limits.eventDataBytesMax
        let receivedAt = environment.now()
        return try await caller.largeWork.bodies.readEvents(
            bytes: line.count, of: caller.tenant,
            plain: { PlainEventReader.entry(of: line, dataBytesMax: bytesMax) },
            otherwise: { () throws(ProblemDocument) -> EventEntry in
                try Self.read(line, dataBytesMax: bytesMax, receivedAt)
            })
    }

    private static func read(
        _ line: [UInt8], dataBytesMax: Int, _ receivedAt: Moment
    ) throws(ProblemDocument) -> EventEntry {
        do {
            return EventEntry(
                try JSONParser.parse(line), index: nil, dataBytesMax: dataBytesMax,
                receivedAt: receivedAt)
        } catch {
            throw ProblemDocument(
                .malformedJSON, pointer: error.pointer,
                "Byte \(error.offset + 1): \(error.explanation).")
        }
    }

    /// The line just taken is no event.
    private mutating func refuse(_ document: ProblemDocument) async throws(ProblemDocument) {
        let number = tally.lines
        guard !isPartial else {
            tally.refuse(number, document.errors)
            return try await count(errors: document.errors.count)
        }
        try await flush()
        throw tally.refusal(of: number, document)
    }

    /// Counts what is wrong with lines. A blank line counts as one error, since it costs the client
    /// next to nothing.
    private mutating func count(errors count: Int) async throws(ProblemDocument) {
        errors += count
        guard errors >= Limits.chunkLinesMax else { return }
        // Before the client may be sent away: what it was throttled for is certain then.
        try await flush()
        try await throttle()
    }

    private mutating func throttle() async throws(ProblemDocument) {
        let count = errors
        errors = 0
        guard count > 0 else { return }
        do { try await caller.chargeThrottled(errors: count, &throttledMicroseconds) } catch {
            throw interrupted(by: error)
        }
    }

    // MARK: Recording

    private mutating func flush() async throws(ProblemDocument) {
        let lines = chunk
        chunk.removeAll(keepingCapacity: true)
        defer { certain = tally }
        guard !lines.isEmpty else { return }
        do { try await caller.chargeThrottled(events: lines.count) } catch {
            throw interrupted(by: error)
        }
        if isPartial {
            let results = try await append(lines[...])
            for (line, result) in zip(lines, results) {
                if let conflict = EventAnswer.conflict(result, of: line.event, at: "") {
                    tally.refuse(line.number, [conflict])
                } else {
                    tally.count(result)
                }
            }
        } else {
            try await recordUpToConflict(lines)
        }
    }

    /// A chunk in which a line conflicts is not recorded as a whole. Then what stands before that
    /// line goes alone, and the line is asked about again, now that its place is certain.
    private mutating func recordUpToConflict(_ lines: [Line]) async throws(ProblemDocument) {
        var rest = lines[...]
        while let first = rest.first {
            var upTo = rest
            var results = try await append(upTo)
            while let index = results.firstIndex(where: { $0.isConflict }) {
                guard index > 0 else {
                    let conflict = EventAnswer.conflict(results[0], of: first.event, at: "")
                    throw tally.refusal(
                        of: first.number,
                        ProblemDocument(conflict.map { [$0] } ?? [], ifMixed: .eventConflicts))
                }
                upTo = upTo.prefix(index)
                results = try await append(upTo)
            }
            for result in results { tally.count(result) }
            rest = rest.dropFirst(upTo.count)
        }
    }

    private func append(_ lines: ArraySlice<Line>) async throws(ProblemDocument) -> [AppendResult] {
        let events = lines.map(\.event)
        let results: [AppendResult]
        do {
            results = try await store.log.append(caller.tenant, events, isAtomic: !isPartial)
        } catch {
            throw interrupted(by: environment.problem(for: error, doing: "recording events"))
        }
        precondition(results.count == events.count, "one result per event")
        return results
    }
}

extension AppendResult {
    fileprivate var isConflict: Bool {
        switch self {
        case .contentConflict, .batchConflict, .versionConflict: true
        case .recorded, .alreadyKnown, .notRecorded: false
        }
    }
}
