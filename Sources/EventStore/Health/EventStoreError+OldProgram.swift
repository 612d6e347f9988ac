extension EventStoreError {
    /// What a fold answers that finds what only a newer program can have stored.
    public static let oldProgram = Self.schema(
        detail: "a newer version of Islet folds this database: bring this node up to date")
}
