// Numbers and names as the page writes them, and numbers as people type them. Missing values are an en dash.

const NONE = "–";
const whole = new Intl.NumberFormat("en-US");
/** A real minus sign, and none before a zero. */
const tidy = (text) => (/[1-9]/.test(text) ? text.replace("-", "−") : text.replace("-", ""));

const known = (value) => value !== null && value !== undefined && !Number.isNaN(value);

/** "12.3" of 0.1234 (percent, without the sign). */
export const percent = (share, digits = 1) =>
  known(share) ? tidy((100 * share).toFixed(digits)) : NONE;

/** "1,234.5" of chips; whole numbers stay whole unless digits are wanted. */
export function chips(amount, digits = null) {
  if (!known(amount)) return NONE;
  if (digits === null) return tidy(whole.format(Math.round(amount * 100) / 100));
  return tidy(
    amount.toLocaleString("en-US", {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
  );
}

/** "1,234" of a count. */
export const count = (number) => (known(number) ? whole.format(number) : NONE);

/** "1.2 GB" of bytes, in powers of ten. */
export function bytes(number) {
  if (!known(number)) return NONE;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  let value = number;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

/** "850 ms", "12.3 s", "4 min 05 s", "2 h 10 min". */
export function duration(seconds) {
  if (!known(seconds) || !Number.isFinite(seconds)) return NONE;
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

const ROUND = [1, 2, 5, 10, 20, 30]; // what a guess of seconds or minutes is rounded up to

/** "about 5 s" of a guess that is right to a factor of a few. */
export function roughly(seconds) {
  if (!known(seconds)) return "time unknown";
  if (seconds < 0.5) return "under a second";
  const [value, unit] = seconds < 45 ? [seconds, "s"] : [seconds / 60, "min"];
  if (value > 45) return `about ${Math.ceil(value / 60)} h`;
  return `about ${ROUND.find((step) => value <= step) ?? 45} ${unit}`;
}

/** A share of the pot in percent with as many digits as it deserves: "0.082", "1.3", "45". */
export function gap(share) {
  if (!known(share)) return NONE;
  const value = 100 * share;
  if (value >= 10) return value.toFixed(1);
  if (value >= 1) return value.toFixed(2);
  return value >= 0.001 ? value.toFixed(3) : value.toExponential(1);
}

/** "0.98" of how much of its equity a hand or range realizes. */
export const eqr = (value) => (known(value) ? tidy(value.toFixed(2)) : NONE);

/** "+12.5" or "−3"; a real minus sign. */
export function signed(amount, digits = null) {
  if (!known(amount)) return NONE;
  const text = chips(Math.abs(amount), digits);
  return amount > 0 ? `+${text}` : amount < 0 ? `−${text}` : text;
}

/** "today, 14:05" or "Nov 19, 14:05" of seconds since 1970. */
export function moment(seconds) {
  const when = new Date(1000 * seconds);
  const time = when.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const today = when.toDateString() === new Date().toDateString();
  return `${today ? "today" : when.toLocaleDateString("en-US", { month: "short", day: "numeric" })}, ${time}`;
}

/** "Bet 100" of "bet 100". */
export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** A number where the text is one, else the text, which the server will refuse in its own words. */
export function typed(text) {
  const plain = text.trim().replace(/,(?=\d{3}\b)/g, "");
  return plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : text.trim();
}
