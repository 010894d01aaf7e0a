import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';

/** The fields commitment by its definition (evidence.md section 2), word for word, on the platform's functions alone. */
export function referenceFields(seed: Buffer, record: JsonObject): string {
  const hmac = (text: string) => createHmac('sha256', seed).update(text).digest();
  const tagged = (tag: string, ...parts: (Buffer | string)[]) =>
    parts.reduce((digest, part) => digest.update(part), createHash('sha256').update(`eas:${tag}:v1\0`)).digest();
  const digests: Buffer[] = [];
  const visit = (value: unknown, pointer: string): void => {
    const children = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (children.length === 0) {
      const leaf = canonicalJson([pointer, value as string]);
      digests.push(tagged('field', hmac(`field:${pointer}`).subarray(0, 16), leaf));
    }
    for (const [key, child] of children) visit(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  };
  visit(record, '');
  for (let i = 0; digests.length % 8 !== 0; i++) digests.push(tagged('decoy', hmac(`decoy:${i}`)));
  return tagged('fields', ...digests.sort(Buffer.compare)).toString('hex');
}
