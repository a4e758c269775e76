// Spots to begin with, small enough to be solved while one looks.

const BUTTON = "22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,87s,76s,65s,A7o+,KTo+,QTo+,JTo";
const BLIND = "TT-22,AJs-A2s,K9s+,Q9s+,J9s+,T8s+,97s+,86s+,76s,65s,54s,AJo-A9o,KTo+,QTo+,JTo";

export const EXAMPLES = [
  {
    name: "River, wide ranges",
    spot: {
      board: "Qs Jh 2h 4c 9d",
      pot: 200,
      stack: 900,
      ranges: [BLIND, BUTTON],
      river: { bet: "50%, 100%", raise: "60%, a" },
    },
  },
  {
    name: "River, bluff-catchers",
    spot: {
      board: "As Kd 8h 8c 3s",
      pot: 300,
      stack: 600,
      ranges: ["AK,AQ,KK,QJs,JTs,T9s", "AJ-A9,KQ,KJs,QQ-99"],
      river: { bet: "33%, 75%, a", raise: "a" },
    },
  },
  {
    name: "Flop, button against big blind",
    spot: {
      board: "Ks 7h 2d",
      pot: 550,
      stack: 9750,
      big_blind: 100,
      ranges: [
        "66-22,A9s-A2s,KTs-K2s,QTs-Q2s,J9s-J3s,T9s-T5s,98s-95s,87s-85s,76s-74s,65s-63s,54s-53s,43s,AJo-A2o,KJo-K6o,QJo-Q8o,JTo-J8o,T9o-T8o,98o,87o",
        "22+,A2s+,K2s+,Q2s+,J2s+,T4s+,95s+,85s+,74s+,64s+,53s+,43s,A2o+,K4o+,Q6o+,J7o+,T7o+,97o+,87o,76o",
      ],
      flop: { bet: "33%", raise: "60%" },
      turn: { bet: "75%", raise: "60%", donk: "" },
      river: { bet: "75%", raise: "60%", donk: "" },
      max_raises: 2,
    },
  },
  {
    name: "Turn, flush draw",
    spot: {
      board: "Qs Jh 2h 4c",
      pot: 200,
      stack: 900,
      ranges: [BLIND, BUTTON],
      turn: { bet: "75%", raise: "60%" },
      river: { bet: "75%", raise: "60%" },
    },
  },
];

/** The example that a new page opens on. */
export const FIRST = EXAMPLES.find(({ name }) => name === "Turn, flush draw");
