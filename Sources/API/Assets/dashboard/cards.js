import { age, showLine } from "./clocks.js";

const template = document.getElementById("card");
const PHASE_ORDER = ["live", "scheduled", "ended"];

/** One activity's card. All text goes in as text: nothing that a tenant stored can be markup. */
export class Card {
    #slots = {};
    #loadHistory;
    #key;
    change = null;

    /** @param loadHistory (id, version) => promise of the newest decisions, oldest first. */
    constructor(loadHistory) {
        this.#loadHistory = loadHistory;
        this.element = template.content.cloneNode(true).querySelector("li");
        for (const slot of this.element.querySelectorAll("[data-slot]")) {
            this.#slots[slot.dataset.slot] = slot;
        }
        const card = this.element.firstElementChild;
        card.addEventListener("animationend", () => card.classList.remove("changed"));
        this.#slots.history.addEventListener("toggle", () => this.#refreshHistory());
    }

    get activity() {
        return this.change.activity;
    }

    /** Live ones first; among equals the order never changes, so that cards stay where they are. */
    static compare(left, right) {
        const phase =
            PHASE_ORDER.indexOf(left.activity.phase) - PHASE_ORDER.indexOf(right.activity.phase);
        return phase || (left.activity.id < right.activity.id ? -1 : 1);
    }

    show(change, isNews) {
        this.change = change;
        const { activity, decision } = change;
        const slots = this.#slots;
        slots.id.textContent = activity.id;
        slots.id.title = activity.id;
        slots.kind.textContent = spaced(activity.kind);
        slots.phase.textContent = activity.phase;
        slots.phase.dataset.phase = activity.phase;
        this.#showPhone(activity.presentation);
        slots.fault.hidden = !activity.fault;
        slots.fault.textContent = activity.fault
            ? `Cannot be folded any further: ${activity.fault}` : "";
        slots.decision.replaceChildren(...describe(decision));
        slots.version.textContent = `Version ${activity.version}`;
        slots.updated.dateTime = activity.updatedAt;
        slots.updated.title = new Date(activity.updatedAt).toLocaleString();
        age(slots.updated);
        if (isNews) this.#flash();
        this.#refreshHistory();
    }

    #showPhone(presentation) {
        const { leading, trailing, lock } = this.#slots;
        showLine(leading, presentation?.compactLeading);
        showLine(trailing, presentation?.compactTrailing);
        const lines = (presentation?.lockScreen ?? []).map((line) => {
            const paragraph = document.createElement("p");
            showLine(paragraph, line);
            return paragraph;
        });
        if (lines.length === 0) lines.push(node("p", "Nothing to show", "blank"));
        lock.replaceChildren(...lines);
    }

    #flash() {
        const card = this.element.firstElementChild;
        card.classList.remove("changed");
        void card.offsetWidth;
        card.classList.add("changed");
    }

    async #refreshHistory() {
        const { history, rows } = this.#slots;
        const wanted = `${this.activity.id} ${this.activity.version}`;
        if (!history.open || this.#key === wanted) return;
        this.#key = wanted;
        try {
            const decisions = await this.#loadHistory(this.activity.id, this.activity.version);
            rows.replaceChildren(...decisions.reverse().map(historyRow));
        } catch (error) {
            this.#key = null;
            rows.replaceChildren(node("li", `Could not be read: ${error.message}`));
        }
    }
}

function describe(decision) {
    if (!decision) return [node("p", "Not decided yet", "rule")];
    const parts = [head(decision), node("p", decision.reason)];
    if (decision.alert) {
        const said = node("p", "", "said");
        said.append(node("strong", decision.alert.title), decision.alert.body);
        parts.push(said);
    }
    return parts;
}

function head(decision) {
    const head = node("p", "", "head");
    const badge = node("span", decision.verdictText, "badge");
    badge.dataset.verdict = decision.verdict;
    head.append(badge, node("span", decision.rule, "rule"));
    return head;
}

function historyRow(decision) {
    const row = document.createElement("li");
    const top = head(decision);
    top.append(node("span", `version ${decision.version}`, "rule"));
    row.append(top, node("p", decision.reason), node("p", decision.outcomeText, "sent"));
    return row;
}

function node(name, text, className = "") {
    const element = document.createElement(name);
    element.textContent = text;
    element.className = className;
    return element;
}

/** `PizzaDelivery` as people write it. */
function spaced(kind) {
    return kind.replace(/([a-z])([A-Z])/g, "$1 $2");
}
