const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global ' +
    'if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** `listAiDecisions` becomes `list_ai_decisions`. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `bundle_id` becomes `BundleId`, `legal-hold.created` becomes `LegalHoldCreated`. */
export const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** True if a name can stand in Python as it is. */
export const isIdentifier = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name);

/** A parameter's name: `from` becomes `from_` (PEP 8). */
export const parameterName = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : name);

/** A string literal of Python. JSON escapes what Python does, and in the same way. */
export const literal = (text: string): string => JSON.stringify(text);

const MAX_LINE = 110;

/** Lines of a docstring, each after `indent`, without its quotes. */
export function wrapped(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").split(/\s+/)) {
    if (line !== indent && line.length + word.length + 1 > MAX_LINE) {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...lines, line];
}
