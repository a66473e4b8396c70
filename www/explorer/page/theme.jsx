import { useCallback, useState } from 'preact/hooks';
import { chooseTheme, storedTheme, themeButton } from '../../live/theme.js';

/** The theme that was chosen, and how to choose another. */
export function useTheme() {
  const [theme, setTheme] = useState(storedTheme);
  const choose = useCallback((next) => {
    chooseTheme(next);
    setTheme(next);
  }, []);
  return [theme, choose];
}

export function ThemeToggle({ theme, setTheme }) {
  const { text, label, next } = themeButton(theme);
  return (
    <button type="button" class="quiet" onClick={() => setTheme(next)} aria-label={label}>
      {text}
    </button>
  );
}
