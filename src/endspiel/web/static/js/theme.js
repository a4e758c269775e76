// Sets the theme before the first paint; a classic script, so that it runs before the styles do.
(() => {
  const chosen = localStorage.getItem("endspiel.theme");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen || (dark ? "dark" : "light");
})();
