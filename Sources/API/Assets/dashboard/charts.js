import { read } from "./api.js";
import { chart, table } from "./chart.js";
import { clockTime, moment } from "./clocks.js";
import { button, el } from "./dom.js";
import { statusLine } from "./office.js";
import { t } from "./words.js";

const SPANS = ["hour", "day", "fortnight"];
/** A verdict has the colour of its badge. */
const TONES = { timely: 0, alert: 1, quiet: 2, end: 4, hold: 5 };
/** A minute's figures are written every ten seconds. */
const REST_MS = 15_000;

/** Figures of the last hour, day and fortnight. */
export class Charts {
    #go;
    #span;
    #abort = new AbortController();
    #timer = null;
    #status = statusLine();
    #body = el("div", "charts");
    /** Names of charts whose table is open, so that a new drawing leaves it open. */
    #open = new Set();

    constructor({ go, address }) {
        this.#go = go;
        const wanted = address.get("span");
        this.#span = SPANS.includes(wanted) ? wanted : "hour";
        const choices = el("div", "choices", ...SPANS.map((span) => {
            const press = button(t(`span_${span}`), "plain small", () =>
                this.#go(`/dashboard?view=charts&span=${span}`));
            press.setAttribute("aria-pressed", span === this.#span);
            return press;
        }));
        this.element = el("div", "stack", el("p", "hint", t("chartsAbout")), choices,
            this.#status.element, this.#body);
    }

    async load() {
        clearTimeout(this.#timer);
        try {
            const { points } = await read(`/v1/series?span=${this.#span}`, this.#abort.signal);
            this.#draw(points);
            this.#status.say("");
        } catch (error) {
            if (this.#abort.signal.aborted) return;
            this.#status.say(error.message, true);
        }
        if (!this.#abort.signal.aborted) {
            this.#timer = setTimeout(() => this.load(), document.hidden ? 4 * REST_MS : REST_MS);
        }
    }

    close() {
        this.#abort.abort();
        clearTimeout(this.#timer);
    }

    #draw(points) {
        const one = (kind, value) => (name) => ({ name, kind, values: points.map(value) });
        const family = (member) => {
            const names = [...new Set(points.flatMap((point) => Object.keys(point[member])))].sort();
            return names.map((name) => ({
                name: member === "verdicts" ? t(`verdict_${name}`) : name === "accepted" ? t("acceptedOnes") : name,
                kind: "bar", tone: member === "verdicts" ? TONES[name] : undefined,
                values: points.map((point) => point[member][name] ?? 0),
            }));
        };
        const charts = [
            ["events", [one("bar", (point) => point.events)(t("events"))], count],
            ["verdicts", family("verdicts"), count],
            ["alertsEach", [one("line", (point) => point.alertsPerActivity)(t("alertsEach"))], decimal],
            ["onTimeShare", [one("line", (point) => point.onTimeShare)(t("onTimeShare"))], percent, 1],
            ["latency", [
                one("line", (point) => point.latencySeconds.p50)("p50"),
                one("line", (point) => point.latencySeconds.p99)("p99"),
            ], seconds],
            ["lagOfFolding", [one("line", (point) => point.lagSeconds)(t("lagOfFolding"))], seconds],
            ["answersByReason", family("answers"), count],
        ];
        this.#body.replaceChildren(...charts.map(([name, series, format, top]) =>
            this.#figure(name, series, format, top, points)));
    }

    #figure(name, series, format, top, points) {
        const isShort = this.#span === "hour";
        const at = (point) => (isShort ? clockTime(point.at) : moment(point.at));
        const hasData = series.some(({ values }) => values.some((value) => value));
        const head = el("h3", "", t(name));
        if (!hasData) return el("section", "panel", head, el("p", "hint", t("noFigures")));
        const drawn = chart(series, t("chartLabel", t(name), at(points[0]), at(points.at(-1))), top);
        const legend = el("ul", "legend", ...series.map((each, index) => el("li", "", el("span", `key s${each.tone ?? index}`), each.name)));
        const rows = points.map((point, index) => [
            at(point), ...series.map(({ values }) => (values[index] === null ? "–" : format(values[index])))])
            .filter(([, ...values]) => values.some((value) => value !== "–" && value !== format(0)));
        const details = el("details", "", el("summary", "", t("asTable")),
            el("div", "scroll", table(t(name), [t("when"), ...series.map((each) => each.name)], rows)));
        details.lastChild.tabIndex = 0;
        details.lastChild.setAttribute("role", "group");
        details.lastChild.setAttribute("aria-label", t(name));
        details.open = this.#open.has(name);
        details.addEventListener("toggle", () => (details.open ? this.#open.add(name) : this.#open.delete(name)));
        return el("section", "panel", head,
            el("div", "plot", el("span", "most", format(drawn.top)), drawn.element,
                el("span", "from", at(points[0])), el("span", "to", at(points.at(-1)))),
            ...(series.length > 1 ? [legend] : []), details);
    }
}

const lang = () => document.documentElement.lang;
const count = (value) => value.toLocaleString(lang());
const decimal = (value) => value.toLocaleString(lang(), { maximumFractionDigits: 2 });
const percent = (value) => value.toLocaleString(lang(), { style: "percent", maximumFractionDigits: 1 });
const seconds = (value) => (value < 1
    ? `${(value * 1000).toLocaleString(lang(), { maximumFractionDigits: 0 })} ms` : `${decimal(value)} s`);
