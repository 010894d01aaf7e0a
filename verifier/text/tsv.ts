// TAB, LF, UTF-8; `\t \n \r \\` escaped, `-` for empty and `\-` for the value `-` (evidence.md section 5).

const PLAIN: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** Splits a line into cells, null for empty; returns undefined for an invalid line or another number of cells. */
export function tsvCells(line: string, columns: number): (string | null)[] | undefined {
  const texts = line.split('\t');
  if (texts.length !== columns || line.includes('\r')) return undefined;
  const cells: (string | null)[] = [];
  for (const text of texts) {
    const cell = text.includes('\\') ? unescaped(text) : text;
    if (cell === undefined || text === '') return undefined;
    cells.push(text === '-' ? null : cell);
  }
  return cells;
}

function unescaped(cell: string): string | undefined {
  if (cell === '\\-') return '-';
  let sound = true;
  const plain = cell.replace(/\\(.?)/gs, (_, letter: string) => {
    const character = PLAIN[letter];
    if (character === undefined) sound = false;
    return character ?? '';
  });
  return sound ? plain : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

const tsvCell = (value: string | number | null): string => {
  if (value === null || value === '') return '-';
  if (value === '-') return '\\-';
  return String(value).replace(/[\t\n\r\\]/g, (character) => ESCAPES[character] ?? character);
};

/** Returns a line without its LF. */
export const tsvLine = (cells: readonly (string | number | null)[]): string => cells.map(tsvCell).join('\t');
