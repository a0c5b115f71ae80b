"""Somebody who has a keyboard and no mouse, and looks where the focus is at every stop."""

from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Page

_MOST: Final = 120
"""Stops on the way round the longest page."""
_FOCUS: Final = """() => {
  const at = document.activeElement;
  const style = getComputedStyle(at);
  const box = at.getBoundingClientRect();
  const label = at.labels?.[0]?.textContent ?? "";
  return {
    name: (at.getAttribute("aria-label") ?? `${label} ${at.textContent}`).replace(/\\s+/g, " ").trim(),
    place: at.tagName + " " + (at.id || at.name || at.getAttribute("href") || ""),
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    is_seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
}"""


@dataclass
class Keys:
    """Tab, Enter, Space and arrows."""

    page: Page

    def stop(self) -> dict:
        """Press Tab; where that leads must be seen to have the focus."""
        self.page.keyboard.press("Tab")
        at = self.page.evaluate(_FOCUS)
        if not at["place"].startswith("BODY"):
            assert at["outline"] >= 2, at
            assert at["is_seen"], at
        return at

    def to(self, name: str) -> None:
        """Press Tab until the focus is on what begins with this name."""
        seen = []
        for _ in range(_MOST):
            at = self.stop()
            if at["name"].startswith(name):
                return
            seen.append(at["place"])
        raise AssertionError(f"no way to {name!r}: {seen}")

    def press(self, name: str, key: str = "Enter") -> None:
        """Go there and press a key."""
        self.to(name)
        self.page.keyboard.press(key)

    def round(self) -> int:
        """Press Tab from the beginning of the page until it begins again; how many stops there are."""
        first = self.page.locator(".skip")
        self.to("Skip to the content")
        for count in range(1, _MOST):
            self.stop()
            if first.evaluate("one => one === document.activeElement"):
                return count
        raise AssertionError("the focus does not come round")

    def type(self, name: str, text: str) -> None:
        """Go to a field and write."""
        self.to(name)
        self.page.keyboard.type(text)
