import EventLoop

/// The pieces of a streamed body between the socket and their consumer.
// @unchecked: every member is touched on the loop's thread only; `next` comes to it.
final class BodyInput: @unchecked Sendable {
    typealias Piece = Result<[UInt8]?, BodyStream.Failure>

    private let loop: EventLoop
    /// What has come and nobody has taken: `ServerLimits.streamedBytesMax` and one read more, which
    /// is when reading stops.
    private var bytes: [UInt8] = []
    private var isOver = false
    private var failure: BodyStream.Failure?
    private var waiter: CheckedContinuation<Piece, Never>?
    /// Called before the consumer waits because it wants more than there is.
    private var onDemand: (() -> Void)?

    init(loop: EventLoop, onDemand: @escaping () -> Void) {
        self.loop = loop
        self.onDemand = onDemand
    }

    var bufferedBytes: Int { bytes.count }

    func append(_ piece: [UInt8]) {
        guard failure == nil, !piece.isEmpty else { return }
        if bytes.isEmpty { bytes = piece } else { bytes += piece }
        serve()
    }

    func finish() {
        isOver = true
        serve()
        onDemand = nil
    }

    /// What has come before is still handed out. Ignored when the body is complete.
    func fail(_ failure: BodyStream.Failure) {
        guard !isOver, self.failure == nil else { return }
        self.failure = failure
        serve()
        onDemand = nil
    }

    var stream: BodyStream {
        BodyStream { [self] () async throws(BodyStream.Failure) in
            let piece = await withCheckedContinuation { continuation in
                loop.runAtOnce { self.wait(continuation) }
            }
            return try piece.get()
        }
    }

    private func wait(_ continuation: CheckedContinuation<Piece, Never>) {
        precondition(waiter == nil, "one caller at a time")
        waiter = continuation
        serve()
        if waiter != nil { onDemand?() }
    }

    private func serve() {
        guard let waiter else { return }
        let piece: Piece
        if !bytes.isEmpty {
            piece = .success(bytes)
            bytes = []
        } else if isOver {
            piece = .success(nil)
        } else if let failure {
            piece = .failure(failure)
        } else {
            return
        }
        self.waiter = nil
        waiter.resume(returning: piece)
    }
}
