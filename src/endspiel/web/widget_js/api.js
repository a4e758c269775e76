// The page's requests, answered by the notebook's kernel in place of a server.
export { download } from "../static/js/api.js";

let asked = () => Promise.reject(new Error("The notebook's kernel does not answer."));

/** Let a function answer: (path, parameters) to a promise. */
export const answerBy = (answer) => {
  asked = answer;
};

const given = (parameters) =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));

export const get = (path, parameters = {}) => asked(path, given(parameters));
