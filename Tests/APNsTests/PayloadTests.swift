import APNs
import Foundation
import ProjectFiles
import Testing

private func golden(_ name: String) throws -> String {
    try ProjectFiles.text("Tests/APNsTests/Golden/\(name).json").trimmingCharacters(in: .newlines)
}

private let state = Data(#"{"deliveryTimer":[779198400,779200200],"driverName":"Ada"}"#.utf8)

@Test func `an update with an alert equals its golden file byte for byte`() throws {
    let payload = Payload(
        event: .update, timestamp: 1_757_505_600, contentState: state,
        alert: Payload.AlertText(
            title: "Driver assigned", body: "Ada \"the arrow\" is on the way 🛵\n",
            sound: "default"),
        staleDate: 1_757_507_400, relevanceScore: 75)
    #expect(String(decoding: payload.json, as: UTF8.self) == (try golden("update-with-alert")))
}

@Test func `an alert by keys equals its golden file byte for byte`() throws {
    let payload = Payload(
        event: .update, timestamp: 1_757_505_600, contentState: state,
        alert: Payload.AlertText(
            title: .key("islet.PizzaDelivery.late.title", arguments: []),
            body: .key(
                "islet.PizzaDelivery.late.body.other", arguments: ["Order \"7\"", "12", "."]),
            sound: "default"))
    #expect(String(decoding: payload.json, as: UTF8.self) == (try golden("update-with-keys")))
}

@Test func `an end with a dismissal date equals its golden file byte for byte`() throws {
    let payload = Payload(
        event: .end, timestamp: 1_757_505_601, contentState: state,
        dismissalDate: 1_757_506_500)
    #expect(String(decoding: payload.json, as: UTF8.self) == (try golden("end")))
}

@Test func `a dismissal date is left out of an update, where it has no effect`() {
    let payload = Payload(
        event: .update, timestamp: 1, contentState: state, dismissalDate: 1_757_506_500)
    #expect(!String(decoding: payload.json, as: UTF8.self).contains("dismissal-date"))
}

@Test func `every string survives the trip through a stock decoder`() throws {
    struct Body: Decodable {
        struct Aps: Decodable { var alert: [String: String] }
        var aps: Aps
    }
    for scalar in (1...0x2FF).compactMap(Unicode.Scalar.init) {
        let text = "a\(Character(scalar))b"
        let payload = Payload(
            event: .update, timestamp: 1, contentState: state,
            alert: Payload.AlertText(title: text, body: text, sound: "default"))
        let body = try JSONDecoder().decode(Body.self, from: Data(payload.json))
        #expect(body.aps.alert["title"] == text)
    }
}

@Test func `a relevance score that JSON cannot write is left out`() throws {
    let payload = Payload(
        event: .update, timestamp: 1, contentState: state, relevanceScore: .infinity)
    #expect(!String(decoding: payload.json, as: UTF8.self).contains("relevance"))
}

@Test func `a start has attributes and says how the card is updated, an update has neither`() {
    var payload = Payload(
        event: .start, timestamp: 1, contentState: state,
        start: Payload.Start(
            attributesType: "Pizza", attributes: Data(#"{"n":1}"#.utf8), input: .pushToken))
    let start = String(decoding: payload.json, as: UTF8.self)
    #expect(
        start.hasPrefix(
            #"{"aps":{"timestamp":1,"event":"start","attributes-type":"Pizza","#
                + #""attributes":{"n":1},"input-push-token":1,"content-state":{"#))
    payload.start?.input = .channel("dGV/st+=")
    let channel = String(decoding: payload.json, as: UTF8.self)
    #expect(channel.contains(#""input-push-channel":"dGV/st+=""#))
    payload.event = .update
    #expect(!String(decoding: payload.json, as: UTF8.self).contains("attributes"))
}
