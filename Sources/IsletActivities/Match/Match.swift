/// A match between two sides: football first, in words that a second sport can share.
public enum Match {
    /// Whether the ball is in play.
    public enum Status: String, Codable, Sendable, CaseIterable {
        case scheduled, playing, interval, suspended, finished, abandoned
    }
}
