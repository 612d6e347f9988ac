import Foundation

extension BackendClient {
    /// Reports one event. When this returns it is durable.
    @discardableResult
    public func report(_ event: Event) async throws(ClientError) -> Receipt {
        let receipts = try await report(
            body: try Server.body(event), type: "application/cloudevents+json", isPartial: false)
        guard let receipt = receipts.first else { throw .unreadable(status: 200) }
        return receipt
    }

    /// Reports all of them or none, in this order; at most 1000 and a megabyte.
    /// - Returns: a receipt for each, in their order.
    @discardableResult
    public func report(_ events: [Event]) async throws(ClientError) -> [Receipt] {
        try await report(events, isPartial: false)
    }

    /// Reports those that are good. Look at each receipt's `outcome`.
    public func reportEach(_ events: [Event]) async throws(ClientError) -> [Receipt] {
        try await report(events, isPartial: true)
    }

    private func report(
        _ events: [Event], isPartial: Bool
    ) async throws(ClientError) -> [Receipt] {
        if events.isEmpty { return [] }
        guard events.count <= Limits.batchEventsMax else {
            throw .unsendable(
                "\(events.count) events are more than the \(Limits.batchEventsMax) of a batch; "
                    + "send them with receipts(for:)")
        }
        let receipts = try await report(
            body: try Server.body(events), type: "application/cloudevents-batch+json",
            isPartial: isPartial)
        guard receipts.count == events.count else { throw .unreadable(status: 200) }
        return receipts
    }

    private func report(
        body: Data, type: String, isPartial: Bool
    ) async throws(ClientError) -> [Receipt] {
        struct Answer: Decodable { var events: [Receipt] }
        guard body.count <= Limits.batchBytesMax else {
            throw .unsendable(
                "\(body.count) bytes are more than the \(Limits.batchBytesMax) of a request; "
                    + "send fewer events at a time")
        }
        var question = Server.Question(
            method: "POST", path: ["v1", "events"], body: body, type: type)
        if isPartial { question.query = [URLQueryItem(name: "partial", value: "true")] }
        return try await ask(question, as: Answer.self).events
    }

    /// Reports whatever comes, in batches that fit into a request, and waits for each before it
    /// takes more.
    ///
    /// A batch is full before it goes, or the sequence is over: for a source that is slow, such as
    /// a feed, report each event as it comes.
    /// - Parameter batchMax: events in a batch.
    public func receipts<Events: AsyncSequence>(
        for events: Events, batchMax: Int = 200
    ) -> ReceiptSequence<Events> where Events.Element == Event {
        ReceiptSequence(
            client: self, events: events, batchMax: min(max(batchMax, 1), Limits.batchEventsMax))
    }
}

/// A receipt for each event of a sequence, in order; it ends at the first that was not recorded.
public struct ReceiptSequence<Events: AsyncSequence>: AsyncSequence
where Events.Element == Event {
    public typealias Element = Receipt

    let client: BackendClient
    let events: Events
    let batchMax: Int

    public struct AsyncIterator: AsyncIteratorProtocol {
        let client: BackendClient
        let batchMax: Int
        var events: Events.AsyncIterator
        /// It did not fit into the last batch.
        var left: Event?
        var receipts: [Receipt] = []

        // The sequence's own iterator may run where it likes.
        @concurrent
        public mutating func next() async throws -> Receipt? {
            if receipts.isEmpty {
                var batch: [Event] = []
                // As the body has it: a bracket, and after each event a comma or the other one.
                var bytes = 1
                while batch.count < batchMax {
                    if left == nil { left = try await events.next() }
                    guard let event = left else { break }
                    bytes += try Server.body(event).count + 1
                    // One that is too large by itself is refused as a batch of its own.
                    guard bytes <= Limits.batchBytesMax || batch.isEmpty else { break }
                    batch.append(event)
                    left = nil
                }
                receipts = try await client.report(batch).reversed()
            }
            return receipts.popLast()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            client: client, batchMax: batchMax, events: events.makeAsyncIterator())
    }
}
