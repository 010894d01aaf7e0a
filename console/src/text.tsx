import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { remember, remembered } from './remembered';

// Both languages stand side by side where a text is used, so that none can be missing.

type Language = 'en' | 'es';
export type Say = (english: string, spanish: string) => string;

interface Spoken {
  readonly language: Language;
  readonly t: Say;
  readonly speak: (language: Language) => void;
}

const Words = createContext<Spoken>({ language: 'en', t: (english) => english, speak: () => undefined });

export const useText = (): Spoken => useContext(Words);

const preferred = (): Language => (navigator.language.startsWith('es') ? 'es' : 'en');

export function TextProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(() => {
    const kept = remembered('language');
    return kept === 'en' || kept === 'es' ? kept : preferred();
  });
  useEffect(() => {
    document.documentElement.lang = language;
    remember('language', language);
  }, [language]);
  const t: Say = (english, spanish) => (language === 'es' ? spanish : english);
  return <Words.Provider value={{ language, t, speak: setLanguage }}>{children}</Words.Provider>;
}
