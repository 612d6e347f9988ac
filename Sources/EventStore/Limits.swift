/// Every bound of this module, with its why.
enum Limits {
    /// Events in one commit. From 500 on a batch gains little speed but holds the tenant's head
    /// longer, which is what the next caller waits for.
    static let batchEventsMax = 1_000
    /// Bytes of event data that wait for a commit, so that few large events cannot fill the memory.
    static let queuedBytesMax = 64 * 1_024 * 1_024
    /// An append that the server has not answered by then has failed, as far as its callers know.
    static let appendTimeoutSeconds = 20
    /// How often the queue is looked through for callers that have waited too long.
    static let queueWatchMillis = 250
    /// News kept for a stream whose consumer is busy; each only says "look", so the oldest may go.
    static let newsBufferedMax = 256
}
