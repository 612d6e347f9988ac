import { call, read } from "./api.js";
import { ask } from "./ask.js";
import { button, copyable, el, setText } from "./dom.js";
import { Form } from "./form.js";
import { t } from "./words.js";

/** A list of one sort of things, with what may be done to each, as `office-lists.js` describes it. */
export class ListView {
    #list;
    #can;
    #address;
    #kept;
    /** Forms that are open, by their names in what is kept: that of the list, and those below rows. */
    #forms = new Map();
    #abort = new AbortController();
    #next = null;
    #table = el("tbody");
    #empty = el("p", "hint");
    #said = el("p", "said-line");
    #more = button("", "plain", () => this.#page());

    /** @param kept what the view that was there before has left: typed texts, a secret that is shown once. */
    constructor(list, { can, address, kept }) {
        this.#list = list;
        this.#can = can;
        this.#address = address;
        this.#kept = kept;
        this.#said.setAttribute("role", "status");
        const heads = list.columns.map((column) => t(column.name));
        if (this.#actions().length > 0) heads.push("");
        const table = el("table", "plain-table",
            el("thead", "", el("tr", "", ...heads.map((head) => {
                const cell = el(head ? "th" : "td", "", head);
                if (head) cell.scope = "col";
                return cell;
            }))), this.#table);
        setText(this.#more, t("more"));
        this.#more.hidden = true;
        this.element = el("div", "stack",
            el("p", "hint", t(list.about)), this.#said,
            ...(list.form && can(list.scope ?? "admin") ? [this.#form()] : []),
            el("div", "panel", table, this.#empty, this.#more));
        if (kept.has("made")) this.#tell(kept.get("made"));
    }

    #actions() {
        return (this.#list.actions ?? []).filter((action) => this.#can(action.scope ?? "admin"));
    }

    async load() {
        this.#keep();
        // Those below rows go with them, and come again from what is kept.
        for (const name of this.#forms.keys()) if (name !== "form") this.#forms.delete(name);
        this.#next = this.#list.path(this.#address);
        this.#table.replaceChildren();
        await this.#page();
    }

    close() {
        this.#keep();
        this.#abort.abort();
    }

    #keep() {
        // Nobody has seen a view that another one has overtaken.
        if (!this.element.isConnected) return;
        for (const [name, form] of this.#forms) {
            if (form.element.isConnected) {
                form.keep();
            } else {
                this.#kept.delete(name);
                this.#forms.delete(name);
            }
        }
    }

    #keptOf(name) {
        if (!this.#kept.has(name)) this.#kept.set(name, {});
        return this.#kept.get(name);
    }

    async #page() {
        this.#more.disabled = true;
        try {
            const document = await read(this.#next, this.#abort.signal);
            for (const one of document[this.#list.member]) {
                const row = this.#row(one);
                this.#table.append(row);
                for (const action of this.#actions()) {
                    if (this.#kept.has(below(action, one))) await this.#open(action, one, row);
                }
            }
            this.#next = document.next ?? null;
        } catch (error) {
            if (this.#abort.signal.aborted) return;
            this.#say(error.message, true);
        }
        this.#more.disabled = false;
        this.#more.hidden = this.#next === null;
        this.#empty.hidden = this.#table.children.length > 0;
        setText(this.#empty, t(this.#list.none));
    }

    #row(one) {
        const row = el("tr", one.isSkipped || one.state === "revoked" ? "over" : "");
        for (const column of this.#list.columns) {
            const cell = el("td");
            cell.dataset.head = t(column.name);
            const value = column.value(one);
            cell.append(value ?? "–");
            row.append(cell);
        }
        const actions = this.#actions();
        if (actions.length > 0) {
            const cell = el("td", "acts");
            for (const action of actions.filter((each) => each.when?.(one) ?? true)) {
                const press = button(t(action.name), "plain small", () => this.#act(action, one, press));
                press.setAttribute("aria-label", `${t(action.name)}: ${action.label(one)}`);
                cell.append(press);
            }
            row.append(cell);
        }
        return row;
    }

    async #act(action, one, press) {
        if (action.ask && !await ask(t(action.ask, action.label(one)), t(action.name))) {
            press.focus();
            return;
        }
        press.disabled = true;
        try {
            if (action.stays) {
                await this.#open(action, one, press.closest("tr"));
                press.disabled = false;
                return;
            }
            const answer = await action.run(one);
            this.#say(action.said ? action.said(answer, one) : t("done"));
            await this.load();
            this.#said.focus?.();
        } catch (error) {
            press.disabled = false;
            this.#say(error.message, true);
        }
    }

    /** What an action shows below its row. */
    async #open(action, one, row) {
        const name = below(action, one);
        let form = null;
        try {
            form = await action.run(one, { row, kept: this.#keptOf(name) });
        } finally {
            if (form) this.#forms.set(name, form);
            else this.#kept.delete(name);
        }
    }

    #form() {
        const form = this.#list.form;
        const made = new Form(t(form.title), t(form.button), form.fields, async (values) => {
            const answer = await call(form.method ?? "POST", form.path(values), { body: form.body(values) });
            this.#tell(answer);
            await this.load();
        }, this.#keptOf("form"));
        this.#forms.set("form", made);
        return made.element;
    }

    /** What was made, with its secret, which no server has any more. */
    #tell(answer) {
        const { form } = this.#list;
        this.#kept.set("made", answer);
        this.#said.replaceChildren(t("done"), ...(form.shown ? [
            " ", t(form.shownAbout), copyable(form.shown(answer), t("copy"), t("copied"))] : []));
        this.#said.classList.remove("error");
    }

    #say(text, isBad = false) {
        this.#kept.delete("made");
        setText(this.#said, text);
        this.#said.classList.toggle("error", isBad);
    }
}

/** What the form that an action opens is called in what is kept. */
const below = (action, one) => `${action.name} ${action.label(one)}`;
