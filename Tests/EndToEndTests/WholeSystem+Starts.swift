import Domain
import Simulator

/// Cards that pushes start.
extension WholeSystem {
    /// What an app does before there is any card: it hands over its token, and says what its owner
    /// follows. The order's card is to appear there.
    func awaitStart(on phone: PhoneID, of installation: String) async throws {
        let token = try simulator.simulator.startToken(for: "PizzaDelivery", on: phone)
        try await merchant.put(
            "/v1/start-tokens/\(installation)/PizzaDelivery",
            #"{"pushToken":"\#(token.hex)","environment":"sandbox","osMajor":18,"#
                + #""bundleId":"\#(simulator.bundleID)","topics":["customer:42"]}"#)
        try await merchant.put(
            "/v1/activities/\(Story.order)/audience", #"{"topics":["customer:42"]}"#)
    }
}

extension AsyncStream<PhoneEvent>.AsyncIterator {
    /// That of the next card that a push starts.
    mutating func nextUpdateToken() async -> PushToken? {
        while let event = await next(isolation: #isolation) {
            if let token = event.updateToken { return token }
        }
        return nil
    }
}
