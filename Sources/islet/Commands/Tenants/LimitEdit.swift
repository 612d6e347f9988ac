import EventStore

/// One figure of `islet tenants limits`.
struct LimitEdit: Sendable {
    typealias Limit = any (WritableKeyPath<TenantLimits, Int?> & Sendable)

    static let options: [(option: String, limit: Limit)] = [
        ("requests", \.requestsPerSecond), ("events", \.eventsPerSecond),
        ("body-bytes", \.bodyBytesMax), ("batch-events", \.batchEventsMax),
    ]

    private let limit: Limit
    /// Nil for the node's own setting.
    private let figure: Int?

    init(_ limit: Limit, _ option: String, _ text: String) throws(CommandFailure) {
        self.limit = limit
        guard text != "default" else {
            figure = nil
            return
        }
        guard let number = Int32(text), number > 0 else {
            throw .usage("--\(option) must be a whole number from 1 to \(Int32.max), or default")
        }
        figure = Int(number)
    }

    func apply(to limits: inout TenantLimits) { limits[keyPath: limit] = figure }
}
