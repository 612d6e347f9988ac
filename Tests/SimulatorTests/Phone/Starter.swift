import Domain
import Foundation
import HTTP

@testable import Simulator

/// A world with one phone whose app has started nothing, and a sender of push-to-starts that does
/// everything right unless told otherwise.
struct Starter {
    static let alert = #"{"title":"A pie","body":"It is in the oven"}"#

    var apple: Apple
    let phone: PhoneID
    let token: PushToken

    init(
        _ traits: PhoneTraits = PhoneTraits(), rules: PhoneRules = PhoneRules()
    ) throws {
        apple = try Apple(rules: rules)
        phone = try apple.world.addPhone(named: "Bea", with: traits)
        token = try apple.world.startToken(for: "Pie", on: phone)
    }

    /// A start in perfect order; `changes` replace members of `aps`, nil removes one.
    func body(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String] = [
            "timestamp": "\(apple.now.unixSeconds)",
            "event": #""start""#,
            "attributes-type": #""PieAttributes""#,
            "attributes": #"{"order":"A 1"}"#,
            "content-state": #"{"slices":3}"#,
            "alert": Self.alert,
        ]
        for (name, value) in changes { members[name] = value }
        let text = members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
        return #"{"aps":{\#(text.joined(separator: ","))}}"#
    }

    /// Sends a push that APNs has to accept.
    mutating func push(_ body: String, to token: PushToken? = nil) throws -> [PhoneEvent] {
        try apple.push(body, to: token ?? self.token)
    }

    var machine: PhoneMachine { apple.world.phones[1] }
}
