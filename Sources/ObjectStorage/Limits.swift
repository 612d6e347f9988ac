/// Bounds of what is asked of an object store, and for how long.
enum Limits {
    /// How often a request is sent before it counts as failed.
    static let attemptsMax = 5
    /// Before the second attempt; twice as long before each one after it.
    static let firstPauseMillis = 500
    static let pauseMillisMax = 8_000
    /// What a server may ask for with `Retry-After`, in seconds.
    static let retryAfterSecondsMax: Double = 30
    /// From looking the name up to the end of the answer, and a second more for each part of a body
    /// of that many bytes: 256 KiB a second is a slow line.
    static let deadlineSeconds: Double = 30
    static let bytesASecond = 256 * 1_024
    /// Of an answer that says why not.
    static let refusalBytesMax = 64 * 1_024
    static let credentialsBytesMax = 64 * 1_024
    /// What S3 takes.
    static let keyBytesMax = 1_024
}
