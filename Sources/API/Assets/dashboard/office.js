import { call, read } from "./api.js";
import { $, ask, button, copyable, el, link, setText, statusLine, table, tableRow } from "./dom.js";
import { Form, isBegun } from "./form.js";
import { listOf } from "./office-lists.js";
import { t } from "./words.js";

/** What operators look after, in the order in which it is needed; each with the scope that sees it. */
const VIEWS = [
    ["blocked", "activities:read"], ["letters", "activities:read"], ["policies", "activities:read"],
    ["apps", "activities:read"], ["channels", "activities:read"], ["nodes", "activities:read"],
    ["webhooks", "admin"], ["keys", "admin"], ["audit", "admin"], ["tenants", "tenants:manage"],
];

/** Answers to what is not there any more, or has been done by somebody else. */
const GONE = [404, 409];

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
    /** There once policies were looked at. */
    #dropDrafts = null;
    /** Of the newest opening: the same view may be opened again before its module is there. */
    #opening = 0;

    constructor({ go, can, tenant }) {
        this.#go = go;
        this.#tenant = tenant;
        this.#can = can;
    }

    /** @param kept what the same view has left that is drawn again. */
    async open(view, address, kept = new Map()) {
        // Somebody who comes to where they are wants to see it as it is now.
        const isHere = this.#view === view && this.#search === address.toString();
        if (this.#shown && isHere) return this.#shown.load();
        const focused = $("other").contains(document.activeElement) ? document.activeElement.id : "";
        this.close();
        this.#view = view;
        this.#search = address.toString();
        this.#kept = kept;
        const opening = this.#opening;
        const known = VIEWS.find(([name]) => name === view);
        const title = view === "charts" ? t("charts") : t(known ? `view_${view}` : "noSuchView");
        document.title = `${title} · Islet`;
        const body = el("div", "stack");
        $("other").replaceChildren(
            ...(view === "charts" ? [] : [this.#tabs()]), el("h2", "", title), body);
        if (view !== "charts" && (!known || !this.#can(known[1]))) {
            if (known) body.append(el("p", "hint", t("lacksScope", known[1])));
            return;
        }
        const shown = await this.#make(view, address);
        if (this.#opening !== opening) return shown.close();
        this.#shown = shown;
        body.append(shown.element);
        shown.load();
        $(focused)?.focus();
    }

    async #make(view, address) {
        const options = { can: this.#can, go: this.#go, address, kept: this.#kept, tenant: this.#tenant() };
        if (view === "charts") return new (await import("./charts.js")).Charts(options);
        if (view === "policies") {
            const { Policies, dropDrafts } = await import("./policies.js");
            this.#dropDrafts = dropDrafts;
            return new Policies(options);
        }
        return new ListView(listOf(view, address), options);
    }

    #tabs() {
        return el("nav", { className: "tabs", ariaLabel: t("office") },
            ...VIEWS.filter(([, scope]) => this.#can(scope)).map(([view]) => {
                const anchor = link(`/dashboard?view=${view}`, "", t(`view_${view}`));
                anchor.ariaCurrent = view === this.#view ? "page" : null;
                return anchor;
            }));
    }

    /** The server answers again. */
    retry() {
        if (this.#shown?.isUnread) this.#shown.load();
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
        this.#dropDrafts?.();
    }

    redraw() {
        if (this.#view === null) return;
        const [view, address, kept] = [this.#view, new URLSearchParams(this.#search), this.#kept];
        this.close();
        return this.open(view, address, kept);
    }
}

/** A list of one sort of things, with what may be done to each, as `office-lists.js` describes it. */
class ListView {
    #list;
    #can;
    #address;
    #kept;
    #abort = new AbortController();
    #next = null;
    /** Whether the newest reading failed. */
    isUnread = false;
    /** Of the newest reading: what an older one finds is not shown any more. */
    #reading = 0;
    #heads;
    /** What the address asks for alone, such as one activity; nothing for the whole list. */
    #part;
    #table;
    #empty = el("p", "hint");
    #said = statusLine();
    #more = button(t("more"), "plain", () => this.#page(this.#next));

    /** @param kept what the view that was there before has left: typed texts, a secret that is shown once. */
    constructor(list, { can, address, kept }) {
        this.#list = list;
        this.#can = can;
        this.#address = address;
        this.#kept = kept;
        this.#part = list.part?.of(address);
        this.#heads = Object.keys(list.columns).map((name) => t(name));
        if (this.#actions().length > 0) this.#heads.push("");
        const shown = table(t(list.about), this.#heads);
        this.#table = shown.tBodies[0];
        shown.tabIndex = -1;
        this.#more.hidden = true;
        this.element = el("div", "stack",
            el("p", "hint", t(list.about)),
            ...(this.#part ? [el("p", "hint", t(list.part.about, this.#part), " ",
                link(list.part.all, "", t("showAll")))] : []),
            ...(list.beside ? [el("p", "hint", link(list.beside.path(address), "", t(list.beside.label)))] : []),
            this.#said.element,
            ...(list.form && can(list.scope ?? "admin") ? [this.#form()] : []),
            el("div", "panel", shown, this.#empty, this.#more));
        if (kept.has("made")) this.#tell(kept.get("made"));
    }

    #actions() {
        return (this.#list.actions ?? []).filter((action) => this.#can(action.scope ?? "admin"));
    }

    async load() {
        await this.#page(this.#list.path(this.#address), true);
    }

    close() {
        this.#abort.abort();
    }

    /** What was typed into a form: that of the list, or one below a row. */
    #keptOf(name) {
        if (!this.#kept.has(name)) this.#kept.set(name, {});
        return this.#kept.get(name);
    }

    async #page(path, isFirst = false) {
        const reading = (this.#reading += 1);
        if (isFirst) {
            this.#table.replaceChildren();
            this.#sayEmpty("");
        }
        const hadFocus = document.activeElement === this.#more;
        this.#more.disabled = true;
        try {
            const found = await read(path, this.#abort.signal);
            if (this.#reading !== reading) return;
            this.isUnread = false;
            for (const one of found[this.#list.member]) {
                const row = this.#row(one);
                this.#table.append(row);
                for (const action of this.#actions()) {
                    const kept = this.#kept.get(below(action, one));
                    if (isBegun(kept)) await action.run(one, { row, kept, done: () => this.#finish(t("done")) });
                }
            }
            this.#next = found.next ?? null;
            const none = this.#part ? t(this.#list.part.none, this.#part) : t(this.#list.none);
            this.#sayEmpty(this.#table.children.length > 0 ? "" : none);
        } catch (error) {
            if (this.#abort.signal.aborted || this.#reading !== reading) return;
            // Not where it is said what was made, with a secret that is shown once.
            this.#sayEmpty(`${t("unread")}: ${error.message}`, true);
            this.#next = path;
            this.isUnread = true;
        }
        this.#more.disabled = false;
        setText(this.#more, t(this.isUnread ? "tryAgain" : "more"));
        // Unless somebody has gone on: a button that is disabled or hidden loses the focus.
        if (hadFocus && [document.body, this.#more].includes(document.activeElement)) {
            (this.#next === null ? this.#table.parentElement : this.#more).focus({ preventScroll: true });
        }
        this.#more.hidden = this.#next === null;
    }

    #sayEmpty(text, isBad = false) {
        setText(this.#empty, text);
        this.#empty.className = isBad ? "error" : "hint";
    }

    #row(one) {
        const cells = Object.values(this.#list.columns).map((value) => value(one));
        const actions = this.#actions();
        if (actions.length > 0) {
            cells.push(el("span", "acts", ...actions.filter((each) => each.when?.(one) ?? true).map((action) => {
                const press = button(t(action.name), "plain small", () => this.#act(action, one, press));
                press.ariaLabel = `${t(action.name)}: ${action.label(one)}`;
                return press;
            })));
        }
        const row = tableRow(this.#heads, cells);
        if (one.state === "revoked") row.className = "over";
        return row;
    }

    async #act(action, one, press) {
        if (action.ask && !await ask(t(action.ask, action.label(one)), t(action.name))) return;
        press.disabled = true;
        // What came of the last one says nothing of this one.
        if (!action.stays) this.#say("");
        let isOld = !action.stays;
        try {
            const kept = this.#keptOf(below(action, one));
            const row = press.closest("tr");
            const answer = await action.run(one, { row, kept, done: () => this.#finish(t("done")) });
            if (!action.stays) this.#say(action.said?.(answer) ?? t("done"));
        } catch (error) {
            this.#say(error.message, true);
            isOld = GONE.includes(error.status);
        }
        press.disabled = false;
        if (!isOld) return press.focus();
        await this.#finish();
    }

    /** Something was done: what is listed is read again, for it is otherwise now. */
    #finish(text) {
        if (text) this.#say(text);
        this.#said.element.focus();
        return this.load();
    }

    #form() {
        const form = this.#list.form;
        const made = new Form(t(form.title), t(form.button), form.fields, async (values) => {
            let isNew = true;
            const answer = await call("POST", form.path, {
                body: form.body(values), onAnswer: (status) => (isNew = status === 201),
            });
            if (isNew) this.#tell(answer);
            else this.#say(t("wasThere"));
            await this.load();
        }, this.#keptOf("form"));
        return made.element;
    }

    /** What was made, with its secret, which no server has any more. */
    #tell(answer) {
        const { form } = this.#list;
        this.#say("");
        this.#kept.set("made", answer);
        this.#said.element.replaceChildren(t("done"), ...(form.shown ? [
            " ", t(form.shownAbout), copyable(form.shown(answer))] : []));
    }

    #say(text, isBad = false) {
        this.#kept.delete("made");
        this.#said.say(text, isBad);
    }
}

/** What the form that an action opens is called in what is kept. */
const below = (action, one) => `${action.name} ${action.label(one)}`;
