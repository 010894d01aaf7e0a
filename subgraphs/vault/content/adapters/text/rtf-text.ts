/** Groups without text: fonts, styles, pictures, objects. */
const SKIPPED: ReadonlySet<string> = new Set([
  'fonttbl',
  'colortbl',
  'stylesheet',
  'info',
  'pict',
  'object',
  'themedata',
  'colorschememapping',
  'datastore',
  'latentstyles',
  'listtable',
  'listoverridetable',
  'rsidtbl',
  'generator',
  'xmlnstbl',
  'fldinst',
]);
const BREAKS: Readonly<Record<string, string>> = {
  par: '\n',
  line: '\n',
  sect: '\n',
  page: '\n',
  row: '\n',
  cell: ' ',
  tab: ' ',
};
const CHARACTERS: Readonly<Record<string, string>> = {
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
};
const CODEPAGES: Readonly<Record<number, string>> = {
  1250: 'windows-1250',
  1251: 'windows-1251',
  1253: 'windows-1253',
  1254: 'windows-1254',
};

interface Group {
  readonly skipped: boolean;
  /** Number of fallback characters after `\u` for readers that do not know it. */
  readonly fallback: number;
}

// One token: a hexadecimal byte, a control word with its number and one space, a control symbol, a brace, or text.
const TOKEN = /\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/g;

/**
 * Extracts the text of a Rich Text document (RTF 1.9.1), without layout. Does not recurse: nesting costs one list
 * entry.
 */
export function rtfText(source: string): string {
  const groups: Group[] = [{ skipped: false, fallback: 1 }];
  let decoder = new TextDecoder('windows-1252');
  let out = '';
  let toSkip = 0;
  const top = (): Group => groups.at(-1) ?? { skipped: false, fallback: 1 };
  const set = (change: Partial<Group>): void => void groups.splice(-1, 1, { ...top(), ...change });
  const write = (text: string): void => {
    if (!top().skipped) out += text;
  };
  for (const [, hex, word, number, symbol, brace, text] of source.matchAll(TOKEN)) {
    if (brace === '{') groups.push(top());
    else if (brace === '}') {
      if (groups.length > 1) groups.pop();
    } else if (hex !== undefined) {
      if (toSkip > 0) toSkip--;
      else write(decoder.decode(Uint8Array.of(Number.parseInt(hex, 16))));
    } else if (text !== undefined) {
      write(text.slice(toSkip));
      toSkip = Math.max(0, toSkip - text.length);
    } else if (symbol !== undefined) {
      if (symbol === '*') set({ skipped: true });
      else write(symbol === '~' ? ' ' : symbol === '_' ? '-' : '\\{}'.includes(symbol) ? symbol : '');
    } else if (word === 'u') {
      write(String.fromCharCode(Number(number ?? 0) & 0xffff));
      toSkip = top().fallback;
    } else if (word === 'uc') set({ fallback: Math.min(16, Math.max(0, Number(number ?? 1))) });
    else if (word === 'ansicpg') decoder = new TextDecoder(CODEPAGES[Number(number)] ?? 'windows-1252');
    else if (word !== undefined && SKIPPED.has(word)) set({ skipped: true });
    else if (word !== undefined) write(BREAKS[word] ?? CHARACTERS[word] ?? '');
  }
  return out;
}
