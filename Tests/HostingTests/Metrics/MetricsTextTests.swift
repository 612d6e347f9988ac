import HTTP
import Testing

@testable import Hosting

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

@Test func `OpenMetrics names the family of a counter without its ending, and says where it ends`()
{
    let text = MetricsText.text(
        [.counter("islet_calls_total", "Calls of \"all\".", 3)], .openMetrics)
    #expect(
        text == """
            # HELP islet_calls Calls of \\"all\\".
            # TYPE islet_calls counter
            islet_calls_total 3
            # EOF

            """)
}

@Test func `a histogram counts each value in all buckets that have it`() {
    var seconds = Histogram([0.5, 1])
    seconds.note(0.25)
    seconds.note(-0.1)
    seconds.note(1, times: 2)
    seconds.note(7)
    seconds.note(3, times: 0)
    let text = MetricsText.text([
        .histogram("islet_change_seconds", "Until told.", [([("stage", "sent")], seconds)])
    ])
    #expect(
        text == """
            # HELP islet_change_seconds Until told.
            # TYPE islet_change_seconds histogram
            islet_change_seconds_bucket{stage="sent",le="0.5"} 2
            islet_change_seconds_bucket{stage="sent",le="1"} 4
            islet_change_seconds_bucket{stage="sent",le="+Inf"} 5
            islet_change_seconds_sum{stage="sent"} 9.25
            islet_change_seconds_count{stage="sent"} 5

            """)
}

@Test(arguments: [
    (nil, MetricsText.Format.prometheus),
    ("*/*", .prometheus),
    ("text/html", .prometheus),
    ("application/openmetrics-text", .openMetrics),
    ("text/plain;q=0.5, application/openmetrics-text; version=1.0.0; q=0.4", .prometheus),
    ("application/openmetrics-text;q=nan, text/plain;q=0.1", .prometheus),
    // As Prometheus asks.
    (
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1"
            + ";q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", .openMetrics
    ),
])
func `readers get the form that they like best`(accept: String?, format: MetricsText.Format) {
    #expect(MetricsText.Format(accept: accept) == format)
}
