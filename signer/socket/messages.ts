import { z } from 'zod';
import {
  SIGNER_REFUSALS,
  SignedTree,
  SignerKeyPlace,
  SignerStatus,
  SigningEvidence,
} from '../../shared/signing/signer.js';

// A question is one POST: the length of its JSON (4 bytes, big endian), the JSON, and the message to sign. An answer is JSON.

export const Question = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('data-key') }),
  z.object({ ask: z.literal('create-key'), place: SignerKeyPlace }),
  z.object({ ask: z.literal('end-key'), key_id: z.string() }),
  z.object({ ask: z.literal('sign'), key_id: z.string(), evidence: SigningEvidence }),
  z.object({ ask: z.literal('last-signed'), origin: z.string() }),
  z.object({ ask: z.literal('status') }),
]);
export type Question = z.infer<typeof Question>;

export const Refusal = z.object({ refused: z.enum(SIGNER_REFUSALS), detail: z.string() });

/** What each question is answered with. */
export const ANSWERS = {
  'data-key': z.object({ key: z.string().regex(/^[0-9a-f]{64}$/) }),
  'create-key': z.object({ x: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }),
  'end-key': z.object({}),
  sign: z.object({ signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/) }),
  'last-signed': z.object({ tree: SignedTree.nullable() }),
  status: SignerStatus,
} as const satisfies Readonly<Record<Question['ask'], z.ZodType>>;

const LENGTH_BYTES = 4;

export function encodeQuestion(question: Question, message: Uint8Array): Buffer {
  const json = Buffer.from(JSON.stringify(question));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, message]);
}

/** @throws for anything that is no question */
export function decodeQuestion(body: Buffer): { readonly question: Question; readonly message: Buffer } {
  const end = LENGTH_BYTES + (body.length < LENGTH_BYTES ? 0 : body.readUInt32BE(0));
  const json: unknown = JSON.parse(body.subarray(LENGTH_BYTES, end).toString('utf8'));
  return { question: Question.parse(json), message: body.subarray(end) };
}
