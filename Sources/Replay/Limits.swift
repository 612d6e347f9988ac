/// Bounds of reading the log.
enum Limits {
    /// Events read at once: large enough to be fast, small enough to keep memory flat.
    static let pageEvents = 1000
    /// Defects named one by one; a broken disk would otherwise print the whole log.
    static let defectsNamedMax = 100
}
