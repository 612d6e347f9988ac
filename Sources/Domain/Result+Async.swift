extension Result {
    /// What came of it. Tasks and `async let` forget of what type an error is.
    public init(of body: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
