/// Events of pizza orders as merchants would send them.
enum SampleEvents {
    static func placed(_ order: String, id: String = "placed") -> String {
        event(
            id: id, type: "PizzaDelivery.OrderPlaced", subject: order,
            data: """
                {"orderNumber":"42","numberOfPizzas":2,"totalAmount":"$31.50",\
                "promisedAt":"2027-01-15T08:40:00Z"}
                """)
    }

    static func assigned(_ order: String, driver: String = "Ada", id: String = "assigned") -> String
    {
        event(
            id: id, type: "PizzaDelivery.DriverAssigned", subject: order,
            data: #"{"driverName":"\#(driver)"}"#)
    }

    /// - Parameter extra: further members, with a comma at the end.
    static func event(
        id: String, type: String, subject: String, data: String, extra: String = ""
    ) -> String {
        """
        {"specversion":"1.0","id":"\(id)","source":"/kitchen/5","type":"\(type)",\
        "subject":"\(subject)","time":"2027-01-15T08:00:00Z",\(extra)"data":\(data)}
        """
    }
}
