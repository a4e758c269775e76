// The one place that names the vendored libraries.
import { h, render } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export { render };
export {
  useEffect,
  useErrorBoundary,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "../vendor/preact-hooks.js";

/** Templates: html`<p class=${name}>${text}</p>`. Text is always set as text, never as markup. */
export const html = htm.bind(h);
