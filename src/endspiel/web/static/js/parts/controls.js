// Small controls that several views use.
import { html } from "../lib.js";

/** An input with its label above and the reason it is refused below. */
export function Field({ id, label, value, onInput, why, hint, children, ...rest }) {
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${
      children ??
      html`<input
      id=${id}
      value=${value}
      autocomplete="off"
      spellcheck=${false}
      onInput=${(event) => onInput(event.target.value)}
      aria-invalid=${why ? "true" : undefined}
      aria-describedby=${why ? `${id}-why` : undefined}
      ...${rest}
    />`
    }
    <${Why} id=${id} text=${why} />
    ${hint && !why && html`<span class="hint">${hint}</span>`}
  </div>`;
}

/** The reason a field is refused. */
export function Why({ id, text }) {
  return text ? html`<span class="why" id=${`${id}-why`} role="alert">${text}</span>` : null;
}

/** A choice among a few, as joined buttons. `options` are [value, title] pairs. */
export function Segmented({ label, options, value, onChange }) {
  return html`<div class="segmented" role="group" aria-label=${label}>
    ${options.map(
      ([option, title]) => html`<button
        type="button"
        key=${option}
        aria-pressed=${option === value}
        onClick=${() => onChange(option)}
      >${title}</button>`,
    )}
  </div>`;
}

/** A button that asks for a file and hands it over. */
export function FileButton({ accept, onFile, children, ...rest }) {
  const choose = (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) onFile(file);
  };
  return html`<label class="button file" ...${rest}>
    ${children}<input type="file" class="hidden-label" accept=${accept} onChange=${choose} />
  </label>`;
}

/** The choices of a select, as [value, title] pairs. */
export const options = (choices, value) =>
  choices.map(
    ([name, title]) =>
      html`<option key=${name} value=${name} selected=${name === value}>${title}</option>`,
  );

/** The color of an action beside its name. */
export const Swatch = ({ color }) => html`<i class="swatch" style=${{ background: color }}></i>`;

/** Headings of a table's columns; those of numbers stand to the right. */
export const Heads = ({ names }) =>
  names.map((name) => html`<th class="num" key=${name} scope="col">${name}</th>`);
