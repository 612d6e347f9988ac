import { read } from "./api.js";
import { clockTime, moment } from "./clocks.js";
import { $, button, el, statusLine, table } from "./dom.js";
import { number, percent, t } from "./words.js";

const SPANS = ["hour", "day", "fortnight"];
/** A verdict has the colour of its badge. */
const TONES = { timely: 0, alert: 1, quiet: 2, end: 4, hold: 5 };
/** A minute's figures are written every ten seconds. */
const REST_MS = 15_000;
/** Of a chart, in units of its own. */
const WIDTH = 600;
const HEIGHT = 120;

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
            press.id = `span-${span}`;
            press.ariaPressed = span === this.#span;
            return press;
        }));
        this.element = el("div", "stack", el("p", "hint", t("chartsAbout")), choices,
            this.#status.element, this.#body);
    }

    async load() {
        try {
            const { points } = await read(`/v1/series?span=${this.#span}`, this.#abort.signal);
            this.#draw(points);
            this.#status.say("");
        } catch (error) {
            if (this.#abort.signal.aborted) return;
            this.#status.say(error.message, true);
        }
        clearTimeout(this.#timer);
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
            ["events", [one("bar", (point) => point.events)(t("events"))], number],
            ["verdicts", family("verdicts"), number],
            ["alertShare", [one("line", (point) => point.alertShare)(t("alertShare"))], percent],
            ["onTimeShare", [one("line", (point) => point.onTimeShare)(t("onTimeShare"))], percent, 1],
            ["latency", [
                one("line", (point) => point.latencySeconds.p50)("p50"),
                one("line", (point) => point.latencySeconds.p99)("p99"),
            ], seconds],
            ["lagOfFolding", [one("line", (point) => point.lagSeconds)(t("lagOfFolding"))], seconds],
            ["answersByReason", family("answers"), number],
        ];
        const places = () => [...this.#body.querySelectorAll("summary, .scroll")];
        const tops = places().map((each) => each.scrollTop);
        const focused = places().indexOf(document.activeElement);
        this.#body.replaceChildren(...charts.map(([name, series, format, top]) =>
            this.#figure(name, series, format, top, points)));
        // Somebody who reads a table goes on where they were.
        places().forEach((each, index) => (each.scrollTop = tops[index] ?? 0));
        places()[focused]?.focus({ preventScroll: true });
    }

    #figure(name, series, format, top, points) {
        const isShort = this.#span === "hour";
        const at = (point) => (isShort ? clockTime(point.at) : moment(point.at));
        // Of what is counted 0 is nothing. Of what is measured it is a figure, and may be the worst one.
        const isFigure = (value, { kind }) => value !== null && (kind === "line" || value > 0);
        const hasData = series.some((each) => each.values.some((value) => isFigure(value, each)));
        const head = el("h3", "", t(name));
        if (!hasData) return el("section", "panel", head, el("p", "hint", t("noFigures")));
        const drawn = chart(series, t("chartLabel", t(name), at(points[0]), at(points.at(-1))), top);
        const legend = el("ul", "legend", ...series.map((each, index) => el("li", "", el("span", `key s${each.tone ?? index}`), each.name)));
        const rows = [...points.entries()]
            .filter(([index]) => series.some((each) => isFigure(each.values[index], each)))
            .map(([index, point]) => [
                at(point), ...series.map(({ values }) => (values[index] === null ? null : format(values[index])))]);
        const details = el("details", "", el("summary", "", t("asTable")),
            el("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: t(name) }, table(t(name), [t("when"), ...series.map((each) => each.name)], rows, true)));
        details.open = this.#open.has(name);
        details.addEventListener("toggle", () => (details.open ? this.#open.add(name) : this.#open.delete(name)));
        return el("section", "panel", head,
            el("div", "plot", el("span", "most", format(drawn.top)), drawn.element,
                el("span", "from", at(points[0])), el("span", "to", at(points.at(-1)))),
            ...(series.length > 1 ? [legend] : []), details);
    }
}

const seconds = (value) => (value < 1
    ? `${number(value * 1000, { maximumFractionDigits: 0 })} ms` : `${number(value)} s`);

/**
 * Shapes of series over steps of time, and nothing else: texts stand beside it and its figures in a
 * table. Values of null are gaps.
 * @param series [{values, kind, tone}] of equal length; `bar` stacks on what comes before, `line` does not.
 * `tone` is the number of a colour; without one it is that of the series' place.
 * @param top what the highest point stands for; as the values have it when it is missing.
 * @returns {element, top}
 */
export function chart(series, label, top) {
    // The page has one already, which knows what its elements are called.
    const shape = (name) => document.createElementNS($("blank").namespaceURI, name);
    const svg = shape("svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    svg.setAttribute("class", "chart");
    const highest = top ?? (highestOf(series) || 1);
    const floor = new Array(series[0]?.values.length ?? 0).fill(0);
    series.forEach(({ values, kind, tone }, index) => {
        const path = shape("path");
        path.setAttribute("class", `${kind} s${tone ?? index}`);
        path.setAttribute("d", kind === "line" ? line(values, highest) : bars(values, floor, highest));
        svg.append(path);
    });
    return { element: svg, top: highest };
}

/** The sum of the bars or the value of a line, whichever is most. */
export function highestOf(series) {
    const steps = series[0]?.values.length ?? 0;
    let highest = 0;
    for (let index = 0; index < steps; index += 1) {
        const stacked = series.filter(({ kind }) => kind === "bar")
            .reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
        const lines = series.filter(({ kind }) => kind === "line").map(({ values }) => values[index] ?? 0);
        highest = Math.max(highest, stacked, ...lines);
    }
    return highest;
}

const y = (value, highest) => round(HEIGHT - (Math.min(value, highest) / highest) * HEIGHT);
const round = (number) => Math.round(number * 10) / 10;

/** From the middle of each step to the next; a lone value is a short dash. */
export function line(values, highest) {
    const width = WIDTH / values.length;
    let path = "";
    values.forEach((value, index) => {
        if (value === null) return;
        const isFirst = index === 0 || values[index - 1] === null;
        const isLast = index === values.length - 1 || values[index + 1] === null;
        const x = (index + 0.5) * width;
        if (isFirst && isLast) path += `M${round(x - width / 3)} ${y(value, highest)}H${round(x + width / 3)}`;
        else path += `${isFirst ? "M" : "L"}${round(x)} ${y(value, highest)}`;
    });
    return path;
}

/** @param floor where each bar begins; raised by what is drawn. */
export function bars(values, floor, highest) {
    const width = WIDTH / values.length;
    let path = "";
    values.forEach((value, index) => {
        if (!value) return;
        const from = floor[index];
        floor[index] += value;
        path += `M${round(index * width + 0.5)} ${y(from, highest)}V${y(floor[index], highest)}`
            + `H${round((index + 1) * width - 0.5)}V${y(from, highest)}Z`;
    });
    return path;
}
