import Domain
import JSON

extension API {
    /// Why `POST /v1/events` does not take an event.
    public struct InputError: Error, Hashable, Sendable {
        /// JSON pointer into the event; empty for the event itself.
        public var pointer: String
        /// A sentence that names the member and what it must be.
        public var detail: String
    }

    /// For those who make events and want to know before they report them.
    /// - Parameter text: one CloudEvents object as JSON.
    /// - Returns: every error, by the standard limits; empty when the event is well.
    public static func errors(ofEvent text: [UInt8]) -> [InputError] {
        do throws(JSONError) {
            let json = try JSONParser.parse(text)
            let limit = APILimits.standard.eventDataBytesMax
            return EventEntry(
                json, index: nil, dataBytesMax: limit, receivedAt: Moment(unixSeconds: 0)
            ).errors.map {
                InputError(pointer: $0.pointer, detail: $0.detail)
            }
        } catch { return [InputError(pointer: error.pointer, detail: error.explanation)] }
    }
}
