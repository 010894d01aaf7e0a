import { z } from 'zod';
import type { RedactedPage } from '../../domain.js';

const FAULT_CODES = [
  'UNREADABLE',
  'ENCRYPTED',
  'TOO_MANY_PAGES',
  'TOO_LARGE',
  'TIMEOUT',
  'OUT_OF_MEMORY',
  'UNSURE',
  'TURNED',
  'NOT_FOUND',
] as const;

/** Why a document could not be read or rewritten. The codes reveal nothing of its content. */
export type DocumentFaultCode = (typeof FAULT_CODES)[number];

export class DocumentFault extends Error {
  readonly code: DocumentFaultCode;
  /** For NOT_FOUND: indexes of the terms and pages that the document lacks. */
  readonly missing: { readonly terms: readonly number[]; readonly pages: readonly number[] };

  constructor(code: DocumentFaultCode, missing: DocumentFault['missing'] = { terms: [], pages: [] }) {
    super(`document fault ${code}`);
    this.name = 'DocumentFault';
    this.code = code;
    this.missing = missing;
  }
}

/** Bytes that another process sent: of the class there, which may differ from the class here. */
const bytes = z.custom<Uint8Array>((value) => ArrayBuffer.isView(value));
const region = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const page: z.ZodType<RedactedPage> = z.object({ page: z.number(), regions: z.array(region).exactOptional() });
const limits = { mediaType: z.string(), bytes, maxPages: z.number() };

/** One task for one process. */
export const processTask = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('extract'), ...limits, maxCharacters: z.number() }),
  z.object({
    kind: z.literal('redact'),
    ...limits,
    terms: z.array(z.string()).readonly(),
    pages: z.array(page).readonly(),
  }),
]);
export type ProcessTask = Readonly<z.infer<typeof processTask>>;

/** The one answer of a process. */
export const processAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('bytes'), bytes }),
  z.object({
    kind: z.literal('fault'),
    code: z.enum(FAULT_CODES),
    missing: z.object({ terms: z.array(z.number()).readonly(), pages: z.array(z.number()).readonly() }),
  }),
]);
export type ProcessAnswer = z.infer<typeof processAnswer>;
