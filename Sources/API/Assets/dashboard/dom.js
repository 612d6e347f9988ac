/** What every part of the page needs to put text on it. Nothing that a tenant stored becomes markup. */

export const $ = (id) => document.getElementById(id);

/** An element with a class and content; texts go in as text. */
export function el(name, className = "", ...content) {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.append(...content.filter((each) => each !== null && each !== undefined));
    return element;
}

/** Leaves what says so already as it is: a change costs layout, and a reader hears it. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

export function link(path, className, ...content) {
    const anchor = el("a", className, ...content);
    anchor.href = path;
    return anchor;
}

export function button(text, className, onClick) {
    const element = el("button", className, text);
    element.type = "button";
    element.addEventListener("click", onClick);
    return element;
}

/** A term and what there is to say about it. */
export function facts(pairs, className = "facts") {
    return el("dl", className, ...pairs.map(([term, text]) =>
        el("div", "", el("dt", "", term), el("dd", "", text ?? "–"))));
}

/** A text to copy, such as a command, with a button that does. */
export function copyable(text, label, done) {
    const copy = button(label, "plain small", async () => {
        await navigator.clipboard.writeText(text);
        copy.textContent = done;
        setTimeout(() => (copy.textContent = label), 2000);
    });
    const code = el("code", "", text);
    code.tabIndex = 0;
    return el("div", "copyable", code, copy);
}

/** `PizzaDelivery` as people write it. */
export function spaced(name) {
    return name.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
}
