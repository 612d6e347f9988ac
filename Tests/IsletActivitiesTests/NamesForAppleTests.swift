import Foundation
import IsletActivities
import ProjectFiles
import Testing

/// A push that starts a card names the attributes' type, and the phone looks for a type of that
/// name in the app.
@Test func `types have the names by which pushes start their cards`() {
    #expect(String(describing: PizzaDeliveryAttributes.self) == "PizzaDeliveryAttributes")
    #expect(String(describing: MatchAttributes.self) == "MatchAttributes")
    #expect(String(describing: CoffeeDeliveryAttributes.self) == "CoffeeDeliveryAttributes")
    #expect(String(describing: OrderAttributes.self) == "OrderAttributes")
    #expect(String(describing: AdventureAttributes.self) == "AdventureAttributes")
}

/// Compiled only where there is ActivityKit, so only the text can be looked at here.
@Test func `each type of attributes is one of ActivityKit's as well`() throws {
    let folder = ProjectFiles.url("Sources/IsletActivities")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    var declared: Set<String> = []
    for path in paths where path.hasSuffix(".swift") {
        let code = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        for match in code.matches(of: /struct (\w+): CardAttributes\b/) {
            declared.insert(String(match.1))
        }
    }
    let bridge = try ProjectFiles.text(
        "Sources/IsletActivities/CardAttributes+ActivityKit.swift")
    let bridged = bridge.matches(of: /extension (\w+): ActivityAttributes \{\}/)
        .map { String($0.1) }
    #expect(declared.contains("MatchAttributes"))
    #expect(Set(bridged) == declared)
    #expect(bridged.count == declared.count)
}

/// An app gives out what it was started with, which it got from a push.
@Test func `the activity's id is set by a push and by nobody else`() {
    #expect(
        PizzaDeliveryAttributes(numberOfPizzas: 1, totalAmount: "", orderNumber: "").activityID
            == nil)
    #expect(CoffeeDeliveryAttributes(coffeeName: "a").activityID == nil)
    #expect(OrderAttributes(orderNumber: 1).activityID == nil)
    #expect(
        MatchAttributes(sport: "a", competition: "b", homeTeam: "c", awayTeam: "d").activityID
            == nil)
}
