import EventStore
import Terminal

/// One figure of `islet tenants limits`.
struct LimitEdit: Sendable {
    typealias Limit = any (WritableKeyPath<TenantLimits, Int?> & Sendable)

    static let options: [(option: String, limit: Limit)] = [
        ("requests", \.requestsPerSecond), ("events", \.eventsPerSecond),
        ("body-bytes", \.bodyBytesMax), ("batch-events", \.batchEventsMax),
        ("bytes", \.bytesPerSecond), ("stored-events", \.storedEventsMax),
        ("stored-bytes", \.storedBytesMax),
    ]

    /// What a tenant keeps can be any number.
    private static let large: Set<String> = ["stored-events", "stored-bytes"]

    private let limit: Limit
    /// Nil for the node's own setting.
    private let figure: Int?

    init(_ limit: Limit, _ option: String, _ text: String) throws(CommandFailure) {
        self.limit = limit
        guard text != "default" else {
            figure = nil
            return
        }
        let figureMax = Self.large.contains(option) ? Int.max : Int(Int32.max)
        guard let number = Int(text), (1...figureMax).contains(number) else {
            throw .usage("--\(option) must be a whole number from 1 to \(figureMax), or default")
        }
        figure = number
    }

    func apply(to limits: inout TenantLimits) { limits[keyPath: limit] = figure }
}
