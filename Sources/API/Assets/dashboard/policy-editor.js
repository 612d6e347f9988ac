import { button, el, setText } from "./dom.js";
import { Threshold } from "./policy-threshold.js";
import { t } from "./words.js";

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

export const spelled = (document) => JSON.stringify(document ?? {}, null, 2);

/** @returns {document} that a text says, or why it says none. */
export function parsed(text) {
    try {
        const document = JSON.parse(text);
        return isObject(document) ? { document } : { why: t("notObject") };
    } catch (error) {
        return { why: `${t("notJSON")} ${error.message}` };
    }
}

/**
 * The document of a policy, the fields of its thresholds, and what is wrong with it. The document is
 * what counts: a field changes it, and says what it says.
 */
export class Editor {
    #area = el("textarea", "document");
    #faults = el("ul", "faults");
    #fields = new Map();
    #fieldset = el("fieldset", "thresholds");
    #wait = el("p", "wait error");
    #onChange;
    #say;

    /**
     * @param onChange called when the text is another.
     * @param say tells what came of a change.
     */
    constructor({ onChange, say }) {
        this.#onChange = onChange;
        this.#say = say;
        Object.assign(this.#area, { rows: 16, spellcheck: false, id: "policy-document" });
        this.#area.addEventListener("input", () => this.#changed());
        Object.assign(this.#faults, { id: "policy-faults", hidden: true });
        const label = el("label", "", t("policyDocument"));
        label.htmlFor = this.#area.id;
        this.element = el("div", "stack", label, this.#area, this.#faults);
        const title = el("h3", "", t("thresholds"));
        title.id = "policy-thresholds";
        this.#wait.id = "policy-wait";
        this.#fieldset.setAttribute("aria-labelledby", title.id);
        this.#fieldset.setAttribute("aria-describedby", this.#wait.id);
        this.thresholds = el("section", "panel", title, this.#wait, this.#fieldset);
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
        // A script or an extension may have changed the text and told nobody.
        this.#changed();
        const { document, why } = parsed(this.text);
        this.#say(why ?? "", Boolean(why));
        this.#isBad(Boolean(why));
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

    #isBad(isBad) {
        if (isBad) this.#area.setAttribute("aria-invalid", "true");
        else this.#area.removeAttribute("aria-invalid");
    }

    /** @param faults {pointer, detail} of the server: a list, and marks at the fields that they are about. */
    mark(faults) {
        this.#isBad(faults.length > 0);
        this.#faults.hidden = faults.length === 0;
        if (faults.length > 0) this.#area.setAttribute("aria-describedby", this.#faults.id);
        else this.#area.removeAttribute("aria-describedby");
        for (const field of this.#fields.values()) field.refuse("");
        this.#faults.replaceChildren(...faults.map(({ pointer = "", detail }) => {
            // The list says where; a text that begins with it would say it twice.
            const said = detail.startsWith(`\`${pointer}\` `) ? detail.slice(pointer.length + 3) : detail;
            const field = this.#fields.get(named(pointer));
            field?.refuse(said);
            return el("li", "", field ? button(pointer, "plain small", () => field.focus())
                : pointer && el("code", "", pointer), ` ${said}`);
        }));
    }
}

/** @returns the threshold that a JSON pointer leads to, if it does. */
function named(pointer) {
    const [, first, name, ...more] = pointer.split("/");
    if (first !== "thresholds" || name === undefined || more.length > 0) return undefined;
    return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
