import Domain

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

    /// A match whose kick-off is planned for some seconds after the other events' time.
    static func scheduled(
        _ match: String, home: String = "Home", away: String = "Away", competition: String,
        kickoffSeconds: Int64 = 0
    ) -> String {
        let kickoff = Moment(unixSeconds: 1_800_000_000 + kickoffSeconds).rfc3339
        return event(
            id: "scheduled-\(match)", type: "Match.MatchScheduled", subject: match,
            data: """
                {"competition":"\(competition)","homeTeam":"\(home)","awayTeam":"\(away)",\
                "homeCode":"HOM","awayCode":"AWA","kickoff":"\(kickoff)"}
                """)
    }

    static func kickedOff(_ match: String) -> String {
        event(
            id: "kickoff-\(match)", type: "Match.PeriodStarted", subject: match,
            data: #"{"period":"firstHalf"}"#)
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
