import { showLine } from "./clocks.js";
import { el, setText } from "./dom.js";
import { t } from "./words.js";

/**
 * A sketch of what a phone shows: Islet knows the texts, and not the app's own SwiftUI. Sizes are
 * Apple's, in points; see the style sheet.
 */
export class Sketch {
    #parts = {};

    /** @param surfaces of compact, minimal, expanded and lock */
    constructor(surfaces) {
        const draw = { compact, minimal, expanded, lock };
        this.element = el("div", "phone");
        this.element.setAttribute("role", "group");
        this.element.setAttribute("aria-label", t("sketchLabel"));
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
    const element = el("div", `surface ${className}`, ...parts);
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", label);
    return element;
}

function camera() {
    const dot = el("span", "camera");
    dot.setAttribute("aria-hidden", "true");
    return dot;
}

function compact() {
    const [leading, trailing] = [el("span", "fit leading"), el("span", "fit trailing")];
    return {
        element: surface("island", t("compact"), leading, camera(), trailing),
        show: (shown) => {
            showLine(leading, shown?.compactLeading);
            showLine(trailing, shown?.compactTrailing);
        },
    };
}

function minimal() {
    const text = el("span", "fit");
    return {
        element: surface("minimal", t("minimal"), text),
        show: (shown) => showLine(text, shown?.minimal),
    };
}

function expanded() {
    const slots = ["leading", "trailing", "center", "bottom"].map((name) => el("span", `fit ${name}`));
    return {
        element: surface("expanded", t("expanded"), ...slots, camera()),
        show: (shown) => ["leading", "trailing", "center", "bottom"].forEach(
            (name, index) => showLine(slots[index], shown?.expanded?.[name])),
    };
}

function lock() {
    const element = surface("lock", t("lockScreen"));
    return {
        element,
        show: (shown) => {
            const lines = (shown?.lockScreen ?? []).map((line) => {
                const paragraph = el("p", "fit");
                showLine(paragraph, line);
                return paragraph;
            });
            element.replaceChildren(...(lines.length ? lines : [el("p", "blank", t("nothingToShow"))]));
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
    const { phones, upToDate, waiting, channels, acceptedVersion, isPartial } = delivery;
    if (phones === 0 && channels === 0) return { level: "none", text: t("nobodySees") };
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
