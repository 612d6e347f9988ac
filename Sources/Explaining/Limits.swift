/// Bounds of what is read for one explanation.
enum Limits {
    /// Rows of the ledger in which the result of words is looked for: as many before a change as
    /// may go in one push with it, and after it more than an activity has in a night.
    static let rowsBefore: Int64 = 50
    static let rowsMax = 4_000
    /// Bytes of their states and texts: as many rows as an ordinary activity has, and of one whose
    /// alerts are long in fifty languages some hundred.
    static let rowBytesMax = 16 << 20
    static let pageRows = 200
    /// Pages in which an earlier row is looked for.
    static let pagesBackMax = 20
    /// Spans of missed changes whose later push is worked out, those of the most phones first: each
    /// goes along hundreds of rows several times, and phones may have broken off at as many places.
    static let spansMax = 50
}
