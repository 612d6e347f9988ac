/// Bounds on what a fold remembers.
enum Limits {
    /// Facts of one sort in one activity: more than any match has goals or cards, and small enough
    /// that a state stays far below a megabyte.
    static let factsMax = 256
    /// Above the length of every type of event there is.
    static let eventTypeBytesMax = 64
}
