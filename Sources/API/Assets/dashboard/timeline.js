import { clockTime, moment } from "./clocks.js";
import { el, setText } from "./dom.js";
import { t } from "./words.js";

/** The versions around the one that is looked at: event, decision, and APNs' answers. */
export class Timeline {
    #onChoose;
    #rows = new Map();

    constructor(onChoose) {
        this.#onChoose = onChoose;
        this.element = el("ol", "timeline");
        this.element.addEventListener("click", (event) => {
            const row = event.target.closest("button[data-version]");
            if (row) this.#onChoose(Number(row.dataset.version));
        });
    }

    show(versions, chosen) {
        const wanted = versions.map((each) => each.version);
        const isSame = wanted.length === this.#rows.size && wanted.every((version) => this.#rows.has(version));
        if (!isSame) {
            this.#rows = new Map(versions.map((each) => [each.version, row(each.version)]));
            this.element.replaceChildren(...[...this.#rows.values()].map((each) => each.element).reverse());
        }
        for (const each of versions) this.#rows.get(each.version).show(each, each.version === chosen);
        const current = this.#rows.get(chosen)?.element;
        if (!current) return;
        // Within its own frame, so that the page stays where it is.
        const [top, bottom] = [current.offsetTop, current.offsetTop + current.offsetHeight];
        const frame = this.element;
        if (top < frame.scrollTop) frame.scrollTop = top - 8;
        else if (bottom > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom - frame.clientHeight + 8;
    }
}

function row(version) {
    const time = el("span", "at");
    const badge = el("span", "badge");
    const what = el("span", "type");
    const outcome = el("span", "outcome");
    const press = el("button", "step", el("span", "head", el("span", "v", t("versionShort", version)), time, badge), what, outcome);
    press.type = "button";
    press.dataset.version = version;
    return {
        element: el("li", "", press),
        show: ({ event, decision }, isChosen) => {
            setText(time, clockTime(event.recordedat));
            time.title = moment(event.recordedat);
            setText(what, event.type.replace(/^[^.]*\./, ""));
            setText(badge, decision ? t(`verdict_${decision.verdict}`) : t("undecided"));
            badge.dataset.verdict = decision?.verdict ?? "hold";
            setText(outcome, said(decision));
            if (isChosen) press.setAttribute("aria-current", "step");
            else press.removeAttribute("aria-current");
        },
    };
}

/** The result of a decision. */
export function said(decision) {
    if (!decision) return t("parkedOrNew");
    if (decision.verdict === "hold") return t("nothingWasSent");
    const outcome = decision.outcome;
    if (!outcome) return t("waitsToBeSent");
    const parts = [];
    if (outcome.timestamp === null && outcome.channels.accepted + outcome.channels.failed === 0) {
        return t("noPhoneThen");
    }
    if (outcome.carriedBy !== decision.version) parts.push(t("carriedBy", outcome.carriedBy));
    if (outcome.accepted + outcome.failed > 0) parts.push(t("answers", outcome.accepted, outcome.failed));
    const { accepted, failed } = outcome.channels;
    if (accepted + failed > 0) parts.push(t("broadcasts", accepted, failed));
    return parts.join(" · ") || t("noPhoneThen");
}

/** How far a version had come when its answers were in. */
export function pastTruth(decision) {
    if (!decision) return { level: "no", text: t("parkedOrNew") };
    if (decision.verdict === "hold") return { level: "no", text: t("heldThen") };
    const outcome = decision.outcome;
    if (!outcome) return { level: "no", text: t("onItsWay") };
    const accepted = outcome.accepted + outcome.channels.accepted;
    const failed = outcome.failed + outcome.channels.failed;
    if (accepted + failed === 0) return { level: "none", text: t("noPhoneThen") };
    if (accepted === 0) return { level: "no", text: t("answers", accepted, failed) };
    return { level: failed > 0 ? "some" : "all", text: t("answers", accepted, failed) };
}
