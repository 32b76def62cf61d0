// Keys go to the terminal from the start and after a click anywhere, without having to aim at it; when the
// view is closed, to the button that opens it again. The terminal takes no focus before it is connected.
function focusWhereKeysGo() {
  const states = document.body.classList;
  const at = states.contains("-closed") ? "#again" : states.contains("-loaded") ? ".xterm-helper-textarea" : null;
  if (at) document.querySelector(at)?.focus();
}

addEventListener("load", () => {
  document.querySelector("#again").addEventListener("click", () => location.reload());
  new MutationObserver(focusWhereKeysGo).observe(document.body, { attributeFilter: ["class"] });
});
addEventListener("focus", focusWhereKeysGo);
addEventListener("mouseup", focusWhereKeysGo);
