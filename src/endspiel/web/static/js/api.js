// Requests to the server (docs/web-api.md). A refusal becomes an error that knows its fields.

/** What the server refuses, with the field of each reason. */
export class Refusal extends Error {
  constructor(status, content) {
    super(content.error || `The server answered ${status}.`);
    this.status = status;
    this.field = content.field ?? "";
    this.errors = content.errors ?? [{ error: this.message, field: this.field }];
  }

  /**
   * Reasons by field: {pot: "pot is 0; ..."}; the first of each field counts. A target's unit is
   * no part of its field's name here.
   */
  byField() {
    const found = {};
    for (const { error, field } of this.errors) found[field.replace(/_percent$/, "")] ??= error;
    return found;
  }
}

async function answer(response) {
  let content = {};
  try {
    content = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (response.ok)
      throw new Refusal(response.status, { error: "The server's answer is no JSON." });
  }
  if (!response.ok) throw new Refusal(response.status, content);
  return content;
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, {
      error: "The server does not answer. Is `endspiel serve` still running?",
    });
  }
  return answer(response);
}

/** Parameters as a query, those that are null or undefined left out. */
export function query(parameters) {
  const given = Object.entries(parameters).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

export const get = (path, parameters = {}, options = {}) => send(path + query(parameters), options);

export const post = (path, body = {}, options = {}) =>
  send(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...options,
  });

export const remove = (path) => send(path, { method: "DELETE" });

/** Send a file as it is. */
export const upload = (path, file) =>
  send(`${path}${query({ name: file.name })}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });

/** Offer a text as a file to save. */
export function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
