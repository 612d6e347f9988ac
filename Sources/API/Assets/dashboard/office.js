import { call, read } from "./api.js";
import { ask } from "./ask.js";
import { $, button, copyable, el, link, setText } from "./dom.js";
import { Form } from "./form.js";
import { lists } from "./office-lists.js";
import { dropDrafts } from "./policy-drafts.js";
import { t } from "./words.js";

/** What operators look after, in the order in which it is needed; each with the scope that sees it. */
const VIEWS = [
    ["blocked", "activities:read"], ["letters", "activities:read"], ["policies", "activities:read"],
    ["apps", "activities:read"], ["channels", "activities:read"], ["nodes", "activities:read"],
    ["webhooks", "admin"], ["keys", "admin"], ["audit", "admin"], ["tenants", "tenants:manage"],
];

/** Every view but the board and an activity's page; loaded when the first is opened. */
export class Office {
    #can;
    #go;
    #tenant;
    #view = null;
    #shown = null;
    #search = "";
    /** What was typed into the forms of this view, which may be drawn again in another language. */
    #kept = new Map();
    /** Of the newest opening: the same view may be opened again before its module is there. */
    #opening = 0;

    constructor({ go, can, tenant }) {
        this.#go = go;
        this.#tenant = tenant;
        this.#can = can;
    }

    /** @param kept what the same view has left that is drawn again. */
    async open(view, address, kept = new Map()) {
        if (this.#view === view && this.#search === address.toString()) return;
        this.close();
        this.#view = view;
        this.#search = address.toString();
        this.#kept = kept;
        const opening = this.#opening;
        const title = view === "charts" ? t("charts") : t(`view_${view}`);
        document.title = `${title} · Islet`;
        const body = el("div", "stack");
        $("other").replaceChildren(
            ...(view === "charts" ? [] : [this.#tabs()]), el("h2", "", title), body);
        const known = VIEWS.find(([name]) => name === view);
        if (view !== "charts" && (!known || !this.#can(known[1]))) {
            body.append(el("p", "hint", known ? t("lacksScope", known[1]) : t("noSuchView")));
            return;
        }
        const shown = await this.#make(view, address);
        if (this.#opening !== opening) return shown.close();
        this.#shown = shown;
        body.append(shown.element);
        shown.load();
    }

    async #make(view, address) {
        const options = { can: this.#can, go: this.#go, address, kept: this.#kept, tenant: this.#tenant() };
        if (view === "charts") return new (await import("./charts.js")).Charts(options);
        if (view === "policies") return new (await import("./policies.js")).Policies(options);
        return new ListView(lists[view], options);
    }

    #tabs() {
        const tabs = el("nav", "tabs");
        tabs.setAttribute("aria-label", t("office"));
        for (const [view, scope] of VIEWS.filter(([, scope]) => this.#can(scope))) {
            const anchor = link(`/dashboard?view=${view}`, "", t(`view_${view}`));
            if (view === this.#view) anchor.setAttribute("aria-current", "page");
            anchor.dataset.scope = scope;
            tabs.append(anchor);
        }
        return tabs;
    }

    close() {
        this.#opening += 1;
        this.#shown?.close();
        this.#shown = null;
        this.#view = null;
        this.#search = "";
        this.#kept = new Map();
        $("other").replaceChildren();
    }

    /** Closes the view for somebody who signs out, and leaves nothing that they have typed. */
    clear() {
        this.close();
        dropDrafts();
    }

    redraw() {
        if (this.#view === null) return;
        const [view, address, kept] = [this.#view, new URLSearchParams(this.#search), this.#kept];
        this.close();
        this.open(view, address, kept);
    }
}

/** A line that says what came of something, which a screen reader says too. */
export function statusLine() {
    const line = el("p", "said-line");
    line.setAttribute("role", "status");
    return {
        element: line,
        say(text, isBad = false) {
            setText(line, text);
            line.classList.toggle("error", isBad);
        },
    };
}

/** A list of one sort of things, with what may be done to each, as `office-lists.js` describes it. */
class ListView {
    #list;
    #can;
    #address;
    #kept;
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
        this.#next = this.#list.path(this.#address);
        this.#table.replaceChildren();
        await this.#page();
    }

    close() {
        this.#abort.abort();
    }

    /** What was typed into a form: that of the list, or one below a row. */
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
                    const kept = this.#kept.get(below(action, one));
                    if (kept?.values) await action.run(one, { row, kept });
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
            const kept = this.#keptOf(below(action, one));
            const answer = await action.run(one, { row: press.closest("tr"), kept });
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
            this.#tell(answer);
            await this.load();
        }, this.#keptOf("form"));
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
