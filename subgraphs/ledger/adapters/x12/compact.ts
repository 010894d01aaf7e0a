/** A copy without what is absent: undefined, '', empty lists and empty objects. Payloads say only what was sent. */
export function compact(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined || value === '' || value === null) continue;
    if (typeof value === 'object' && isEmpty(value)) continue;
    kept[name] = value;
  }
  return kept;
}

/** The values of a list without repetitions, in order of first appearance. */
export function unique(values: readonly string[]): string[] {
  if (values.length > 16) return [...new Set(values)];
  const kept: string[] = [];
  for (const value of values) if (!kept.includes(value)) kept.push(value);
  return kept;
}

function isEmpty(value: object): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}
