import { Parser } from 'htmlparser2';
import { DocumentFault } from '../processes/messages.js';

/** Elements with content that is not text for readers. */
const UNREAD: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg']);
/** Inline elements; all others split words. */
const INLINE: ReadonlySet<string> = new Set([
  'a',
  'b',
  'i',
  'u',
  'em',
  'strong',
  'span',
  'sub',
  'sup',
  'font',
  'small',
  'content',
  'code',
  'mark',
]);
const MAX_DEPTH = 2_000;

interface MarkupRules {
  readonly xml: boolean;
  /** Read only the content of these elements. */
  readonly within?: ReadonlySet<string>;
}

/**
 * Extracts the text of HTML or XML as a stream. Expands no entity that a document declares, and fetches nothing.
 *
 * @throws DocumentFault
 */
function markupText(source: string, { xml, within }: MarkupRules): string {
  let out = '';
  let depth = 0;
  let unread = 0;
  let inside = 0;
  const parser = new Parser(
    {
      onopentag: (name) => {
        if (++depth > MAX_DEPTH) throw new DocumentFault('UNREADABLE');
        if (!xml && UNREAD.has(name)) unread++;
        if (within?.has(name)) inside++;
        if (!INLINE.has(name)) out += '\n';
      },
      ontext: (text) => {
        if (unread === 0 && (within === undefined || inside > 0)) out += text;
      },
      onclosetag: (name) => {
        depth--;
        if (!xml && UNREAD.has(name)) unread--;
        if (within?.has(name)) inside--;
        if (!INLINE.has(name)) out += '\n';
      },
    },
    { xmlMode: xml, decodeEntities: true, recognizeCDATA: true },
  );
  parser.end(source);
  return tidy(out);
}

const tidy = (text: string): string =>
  text
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/ ?\n[\n ]*/g, '\n')
    .trim();

export const htmlText = (source: string): string => markupText(source, { xml: false });

/** Extracts the narrative of a C-CDA document: titles and `text` of its sections (HL7 CDA R2 section 4.3.5). */
export const cdaText = (source: string): string =>
  markupText(source, { xml: true, within: new Set(['title', 'text']) });

export const isCda = (source: string): boolean => /<(?:\w+:)?ClinicalDocument[\s>]/.test(source.slice(0, 4_096));

export const xmlText = (source: string): string => markupText(source, { xml: true });

/**
 * Extracts the narratives of a FHIR resource: every `text.div`, and the text of codes, notes and strings written by
 * people.
 */
export function fhirText(source: string): string {
  const parts: string[] = [];
  const open: unknown[] = [JSON.parse(source)];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value).reverse()) {
      if (typeof member !== 'string') open.push(member);
      else if (name === 'div') parts.push(htmlText(member));
      else if (WRITTEN.has(name)) parts.push(member);
    }
  }
  return tidy(parts.join('\n'));
}

const WRITTEN: ReadonlySet<string> = new Set([
  'text',
  'display',
  'description',
  'title',
  'comment',
  'note',
  'conclusion',
  'valueString',
]);
