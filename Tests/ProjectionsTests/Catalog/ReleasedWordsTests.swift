import Foundation
import IsletActivities
import ProjectFiles
import Testing

/// An app that was built with an enum decodes nothing of a state that has another case. So none of
/// these gets one: a new word goes into a new optional member.
struct ReleasedWordsTests {
    /// As they were released, and as they are in JSON.
    private static let released: [String: [String]] = [
        "Adventure.Outcome": ["fallen", "victorious"],
        "BikeRide.Stage": ["unlocked", "riding", "paused", "ended"],
        "BikeRide.Status": ["unstarted", "cycling"],
        "CoffeeDelivery.Outcome": ["cancelled", "delivered"],
        "CoffeeDelivery.Status": ["recieved", "preparing", "outForDelivery"],
        "Match.Period": [
            "firstHalf", "secondHalf", "firstQuarter", "secondQuarter", "thirdQuarter",
            "fourthQuarter", "firstThird", "secondThird", "finalThird", "extraTimeFirstHalf",
            "extraTimeSecondHalf", "overtime", "shootout",
        ],
        "Match.Status": [
            "scheduled", "playing", "interval", "suspended", "finished", "abandoned",
        ],
        "PizzaDelivery.Stage": [
            "placed", "accepted", "preparing", "ready", "onTheWay", "arriving", "cancelled",
            "failed", "delivered",
        ],
    ]

    @Test func `enums of states and attributes have the cases that were released`() throws {
        let present = [
            "Adventure.Outcome": try words(of: Adventure.Outcome.self),
            "BikeRide.Stage": try words(of: BikeRide.Stage.self),
            "BikeRide.Status": try words(of: BikeRide.Status.self),
            "CoffeeDelivery.Outcome": try words(of: CoffeeDelivery.Outcome.self),
            "CoffeeDelivery.Status": try words(of: CoffeeDelivery.Status.self),
            "Match.Period": try words(of: Match.Period.self),
            "Match.Status": try words(of: Match.Status.self),
            "PizzaDelivery.Stage": try words(of: PizzaDelivery.Stage.self),
        ]
        #expect(present == Self.released)
    }

    @Test func `every enum that is coded is among them`() throws {
        let folder = ProjectFiles.url("Sources/IsletActivities")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        var names: Set<String> = []
        for path in paths where path.hasSuffix(".swift") {
            let code = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for match in code.matches(of: /enum (\w+):[^{]*\bCodable\b/) {
                names.insert(String(match.1))
            }
        }
        let written = Self.released.keys.compactMap { $0.split(separator: ".").last }
        #expect(names == Set(written.map(String.init)))
    }

    /// A case without a raw value is the one member of an object.
    private func words<Words: Codable & CaseIterable>(of type: Words.Type) throws -> [String] {
        try Words.allCases.map { word in
            let json = try JSONSerialization.jsonObject(
                with: JSONEncoder().encode(word), options: .fragmentsAllowed)
            if let object = json as? [String: Any] {
                #expect(object.count == 1)
                return object.keys.first ?? ""
            }
            return try #require(json as? String)
        }
    }
}
