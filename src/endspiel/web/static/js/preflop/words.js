// Lines before the flop in the words of the game: "BTN raises 2.5bb, BB calls" of "r250 c".

const CHIPS = 100; // a big blind, as the lines count it
const SEATS = { button: "BTN", "big blind": "BB" };

/** "BTN" of "button". */
export const seatName = (player) => SEATS[player] ?? player;

function verbOf(word, { line, player, to_call: toCall }, stack) {
  if (word === "f") return "folds";
  if (word === "c" && !(toCall > 0)) return "checks";
  if (word === "c") return !line && player === "button" ? "limps" : "calls";
  const blinds = Number(word.slice(1)) / CHIPS;
  return blinds >= stack ? `goes all-in for ${blinds}bb` : `raises ${line.includes("r") ? "to " : ""}${blinds}bb`;
}

/** What a line says; a decision that the file has no chart of stays in its own notation. */
export function lineWords({ charts, stack }, line) {
  const words = line.split(" ").filter(Boolean);
  const steps = words.map((word, at) => {
    const before = words.slice(0, at).join(" ");
    const chart = charts.find((one) => one.line === before);
    return chart ? `${seatName(chart.player)} ${verbOf(word, chart, stack)}` : word;
  });
  return steps.join(", ");
}
