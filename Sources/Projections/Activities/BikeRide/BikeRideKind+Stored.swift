public import Domain
public import Foundation
import JSON

/// States that were stored before `status` had the articles' two words.
extension BikeRideKind {
    /// One word said all in them, which is now the stage.
    private struct OlderState: Decodable {
        var status: BikeRide.Stage
        var rideClock: Date?
        var riddenSeconds: Int?
        var fare: String?
        var note: String?

        var newer: OrderAttributes.ContentState {
            let hasBegun = rideClock != nil || riddenSeconds != nil
            return OrderAttributes.ContentState(
                status: hasBegun ? .cycling : .unstarted, stage: status, rideClock: rideClock,
                riddenSeconds: riddenSeconds, fare: fare, note: note)
        }
    }

    public static func storedContentState(
        _ json: Data
    ) throws -> OrderAttributes.ContentState {
        // No word is in both lists.
        if let older = try? WireCoder.decode(OlderState.self, from: json) { return older.newer }
        return try WireCoder.decode(OrderAttributes.ContentState.self, from: json)
    }
}
