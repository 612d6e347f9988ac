import { el, setText } from "./dom.js";
import { Faults, markField } from "./form.js";
import { t } from "./words.js";

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

export const spelled = (document) => JSON.stringify(document ?? {}, null, 2);

/** @returns {document} that a text says, or why it says none. */
export function parsed(text) {
    try {
        const document = JSON.parse(text);
        if (!isObject(document)) return { why: t("notObject") };
        const lost = endless(document);
        return lost === null ? { document } : { why: t("endlessNumber", lost) };
    } catch (error) {
        return { why: `${t("notJSON")} ${error.message}` };
    }
}

/**
 * A number such as 1e999 is JSON, but more than this page can have: it would be sent as `null`.
 * @returns the pointer of the first one, or null.
 */
function endless(value, pointer = "") {
    if (typeof value === "number") return Number.isFinite(value) ? null : pointer;
    for (const [name, each] of Object.entries(isObject(value) || Array.isArray(value) ? value : {})) {
        const found = endless(each, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
        if (found !== null) return found;
    }
    return null;
}

/**
 * The document of a policy, the fields of its thresholds, and what is wrong with it. The document is
 * what counts: a field changes it, and says what it says.
 */
export class Editor {
    #area = el("textarea", { className: "document", rows: 16, spellcheck: false, id: "policy-document" });
    #faults = new Faults("policy-faults");
    #fields = new Map();
    #fieldset = el("fieldset", "thresholds");
    #wait = el("p", { className: "wait error", id: "policy-wait" });
    #onChange;
    #say;

    /**
     * @param onChange called when the text is another.
     * @param say tells what came of a change.
     */
    constructor({ onChange, say }) {
        this.#onChange = onChange;
        this.#say = say;
        this.#area.addEventListener("input", () => this.#changed());
        const label = el("label", { htmlFor: this.#area.id }, t("policyDocument"));
        this.element = el("div", "stack", label, this.#area, this.#faults.element);
        this.#fieldset.ariaLabel = t("thresholds");
        this.#fieldset.setAttribute("aria-describedby", this.#wait.id);
        this.thresholds = el("section", "panel", el("h3", "", t("thresholds")), this.#wait, this.#fieldset);
    }

    get text() {
        return this.#area.value;
    }

    focus() {
        this.#area.focus();
    }

    /** Takes another policy: its thresholds, and a text about them. */
    show(thresholds, text) {
        this.#fields = new Map(Object.entries(thresholds).map(([name, each]) =>
            [name, new Threshold(name, each, (value) => this.#set(name, value))]));
        this.#fieldset.replaceChildren(...[...this.#fields.values()].map((field) => field.element));
        this.write(text);
    }

    write(text) {
        if (this.#area.value !== text) this.#area.value = text;
        this.#changed();
    }

    #changed() {
        this.#follow();
        this.#onChange();
    }

    /** @returns the document, or nothing when there is none, which is said. */
    read() {
        this.mark([]);
        // A script or an extension may have changed the text and fired no event.
        this.#changed();
        const { document, why } = parsed(this.text);
        this.#say(why ?? "", Boolean(why));
        markField(this.#area, why, this.#faults.element);
        return document;
    }

    /** @returns the document when its thresholds can be read and set, or nothing. */
    #follow() {
        const { document, why } = parsed(this.text);
        const isWrong = document && !isObject(document.thresholds ?? {});
        const isReadable = document && !isWrong;
        this.#fieldset.disabled = !isReadable;
        setText(this.#wait, isReadable ? "" : t("fieldsWait", isWrong ? t("thresholdsNoObject") : why));
        if (!isReadable) return null;
        for (const [name, field] of this.#fields) field.follow(document.thresholds?.[name]);
        return document;
    }

    /** @param value nothing for what is built in. */
    #set(name, value) {
        const document = this.#follow();
        if (!document) {
            this.#fields.get(name).reset();
            return this.#say(this.#wait.textContent, true);
        }
        const thresholds = { ...document.thresholds };
        if (value === undefined) delete thresholds[name];
        else thresholds[name] = value;
        document.thresholds = thresholds;
        if (Object.keys(thresholds).length === 0) delete document.thresholds;
        this.write(spelled(document));
        const { fault } = this.#fields.get(name);
        if (fault) this.#say(`${name}: ${fault}`, true);
        else this.#say(t("documentChanged"));
    }

    /** @param faults {pointer, detail} of the server. */
    mark(faults) {
        markField(this.#area, faults.length > 0, this.#faults.element);
        this.#faults.show(faults, ([first, name, ...more]) =>
            (first === "thresholds" && more.length === 0 ? this.#fields.get(name) : undefined));
    }
}

/** The field of one threshold, with what is wrong with its number beside it. */
class Threshold {
    #bounds;
    #input;
    #hint;
    #said;
    #value;
    /** What the server said of the value that there was then. */
    #refusal = null;

    /** @param onSet called with the number that somebody wants; with nothing for the built-in one. */
    constructor(name, bounds, onSet) {
        this.#bounds = bounds;
        const { minimum, maximum, standard, why } = bounds;
        const id = `threshold-${name}`;
        this.#input = el("input", { type: "number", id, min: minimum, max: maximum, step: "any" });
        this.#hint = el("span", { className: "hint", id: `${id}-hint` }, t("between", minimum, maximum, standard));
        this.#said = el("span", { className: "error", id: `${id}-fault` });
        const label = el("label", { htmlFor: id, title: why }, name);
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

    /** @param value of the document; without one the built-in number is in force. */
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
        markField(this.#input, fault, this.#said, this.#hint);
    }
}
