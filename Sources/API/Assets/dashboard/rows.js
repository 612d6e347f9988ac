import { setSince } from "./clocks.js";
import { activityLink, el, setText, spaced } from "./dom.js";
import { t } from "./words.js";

/** Takes the room of the rows that are not drawn. */
export function spacer() {
    return el("tr", { className: "spacer", ariaHidden: "true" }, el("td"));
}

/** One line of the table. */
export class Row {
    #slots;
    #shown = "";

    constructor() {
        this.#slots = {
            title: activityLink("", "", "title"), id: el("span", "id"), kind: el("td", "kind"),
            phase: el("span", "phase"), flag: el("span", "flag"),
            badge: el("span", "badge"), said: el("span", "words"),
            delivery: el("td", "delivery"), changed: el("time"),
        };
        const { title, id, kind, phase, flag, badge, said, delivery, changed } = this.#slots;
        const head = el("th", { className: "name", scope: "row" }, title, id);
        this.element = el("tr", "", head, kind, el("td", "state", phase, flag),
            el("td", "said", badge, said), delivery, el("td", "when", changed));
    }

    show(row, index) {
        setSince(this.#slots.changed, row.updatedAt);
        this.element.ariaRowIndex = index + 2;
        const shown = JSON.stringify(row);
        if (shown === this.#shown) return;
        const isNews = this.#shown !== "" && JSON.parse(this.#shown).version !== row.version;
        this.#shown = shown;
        const { title, id, kind, phase, flag, badge, said, delivery } = this.#slots;
        this.element.dataset.id = row.id;
        this.element.classList.toggle("ended", row.phase === "ended");
        title.href = `/dashboard?activity=${encodeURIComponent(row.id)}`;
        setText(title, row.title);
        title.title = row.line ? `${row.title}\n${row.line}` : row.title;
        setText(id, row.id);
        setText(kind, spaced(row.kind));
        setText(phase, t(row.phase));
        phase.dataset.phase = row.phase;
        setText(flag, row.fault ? t("isBlocked") : row.isLate ? t("isLate") : "");
        flag.className = `flag ${row.fault ? "high" : "medium"}`;
        flag.hidden = !row.fault && !row.isLate;
        if (row.said) {
            setText(badge, t(`verdict_${row.said.verdict}`));
            badge.dataset.verdict = row.said.verdict;
            setText(said, row.said.title ?? row.said.why ?? row.said.rule);
        }
        badge.hidden = !row.said;
        said.hidden = !row.said;
        if (row.delivery) drawDelivery(delivery, row);
        if (isNews) flash(this.element);
    }
}

function flash(element) {
    element.classList.remove("changed");
    // The animation begins again once the class has been seen to be gone.
    requestAnimationFrame(() => element.classList.add("changed"));
}

/** How many phones have it, in a form that is read at a glance and aloud. */
function drawDelivery(element, { delivery, said }) {
    const { phones, upToDate, waiting, channels, goneBy, isPartial } = delivery;
    const isPending = said?.isPending ?? false;
    const level = phones === 0 && channels === 0 ? (goneBy === "unfit" ? "high" : "none")
        : isPending || waiting > 0 || upToDate < phones ? (waiting > 0 && upToDate === 0 ? "high" : "medium")
            : "good";
    element.dataset.level = level;
    const count = phones === 0
        ? channels > 0 ? t("byBroadcast") : goneBy ? t(`closed_${goneBy}`) : t("noPhone")
        : t("ofPhones", upToDate, isPartial ? `${phones}+` : String(phones));
    const more = waiting > 0 ? t("waitingCount", waiting) : isPending ? t("sending") : "";
    setText(element, more ? `${count} · ${more}` : count);
    // A reason may be longer than its column.
    element.title = element.textContent;
}
