// Plots drawn as SVG: points, grouped bars, curves.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";

const EDGE = { top: 12, right: 14, bottom: 34, left: 46 };

/** How wide an element is, followed as it changes. */
export function useWidth(first = 600) {
  const frame = useRef(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const measure = () => setWidth(frame.current.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(frame.current);
    measure();
    return () => observer.disconnect();
  }, []);
  return [frame, width];
}

/** Round numbers from at most the least to at least the greatest value, about `wanted` of them. */
export function niceTicks(low, high, wanted = 5) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(high - low > 1e-9 * size)) return size > 0 ? [low - size / 10, low + size / 10].map((end) => Number(end.toPrecision(2))) : [0, 1];
  const span = high - low;
  const unit = 10 ** Math.floor(Math.log10(span / wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => span / size <= wanted);
  const ticks = [];
  for (let at = Math.floor(low / step + 1e-9); at <= Math.ceil(high / step - 1e-9); at += 1)
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks.length > 1 ? ticks : [low, low + step];
}

function Frame({ label, width, height, xTicks = [], yTicks, x, y, xName, yName, children }) {
  const right = width - EDGE.right;
  const bottom = height - EDGE.bottom;
  return html`<svg width=${width} height=${height} role="img" aria-label=${label}>
    ${yTicks.map(
      (tick) => html`<g key=${`y${tick}`}>
        <line class="rule" x1=${EDGE.left} x2=${right} y1=${y(tick)} y2=${y(tick)} />
        <text class="tick" x=${EDGE.left - 7} y=${y(tick) + 4} text-anchor="end">${tick}</text>
      </g>`,
    )}
    ${xTicks.map((tick) => html`<text class="tick" key=${`x${tick}`} x=${x(tick)} y=${bottom + 15} text-anchor="middle">${tick}</text>`)}
    <line class="axis" x1=${EDGE.left} x2=${right} y1=${bottom} y2=${bottom} />
    <text class="tick name" x=${right} y=${height - 4} text-anchor="end">${xName}</text>
    <text class="tick name" x=${4} y=${10}>${yName}</text>
    ${children}
  </svg>`;
}

const along = (low, high, from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);

/** Points: {key, x, y, color, title}; `onPick(key)` on a click. */
export function Scatter({ label, points, xName, yName, onPick, height = 280 }) {
  const [frame, width] = useWidth();
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const xTicks = niceTicks(Math.min(...xs, Infinity), Math.max(...xs, -Infinity));
  const yTicks = niceTicks(Math.min(...ys, Infinity), Math.max(...ys, -Infinity));
  const x = along(xTicks[0], xTicks.at(-1), EDGE.left + 6, width - EDGE.right - 6);
  const y = along(yTicks[0], yTicks.at(-1), height - EDGE.bottom, EDGE.top + 8);
  return html`<div class="plot" ref=${frame}>
    <${Frame} ...${{ label, width, height, xTicks, yTicks, x, y, xName, yName }}>
      ${points.map(
        (point) => html`<circle
          key=${point.key}
          data-point=${point.key}
          class="point"
          cx=${x(point.x).toFixed(1)}
          cy=${y(point.y).toFixed(1)}
          r="4.5"
          style=${{ fill: point.color }}
          onClick=${() => onPick?.(point.key)}
        ><title>${point.title}</title></circle>`,
      )}
    <//>
  </div>`;
}

/** Bars side by side in groups: {name, count, values}; each value has a color and a series' name. */
export function GroupedBars({ label, groups, series, colors, yName, height = 280 }) {
  const [frame, width] = useWidth();
  const most = Math.max(...groups.flatMap(({ values }) => values.map((value) => value ?? 0)), 1e-9);
  const least = Math.min(...groups.flatMap(({ values }) => values.map((value) => value ?? 0)), 0);
  const yTicks = niceTicks(least, most);
  const y = along(yTicks[0], yTicks.at(-1), height - EDGE.bottom, EDGE.top + 8);
  const slot = (width - EDGE.left - EDGE.right) / Math.max(1, groups.length);
  const bar = Math.min(34, (slot * 0.78) / series.length);
  const zero = y(Math.max(0, yTicks[0]));
  return html`<div class="plot" ref=${frame}>
    <${Frame} ...${{ label, width, height, yTicks, x: null, y, xName: "", yName }}>
      ${groups.map(({ name, count, values }, at) => {
        const left = EDGE.left + slot * (at + 0.5) - (bar * series.length) / 2;
        return html`<g key=${name} data-group=${name}>
          ${values.map((value, one) =>
            value === null
              ? null
              : html`<rect
                  key=${series[one]}
                  x=${left + one * bar}
                  width=${Math.max(1, bar - 1)}
                  y=${Math.min(y(value), zero)}
                  height=${Math.abs(y(value) - zero)}
                  style=${{ fill: colors[one] }}
                ><title>${`${name}: ${series[one]} ${value.toFixed(2)}`}</title></rect>`,
          )}
          <text class="tick" x=${EDGE.left + slot * (at + 0.5)} y=${height - EDGE.bottom + 15} text-anchor="middle">${name}</text>
          <text class="tick faint" x=${EDGE.left + slot * (at + 0.5)} y=${height - EDGE.bottom + 28} text-anchor="middle">${count}</text>
        </g>`;
      })}
    <//>
  </div>`;
}

/** Curves over a common axis from 0 to 100: each {name, color, values}. */
export function Curves({ label, curves, xName, yName, height = 260 }) {
  const [frame, width] = useWidth();
  const ticks = [0, 20, 40, 60, 80, 100];
  const x = along(0, 100, EDGE.left, width - EDGE.right);
  const y = along(0, 100, height - EDGE.bottom, EDGE.top + 8);
  return html`<div class="plot" ref=${frame}>
    <${Frame} ...${{ label, width, height, xTicks: ticks, yTicks: ticks, x, y, xName, yName }}>
      ${curves.map(({ name, color, values }) => {
        const step = 100 / Math.max(1, values.length - 1);
        const line = values.map((value, at) => `${x(at * step).toFixed(1)},${y(100 * value).toFixed(1)}`);
        return html`<polyline key=${name} data-curve=${name} class="line" points=${line.join(" ")} style=${{ stroke: color }} />`;
      })}
    <//>
  </div>`;
}
