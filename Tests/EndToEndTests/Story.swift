import Domain
import Foundation
import ProjectFiles
import TestSupport

/// Recorded facts as the project ships them, one CloudEvents object a line.
enum Story {
    static let final = "world-cup-2022-final"
    static let orders = (1001...1005).map { "order-\($0)" }

    /// As if it began now, and all of it was reported at once.
    static func lines(_ name: String) throws -> [String] {
        let text = try ProjectFiles.text("Sources/Demo/Fixtures/\(name).ndjson")
        var beginning: Moment?
        let now = Moment.timeOfDay
        return text.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/) { found in
            guard let time = Moment(rfc3339: String(found.output)) else {
                return String(found.output)
            }
            let first = beginning ?? time
            beginning = first
            return now.adding(seconds: time.seconds(since: first)).rfc3339
        }
        .split(separator: "\n").map(String.init)
    }

    /// An order of this very evening, so that its dates are plausible to a phone.
    static let order = "order-7"

    static func placed(_ activity: String = order) -> String {
        let promised = Moment.timeOfDay.adding(seconds: 2400).rfc3339
        return event(
            "OrderPlaced", activity,
            #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€24.00","#
                + #""promisedAt":"\#(promised)"}"#)
    }

    static func assigned(_ driver: String = "Ada", _ activity: String = order) -> String {
        event("DriverAssigned", activity, #"{"driverName":"\#(driver)"}"#)
    }

    static func event(
        _ type: String, _ activity: String = order, _ data: String = "{}"
    ) -> String {
        #"{"specversion":"1.0","id":"\#(UUID().uuidString)","source":"/shops/test","#
            + #""type":"PizzaDelivery.\#(type)","subject":"\#(activity)","#
            + #""time":"\#(Moment.timeOfDay.rfc3339)","data":\#(data)}"#
    }
}
