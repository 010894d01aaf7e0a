import { type Bytes, hexOf, hmacUnder, joined, ofHex, tagged, utf8 } from './bytes';

// The commitments of docs/evidence.md section 2, recomputed. R is in the form of RFC 8785 already, so a value that JSON.parse
// read from it prints as it stood there.

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const SALT_BYTES = 16;
const PADDING = 8;

/** RFC 8785: members in the order of their UTF-16 units. */
function jcs(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jcs(member)}`).join(',')}}`;
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Every scalar, and every empty object or array, with its pointer (RFC 6901). */
function leavesOf(value: Json, pointer = ''): [pointer: string, value: Json][] {
  if (typeof value !== 'object' || value === null) return [[pointer, value]];
  const members = Object.entries(value);
  if (members.length === 0) return [[pointer, value]];
  return members.flatMap(([name, member]) => leavesOf(member, `${pointer}/${escaped(name)}`));
}

const digestOf = (salt: Uint8Array, pointer: string, value: Json): Promise<Bytes> =>
  tagged('field', salt, utf8(jcs([pointer, value])));

async function sealed(digests: readonly string[]): Promise<string> {
  return hexOf(await tagged('fields', joined(...[...digests].sort().map(ofHex))));
}

interface Commitments {
  readonly commit: string;
  readonly fields: string;
  readonly leaves: number;
}

/** @param seed hexadecimal */
export async function commitmentsOf(record: string, seed: string): Promise<Commitments> {
  const hmac = await hmacUnder(ofHex(seed));
  // R is JSON, which the service read back before it was appended.
  const leaves = leavesOf(JSON.parse(record) as Json);
  const digests = await Promise.all(
    leaves.map(async ([pointer, value]) => {
      const salt = (await hmac(`field:${pointer}`)).subarray(0, SALT_BYTES);
      return hexOf(await digestOf(salt, pointer, value));
    }),
  );
  for (let i = 0; digests.length % PADDING !== 0; i++)
    digests.push(hexOf(await tagged('decoy', await hmac(`decoy:${i}`))));
  const commit = hexOf(await tagged('commit', await hmac('commit'), utf8(record)));
  return { commit, fields: await sealed(digests), leaves: leaves.length };
}

interface RedactedLine {
  readonly disclosed: readonly (readonly [salt: string, pointer: string, value: Json])[];
  readonly hidden: readonly string[];
}

export const isRedactedLine = (line: unknown): line is RedactedLine =>
  typeof line === 'object' && line !== null && 'disclosed' in line && 'hidden' in line;

/** `fields` of a redacted event: digests of shown fields are computed, those of hidden fields are given. */
export async function fieldsOfRedacted({ disclosed, hidden }: RedactedLine): Promise<string> {
  const shown = await Promise.all(
    disclosed.map(async ([salt, pointer, value]) => hexOf(await digestOf(ofHex(salt), pointer, value))),
  );
  return sealed([...shown, ...hidden]);
}

/** entry_hash = D("link", header). */
export const entryHashOf = async (header: unknown): Promise<string> => hexOf(await tagged('link', utf8(jcs(header))));
