// The theme that was chosen, for both pages; where none was it is the system's. The style sheet does the rest.

const KEY = 'regate-theme';
export const THEMES = ['auto', 'light', 'dark'];
const SIGNS = { auto: '◐', light: '☀', dark: '☾' };
const { documentElement: root } = document;

export function storedTheme() {
  try {
    const word = localStorage.getItem(KEY);
    return THEMES.includes(word) ? word : 'auto';
  } catch {
    return 'auto'; // a browser may forbid storage
  }
}

function apply(theme) {
  if (theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = theme;
}

export function chooseTheme(theme) {
  apply(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds until the page is left.
  }
}

/** What the button of a theme says, and which is next. */
export function themeButton(theme) {
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  return { text: `${SIGNS[theme]} ${theme}`, label: `Theme: ${theme}. Change to ${next}`, next };
}

apply(storedTheme());
