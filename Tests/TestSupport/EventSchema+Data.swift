public import Domain
public import Foundation

extension EventSchema {
    /// Decodes the `data` of an event of any released version.
    public func event(schemaVersion: Int, data: Data) throws(EventRefusal) -> Event {
        let result = data.withUnsafeBytes { bytes -> Result<Event, EventRefusal> in
            do throws(EventRefusal) {
                return .success(try event(schemaVersion: schemaVersion, data: bytes))
            } catch { return .failure(error) }
        }
        return try result.get()
    }
}
