import Foundation

/// An event of a log where it lies in memory, so that nothing of it is copied for a fold that only
/// looks at it. Valid for as long as what it was read from is kept, and so never stored.
public struct BorrowedEvent {
    /// Its place in the tenant's log.
    public let position: Int64
    /// Its place in the activity's stream.
    public let version: Int64
    /// When the log accepted it.
    public let recordedAt: Moment
    /// The activity that it is about.
    public let activityID: ActivityID
    /// When it happened.
    public let occurredAt: Moment
    /// The version of its type's schema.
    public let schemaVersion: Int
    /// In UTF-8.
    public let type: UnsafeRawBufferPointer
    /// The CloudEvents `data` as one JSON object in UTF-8.
    public let data: UnsafeRawBufferPointer

    public init(
        position: Int64, version: Int64, recordedAt: Moment, activityID: ActivityID,
        occurredAt: Moment, schemaVersion: Int, type: UnsafeRawBufferPointer,
        data: UnsafeRawBufferPointer
    ) {
        self.position = position
        self.version = version
        self.recordedAt = recordedAt
        self.activityID = activityID
        self.occurredAt = occurredAt
        self.schemaVersion = schemaVersion
        self.type = type
        self.data = data
    }

    /// The type as text.
    public var typeName: String { String(decoding: type, as: UTF8.self) }
}

extension RecordedEvent {
    /// - Parameter body: given the event where it lies, which is valid until it returns.
    public func withBorrowedEvent<Result, Failure>(
        _ body: (BorrowedEvent) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var type = event.type
        let result = type.withUTF8 { type in
            event.data.withUnsafeBytes { data -> Swift.Result<Result, Failure> in
                do throws(Failure) {
                    return .success(
                        try body(
                            BorrowedEvent(
                                position: position, version: version, recordedAt: recordedAt,
                                activityID: event.activityID, occurredAt: event.occurredAt,
                                schemaVersion: event.schemaVersion,
                                type: UnsafeRawBufferPointer(type), data: data)))
                } catch { return .failure(error) }
            }
        }
        return try result.get()
    }
}
