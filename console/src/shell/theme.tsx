import { useEffect, useState } from 'react';
import { remember, remembered } from '../remembered';
import { useText } from '../text';

const systemTheme = (): string => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

export function Preferences() {
  const { t, language, speak } = useText();
  const [theme, setTheme] = useState(() => remembered('theme') ?? systemTheme());
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
    remember('theme', theme);
  }, [theme]);
  return (
    <>
      <button type="button" onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}>
        {theme === 'dark' ? t('Light', 'Claro') : t('Dark', 'Oscuro')}
      </button>
      <button
        type="button"
        lang={language === 'es' ? 'en' : 'es'}
        onClick={() => speak(language === 'es' ? 'en' : 'es')}
      >
        {language === 'es' ? 'English' : 'Español'}
      </button>
    </>
  );
}
