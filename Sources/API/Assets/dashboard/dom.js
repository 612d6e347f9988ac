import { t } from "./words.js";

/** What every part of the page needs to put text on it. Nothing that a tenant stored becomes markup. */

export const $ = (id) => document.getElementById(id);

/**
 * An element with content; texts go in as text.
 * @param shape its class, or its properties.
 */
export function el(name, shape, ...content) {
    const element = document.createElement(name);
    if (shape) Object.assign(element, typeof shape === "string" ? { className: shape } : shape);
    element.append(...content.filter((each) => each !== null && each !== undefined));
    return element;
}

/** Leaves what says so already as it is: a change costs layout, and a reader hears it. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

export function link(path, className, ...content) {
    return el("a", { href: path, className }, ...content);
}

export const activityLink = (id, text = id, className = "") =>
    link(`/dashboard?activity=${encodeURIComponent(id)}`, className, text);

/** What a dead letter is called: many are to the same phone or server. */
export const letterName = ({ activity, to }) => `${activity}, ${to}`;

export function button(text, className, onClick) {
    return el("button", { type: "button", className, onclick: onClick }, text);
}

/** A term and what there is to say about it. */
export function facts(pairs) {
    return el("dl", "facts", ...pairs.map(([term, ...text]) =>
        el("div", "", el("dt", "", term), el("dd", "", ...text))));
}

/** A line that says what came of something, which a screen reader says too. */
export function statusLine() {
    const line = el("p", { className: "said-line", role: "status", tabIndex: -1 });
    return {
        element: line,
        say(text, isBad = false) {
            setText(line, text);
            line.classList.toggle("error", isBad);
        },
    };
}

/** A table; its first cells name their rows if `isNamed` says so. */
export function table(caption, heads, rows = [], isNamed = false) {
    return el("table", "plain-table", el("caption", "unseen", caption),
        el("thead", "", el("tr", "", ...heads.map((head) =>
            (head ? el("th", { scope: "col" }, head) : el("td"))))),
        el("tbody", "", ...rows.map((cells) => tableRow(heads, cells, isNamed))));
}

/** Each cell has its head, which a narrow page shows beside it. */
export function tableRow(heads, cells, isNamed = false) {
    return el("tr", "", ...cells.map((each, index) => {
        if (isNamed && index === 0) return el("th", { scope: "row" }, each);
        const cell = el("td", "", each ?? "–");
        cell.dataset.head = heads[index];
        return cell;
    }));
}

/** A text to copy, such as a command, with a button that does. */
export function copyable(text) {
    const code = el("code", { tabIndex: 0 }, text);
    const copy = button(t("copy"), "plain small", () => copyText(copy, text, () => {
        code.focus();
        getSelection().selectAllChildren(code);
    }));
    return el("div", "copyable", code, copy);
}

/** @param otherwise called where a browser lets no page copy, as over HTTP. */
export async function copyText(press, text, otherwise) {
    const label = press.textContent;
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        return otherwise();
    }
    if (label === t("copied")) return;
    press.textContent = t("copied");
    setTimeout(() => (press.textContent = label), 2000);
}

/** `PizzaDelivery` as people write it. */
export function spaced(name) {
    return name.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
}

/**
 * Asks before something is done that somebody will notice, in words that say what.
 * @param more what belongs to the question, such as what would change.
 * @returns a promise of whether it is to be done.
 */
export function ask(question, action, ...more) {
    return new Promise((resolve) => {
        const dialog = el("dialog", { className: "ask", ariaLabel: question });
        let isWanted = false;
        const press = (text, className, wanted) => button(text, className, () => {
            isWanted = wanted;
            dialog.close();
        });
        const no = press(t("cancel"), "plain", false);
        dialog.append(el("h2", "", question), ...more, el("div", "tools", press(action, "danger", true), no));
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(isWanted);
        });
        document.body.append(dialog);
        dialog.showModal();
        no.focus();
    });
}
