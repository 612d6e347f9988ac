import EventStore
import HTTP
import JSON
import Testing

@testable import API

/// One message of a stream, or a comment.
struct Message: Equatable {
    var event: String?
    var id: Int64?
    var data: JSON?
}

/// Reads a response's stream message by message.
struct StreamReader {
    private var chunks: AsyncStream<[UInt8]>.Iterator
    private var waiting: [Message] = []

    init(_ response: Response) throws {
        guard case .stream(let stream) = response.body else {
            throw EventStoreError.schema(detail: "not a stream")
        }
        chunks = stream.makeAsyncIterator()
    }

    /// Nil at the end. Comments are skipped unless asked for.
    mutating func next(comments: Bool = false) async throws -> Message? {
        while true {
            while !waiting.isEmpty {
                let message = waiting.removeFirst()
                if comments || message.event != nil { return message }
            }
            guard let chunk = await chunks.next(isolation: #isolation) else { return nil }
            let text = String(decoding: chunk, as: UTF8.self)
            #expect(text.hasSuffix("\n\n"))
            for block in text.split(separator: "\n\n") { waiting.append(try message(block)) }
        }
    }

    private func message(_ block: Substring) throws -> Message {
        var message = Message()
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            switch parts[0] {
            case "event": message.event = parts[1]
            case "id": message.id = Int64(parts[1])
            case "data": message.data = try JSONParser.parse(Array(parts[1].utf8))
            default: break
            }
        }
        return message
    }
}

extension APILimits {
    /// Streams send only what they get.
    static let patient = {
        var limits = APILimits.standard
        limits.streamPollSeconds = 60
        limits.streamHeartbeatSeconds = 60
        return limits
    }()
}

extension Harness {
    /// A new order, folded.
    func place(_ order: String) async throws {
        _ = try await post(SampleEvents.placed(order, id: order))
        try await fake.fold(Harness.mine)
    }
}
