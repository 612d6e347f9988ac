import { activityPath, read } from "./api.js";
import { showLine, since } from "./clocks.js";
import { $, el, setText } from "./dom.js";
import { t } from "./words.js";

/** So that running down the table with a key asks for what is looked at alone. */
const REST_MS = 120;

/**
 * A sketch of what a phone shows: Islet knows the texts, and not the app's own SwiftUI. Sizes are
 * Apple's, in points; see the style sheet.
 */
export class Sketch {
    #parts = {};

    /** @param surfaces of compact, minimal, expanded and lock */
    constructor(surfaces) {
        const draw = { compact, minimal, expanded, lock };
        this.element = surface("phone", t("sketchLabel"));
        for (const name of surfaces) {
            const part = draw[name]();
            this.#parts[name] = part;
            this.element.append(part.element);
        }
        this.ribbon = el("p", "ribbon");
        this.element.append(this.ribbon);
        new ResizeObserver(() => this.#markCuts()).observe(this.element);
    }

    /**
     * @param presentation the lines of each surface; null where there is nothing to show
     * @param level none, no, some or all: for how many phones APNs accepted it
     */
    show(presentation, level, text) {
        for (const part of Object.values(this.#parts)) part.show(presentation);
        this.element.dataset.accepted = level;
        setText(this.ribbon, text);
        this.#markCuts();
    }

    /** The width decides what is cut, so that it has to be measured. */
    #markCuts() {
        for (const line of this.element.querySelectorAll(".fit")) {
            const isCut = line.scrollWidth > line.clientWidth + 1;
            line.classList.toggle("cut", isCut);
            if (isCut) line.title = t("cut", line.textContent);
            else line.removeAttribute("title");
        }
    }
}

function surface(className, label, ...parts) {
    return el("div", { className, role: "group", ariaLabel: label }, ...parts);
}

const camera = () => el("span", { className: "camera", ariaHidden: "true" });

/** @param places name and line of each; the camera has no line. */
function slots(className, label, places) {
    const elements = places.map(([name, line]) => (line ? el("span", `fit ${name}`) : camera()));
    return {
        element: surface(`surface ${className}`, label, ...elements),
        show: (shown) => places.forEach(
            ([, line], index) => line && showLine(elements[index], shown && line(shown))),
    };
}

const compact = () => slots("island", t("compact"), [
    ["leading", (shown) => shown.compactLeading], ["camera"], ["trailing", (shown) => shown.compactTrailing]]);

const minimal = () => slots("minimal", t("minimal"), [["", (shown) => shown.minimal]]);

const expanded = () => slots("expanded", t("expanded"), [
    ...["leading", "trailing", "center", "bottom"].map((name) => [name, (shown) => shown.expanded?.[name]]), ["camera"]]);

function lock() {
    const element = surface("surface lock", t("lockScreen"));
    const blank = el("p", "blank", t("nothingToShow"));
    const paragraphs = [];
    return {
        element,
        show: (shown) => {
            const lines = shown?.lockScreen ?? [];
            const wanted = lines.length ? lines.map((_, index) => (paragraphs[index] ??= el("p", "fit"))) : [blank];
            const isSame = wanted.length === element.children.length
                && wanted.every((each, index) => each === element.children[index]);
            // In its place before it is filled: a clock asks what is around it for the moment.
            if (!isSame) element.replaceChildren(...wanted);
            lines.forEach((line, index) => showLine(paragraphs[index], line));
        },
    };
}

/**
 * What there is to say about how far the newest state has come, so that nothing is drawn as shown
 * that no phone was sent.
 * @returns {{level: string, text: string}}
 */
export function truth({ said, delivery }) {
    if (!said) return { level: "no", text: t("nothingSaid") };
    const { phones, upToDate, waiting, channels, goneBy, acceptedVersion, isPartial } = delivery;
    if (phones === 0 && channels === 0) {
        const text = goneBy ? t("noneServed", t(`closed_${goneBy}`)) : t("nobodySees");
        return { level: goneBy === "unfit" ? "no" : "none", text };
    }
    const all = isPartial ? `${phones}+` : String(phones);
    if (said.isPending) return { level: "no", text: t("onItsWay") };
    if ((acceptedVersion ?? 0) < said.version) {
        const before = acceptedVersion ? t("phonesHaveVersion", acceptedVersion) : t("phonesHaveNone");
        return { level: "no", text: `${t("notAccepted", waiting, all)} ${before}` };
    }
    if (phones === 0) return { level: "all", text: t("acceptedByBroadcast", channels) };
    return upToDate < phones
        ? { level: "some", text: t("acceptedBySome", upToDate, all) }
        : { level: "all", text: t("acceptedByAll", all) };
}

/** The phone of the row that is selected, beside the table. */
export class Preview {
    #row = null;
    #activity = null;
    #timer = null;
    #asked = "";
    /** What is drawn: unchanged, it is left alone, with what somebody has marked in it. */
    #shown = "";

    show(row) {
        if (this.#row?.id !== row.id) this.close();
        this.#row = row;
        $("preview").hidden = false;
        setText($("preview-title"), row.title);
        $("preview-open").href = `/dashboard?activity=${encodeURIComponent(row.id)}`;
        this.#load();
    }

    /** A line that is known better by now. */
    take(row) {
        if (this.#row?.id === row.id) this.show(row);
    }

    close() {
        this.#row = null;
        this.#activity = null;
        this.#asked = this.#shown = "";
        clearTimeout(this.#timer);
        $("preview").hidden = true;
        $("preview-body").replaceChildren();
    }

    redraw() {
        this.#shown = "";
        if (this.#row) this.#draw();
    }

    #load() {
        const wanted = `${this.#row.id} ${this.#row.version}`;
        if (this.#asked === wanted) return this.#draw();
        clearTimeout(this.#timer);
        this.#timer = setTimeout(async () => {
            this.#asked = wanted;
            const found = await read(activityPath(this.#row.id)).catch((error) => error);
            // Another row, or a newer version of this one, is wanted by now.
            if (this.#asked !== wanted) return;
            if (found instanceof Error) {
                this.#asked = this.#shown = "";
                $("preview-body").replaceChildren(el("p", "hint", found.message));
                return;
            }
            this.#activity = found;
            this.#draw();
        }, REST_MS);
    }

    #draw() {
        if (!this.#activity || !this.#row.delivery) return;
        const row = this.#row;
        const shown = JSON.stringify([row, this.#activity.version]);
        if (shown === this.#shown) return;
        this.#shown = shown;
        const { level, text } = truth(row);
        const sketch = new Sketch(["compact", "lock"]);
        sketch.show(this.#activity.presentation, level, t("sketch"));
        const parts = [sketch.element, el("p", `truth ${level}`, text)];
        if (row.delivery.acceptedAt && level !== "no") {
            parts.push(el("p", "hint", t("acceptedSince"), " ", since(row.delivery.acceptedAt)));
        }
        if (row.fault) parts.push(el("p", "fault", t("faultText", row.fault)));
        if (row.said) {
            const badge = el("span", "badge", t(`verdict_${row.said.verdict}`));
            badge.dataset.verdict = row.said.verdict;
            parts.push(el("p", "", badge, " ", row.said.title ?? row.said.why ?? row.said.rule));
        }
        $("preview-body").replaceChildren(...parts);
    }
}
