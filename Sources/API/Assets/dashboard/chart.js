import { $, el } from "./dom.js";

const WIDTH = 600;
const HEIGHT = 120;

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

/** The same figures for a screen reader, and for anyone who wants numbers. */
export function table(caption, heads, rows) {
    return el("table", "plain-table figures-table", el("caption", "unseen", caption),
        el("thead", "", el("tr", "", ...heads.map((head) => {
            const cell = el("th", "", head);
            cell.scope = "col";
            return cell;
        }))),
        el("tbody", "", ...rows.map(([first, ...rest]) => {
            const head = el("th", "", first);
            head.scope = "row";
            return el("tr", "", head, ...rest.map((value, index) => {
                const cell = el("td", "", value);
                cell.dataset.head = heads[index + 1];
                return cell;
            }));
        })));
}
