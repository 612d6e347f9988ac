import Domain
import Foundation
import Testing

@testable import Archive

struct `A redaction` {
    private let redaction = Redaction(key: Array("sixteen bytes and more".utf8))

    private func redacted(_ data: String) -> String {
        String(decoding: redaction.redacted(data: Array(data.utf8)), as: UTF8.self)
    }

    @Test func `replaces names and free texts and nothing else, byte for byte as long`() {
        let data =
            #"{"driverName": "Ada Lovelace 7", "distanceMeters": 1.50, "stage": "arriving", "#
            + #""reason": "Jürg said \"no\""}"#
        let out = redacted(data)
        #expect(out.utf8.count == data.utf8.count)
        #expect(!out.contains("Ada") && !out.contains("Lovelace") && !out.contains("rg said"))
        #expect(out.contains(#""distanceMeters": 1.50, "stage": "arriving""#))
        let name = out.split(separator: "\"")[3]
        #expect(name.firstMatch(of: /^[A-Z][a-z]{2} [A-Z][a-z]{7} [0-9]$/) != nil, "\(name)")
        let isJSON = (try? JSONSerialization.jsonObject(with: Data(out.utf8))) != nil
        #expect(isJSON)
    }

    @Test func `gives equal texts equal pseudonyms and other texts others`() {
        let ada = redacted(#"{"driverName":"Ada"}"#)
        #expect(ada == redacted(#"{"driverName":"Ada"}"#))
        #expect(ada != redacted(#"{"driverName":"Eva"}"#))
        let other = Redaction(key: Array("another sixteen bytes".utf8))
        #expect(
            ada.utf8.elementsEqual(other.redacted(data: Array(#"{"driverName":"Ada"}"#.utf8)))
                == false)
    }

    @Test func `leaves alone what only looks like a field`() {
        for data in [
            #"{"note": "\"driverName\": \"Ada\""}"#, #"{"inner": {"driverName": "Ada"}}"#,
            #"{"driverName": 7}"#, "{}", #"{"bikeName": "player"}"#,
        ] {
            #expect(redacted(data) == data)
        }
    }

    @Test(arguments: ["Müller", "王小明", "x\\\\u00e9y", ""])
    func `keeps what is no ASCII well formed`(name: String) {
        let out = redacted(#"{"player":"\#(name)"}"#)
        let object = try? JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Any]
        #expect(object?["player"] is String)
        #expect(out.utf8.count == #"{"player":"\#(name)"}"#.utf8.count)
    }
}
