import { call, read } from "./api.js";
import { ask } from "./ask.js";
import { button, copyable, el, setText } from "./dom.js";
import { Form } from "./form.js";
import { t } from "./words.js";

/** A list of one sort of things, with what may be done to each, as `office-lists.js` describes it. */
export class ListView {
    #list;
    #can;
    #go;
    #address;
    #abort = new AbortController();
    #next = null;
    #table = el("tbody");
    #empty = el("p", "hint");
    #said = el("p", "said-line");
    #more = button("", "plain", () => this.#page());

    constructor(list, { can, go, address }) {
        this.#list = list;
        this.#can = can;
        this.#go = go;
        this.#address = address;
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
    }

    #actions() {
        return (this.#list.actions ?? []).filter((action) => this.#can(action.scope ?? "admin"));
    }

    async load() {
        this.#next = this.#list.path(this.#address);
        this.#table.replaceChildren();
        await this.#page();
    }

    close() {
        this.#abort.abort();
    }

    async #page() {
        this.#more.disabled = true;
        try {
            const document = await read(this.#next, this.#abort.signal);
            this.#table.append(...document[this.#list.member].map((one) => this.#row(one)));
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
            const answer = await action.run(one, { row: press.closest("tr"), go: this.#go });
            if (action.stays) {
                press.disabled = false;
                return;
            }
            this.#say(action.said ? action.said(answer, one) : t("done"));
            await this.load();
            this.#said.focus?.();
        } catch (error) {
            press.disabled = false;
            this.#say(error.message, true);
        }
    }

    #form() {
        const form = this.#list.form;
        const made = new Form(t(form.title), t(form.button), form.fields, async (values) => {
            const answer = await call(form.method ?? "POST", form.path(values), { body: form.body(values) });
            this.#said.replaceChildren(t("done"), ...(form.shown ? [
                " ", t(form.shownAbout), copyable(form.shown(answer), t("copy"), t("copied"))] : []));
            this.#said.classList.remove("error");
            await this.load();
        });
        return made.element;
    }

    #say(text, isBad = false) {
        setText(this.#said, text);
        this.#said.classList.toggle("error", isBad);
    }
}
