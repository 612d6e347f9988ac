import EventLoop

/// One request: waits for a place, has its host looked up, and is a transfer then. On the loop.
// @unchecked: touched on the loop's thread only.
final class Post: @unchecked Sendable {
    enum Stage {
        /// Not accepted yet.
        case new
        /// For a place.
        case waiting
        case resolving
        case transferring(Transfer)
        case over
    }

    /// What the line is kept by.
    struct Key: Hashable {
        var share: String
        var host: String
    }

    let request: WebRequest
    let target: Target?
    let key: Key
    var stage = Stage.new
    /// Ends the stages before the transfer, which has a deadline of its own.
    var timer: LoopTimer?
    /// On the loop's clock.
    var deadlineMillis: UInt64 = 0
    var finish: (WebReply) -> Void = { _ in }

    init(_ request: WebRequest) {
        self.request = request
        target = Target(request.url)
        key = Key(share: request.share, host: target?.host ?? "")
    }
}
