/// Orders that are under way at a time, each reported in twenty events, as in the log that R1
/// rebuilds: every twentieth event begins a new order.
struct OrderStories {
    struct Report {
        var order: String
        /// The version that it will have: an order's reports are far apart.
        var version: Int
        /// One CloudEvents object.
        var json: String
    }

    private static let eventsPerOrder = 20
    private let label: String
    /// Of each order: its number and how many events were reported.
    private var orders: [(number: Int, reported: Int, last: Int)] = []
    private var next = 0
    private var orderCount = 0
    private var eventCount = 0

    /// - Parameter label: makes ids unlike those of another run.
    init(label: String, underWay: Int) {
        self.label = label
        for index in 0..<underWay {
            // So that they do not all begin and end together later.
            orders.append((index, 0, 1 + index % Self.eventsPerOrder))
        }
        orderCount = underWay
    }

    mutating func report() -> Report {
        var order = orders[next]
        if order.reported == order.last {
            order = (orderCount, 0, Self.eventsPerOrder)
            orderCount += 1
        }
        order.reported += 1
        orders[next] = order
        next = (next + 1) % orders.count
        eventCount += 1
        let name = "\(label)-\(order.number)"
        let (type, data) = Self.event(order.reported, of: order.last)
        let json = """
            {"specversion":"1.0","id":"\(label)-\(padded(eventCount))","source":"/bench",\
            "subject":"\(name)","type":"PizzaDelivery.\(type)","time":"2026-05-01T12:00:00Z",\
            "data":\(data)}
            """
        return Report(order: name, version: order.reported, json: json)
    }

    private static func event(_ version: Int, of last: Int) -> (type: String, data: String) {
        switch version {
        case 1:
            (
                "OrderPlaced",
                #"{"orderNumber":"17","numberOfPizzas":2,"totalAmount":"$31.50","#
                    + #""promisedAt":"2026-05-01T12:40:00Z"}"#
            )
        case last: ("OrderDelivered", "{}")
        case 2: ("OrderAccepted", "{}")
        case 3: ("DriverAssigned", #"{"driverName":"Ada Lovelace"}"#)
        case 4: ("OrderPickedUp", #"{"estimatedAt":"2026-05-01T12:35:00Z"}"#)
        default:
            ("DriverLocated", #"{"distanceMeters":1200,"estimatedAt":"2026-05-01T12:20:00Z"}"#)
        }
    }

    /// Ids in order, as we advise merchants to make them.
    private func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }
}
