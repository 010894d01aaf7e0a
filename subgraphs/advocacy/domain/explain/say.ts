import type { Language, Phrases, Span } from './explain-data.js';
import type { SentenceName } from './sentences.js';

/** Says a sentence in the language of one answer. */
export type Say = (name: SentenceName, fills?: Readonly<Record<string, string | number>>) => string;

export const sayIn =
  (phrases: Phrases, language: Language): Say =>
  (name, fills) => {
    const sentence = phrases.sentences[name][language];
    return fills === undefined
      ? sentence
      : sentence.replace(/\{(\w+)\}/g, (all, key: string) => String(fills[key] ?? all));
  };

export const spanInWords = (span: Span, say: Say): string =>
  'days' in span ? say('days', { count: span.days }) : say('months', { count: span.months });

/** Sentences one after the other; what is empty is left out. */
export const together = (...parts: readonly (string | false | null | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== null && part !== undefined && part !== '').join(' ');
