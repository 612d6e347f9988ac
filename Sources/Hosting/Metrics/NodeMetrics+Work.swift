import APNsClient
import AppKeys
import Delivery
import Domain
import EventLoop

/// What the node itself has done.
extension NodeMetrics {
    var work: [Metric] { appended + folded + sent + messages }

    private var appended: [Metric] {
        let meter = meters.appends.withLock { $0 }
        return [
            Metric(
                "islet_events_total", .counter,
                "Events that were handed to the log: recorded, known already, or refused because "
                    + "they contradict it.",
                by: "outcome",
                [
                    ("recorded", meter.recorded), ("known", meter.known),
                    ("refused", meter.refused),
                ]),
            .gauge(
                "islet_appends_waiting", "Requests that wait for the commit of their events.",
                Double(meter.waiting)),
            .histogram(
                "islet_append_seconds", "Until the commit of a request's events.",
                [([], meter.seconds)]),
        ]
    }

    private var folded: [Metric] {
        let meter = meters.folds.withLock { $0 }
        return [
            Metric(
                "islet_decisions_total", .counter,
                "Decisions, by the activity's kind and verdict.",
                meter.verdicts.sorted { $0.key < $1.key }.flatMap { kind, counts in
                    Verdict.allCases.map { verdict in
                        .init(
                            [("kind", kind), ("verdict", verdict.rawValue)],
                            Double(counts[verdict] ?? 0))
                    }
                }),
            Metric(
                "islet_budget_steps_total", .counter,
                "What budgets and pace made of decisions to push.", by: "step",
                PushOrder.Treatment.allCases.map { ($0.rawValue, meter.treatments[$0] ?? 0) }),
            Metric(
                "islet_alerts_withheld_total", .counter, "Alerts that were not said, by why.",
                by: "why", Silence.allCases.map { ($0.rawValue, meter.silences[$0] ?? 0) }),
            .counter(
                "islet_events_parked_total", "Events that could not be folded.",
                Double(meter.parked)),
        ]
    }

    private var sent: [Metric] {
        let meter = meters.pushes.withLock { $0 }
        let folds = meters.folds.withLock { $0.seconds }
        let answers = meter.answers.sorted {
            ($0.key.request, $0.key.outcome, $0.key.reason)
                < ($1.key.request, $1.key.outcome, $1.key.reason)
        }
        return [
            .histogram(
                "islet_change_seconds",
                "From the recording of an event until it is folded and decided on (one commit), "
                    + "its push leaves, and APNs accepts it.",
                [
                    ([("stage", "decided")], folds), ([("stage", "sent")], meter.sentSeconds),
                    ([("stage", "accepted")], meter.acceptedSeconds),
                ]),
            Metric(
                "islet_apns_answers_total", .counter,
                "Pushes, broadcasts and requests about channels, by APNs' answer.",
                answers.map { answer, count in
                    .init(
                        [
                            ("request", answer.request), ("outcome", answer.outcome),
                            ("reason", answer.reason),
                        ], Double(count))
                }),
            .histogram(
                "islet_apns_answer_seconds", "Until APNs has answered a page of pushes.",
                [([], meter.answerSeconds)]),
            .gauge(
                "islet_pushes_under_way", "Requests that APNs has not answered yet.",
                Double(meter.underWay)),
            Metric(
                "islet_fan_outs", .gauge,
                "Activities this node sends for now: short fan-outs, and those to many phones.",
                by: "size", [("short", meter.fanOuts.short), ("long", meter.fanOuts.long)]),
            .gauge(
                "islet_fan_out_pages_under_way", "Pages that long fan-outs are sending.",
                Double(meter.fanOuts.pages)),
            .gauge(
                "islet_fan_out_pages_waiting", "Long fan-outs that wait for their turn to send.",
                Double(meter.fanOuts.waiting)),
        ]
    }

    private var messages: [Metric] {
        let meter = meters.webhooks.withLock { $0 }
        return [
            Metric(
                "islet_webhook_answers_total", .counter,
                "Messages to webhooks, by the class of the answer's status.", by: "code",
                meter.answers.sorted { $0.key < $1.key }),
            .histogram(
                "islet_webhook_answer_seconds", "Until a webhook has answered.",
                [([], meter.seconds)]),
            .gauge(
                "islet_webhook_messages_under_way", "Messages that are not answered yet.",
                Double(meter.underWay)),
        ]
    }

    /// Only hosts that were connected to, and none on a node that sends nothing.
    var hosts: [Metric] {
        guard parts.node.roles.contains(.sender),
            let circuits = parts.router?.setup.network.circuits
        else { return [] }
        return [
            Metric(
                "islet_circuit_open", .gauge,
                "1 while the circuit breaker of a host of APNs keeps pushes back.",
                circuits.states.map { .init([("host", $0.host)], $0.isOpen ? 1 : 0) })
        ]
    }
}
