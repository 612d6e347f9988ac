import Testing

@testable import API

@Test func `metrics have help, a type and their values, and labels are escaped`() {
    let text = MetricsText.text([
        Metric(
            "islet_calls_total", .counter, "Calls \\ by\noutcome.",
            [.init([("call", "append"), ("outcome", "a\"b\\c\nd")], 3), .init([], 2.5)]),
        .gauge("islet_away_seconds", "Away.", .infinity),
        .gauge("islet_unknown", "Nobody knows.", nil),
    ])
    #expect(
        text == """
            # HELP islet_calls_total Calls \\\\ by\\noutcome.
            # TYPE islet_calls_total counter
            islet_calls_total{call="append",outcome="a\\"b\\\\c\\nd"} 3
            islet_calls_total 2.5
            # HELP islet_away_seconds Away.
            # TYPE islet_away_seconds gauge
            islet_away_seconds +Inf

            """)
}
