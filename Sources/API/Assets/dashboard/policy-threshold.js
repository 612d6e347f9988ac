import { el, setText } from "./dom.js";
import { markField } from "./faults.js";
import { t } from "./words.js";

/** The field of one threshold, with what is wrong with its number beside it. */
export class Threshold {
    #bounds;
    #input = el("input");
    #hint;
    #said = el("span", "error");
    #value;
    /** What the server said of the value that there was then. */
    #refusal = null;

    /** @param onSet called with the number that somebody wants; with nothing for the built-in one. */
    constructor(name, bounds, onSet) {
        this.#bounds = bounds;
        const { minimum, maximum, standard, why } = bounds;
        Object.assign(this.#input, {
            type: "number", id: `threshold-${name}`, min: minimum, max: maximum, step: "any",
        });
        this.#hint = el("span", "hint", t("between", minimum, maximum, standard));
        this.#hint.id = `${this.#input.id}-hint`;
        this.#said.id = `${this.#input.id}-fault`;
        const label = el("label", "", name);
        label.htmlFor = this.#input.id;
        label.title = why;
        this.element = el("div", "field", label, this.#input, this.#hint, this.#said);
        this.#input.addEventListener("change", () => {
            const { value, validity } = this.#input;
            // The document keeps its number until there is another one.
            if (validity.badInput) return this.#mark(t("noNumber"));
            onSet(value === "" || Number(value) === standard ? undefined : Number(value));
        });
    }

    focus() {
        this.#input.focus();
    }

    /** @param value of the document; without one the built-in number holds. */
    follow(value) {
        this.#value = value ?? this.#bounds.standard;
        const shown = typeof this.#value === "number" ? String(this.#value) : "";
        // What is being typed stays as it is written, such as 1.0.
        const { value: typed } = this.#input;
        if (typed === "" || Number(typed) !== this.#value) this.#input.value = shown;
        this.#judge();
    }

    /** Takes back what was typed. */
    reset() {
        this.follow(this.#value);
    }

    refuse(detail) {
        this.#refusal = detail ? { detail, value: this.#value } : null;
        this.#judge();
    }

    get fault() {
        return this.#said.textContent;
    }

    #judge() {
        const { minimum, maximum } = this.#bounds;
        if (this.#refusal && Object.is(this.#refusal.value, this.#value)) this.#mark(this.#refusal.detail);
        else if (typeof this.#value !== "number") this.#mark(t("noNumber"));
        else if (this.#value < minimum || this.#value > maximum) this.#mark(t("outside", minimum, maximum));
        else this.#mark("");
    }

    #mark(fault) {
        setText(this.#said, fault);
        markField(this.#input, Boolean(fault), this.#hint, ...(fault ? [this.#said] : []));
    }
}
