// TAB, LF, UTF-8; `\t \n \r \\` escaped, `-` for empty and `\-` for the value `-` (evidence.md section 5).

const PLAIN: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** The cells of a line, null for empty; undefined where the line is not of this form or has another number of cells. */
export function tsvCells(line: string, columns: number): (string | null)[] | undefined {
  const cells: (string | null)[] = line.split('\t');
  if (cells.length !== columns || line.includes('\r')) return undefined;
  for (let i = 0; i < columns; i++) {
    const cell = cells[i] as string;
    if (cell === '') return undefined;
    if (cell === '-') cells[i] = null;
    else if (cell.includes('\\')) {
      const plain = unescaped(cell);
      if (plain === undefined) return undefined;
      cells[i] = plain;
    }
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
